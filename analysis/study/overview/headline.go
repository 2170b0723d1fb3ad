package overview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/worth"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// level is that of a significant difference, after Holm's correction.
const level = 0.05

// Headline is what a campaign shows in an environment.
type Headline struct {
	Claim   string // which condition leads, or that none does; without a full stop
	Figures string // of the claim; without a full stop, empty if the claim has them
	More    string // whole sentences: what one agent alone scores, and what speaks against the claim
}

func (h Headline) String() string {
	said := h.Claim
	if h.Figures != "" {
		said += ": " + h.Figures
	}
	return strings.TrimSpace(said + ". " + h.More)
}

// Headlines say for each environment, in at most three sentences: which condition leads, by
// how much, how sure that is and whether it is more than chance, or that none differ
// significantly; what one agent alone and self-consistency reach for the same money; and what
// speaks against reading more into it: groups without a decision and what the others score, a
// single instance. What makes it no result, or not yet, comes before the claim: scripted agents,
// answers that could not be used, cells that are to come.
// The figures are those of the tables outcomes, comparisons, floor and baselines.
func Headlines(c campaign.Campaign) []Headline {
	v := c.View("")
	against := worth.AgainstAlone(c)
	var all []Headline
	for _, environment := range v.Environments() {
		ranked := rankOutcomes(v, environment)
		if len(ranked) == 0 {
			continue
		}
		h, caveats := headline(v, environment, ranked), joinTexts(undecidedText(v, environment, ranked), oneInstanceText(ranked))
		if first := joinTexts(simulatedText(v, environment), unusableText(v, environment), unfinishedText(v, environment)); first != "" {
			environment += " (" + first + ")"
		}
		h.Claim = environment + ": " + h.Claim
		if alone := aloneText(v, ranked, against); alone != "" {
			h.More = alone + ". "
		}
		if caveats != "" {
			h.More += "But " + caveats + "."
		}
		all = append(all, h)
	}
	return all
}

// simulatedText says that scripted agents answered in an environment, or in some of it.
func simulatedText(v campaign.View, environment string) string {
	v.Groups = slices.DeleteFunc(slices.Clone(v.Groups), func(g campaign.Group) bool { return g.Settings["env"] != environment })
	some, all := v.Simulated()
	switch some {
	case 0:
		return ""
	case all:
		return "simulated: no language model answered"
	}
	return fmt.Sprintf("simulated in %d of %s", some, campaign.Collaborations(all))
}

// joinTexts joins those that say something.
func joinTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// leadText says whether the highest two differ by more than a condition does from itself,
// as the end of a sentence.
func leadText(v campaign.View, environment string, ranked []outcome) string {
	if text := floorText(itselves(v, environment), ranked[0].name, ranked[1].name); text != "" {
		return ", " + text
	}
	return ""
}

// aloneText says what one agent alone, self-consistency and the controls that hear nobody or
// strangers reach, next to the highest condition that has these and is not a control.
// Self-consistency has the same money, or the same tokens where money is not known.
func aloneText(v campaign.View, ranked []outcome, against map[string]worth.Against) string {
	for _, o := range ranked {
		a, controls := against[o.group.ID], v.ControlsOf(o.group)
		if o.group.Settings[campaign.Control] != "" {
			continue
		}
		budget, selfConsistency := "money", a.ForMoney
		if selfConsistency == nil { // nobody was paid, or it is not known how much
			budget, selfConsistency = "tokens", a.SelfConsistency
		}
		equal := "self-consistency for the same " + budget
		if selfConsistency != nil && selfConsistency.TooFew {
			equal = "self-consistency with all samples, for less than the same " + budget + ","
		}
		budgeted := "one with the budget of the group"
		if a.Budget != nil && a.Budget.TooFew {
			budgeted = "one with as long an answer as there is, less than the group's budget,"
		}
		var parts []string
		for _, x := range []struct {
			name string
			gain *worth.Gain
		}{{"one agent alone", a.Single}, {budgeted, a.Budget}, {equal, selfConsistency}} {
			if x.gain == nil {
				continue
			}
			parts = append(parts, besideText(x.name, x.gain.Baseline, x.gain.Difference, campaign.IntervalCells(x.gain.Within, 4, 1)))
		}
		for _, x := range []struct{ control, name string }{{campaign.Alone, "the same without hearing anybody"}, {campaign.Strangers, "hearing strangers"}} {
			theirs := controls[x.control].Succeeded()
			m := campaign.MeanOver(theirs, campaign.Run.Outcome)
			if more := campaign.PairedBy(o.group.Succeeded(), theirs, campaign.Run.Outcome).Values(); m != nil && len(more) > 0 {
				cells := campaign.MeanInterval(more, 4, o.group.MostDifference())
				parts = append(parts, besideText(x.name, m.Value, *cells[0].Value, cells[1:]))
			}
		}
		if len(parts) > 0 {
			return fmt.Sprintf("Compared with %s (%s): %s", o.name, short(o.mean), strings.Join(parts, "; "))
		}
	}
	return ""
}

