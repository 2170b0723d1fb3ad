package figures

import (
	"cmp"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/overview"
	"roundtable/envs/wording"
)

// frontName is what the line is called that joins the conditions which none dominates.
const frontName = "not dominated"

// drawFront returns the table front: a panel for each environment and resource, a point for
// each condition.
func drawFront(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: "Outcome against what it takes",
		reading: "Marks: mean outcome of each condition against the mean of what a collaboration takes, with 95 % " +
			"intervals of both. The dashed line joins the conditions that no other reaches or surpasses for less."}
	v := c.View("")
	for _, environment := range v.Environments() {
		rows := overview.Fronts(v, environment)
		for k, resource := range overview.Resources() {
			p := Panel{X: resource.Name, Y: "outcome", Amount: true}
			if len(v.Environments()) > 1 {
				p.Title = wording.SafeLine(environment)
			}
			var best []Spot
			for _, row := range rows {
				taken := row.Taken[k]
				if taken.Ratio == nil {
					continue
				}
				p.Y = outcomeAxis(row.Group)
				line := Line{Name: wording.SafeLine(row.Title),
					Points: []Point{{X: taken.Value, Value: &row.Value, Low: row.Low, High: row.High, N: row.N}}}
				if within := taken.Interval(); within != nil {
					line.Dashes = []Spot{{max(0, within.Low), row.Value}, {within.High, row.Value}}
				}
				if taken.Dominated == "" {
					best = append(best, Spot{taken.Value, row.Value})
				}
				p.Lines = append(p.Lines, line)
			}
			if len(p.Lines) < 2 {
				continue
			}
			slices.SortFunc(best, func(a, b Spot) int { return cmp.Compare(a.X, b.X) })
			p.Lines = append(p.Lines, Line{Name: frontName, Dashes: best})
			f.Panels = append(f.Panels, p)
		}
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("front"))
	}
	f.apart = true
	f.addRemarks(c.Remarks(""), f.reading, v.ScoreNote()+" The numbers are those of the table front.")
	return f, nil
}
