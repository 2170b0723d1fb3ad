package environments

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Names of rows of Table 7. AsFour counts an undecided collaboration with the error of a guess of 4.
const (
	decidedN = "n with a decision"
	AsFour   = "MAE, undecided as 4"
)

// RatingErrors returns Table 7 of paper 1: absolute errors of the rating that stands after
// each round, over the collaborations with a decision by then, and below them
// the baselines on the same sampled items where the lake has them.
func RatingErrors(c campaign.Campaign) (table.Table, bool) {
	v := c.View(campaign.Recsys, "rule")
	t := table.Table{Title: "Recommendation: errors of the group's rating by round"}
	rows := slices.DeleteFunc(campaign.MeasureEach([]string{"MAE", "RMSE", decidedN, AsFour}, v.Groups),
		func(r campaign.MeasuredGroup[string]) bool {
			return r.Measure == AsFour && !isGuessKnown(r.Succeeded())
		})
	campaign.FillByRound(v, &t, rows, func(measure string) string { return measure },
		func(measure string, g campaign.Group, round int) table.Cell {
			return errorsAt(g.Succeeded(), measure, round)
		})
	t.Notes = []string{"In stars, with standard errors " + v.UnitsNote() +
		" (of RMSE by the delta method). Over collaborations with a decision by that round; the others are not " +
		"counted as wrong. " + AsFour + ": over all collaborations, one without a decision with the error of a guess of 4. " + decidedN + " and column n: collaborations."}
	addBaselines(v, &t)
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// errorsAt returns a measure of the errors of the runs with a decision by a round.
func errorsAt(runs []campaign.Run, measure string, round int) table.Cell {
	if measure == decidedN {
		n := 0
		for _, r := range runs {
			if _, ok := r.OutcomeAt(round); ok {
				n++
			}
		}
		return table.Count(n)
	}
	m := campaign.MeanOver(runs, campaign.AtRound(AbsoluteError, round))
	switch measure {
	case "RMSE":
		m = rootOf(campaign.MeanOver(runs, campaign.AtRound(SquaredError, round)))
	case AsFour:
		m = campaign.MeanOver(runs, campaign.AtRound(errorAsFour, round))
	}
	if m == nil {
		return table.Cell{}
	}
	return table.Cell{Value: &m.Value, SE: m.SE, N: m.N, Decimals: 2}
}

// AbsoluteError returns the absolute error of the decision that stands after a round; false if none does.
func AbsoluteError(r campaign.Run, round int) (float64, bool) {
	v, ok := r.OutcomeAt(round)
	return math.Abs(v), ok
}

// errorAsFour returns the absolute error, and of a run without a decision the error of the guess 4.
func errorAsFour(r campaign.Run, round int) (float64, bool) {
	if v, ok := AbsoluteError(r, round); ok {
		return v, true
	}
	return guess(r)
}

// guess returns the error of the paper's Always Guess 4 on the run's item; false
// where the lake does not have it.
func guess(r campaign.Run) (float64, bool) {
	var score map[string]float64
	if r.BaselinesJSON == nil || json.Unmarshal([]byte(*r.BaselinesJSON), &score) != nil {
		return 0, false
	}
	v, ok := score["always_4"]
	return math.Abs(v), ok
}

// isGuessKnown reports whether the guess is known of all runs.
func isGuessKnown(runs []campaign.Run) bool {
	return len(runs) > 0 && !slices.ContainsFunc(runs, func(r campaign.Run) bool { _, ok := guess(r); return !ok })
}

// SquaredError returns the squared error of the decision that stands after a round; false if none does.
func SquaredError(r campaign.Run, round int) (float64, bool) {
	v, ok := r.OutcomeAt(round)
	return v * v, ok
}

// rootOf of a mean, with its standard error by the delta method.
func rootOf(m *statistics.Ratio) *statistics.Ratio {
	if m == nil {
		return nil
	}
	r := statistics.Ratio{Value: math.Sqrt(m.Value), N: m.N}
	if m.SE != nil && r.Value > 0 {
		r.SE = new(*m.SE / (2 * r.Value))
	}
	return &r
}

// errorCell returns a measure of errors that were made once an item.
func errorCell(measure string, e statistics.RatingErrors) table.Cell {
	center, spread := e.MAE, e.SE
	if measure == "RMSE" {
		center, spread = e.RMSE, e.RMSESE
	}
	value, ok := center()
	if !ok {
		return table.Cell{}
	}
	c := table.Cell{Value: &value, N: len(e), Decimals: 2}
	if se, ok := spread(); ok {
		c.SE = &se
	}
	return c
}

// addBaselines adds a row for MAE and RMSE of each baseline.
func addBaselines(v campaign.View, t *table.Table) {
	byName, items := baselineErrors(v)
	if len(byName) == 0 {
		return
	}
	for _, m := range []string{"MAE", "RMSE"} {
		for _, name := range campaign.Ordered(byName) {
			row := []table.Cell{table.Word(m), table.Word("baseline " + name)}
			for len(row) <= len(v.Names()) {
				row = append(row, table.Cell{})
			}
			for n := 1; n <= v.Rounds(); n++ {
				row = append(row, errorCell(m, byName[name]))
			}
			row = append(row, table.Count(len(byName[name])))
			for len(row) < len(t.Columns) {
				row = append(row, table.Cell{})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Baselines on the %d items of this sample, each once; they do not depend "+
		"on the round. %s", items, BaselineNote))
}

// BaselineNote explains the baselines in the figures of ratings.
const BaselineNote = "always_4 is the paper's Always Guess 4. bias_model is the mean rating plus the bias of the " +
	"movie and of the user, each shrunk by ten ratings of the mean (u1.base, 20 sweeps); it stands for the state of " +
	"the art that the paper draws (Behera and Nain, 2023), whose predictions are not known here."

// baselineErrors returns the errors of each baseline on the sampled items, each
// item once whatever the number of conditions and replicates.
func baselineErrors(v campaign.View) (byName map[string]statistics.RatingErrors, items int) {
	byName = map[string]statistics.RatingErrors{}
	seen := map[string]bool{}
	for _, g := range v.Groups {
		for _, r := range g.Runs {
			if r.BaselinesJSON == nil || seen[r.InstanceID] {
				continue
			}
			seen[r.InstanceID] = true
			var score map[string]float64
			if json.Unmarshal([]byte(*r.BaselinesJSON), &score) != nil {
				continue
			}
			for name, good := range score {
				byName[name] = append(byName[name], math.Abs(good))
			}
		}
	}
	return byName, len(seen)
}

// Baselines returns, by method, the absolute errors of simple methods on the items of a recommendation
// campaign, each item once.
func Baselines(c campaign.Campaign) map[string]statistics.RatingErrors {
	byName, _ := baselineErrors(c.View(campaign.Recsys))
	return byName
}