// besideText says what something else scores, and by how much that is above or below the
// condition, which is better by the difference.
func besideText(name string, score, difference float64, interval []table.Cell) string {
	where, within := "lower", interval
	if difference < 0 {
		where, difference = "higher", -difference
		if len(interval) == 2 && interval[0].Value != nil && interval[1].Value != nil {
			within = []table.Cell{table.Number(-*interval[1].Value, 4), table.Number(-*interval[0].Value, 4)}
		}
	}
	if short(difference) == short(0) {
		return fmt.Sprintf("%s scores %s, the same%s", name, short(score), intervalText(within))
	}
	return fmt.Sprintf("%s scores %s, %s by %s%s", name, short(score), where, short(difference), intervalText(within))
}

// outcome is a condition with its mean outcome.
type outcome struct {
	name  string
	mean  float64
	group campaign.Group
}

// rankOutcomes returns the conditions of an environment that have an outcome, the highest
// first, without those that are others again.
func rankOutcomes(v campaign.View, environment string) []outcome {
	var ranked []outcome
	for _, g := range v.WithoutSame() {
		if g.Settings["env"] != environment {
			continue
		}
		if m := campaign.MeanOver(g.Succeeded(), campaign.Run.Outcome); m != nil {
			ranked = append(ranked, outcome{v.Title(g), m.Value, g})
		}
	}
	slices.SortStableFunc(ranked, func(a, b outcome) int { return cmp.Compare(b.mean, a.mean) })
	return ranked
}

// headline says which condition leads, without a full stop.
func headline(v campaign.View, environment string, ranked []outcome) Headline {
	if len(ranked) == 1 {
		return Headline{Claim: fmt.Sprintf("%s is %s%s", campaign.ScoreIs(ranked[0].group), short(ranked[0].mean), intervalText(outcomeInterval(ranked[0].group)))}
	}
	list, _, err := compareConditions(v, environment, 0)
	if err != nil || len(list) == 0 {
		return Headline{Claim: fmt.Sprintf("%s has the highest mean, %s; no two conditions can be compared in pairs", ranked[0].name, short(ranked[0].mean))}
	}
	decided, known := whereBothDecided(v, environment, ranked)
	return verdict(ranked, list, known && undecidedShare(ranked[1].group) > undecidedShare(ranked[0].group) && !(differs(decided) && *decided.Difference > 0), leadText(v, environment, ranked))
}

// verdict says who leads, after all comparisons of an environment; byDeciding, that it does so
// only because the next comes to no decision more often. Chance ends the sentence about the
// highest two.
func verdict(ranked []outcome, list []statistics.Comparison, byDeciding bool, chance string) Headline {
	if tied := tiedFirst(ranked, list); tied > 1 {
		claim, next := tieText(ranked, tied)
		return Headline{Claim: claim, Figures: next + countDiffering(list)}
	}
	first, next := ranked[0], ranked[1]
	between, known := difference(list, first.name, next.name)
	means := fmt.Sprintf("%s with %s and %s with %s (%s)", first.name, short(first.mean), next.name, short(next.mean), campaign.ScoreIs(first.group))
	by := ", with no pair in common"
	if known {
		by = ", a difference of " + differenceText(between, first.group.MostDifference()) + chance
	}
	isHigher := known && differs(between) && *between.Difference > 0
	switch {
	case isHigher && byDeciding:
		return Headline{Claim: fmt.Sprintf("%s leads, but only because %s comes to no decision more often", first.name, next.name), Figures: means + by}
	case isHigher:
		return Headline{Claim: first.name + " leads", Figures: means + by}
	case known && differs(between): // over what both have
		return Headline{Claim: fmt.Sprintf("%s has the highest mean, but is significantly lower than %s in the pairs they have in common", first.name, next.name), Figures: means + ", there a difference of " + differenceText(between, first.group.MostDifference())}
	case !slices.ContainsFunc(list, differs):
		return Headline{Claim: noneDiffers(len(ranked), len(list)), Figures: "highest are " + means + by + outOfReachText(list)}
	case !known:
		return Headline{Claim: first.name + " has the highest mean, but no pair in common with the next", Figures: fmt.Sprintf("%s; %s", means, countDiffering(list))}
	}
	return Headline{Claim: first.name + " is highest, but not significantly above the next", Figures: means + by + "; " + countDiffering(list)}
}

// noneDiffers says that no pair of conditions differs significantly, of those that can be compared.
func noneDiffers(conditions, compared int) string {
	if compared == conditions*(conditions-1)/2 {
		return fmt.Sprintf("no two of the %d conditions differ significantly", conditions)
	}
	return fmt.Sprintf("of the %d conditions, no two that can be compared differ significantly", conditions)
}

