package worth

import (
	"math"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Drift returns tests of whether discussion moves answers in one direction: of the martingale hypothesis
// (arXiv 2508.17536) that the expected share of right answers stays what it was, whatever came before.
func Drift(c campaign.Campaign) (table.Table, bool) {
	v := viewOf(c, true)
	t := table.Table{Title: "Does talk move answers? The share of agents that are right, from the first answers to the last"}
	share := func(header string, step func(Talk) int) table.Columns[campaign.Group] {
		return table.Column(header, func(g campaign.Group) table.Cell {
			return shareCell(answeredRuns(g),
				func(r campaign.Run) (float64, bool) { return talkOf(r).rightAt(step(talkOf(r))), true })
		})
	}
	table.Fill(&t, v.Groups, v.LabelColumns(),
		share("right first, %", func(Talk) int { return 0 }),
		share("right last, %", Talk.lastStep),
		pointsColumns("drift", campaign.MostOfPercent, driftOf),
		pointsColumns("herding", math.Inf(1), func(g campaign.Group) points {
			return meanChange(answeredRuns(g),
				func(r campaign.Run) (float64, bool) { return talkOf(r).herdingSum(), true })
		}),
		flipColumns(answeredRuns, func(_ campaign.Group, t Talk) (int, int, bool) { return 0, t.lastStep(), true }),
		table.Column("n", func(g campaign.Group) table.Cell { return table.Count(len(answeredRuns(g))) }))
	t.Notes = []string{
		beliefNote,
		"Drift: the share at the end minus that of the first answers, in points. Herding: the sum of the changes of " +
			"all rounds, each counted as positive where it adds to the side, right or wrong, that more than half " +
			"were on before it. If talk moves answers in neither direction, given all that came before (a " +
			"martingale), both are 0 on average, also where a talk ends early because of what was said. Means over " +
			c.CountedUnits() + " with 95 % t intervals and Student's p: what a question has in common is one observation. Herding is skewed: where there is none, its p is below 0.05 in 5 to 7 % of campaigns. p is not corrected for the number of tests.",
		"Wrong to right, right to wrong: of the agents that were wrong (right) first, those that are right (wrong) " +
			"at the end (standard error over the same).",
	}
	v.addNotes(&t)
	return t, len(v.Groups) > 0
}

const beliefNote = "Share of right answers: of the agents with a usable first answer. Who gives no usable answer in " +
	"a round keeps the one before."

// driftOf returns the drift of a condition by unit.
func driftOf(g campaign.Group) points {
	return meanChange(answeredRuns(g), func(r campaign.Run) (float64, bool) { return talkOf(r).totalDrift(), true })
}

// stepRow is a round of a condition.
type stepRow struct {
	campaign.Group
	round int32
	runs  []campaign.Run // that talked in it
}

// step returns the place of the row's round in a talk; false if it had none, or first answers only.
func (x stepRow) step(t Talk) (int, bool) {
	for k := 1; k < len(t.Steps); k++ {
		if t.Rounds[k] == x.round {
			return k, true
		}
	}
	return 0, false
}

// changeOf returns by how much the share of right answers moved in the round.
func (x stepRow) changeOf(r campaign.Run) (float64, bool) {
	t := talkOf(r)
	k, ok := x.step(t)
	if !ok {
		return 0, false
	}
	return t.rightAt(k) - t.rightAt(k-1), true
}

// ByRound returns the numbers of Drift for each round.
func ByRound(c campaign.Campaign) (table.Table, bool) {
	v := viewOf(c, true)
	t := table.Table{Title: "Does talk move answers? Round by round"}
	var rows []stepRow
	for _, g := range v.Groups {
		rows = append(rows, stepsOf(g)...)
	}
	share := func(header string, back int) table.Columns[stepRow] {
		return table.Column(header, func(x stepRow) table.Cell {
			return shareCell(x.runs, func(r campaign.Run) (float64, bool) {
				k, ok := x.step(talkOf(r))
				return talkOf(r).rightAt(k - back), ok
			})
		})
	}
	table.Fill(&t, rows, table.Of(v.LabelColumns(), func(x stepRow) campaign.Group { return x.Group }),
		table.Column("round", func(x stepRow) table.Cell { return table.Count(x.round) }),
		share("right before, %", 1), share("right after, %", 0),
		pointsColumns("drift", campaign.MostOfPercent,
			func(x stepRow) points { return meanChange(x.runs, x.changeOf) }),
		flipColumns(func(x stepRow) []campaign.Run { return x.runs }, func(x stepRow, t Talk) (int, int, bool) {
			k, ok := x.step(t)
			return k - 1, k, ok
		}),
		table.Column("n", func(x stepRow) table.Cell { return table.Count(len(x.runs)) }))
	t.Notes = []string{
		beliefNote,
		"Drift: the change of that share in the round, in points, over the n collaborations that talked in it: means over " + c.CountedUnits() + " with 95 % t intervals and Student's p, not corrected for the number of rounds and conditions. Later rounds can have other collaborations than earlier ones. A round that has the first answers too has a row if agents answered again in it.",
	}
	v.addNotes(&t)
	return t, len(rows) > 0
}

// stepsOf returns the rounds after first answers, ascending.
func stepsOf(g campaign.Group) []stepRow {
	byRound := map[int32][]campaign.Run{}
	var rounds []int32
	for _, r := range answeredRuns(g) {
		for _, round := range talkOf(r).Rounds[1:] {
			if byRound[round] == nil {
				rounds = append(rounds, round)
			}
			byRound[round] = append(byRound[round], r)
		}
	}
	slices.Sort(rounds)
	var rows []stepRow
	for _, round := range rounds {
		rows = append(rows, stepRow{g, round, byRound[round]})
	}
	return rows
}
