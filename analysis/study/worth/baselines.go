package worth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/metrics"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// compared is a group and what it is compared to: the conditions with its questions,
// model and sampling in which agents answer once, alone.
type compared struct {
	campaign.Group
	single  map[campaign.Pair]campaign.Run // one agent
	samples map[campaign.Pair]campaign.Run // the most agents
}

// Baselines returns what groups decide against what one agent does alone, and against the
// most frequent of as many answers alone as the group's tokens pay for.
func Baselines(c campaign.Campaign) (table.Table, bool) {
	v := view{View: c.View("")}
	v.Whole = true // to decide early is not to be cut off
	rows := compare(&v)
	t := table.Table{Title: "Groups against one agent alone and against self-consistency at equal tokens"}
	mean := func(header string, decimals int, of func(compared, campaign.Run) (float64, bool)) table.Columns[compared] {
		return table.Column(header, func(g compared) table.Cell {
			return campaign.MeanCell(g.Succeeded(), decimals, func(r campaign.Run) (float64, bool) { return of(g, r) })
		})
	}
	gain := func(header string, of func(compared, campaign.Run) (float64, bool)) table.Columns[compared] {
		return pointsColumns(header, campaign.MostOfPercent, func(g compared) points {
			return changes(g.Succeeded(), func(r campaign.Run) (float64, bool) {
				alone, ok := of(g, r)
				own, decided := r.Outcome()
				return own - alone, ok && decided
			})
		})
	}
	percent := func(of func(compared, campaign.Run) (float64, bool)) func(compared, campaign.Run) (float64, bool) {
		return func(g compared, r campaign.Run) (float64, bool) { v, ok := of(g, r); return 100 * v, ok }
	}
	table.Fill(&t, rows, table.Columns[compared]{Headers: v.Names(), Cells: func(g compared) []table.Cell { return v.Label(g.Group) }},
		mean("group, %", 1, percent(func(_ compared, r campaign.Run) (float64, bool) { return r.Outcome() })),
		mean("single, %", 1, percent(compared.alone)), gain("over single", compared.alone),
		mean("self-consistency, %", 1, percent(compared.majority)), gain("over self-consistency", compared.majority),
		mean("tokens", 0, func(_ compared, r campaign.Run) (float64, bool) { return float64(r.Asked.Tokens()), true }),
		mean("samples", 1, func(g compared, r campaign.Run) (float64, bool) {
			affords, _, ok := g.affordable(r)
			return float64(affords), ok
		}),
		mean("their tokens", 0, func(g compared, r campaign.Run) (float64, bool) {
			_, tokens, ok := g.affordable(r)
			return float64(tokens), ok
		}),
		mean("too few, %", 1, func(g compared, r campaign.Run) (float64, bool) {
			affords, _, ok := g.affordable(r)
			return table.Hundred(ok && affords == len(talkOf(g.samples[campaign.PairOf(r.Collaboration)]).Spent)), ok
		}),
		v.endedOf())
	t.Notes = []string{
		"Group: the decision. " + v.GoodnessNote() + " Single: one agent that is asked once. Self-consistency: the most frequent of the first answers of agents asked alone, as many of them as take no more tokens (read and written, re-asks included) than the group took, and at least one. Of tied answers the share that is right counts, as in the table worth.",
		"Over: group minus baseline in percentage points, paired by instance and replicate, the mean over " + c.CountedUnits() + ", with its 95 % t interval and Student's p, not corrected for the number of rows. " + campaign.CutNote,
		"Tokens: of the group, a collaboration. Samples, their tokens: that self-consistency got for them. Too few: pairs in which the group's tokens would have paid for every recorded sample, so perhaps for more; ask for more with baselines: [{self_consistency: {samples: …}}]. What tokens are worth in money differs between reading and writing.",
	}
	if slices.ContainsFunc(rows, compared.isGraded) {
		t.Notes = append(t.Notes, "Without self-consistency: conditions whose answers are better or worse, or scored from outside, and not right or wrong. Its own row in the table outcomes counts all of its samples.")
	}
	t.Notes = append(t.Notes, v.notes...)
	v.AddNotes(&t)
	return t, len(rows) > 0
}

// Gain is a group's outcome over that of a baseline, as shares, over the pairs that both have.
type Gain struct {
	Baseline   float64 // mean of the baseline
	Difference float64
	Within     *statistics.Interval // 95 %; nil for one pair, and without spread
	Pairs      int                  // units: instances, or replicates of the only one
}

// Against is a group against one agent alone, and against as many answers alone as its
// tokens pay for; nil where a campaign has no such baseline.
type Against struct{ Single, SelfConsistency *Gain }

// AgainstAlone returns the figures of the table baselines, by condition.
func AgainstAlone(c campaign.Campaign) map[string]Against {
	v := view{View: c.View("")}
	all := map[string]Against{}
	for _, g := range compare(&v) {
		all[g.ID] = Against{g.over(g.alone), g.over(g.majority)}
	}
	return all
}

