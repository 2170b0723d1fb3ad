package worth

import (
	"maps"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// jury is what first answers are worth as votes.
type jury struct {
	n, right float64  // votes of a collaboration on average, and the share of them that are right
	rho      *float64 // correlation of their errors; nil if it is not defined
}

// Votes returns how many independent votes the first answers of a condition are worth, and the accuracy that
// Condorcet's jury theorem predicts for them.
func Votes(c campaign.Campaign) (table.Table, bool) {
	v := viewOf(c, false)
	t := table.Table{Title: "First answers: error correlation and Condorcet prediction"}
	number := func(header string, decimals int, of func(jury) float64) table.Columns[campaign.Group] {
		return table.Column(header, func(g campaign.Group) table.Cell { return table.Number(of(juryOf(g)), decimals) })
	}
	known := func(header string, decimals int, of func(j jury, rho float64) float64) table.Columns[campaign.Group] {
		return table.Column(header, func(g campaign.Group) table.Cell {
			j := juryOf(g)
			if j.rho == nil {
				return table.Cell{}
			}
			return table.Number(of(j, *j.rho), decimals)
		})
	}
	table.Fill(&t, v.Groups, v.LabelColumns(),
		number("votes", 2, func(j jury) float64 { return j.n }),
		table.Column("right, %", func(g campaign.Group) table.Cell { return table.MeanPercent(rightVotes(g)) }),
		known("correlation", 3, func(_ jury, rho float64) float64 { return rho }),
		known("effective votes", 2, func(j jury, rho float64) float64 { return statistics.EffectiveVotes(j.n, rho) }),
		number("Condorcet, %", 1, func(j jury) float64 { return 100 * statistics.Condorcet(j.right, j.n) }),
		known("Condorcet at effective, %", 1, func(j jury, rho float64) float64 {
			return 100 * statistics.Condorcet(j.right, statistics.EffectiveVotes(j.n, rho))
		}),
		table.Column("first majority, %", func(g campaign.Group) table.Cell {
			return campaign.MeanCell(answeredRuns(g), 1,
				func(r campaign.Run) (float64, bool) { return 100 * firstMajority(r), true })
		}),
		table.Column("n", func(g campaign.Group) table.Cell { return table.Count(len(answeredRuns(g))) }))
	t.Notes = []string{
		"Votes: usable first answers a collaboration, on average. Right: the share of them (standard error over " +
			c.CountedUnits() + "). Correlation: how much their errors have in common, as intraclass correlation of " +
			"right and wrong within collaborations (analysis of variance; of several replicates of several " +
			"instances, pooled over the replicates). It holds what makes a question hard for all as well as what " +
			"agents copy. Effective votes: n/(1+(n-1)·correlation), a negative one counted as 0.",
		"Condorcet: the probability that more than half of that many independent votes, each right as often as these " +
			"are, are right; tied ones are half right, and between whole numbers it is interpolated. It is about " +
			"right and wrong: where wrong answers differ from each other, the most frequent answer can be right with " +
			"less than half of the votes, and the first majority lies above the promise. Empty: there is one " +
			"collaboration only, or all votes are right, or all wrong.",
	}
	v.addNotes(&t)
	return t, len(v.Groups) > 0
}

// rightVotes returns the share of first answers that are right.
func rightVotes(g campaign.Group) *statistics.Ratio {
	return campaign.RatioOver(answeredRuns(g), func(r campaign.Run) (float64, float64) {
		first := talkOf(r).Steps[0].Read()
		share, _ := first.Share()
		return share * float64(len(first)), float64(len(first))
	})
}

func juryOf(g campaign.Group) jury {
	runs := answeredRuns(g)
	votes := 0
	layers := map[int32][][]float64{} // by replicate, where the unit is the instance
	for _, r := range runs {
		first := talkOf(r).Steps[0].Read()
		votes += len(first)
		layer := int32(0)
		if r.OverInstances {
			layer = r.Replicate
		}
		layers[layer] = append(layers[layer], errorsOf(first))
	}
	j := jury{n: float64(votes) / float64(len(runs)), right: rightVotes(g).Value}
	var pooled [][][]float64
	for _, replicate := range slices.Sorted(maps.Keys(layers)) {
		pooled = append(pooled, layers[replicate])
	}
	if rho, err := statistics.ICC(pooled...); err == nil {
		j.rho = &rho
	}
	return j
}

// errorsOf returns 1 for each wrong answer and 0 for each right one.
func errorsOf(answers statistics.Replies) []float64 {
	wrong := make([]float64, len(answers))
	for i, a := range answers {
		if !a.Right {
			wrong[i] = 1
		}
	}
	return wrong
}
