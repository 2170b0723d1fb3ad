package figures

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/debate"
	"roundtable/envs/wording"
)

// ofDebates are the figures of paper 4.
var ofDebates = map[string]func(campaign.Campaign) (Figure, error){
	"debate-accuracy": drawStrategies, "debate-repetitions": drawRepetitions, "debate-by-round": drawCourses,
	"viewpoint-pool": drawPool, "viewpoints": drawReversals,
}

// drawCourses returns paper 4's Figure 7 with the measures of its Figures 3 to 5: a
// panel for each measure and task, a line for each strategy.
func drawCourses(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: "Debates by round: accuracy, log-likelihood, entropy (paper 4, Figures 3 to 5 and 7)",
		unit: "questions", apart: true}
	for _, line := range debate.CourseLines(c) {
		f.add(line, "", func(p *Point, at debate.DebatePoint) { p.Round = at.At })
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("debate-by-round"))
	}
	f.addRemarks(c.Remarks(""),
		"Round 1 is before any agent saw the others. Log-likelihood is defined where an agent is right; smoothed "+
			"everywhere. Bits.",
		"Intervals: 95 %, Student's t over questions, each the mean over its replicates; none where there are fewer than two.")
	return f, nil
}

// drawReversals returns paper 4's Figure 9: a panel for each question, a line for each
// order in which agents are added, and where it crosses one half.
func drawReversals(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: "Debates of fixed viewpoints by number of agents (paper 4, Figure 9)", unit: "contexts"}
	for _, line := range debate.ViewpointLines(c) {
		f.add(line, "agents", func(p *Point, at debate.DebatePoint) { p.Agents = at.At })
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("viewpoints"))
	}
	for i := range f.Panels {
		f.Panels[i].Levels = []Level{{"half of the outcomes", 50}}
	}
	f.addRemarks(c.Remarks(""),
		"Intervals: 95 %, Student's t over contexts, each the mean over its debates; none where there are fewer than two.",
		"Bars on the line of 50 %: the number of agents that turns the outcome, with the 95 % interval of resampled contexts.")
	return f, nil
}

// add puts a line into its panel; place says what its points stand at.
func (f *Figure) add(l debate.DebateLine, x string, place func(*Point, debate.DebatePoint)) {
	line := Line{Name: wording.SafeLine(l.Name), Turn: l.Turn}
	for _, p := range l.Points {
		if e, ok := averageOf(p.Values); ok {
			point := e.pointAt(0)
			place(&point, p)
			line.Points = append(line.Points, point)
		}
	}
	if len(line.Points) == 0 {
		return
	}
	p := f.findPanel(wording.SafeLine(l.Panel), x, l.Measure)
	p.Lines = append(p.Lines, line)
	for _, point := range line.Points {
		if point.Group != "" && !slices.Contains(p.Groups, point.Group) {
			p.Groups = append(p.Groups, point.Group)
		}
	}
}

// findPanel returns the panel of a title and a measure, a new one if there is none.
func (f *Figure) findPanel(title, x, y string) *Panel {
	i := slices.IndexFunc(f.Panels, func(p Panel) bool { return p.Title == title && p.Y == y })
	if i < 0 {
		i = len(f.Panels)
		f.Panels = append(f.Panels, Panel{Title: title, X: x, Y: y})
	}
	return &f.Panels[i]
}