// outOfReachText says that no difference could have been significant, if none could: the
// smallest p of signs exchanged over n pairs is 2/2ⁿ, before Holm's correction.
func outOfReachText(list []statistics.Comparison) string {
	pairs := 0
	for _, c := range list {
		pairs = max(pairs, c.N)
	}
	least := math.Ldexp(2, -pairs) * float64(len(list))
	if pairs == 0 || least < level {
		return ""
	}
	return fmt.Sprintf("; none could be significant: with %s and %s of conditions, p cannot be below %s (ask more, or compare fewer conditions)",
		wording.Count(pairs, "pair"), wording.Count(len(list), "comparison"), short(min(1, least)))
}

// tiedFirst returns how many of the ranked conditions have the highest mean and, but for
// rounding, no pair that differs from the first.
func tiedFirst(ranked []outcome, list []statistics.Comparison) int {
	first, n := ranked[0], 1
	none := func(v *float64) bool { return v != nil && math.Abs(*v) <= 1e-12*max(1, math.Abs(first.mean)) }
	for ; n < len(ranked); n++ {
		c, known := difference(list, first.name, ranked[n].name)
		if !known || !none(new(first.mean-ranked[n].mean)) || !none(c.Difference) || c.SE != nil {
			break
		}
	}
	return n
}

// mostNamed is how many conditions or pairs a sentence names.
const mostNamed = 4

// tieText says which conditions share the highest mean, and what comes next.
func tieText(ranked []outcome, tied int) (claim, next string) {
	who := fmt.Sprintf("%d of the %d conditions", tied, len(ranked))
	if tied <= mostNamed {
		var names []string
		for _, o := range ranked[:tied] {
			names = append(names, o.name)
		}
		who = strings.Join(names[:tied-1], ", ") + " and " + names[tied-1]
	} else if tied == len(ranked) {
		who = fmt.Sprintf("all %d conditions", tied)
	}
	if tied < len(ranked) {
		next = fmt.Sprintf("next is %s with %s; ", ranked[tied].name, short(ranked[tied].mean))
	}
	return fmt.Sprintf("%s tie at the top with %s (%s)", who, short(ranked[0].mean), campaign.ScoreIs(ranked[0].group)), next
}

// countDiffering says how many pairs of conditions differ significantly.
func countDiffering(list []statistics.Comparison) string {
	differing := 0
	for _, c := range list {
		if differs(c) {
			differing++
		}
	}
	return fmt.Sprintf("%d of %s of conditions differ significantly (table comparisons)", differing, wording.Count(len(list), "pair"))
}

// differs reports whether a difference is known and significant.
func differs(c statistics.Comparison) bool {
	return c.Difference != nil && c.Holm != nil && *c.Holm < level
}

// difference returns the comparison of two conditions, the first minus the second.
func difference(list []statistics.Comparison, a, b string) (statistics.Comparison, bool) {
	for _, c := range list {
		switch {
		case c.A == a && c.B == b:
			return c, true
		case c.A == b && c.B == a:
			return turned(c), true
		}
	}
	return statistics.Comparison{}, false
}

// turned returns a comparison with its two conditions in the other order.
func turned(c statistics.Comparison) statistics.Comparison {
	c.A, c.B = c.B, c.A
	if c.Difference != nil {
		c.Difference = new(-*c.Difference)
	}
	if c.Student != nil {
		c.Student = &statistics.Interval{Low: -c.Student.High, High: -c.Student.Low}
	}
	return c
}

// differenceText says how much two conditions differ; most is the greatest difference there can be.
func differenceText(c statistics.Comparison, most float64) string {
	if c.Difference == nil {
		return "unknown size"
	}
	said := fmt.Sprintf("%s over %s%s", short(*c.Difference), wording.Count(c.N, "pair"), intervalText(campaign.IntervalCells(c.Student, 4, most)))
	switch {
	case c.Holm == nil:
	case c.SignFlip != nil && *c.SignFlip != *c.Holm: // the interval is of this difference alone
		said += ", p " + pText(*c.Holm) + " corrected for all comparisons"
	default:
		said += ", p " + pText(*c.Holm)
	}
	return said
}

// intervalText returns an interval in brackets; "" if there is none.
func intervalText(ends []table.Cell) string {
	if len(ends) != 2 || ends[0].Value == nil || ends[1].Value == nil {
		return ""
	}
	return fmt.Sprintf(" (95 %% CI %s to %s)", short(*ends[0].Value), short(*ends[1].Value))
}

func pText(p float64) string {
	s := table.PValue(&p).String()
	if s[0] == '<' {
		return "< " + s[1:]
	}
	return "= " + s
}

// short returns a figure with three decimals.
func short(v float64) string { return table.Fixed(v, 3) }
