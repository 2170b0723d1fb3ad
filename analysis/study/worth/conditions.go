package worth

import (
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// view is the conditions whose answers are right or wrong and that have several agents.
type view struct {
	campaign.View
	notes []string // which conditions are left out, and why
}

// viewOf a campaign; with talking, those alone in which agents answer again after they
// gave first answers.
func viewOf(c campaign.Campaign, talking bool) view {
	v := view{View: c.View("")}
	v.Whole = true // to decide early is not to be cut off
	var kept []campaign.Group
	left := map[string]int{}
	for _, g := range v.Groups {
		if reason := explainUnfit(g, talking); reason != "" {
			left[reason]++
		} else {
			kept = append(kept, g)
		}
	}
	v.Groups = kept
	for _, reason := range []string{isGraded, isUnscored, isUnanswered, isAlone, isSilent} {
		if n := left[reason]; n > 0 {
			v.notes = append(v.notes, fmt.Sprintf("Left out: %s %s.", wording.Count(n, "condition"), reason))
		}
	}
	if len(kept) > 0 {
		if v.Labels = v.Varying(); len(v.Labels) == 0 {
			v.Labels = []string{"rule"}
		}
	}
	return v
}

// Why a condition is not shown.
const (
	isGraded = "whose answers are not right or wrong, but better or worse"
	isAlone  = "without recorded answers of at least two agents"
	isSilent = "in which no agent answers again after the first answers"
	// of imported transcripts
	isUnscored   = "with imported transcripts that have no score"
	isUnanswered = "imported without answers: no message has an answer and its score in its metadata"
)

// explainUnfit says why a condition is left out; "" if it is not.
func explainUnfit(g campaign.Group, talking bool) string {
	several, again, answered := false, false, false
	for _, r := range g.Succeeded() {
		t := talkOf(r)
		switch {
		case t.Graded:
			return isGraded
		case isImported(r) && r.Score == nil:
			return isUnscored
		case isImported(r) && *r.Score != 0 && *r.Score != 1:
			return isGraded
		}
		answered = answered || len(t.Steps) > 0
		several = several || len(t.Steps) > 0 && len(t.Steps[0].Read()) > 1
		again = again || len(t.Steps) > 1
	}
	switch {
	case !answered && slices.ContainsFunc(g.Runs, isImported):
		return isUnanswered
	case !several:
		return isAlone
	case talking && !again:
		return isSilent
	}
	return ""
}

// isImported reports whether nobody knows what an answer took, and what its speaker had seen.
func isImported(r campaign.Run) bool { return r.Protocol == record.Imported }

// addNotes adds those of the view, and which first answers were not given alone.
func (v view) addNotes(t *table.Table) {
	var seen []string
	for _, g := range v.Groups {
		if slices.ContainsFunc(g.Succeeded(), func(r campaign.Run) bool { return talkOf(r).Seen }) {
			seen = append(seen, v.Title(g))
		}
	}
	if len(seen) > 0 {
		which := "all conditions"
		if len(seen) < len(v.Groups) {
			which = wording.And(seen)
		}
		t.Notes = append(t.Notes, "First answers were not all given alone: some agents had seen others before "+
			"theirs, in "+which+". What talk did before them is not in the figures.")
	}
	if slices.ContainsFunc(v.Groups, func(g campaign.Group) bool { return slices.ContainsFunc(g.Runs, isImported) }) {
		t.Notes = append(t.Notes, "Of imported transcripts nobody knows what answers took, "+
			"and what had been seen before the first ones.")
	}
	t.Notes = append(t.Notes, v.notes...)
	v.AddNotes(t)
}

// answeredRuns returns the collaborations that have first answers.
func answeredRuns(g campaign.Group) []campaign.Run {
	return g.Having(func(r campaign.Run) bool { return len(talkOf(r).Steps) > 0 })
}

// points are differences of percentages by unit, with their interval and Student's test of 0.
type points []float64

// meanChange returns the mean of a difference of shares by unit, in points.
func meanChange(runs []campaign.Run, of func(campaign.Run) (float64, bool)) points {
	return campaign.ByUnit(runs, func(r campaign.Run) (float64, bool) {
		v, ok := of(r)
		return 100 * v, ok
	}).Values()
}

// shareCell returns the mean of a share over units, in percent: that of its changes, so that
// columns and their difference agree whatever replicates each unit has.
func shareCell(runs []campaign.Run, of func(campaign.Run) (float64, bool)) table.Cell {
	values := meanChange(runs, of)
	return (&table.Sample{Values: values, Of: len(values)}).Mean(1)
}

// meanCells are the mean, the ends of the interval and p.
func (p points) meanCells(most float64) []table.Cell {
	cells := campaign.MeanInterval(p, 1, most)
	test, err := statistics.Paired(p)
	if err != nil {
		return append(cells, table.Cell{})
	}
	return append(cells, table.PValue(&test.P))
}

// pointsColumns are those of differences.
func pointsColumns[R any](header string, most float64, of func(R) points) table.Columns[R] {
	return table.Columns[R]{Headers: []string{header, header + " low", header + " high", header + " p"},
		Cells: func(r R) []table.Cell { return of(r).meanCells(most) }}
}

// flipColumns are the shares of agents that were wrong and became right, and the reverse.
func flipColumns[R any](runs func(R) []campaign.Run, between func(R, Talk) (from, to int, ok bool)) table.Columns[R] {
	share := func(header string, of func(Talk, int, int) (float64, float64)) table.Columns[R] {
		return table.Column(header, func(row R) table.Cell {
			return table.MeanPercent(campaign.RatioOver(runs(row), func(r campaign.Run) (float64, float64) {
				t := talkOf(r)
				if from, to, ok := between(row, t); ok {
					return of(t, from, to)
				}
				return 0, 0
			}))
		})
	}
	return table.Join(
		share("wrong to right, %", func(t Talk, from, to int) (float64, float64) {
			toRight, wrong, _, _ := t.countFlips(from, to)
			return toRight, wrong
		}),
		share("right to wrong, %", func(t Talk, from, to int) (float64, float64) {
			_, _, toWrong, right := t.countFlips(from, to)
			return toWrong, right
		}))
}