// over returns the gain over a baseline; nil without a pair.
func (g compared) over(baseline func(campaign.Run) (float64, bool)) *Gain {
	both := func(r campaign.Run) (own, alone float64, ok bool) {
		own, decided := r.Outcome()
		alone, ok = baseline(r)
		return own, alone, ok && decided
	}
	differences := campaign.ByUnit(g.Succeeded(), func(r campaign.Run) (float64, bool) { own, alone, ok := both(r); return own - alone, ok }).Values()
	if len(differences) == 0 {
		return nil
	}
	alone := campaign.MeanOver(g.Succeeded(), func(r campaign.Run) (float64, bool) { _, alone, ok := both(r); return alone, ok })
	gain := Gain{Baseline: alone.Value, Pairs: len(differences)}
	gain.Difference, gain.Within = statistics.MeanInterval(differences)
	return &gain
}

// endedOf returns the columns on how the group's runs ended.
func (v view) endedOf() table.Columns[compared] {
	ended := v.EndedColumns()
	return table.Columns[compared]{Headers: ended.Headers, Cells: func(g compared) []table.Cell { return ended.Cells(g.Group) }}
}

// compare returns the groups that have a baseline, and leaves only these in the view.
func compare(v *view) []compared {
	var rows []compared
	var alone, groups []campaign.Group
	for _, g := range v.Groups {
		switch {
		case isAskedOnce(g):
			alone = append(alone, g)
		case g.Measure() != record.Error:
			groups = append(groups, g)
		}
	}
	left := 0
	v.Groups = nil
	for _, g := range groups {
		row := compared{Group: g}
		most := 1
		for _, b := range alone {
			switch n := agentsOf(b); {
			case asked(b) != asked(g):
			case n == 1:
				row.single = byPair(b)
			case n > most:
				row.samples, most = byPair(b), n
			}
		}
		if row.single == nil && row.samples == nil {
			left++
			continue
		}
		rows, v.Groups = append(rows, row), append(v.Groups, g)
	}
	if left > 0 && len(rows) > 0 {
		v.notes = append(v.notes, fmt.Sprintf("Left out: %s without a baseline that has its questions, model and sampling.", wording.Count(left, "condition")))
	}
	if v.Labels = v.Varying(); len(v.Labels) == 0 {
		v.Labels = []string{"protocol"}
	}
	return rows
}

// isAskedOnce reports whether the agents of a condition answer once, without seeing
// anything of each other.
func isAskedOnce(g campaign.Group) bool {
	return g.Settings["protocol"] == "debate" && g.Settings["protocol.rounds"] == "0"
}

// asked returns what the agents of a condition are asked, and who answers.
func asked(g campaign.Group) string {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(g.Settings)) {
		if campaign.IsShared(key) && key != "env.agents" && key != "protocol.chain_of_thought" { // that has a default, below
			fmt.Fprintf(&text, "%s %s\n", key, g.Settings[key])
		}
	}
	fmt.Fprintf(&text, "thinks first %s\n", cmp.Or(g.Settings["protocol.chain_of_thought"], "true"))
	return text.String()
}

func agentsOf(g campaign.Group) int {
	if len(g.Runs) == 0 {
		return 0
	}
	return len(talkOf(g.Runs[0]).Spent)
}

func byPair(g campaign.Group) map[campaign.Pair]campaign.Run {
	all := map[campaign.Pair]campaign.Run{}
	for _, r := range g.Succeeded() {
		all[campaign.PairOf(r.Collaboration)] = r
	}
	return all
}

// isGraded reports whether there are samples that are neither right nor wrong.
func (g compared) isGraded() bool {
	for _, r := range g.samples {
		if talkOf(r).Graded {
			return true
		}
	}
	return false
}

// alone returns what the single agent's answer is worth.
func (g compared) alone(r campaign.Run) (float64, bool) {
	single, ok := g.single[campaign.PairOf(r.Collaboration)]
	if !ok {
		return 0, false
	}
	return single.Outcome()
}

// majority returns what the most frequent of the answers is worth that the group's tokens pay for.
func (g compared) majority(r campaign.Run) (float64, bool) {
	n, _, ok := g.affordable(r)
	talk := talkOf(g.samples[campaign.PairOf(r.Collaboration)])
	if !ok || talk.Graded {
		return 0, false
	}
	var answers metrics.Replies
	if len(talk.Steps) > 0 {
		answers = talk.Steps[0][:min(n, len(talk.Steps[0]))]
	}
	return answers.Plurality(), true
}

// affordable returns how many samples take no more tokens than the group's run, at least
// one, and their tokens; false if there are none.
func (g compared) affordable(r campaign.Run) (n int, tokens int64, ok bool) {
	spent := talkOf(g.samples[campaign.PairOf(r.Collaboration)]).Spent
	for _, more := range spent {
		if n > 0 && tokens+more > r.Asked.Tokens() {
			break
		}
		n, tokens = n+1, tokens+more
	}
	return n, tokens, n > 0
}
