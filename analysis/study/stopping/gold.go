package stopping

import (
	"fmt"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/regression"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
)

// correctedColumns of the regression, with gold.
var correctedColumns = []string{"alone", "alone, corrected", "95 % from", "to", "coefficient, corrected",
	"95 % from", "to"}

const correctedNote = "alone: mean score of the rounds that show the pair minus that of the others, as labelled; " +
	"corrected: with gold, which pairs of acts need as products of labels (n: drawn passages; standard errors and " +
	"intervals over the units of the clustered errors). coefficient, corrected: next to the other pairs. The " +
	"p-values are those of the labels alone."

// addGoldNote says, with gold, why what rules achieve needs no correction, and what does.
func addGoldNote(c campaign.Campaign, t *table.Table) {
	if !campaign.TrajectoriesOf(c).Labels.Gold.IsEmpty() {
		t.Notes = append(t.Notes, "The rule Dialogue Act is judged as it would run, on the labels of its labeller "+
			"with all their errors: what it achieves is not an estimate from labels, and gold does not change it. "+
			"Which pairs it takes for signals rests on those errors too; the table regression corrects their "+
			"effects, and stopping-signals how often the rule fires.")
	}
}

// correct returns the corrected cells of each pair, by its name, and says what could not be
// corrected. Without gold there are none.
func correct(condition string, runs []acts.Trajectory, sample *gold.Sample, effects []regression.Effect,
	empty dialogue.Emptied) (cells map[string][]table.Cell, notes []string) {
	if sample.IsEmpty() {
		return nil, nil
	}
	drawn, outside := drawnRounds(runs, sample)
	if outside > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %d collaborations came after the draw: as labelled counts them, "+
			"and no corrected figure speaks of them.", condition, outside, len(runs)))
	}
	all, joint, err := regression.CorrectActs(runs, drawn)
	if err != nil {
		return nil, append(notes, fmt.Sprintf("%s: not corrected, %v.", condition, err))
	}
	if joint != nil {
		notes = append(notes, fmt.Sprintf("%s: no corrected coefficients of pairs next to each other, %v.",
			condition, joint))
	}
	cells = map[string][]table.Cell{}
	for i, c := range all {
		row := []table.Cell{{Value: c.Naive, Decimals: 4}}
		row = append(append(row, estimate(c.Alone)...), estimate(c.Joint)...)
		cells[effects[i].Name] = row
		empty.Add(c.Err)
	}
	return cells, notes
}

func estimate(e *gold.Estimate) []table.Cell {
	if e == nil {
		return []table.Cell{{}, {}, {}}
	}
	return []table.Cell{{Value: &e.Value, SE: &e.SE, N: e.Drawn, Decimals: 4}, table.Number(e.Low, 4),
		table.Number(e.High, 4)}
}

// drawnRounds returns the rounds, from 2, of all collaborations; outside is how many of these came
// after the draw.
func drawnRounds(runs []acts.Trajectory, sample *gold.Sample) (all []regression.Drawn, outside int) {
	for i, t := range runs {
		run := lake.Run{Collaboration: t.ID, Generation: t.Generation}
		stratum, ok := sample.Stratum(run)
		if !ok {
			outside++
		}
		for round := 2; round <= len(t.Rounds); round++ {
			d := regression.Drawn{Run: i, Round: round, Stratum: stratum, Late: !ok}
			for _, coded := range sample.Of(gold.Passage{Run: run, Round: round}) {
				rounds := dialogue.CodedActs(coded, round-1, round, t.Agents)
				d.Gold = append(d.Gold, [2][]acts.Set{rounds[0], rounds[1]})
			}
			all = append(all, d)
		}
	}
	return all, outside
}
