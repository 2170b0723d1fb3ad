package stopping

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/crossval"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
	"roundtable/workflows/stopping"
)

// SignalTable returns when the rule Dialogue Act, fitted on all collaborations of a condition, stops: in how
// many rounds it would fire, and how much better these are, by the labels and, with gold labels, in truth.
func SignalTable(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env", "rule")
	v.Whole = true
	t := v.Start("What the stopping rule Dialogue Act stops at")
	t.Columns = append(t.Columns, "signals", "count", "points", "fires, as labelled", "corrected", "95 % from", "to",
		"rightly", "95 % from", "to", "better by, as labelled", "corrected", "95 % from", "to")
	sample := campaign.TrajectoriesOf(c).Labels.Gold
	var about []string
	outside, empty := 0, dialogue.Emptied{}
	for _, g := range v.Groups {
		runs := trajectoriesByUnit(c, g.ID, 2)
		d, err := crossval.NewData(runs)
		var rule stopping.Fitted
		if err == nil {
			rule, err = crossval.LearnDialogueAct(d)
		}
		if err != nil {
			about = append(about, fmt.Sprintf("No signals: %s, %v.", g.ID, err))
			continue
		}
		var names []string
		for _, s := range rule.Signals {
			names = append(names, s.Pair.String())
		}
		row := append(v.Label(g), table.Word(strings.Join(names, ", ")), table.Count(rule.Count),
			table.Count(rule.Score))
		f, late, out := firingsOf(runs, sample, rule)
		outside += out
		t.Rows = append(t.Rows, append(row, f.firingCells(late, empty)...))
	}
	t.Notes = append([]string{
		"The rule is made on all collaborations of the condition: a signal that occurs count times in a round is a " +
			"point, and the first round from 2 with enough points ends the talk. fires: share of the rounds from 2 " +
			"with enough points; rightly: of the rounds with gold in which it fires on the labels, the share in " +
			"which it would fire on gold; better by: mean score of rounds in which it fires minus that of the others.",
		"corrected: with gold, for the rule as it is: the pairs and numbers that it learned rest on the labels.",
	}, about...)
	if outside > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s came after the draw: as labelled counts them, and no corrected "+
			"figure speaks of them.", campaign.Collaborations(outside)))
	}
	addExcluded(c, &t)
	dialogue.AddLabellerNote(c, &t, empty)
	addGoldNote(c, &t)
	v.AddNotes(&t)
	// Without a rule the notes say why.
	return t, len(t.Rows) > 0 || len(v.Groups) > 0 && campaign.TrajectoriesOf(c).Labels.By != ""
}

// firing is where a rule fires, by the labels and by gold.
type firing struct {
	fires, rightly []gold.ShareUnit
	better         []gold.Unit
	some, not      int // rounds with gold in which it fires, and does not, by gold
}

// firingsOf returns where a rule fires in collaborations that could be drawn, and in those that came
// after the draw; outside is how many these are.
func firingsOf(runs []acts.Trajectory, sample *gold.Sample, rule stopping.Fitted) (f, late firing, outside int) {
	units := map[string]int{} // what errors are over
	for _, t := range runs {
		unit, known := units[t.Unit]
		if !known {
			unit = len(units)
			units[t.Unit] = unit
		}
		stratum, framed := sample.Stratum(lake.Run{Collaboration: t.ID, Generation: t.Generation})
		to := &f
		if !framed && !sample.IsEmpty() {
			to = &late
			outside++
		}
		for round := 2; round <= len(t.Rounds); round++ {
			counts, _ := t.Pairs(round)
			machine := willFire(rule, func(pair acts.Pair) int { return int(counts[pair]) })
			coders := sample.Of(gold.Passage{Run: lake.Run{Collaboration: t.ID, Generation: t.Generation},
				Round: round})
			to.add(unit, stratum, t.ScoreAt(round), machine, firesByGold(rule, coders, round, t.Agents))
		}
	}
	return f, late, outside
}

// firesByGold says, for each coder, whether the rule fires; nil if the round was not drawn.
func firesByGold(rule stopping.Fitted, coders [][]gold.Coded, round, agents int) (all []bool) {
	for _, coded := range coders {
		rounds := dialogue.CodedActs(coded, round-1, round, agents)
		all = append(all, willFire(rule, func(pair acts.Pair) int { return stopping.Times(rounds[0], rounds[1], pair) }))
	}
	return all
}

// willFire reports whether a rule stops a collaboration at a round from 2 that it comes to.
func willFire(rule stopping.Fitted, times func(acts.Pair) int) bool {
	return stopping.Points(rule.Signals, rule.Count, times) >= rule.Score
}

func (f *firing) add(unit, stratum int, y *float64, machine bool, coders []bool) {
	fires := gold.ShareUnit{Cluster: unit, Stratum: stratum, Machine: [2]float64{oneIf(machine), 1}}
	rightly := gold.ShareUnit{Cluster: unit, Stratum: stratum}
	better := gold.Unit{Cluster: unit, Stratum: stratum}
	if y != nil {
		better.Machine.AddRow([]float64{1, oneIf(machine)}, *y, 1)
	}
	if coders != nil {
		fires.Gold, rightly.Gold, better.Gold = &[2]float64{0, 1}, &[2]float64{0, oneIf(machine)}, &gold.Moments{}
		if coders[0] {
			f.some++
		} else {
			f.not++
		}
	}
	for _, coder := range coders {
		weight := 1 / float64(len(coders))
		fires.Gold[0] += weight * oneIf(coder)
		rightly.Gold[0] += weight * oneIf(coder && machine)
		if y != nil {
			better.Gold.AddRow([]float64{1, oneIf(coder)}, *y, weight)
		}
	}
	f.fires, f.rightly, f.better = append(f.fires, fires), append(f.rightly, rightly), append(f.better, better)
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// firingCells returns the figures of a rule; those as labelled count what is late too.
func (f firing) firingCells(late firing, empty dialogue.Emptied) []table.Cell {
	share, all := 0.0, slices.Concat(f.fires, late.fires)
	for _, u := range all {
		share += u.Machine[0] / float64(len(all))
	}
	cells := append([]table.Cell{table.Number(share, 2)}, shareCells(f.fires, empty)...)
	cells = append(cells, shareCells(f.rightly, empty)...)
	naive, corrections := table.Cell{Decimals: 4}, estimate(nil)
	if by, err := gold.Naive(slices.Concat(f.better, late.better)); err == nil {
		naive.Value = &by[1]
	}
	e, err := gold.SolveSlopes(f.better)
	if err == nil && (f.some < gold.FewShown || f.not < gold.FewShown) {
		err = gold.ErrFewShown
	}
	if empty.Add(err); err == nil {
		corrections = estimate(&e[1])
	}
	return append(append(cells, naive), corrections...)
}

// shareCells returns a corrected share and its interval.
func shareCells(units []gold.ShareUnit, empty dialogue.Emptied) []table.Cell {
	e, err := gold.EstimateShare(units)
	if empty.Add(err); err != nil {
		return []table.Cell{{}, {}, {}}
	}
	return []table.Cell{{Value: &e.Value, SE: &e.SE, N: e.Drawn, Decimals: 2}, table.Number(e.Low, 2),
		table.Number(e.High, 2)}
}
