package overview

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// unusableText names the conditions whose answers could not be used often enough.
func unusableText(v campaign.View, environment string) string {
	var names []string
	for _, g := range v.Groups {
		if g.Settings["env"] == environment && g.HasUnusable() {
			names = append(names, titleIn(v, g))
		}
	}
	if len(names) == 0 {
		return ""
	}
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed], wording.Count(more, "more condition"))
	}
	return fmt.Sprintf("no result: more than a tenth of the answers of %s could not be used, see the table summary",
		wording.And(names))
}

// titleIn returns the title of a condition in its environment; one that differs from others in
// that alone is named by it, and not by an id.
func titleIn(v campaign.View, g campaign.Group) string {
	return strings.TrimPrefix(v.FullTitle(g), g.Settings["env"]+": ")
}

// oneInstanceText says that all is about one instance, where it is.
func oneInstanceText(ranked []outcome) string {
	for _, o := range ranked {
		if runs := o.group.Succeeded(); len(runs) < 2 || runs[0].OverInstances {
			return ""
		}
	}
	return "all are replicates of one instance, and nothing is said of other instances"
}

// undecidedText says how many groups of which conditions came to no decision and what those
// that decided achieved, and how the first two differ where both decided.
func undecidedText(v campaign.View, environment string, ranked []outcome) string {
	var parts []string
	all := slices.Clone(ranked)
	for _, g := range v.WithoutSame() { // those that never decided have no outcome where that is an error
		if g.Settings["env"] == environment &&
			!slices.ContainsFunc(ranked, func(o outcome) bool { return o.group.ID == g.ID }) {
			all = append(all, outcome{group: g})
		}
	}
	for _, o := range all {
		runs := o.group.Succeeded()
		none := countUndecided(runs)
		if none == 0 {
			continue
		}
		part := fmt.Sprintf("%d of %d of %s", none, len(runs), titleIn(v, o.group))
		if m := campaign.MeanOver(runs, scoreOfDecided); m != nil && o.group.Measure() != record.Error {
			part += fmt.Sprintf(" (the others score %s)", shortNumber(m.Value))
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	if more := len(parts) - mostNamed; more > 0 {
		parts = append(parts[:mostNamed], wording.Count(more, "more condition"))
	}
	counted := "scored 0"
	if ranked[0].group.Measure() == record.Error {
		counted = "not counted"
	}
	said := fmt.Sprintf("groups came to no decision (%s): %s", counted, strings.Join(parts, ", "))
	if between, known := whereBothDecided(v, environment, ranked); known {
		said += fmt.Sprintf("; where both %s and %s decided, the difference is %s", ranked[0].name, ranked[1].name,
			differenceText(between, ranked[0].group.MostDifference()))
	}
	return said
}

// scoreOfDecided returns the score of a run that came to a decision: one that is scored by a
// judge or a program has the score 0 without one, too.
func scoreOfDecided(r campaign.Run) (float64, bool) {
	if r.DecisionJSON == nil {
		return 0, false
	}
	return table.ValueOrNone(r.Score)
}

// whereBothDecided compares the first two conditions over the pairs in which both came to a
// decision; false if some pair has none, or no decision is not counted as 0 in the first place.
func whereBothDecided(v campaign.View, environment string,
	ranked []outcome) (between statistics.Comparison, known bool) {
	if len(ranked) < 2 || ranked[0].group.Measure() == record.Error || hasDecided(ranked[0].group) &&
		hasDecided(ranked[1].group) {
		return between, false
	}
	series := slices.DeleteFunc(seriesOf(v, environment, scoreOfDecided),
		func(s statistics.Series) bool { return s.Name != ranked[0].name && s.Name != ranked[1].name })
	contrasts, _ := statistics.Pairs(series)
	list, err := statistics.Compare(series,
		statistics.Family{Contrasts: contrasts, Flips: campaign.Flips, Seed: campaign.CompareSeed})
	if err != nil {
		return between, false
	}
	between, known = differenceBetween(list, ranked[0].name, ranked[1].name)
	return between, known && between.Difference != nil
}

// undecidedShare returns the share of a condition's groups that came to no decision.
func undecidedShare(g campaign.Group) float64 {
	runs := g.Succeeded()
	return float64(countUndecided(runs)) / float64(max(len(runs), 1))
}

func countUndecided(runs []campaign.Run) (n int) {
	for _, r := range runs {
		if r.DecisionJSON == nil {
			n++
		}
	}
	return n
}

// hasDecided reports whether all groups of a condition came to a decision.
func hasDecided(g campaign.Group) bool { return undecidedShare(g) == 0 }

// addUnfinished says what is still to come, or has failed.
func (h *Headline) addUnfinished(v campaign.View) {
	open, failed, planned := 0, 0, 0
	for _, g := range v.Groups {
		if g.Settings["env"] == h.Environment {
			open, failed, planned = open+g.Pending(), failed+g.Count("failed"), planned+max(g.Planned, len(g.Runs))
		}
	}
	h.IsOpen = open > 0
	var parts []string
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%d have not finished", open))
	}
	if failed > 0 {
		h.Failed = fmt.Sprintf("%d failed", failed)
		parts = append(parts, h.Failed)
	}
	if len(parts) > 0 {
		h.Unfinished = fmt.Sprintf("of %s, %s", campaign.Collaborations(planned), strings.Join(parts, " and "))
	}
}
