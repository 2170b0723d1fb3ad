package campaign

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
)

// Measure returns the kind of the group's score: record.Share (also without runs), record.Error or
// record.Scored.
func (g Group) Measure() string {
	if len(g.Runs) == 0 {
		return record.Share
	}
	return g.Runs[0].Measure
}

// ScoreNote returns the note that says what the score of each environment is, and how it counts
// without a decision.
func (v View) ScoreNote() string {
	without := map[string]string{record.Share: "0 before a decision and without one",
		record.Error: "over what has a decision", record.Scored: "of final decisions, 0 without one"}
	var parts []string
	for _, g := range v.Groups {
		if part := fmt.Sprintf("%s: %s, %s", g.Settings["env"], ScoreIs(g),
			without[g.Measure()]); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "Score, higher is better. " + strings.Join(parts, ". ") + "."
}

// ScoreNote returns View.ScoreNote over all conditions.
func (c Campaign) ScoreNote() string { return c.View("").ScoreNote() }

// ScoreNames returns what the score of each environment is, in words.
func (v View) ScoreNames() string {
	var parts []string
	for _, g := range v.Groups {
		if part := g.Settings["env"] + ": " + ScoreIs(g); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}

// CountsNote returns CellsNote with an explanation of the column n: collaborations.
func (v View) CountsNote() string {
	return strings.TrimSuffix(v.CellsNote(), ".") + "; column n: collaborations."
}

// CellsNote returns the note that explains "n=" in a cell: how many instances or replicates have a
// value.
func (v View) CellsNote() string {
	return "n= in a cell: " + v.countedUnits() + " with a value, where some collaborations have none."
}

// countedUnits names the units that a mean rests on.
func (v View) countedUnits() string {
	switch instances, replicates := v.unitKinds(); {
	case instances && replicates:
		return "instances, or replicates of the only one,"
	case instances:
		return "instances"
	}
	return "replicates"
}

// CountedUnits returns what means of the campaign are over: instances, replicates or both.
func (c Campaign) CountedUnits() string { return c.View("").countedUnits() }

// unitKinds reports whether units are instances, and whether they are replicates.
func (v View) unitKinds() (instances, replicates bool) {
	for _, g := range v.Groups {
		for _, r := range g.Runs {
			instances, replicates = instances || r.OverInstances, replicates || !r.OverInstances
		}
	}
	return instances, replicates
}

// UnitsNote returns what standard errors and intervals are over: "over instances", for example.
func (v View) UnitsNote() string {
	switch instances, replicates := v.unitKinds(); {
	case instances && replicates:
		return "over instances, or over the replicates of the only one"
	case instances:
		return "over instances"
	}
	return "over the replicates of the only instance"
}

// ScoreOrZero returns the score of the final decision, from 0 to 1: the accuracy of a question,
// SQuAD's F1; 0 without a decision.
func (r Run) ScoreOrZero() float64 {
	v, _ := r.Outcome()
	return v
}

// Right returns 1 if the final decision is right, else 0, also without a decision.
func (r Run) Right() float64 {
	if r.Protocol == record.Imported && r.Score != nil && *r.Score >= 1 { // its agents' utilities are not known
		return 1
	}
	if len(r.Utilities) > 0 && r.Utilities[0] >= 1 {
		return 1
	}
	return 0
}

// Names of environments for whose score tables have words of their own.
const (
	Exchange = "exchange"
	Recsys   = "recsys"
)
