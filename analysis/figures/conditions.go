package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/overview"
	"roundtable/envs/wording"
)

// ofAny are the figures of any campaign that are not means by round.
var ofAny = map[string]func(campaign.Campaign) (Figure, error){"conditions": drawConditions, "front": drawFront}

// drawConditions returns the outcomes of the table outcomes: a panel for each environment, a
// row for each condition.
func drawConditions(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: "Outcome by condition", apart: true}
	every := c.View("")
	var counts []int
	for _, environment := range every.Environments() {
		v := c.View(environment)
		p := Panel{Title: wording.SafeLine(v.Groups[0].Shown("env")), Y: outcomeAxis(v.Groups[0]), Forest: true}
		line := Line{Name: "outcome"}
		for _, g := range v.Groups {
			point := Point{Group: wording.SafeLine(v.Title(g))}
			if o, ok := overview.OutcomeOf(g); ok {
				point.Value, point.Low, point.High, point.N = &o.Value, o.Low, o.High, o.N
				counts = append(counts, o.N)
			}
			line.Points = append(line.Points, point)
		}
		slices.SortStableFunc(line.Points, compareHighest)
		for _, point := range line.Points {
			p.Groups = append(p.Groups, point.Group)
		}
		p.Lines = []Line{line}
		if score := overview.GuessingScore(v); score != nil {
			p.Levels = []Level{{"guessing", *score}}
		}
		f.Panels = append(f.Panels, p)
	}
	if len(counts) == 0 {
		return f, errNothing(c, needsOf("conditions"))
	}
	f.reading = fmt.Sprintf("Mean outcome of each condition with its 95 %% interval (Student's t %s); n = %s %s. "+
		"The highest comes first.", every.UnitsNote(), rangeOf(counts), strings.TrimSuffix(c.CountedUnits(), ","))
	f.addRemarks(c.Remarks(""), f.reading,
		every.ScoreNote()+" The numbers are those of the table outcomes; each two conditions are compared in the "+
			"table comparisons.")
	return f, nil
}

// compareHighest puts higher points first, and those without a value last.
func compareHighest(a, b Point) int {
	valueOf := func(p Point) float64 {
		if p.Value == nil {
			return math.Inf(-1)
		}
		return *p.Value
	}
	return cmp.Compare(valueOf(b), valueOf(a))
}

// outcomeAxis says what the outcome of a condition is, and how far it can go.
func outcomeAxis(g campaign.Group) string {
	switch g.Measure() {
	case record.Share:
		return campaign.ScoreIs(g) + ", " + fromZeroToOne
	case record.Error:
		return campaign.ScoreIs(g) + ", " + zeroOrLess
	}
	return campaign.ScoreIs(g)
}

// Compares reports whether the first line of a panel has at least two values: in the figure of
// conditions, whether there are two conditions to compare.
func (f Figure) Compares() bool {
	for _, p := range f.Panels {
		n := 0
		for _, point := range p.Lines[0].Points {
			if point.Value != nil {
				n++
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}
