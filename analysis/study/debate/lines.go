package debate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
)

// DebateLine is one line of a figure of debates.
type DebateLine struct {
	Panel   string // title of the panel: task or question, and settings
	Measure string // what is measured, with its unit
	Name    string // the strategy, or the order of adding agents
	Points  []DebatePoint
	Turn    *Turn // of fixed viewpoints
}

// DebatePoint is a point of a line: the values after a round, with a number of agents, or with a strategy.
type DebatePoint struct {
	At     int
	Place  string    // the strategy, where At says nothing
	Values []float64 // one by question, context of a question, or repetition; each is the mean over its debates
	N      int       // debates, of values by repetition
}

// CourseLines returns the lines of debates by round (paper 4, Figures 3 to 5 and 7).
func CourseLines(c campaign.Campaign) []DebateLine {
	v := debatesOf(c, func(d debateGroup) bool { return !d.isFixed() && d.rounds > 0 })
	named := v.namingOf()
	var lines []DebateLine
	for _, m := range debateMeasures() {
		for _, d := range v.all {
			line := DebateLine{Panel: Panel(d.task, d.named, v.Names()), Measure: m.name, Name: named(d)}
			for n := 1; n <= d.rounds+1; n++ {
				line.Points = append(line.Points, DebatePoint{At: n, Values: m.byQuestion(d, n).Values()})
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// namingOf returns what a figure calls conditions: their name, and where they
// differ in these the numbers of agents and of rounds.
func (v debateView) namingOf() func(debateGroup) string {
	var sizes, lengths []int
	for _, d := range v.all {
		if d.strategy != single {
			sizes = append(sizes, d.size)
		}
		if d.rounds > 0 {
			lengths = append(lengths, d.rounds)
		}
	}
	bySize, byLength := areUnequal(sizes), areUnequal(lengths)
	return func(d debateGroup) string {
		name := d.called
		if bySize && d.strategy != single {
			name += fmt.Sprintf(", %d agents", d.size)
		}
		if byLength && d.rounds > 0 {
			name += fmt.Sprintf(", %d rounds", d.rounds)
		}
		return name
	}
}

func areUnequal(numbers []int) bool {
	return slices.ContainsFunc(numbers, func(n int) bool { return n != numbers[0] })
}

// ViewpointLines returns the percentage of debates of fixed viewpoints won by the right side, by number of
// agents, for each question (paper 4, Figure 9).
func ViewpointLines(c campaign.Campaign) []DebateLine {
	v := debatesOf(c, debateGroup.isFixed)
	var lines []DebateLine
	for _, curve := range v.viewpointCurves() {
		d := curve.sizes[0]
		name := cmp.Or(curve.question, "all questions")
		if len(v.tasks) > 1 {
			name = d.task + ", " + name
		}
		line := DebateLine{Panel: Panel(name, d.named, v.Names()), Measure: "right outcomes, %", Name: d.called,
			Turn: curve.turn}
		for _, d := range curve.sizes {
			line.Points = append(line.Points, DebatePoint{At: d.size, Values: d.accuraciesByQuestion().Values()})
		}
		lines = append(lines, line)
	}
	return lines
}

// Panel returns the title of a panel: name, then each of labels with its value in others.
func Panel(name string, others, labels []string) string {
	parts := []string{name}
	for i, key := range labels {
		parts = append(parts, key+" "+cmp.Or(others[i], "–"))
	}
	return strings.Join(parts, ", ")
}

// RepetitionLines returns the data of the table debate-repetitions: one panel per measure and task, one line
// per strategy with its values by repetition.
func RepetitionLines(c campaign.Campaign) []DebateLine {
	v := debatesRepeated(c)
	var lengths []int
	for _, d := range v.all {
		lengths = append(lengths, d.rounds)
	}
	var lines []DebateLine
	for _, m := range debateMeasures() {
		for _, d := range v.all {
			name := fmt.Sprintf("%d agents", d.size)
			if areUnequal(lengths) {
				name += fmt.Sprintf(", %d rounds", d.rounds)
			}
			lines = addPoint(lines, DebateLine{Panel: Panel(d.task, d.named, v.Names()), Measure: m.name, Name: name},
				DebatePoint{Place: d.called, Values: m.byRepetition(d).Values(), N: len(d.Succeeded())})
		}
	}
	return lines
}

// StrategyLines returns the data of the table debate-accuracy (paper 4, Figure 1): one panel per task, one
// line per strategy with its accuracy by question.
func StrategyLines(c campaign.Campaign) []DebateLine {
	v := debatesOf(c, func(d debateGroup) bool { return !d.isFixed() })
	if !slices.ContainsFunc(v.all, func(d debateGroup) bool { return d.strategy != v.all[0].strategy }) {
		return nil
	}
	named := v.namingOf()
	var lines []DebateLine
	for _, d := range v.all {
		title := strings.TrimPrefix(Panel("", d.named, v.Names()), ", ")
		lines = addPoint(lines, DebateLine{Panel: title, Measure: "accuracy, %", Name: d.task},
			DebatePoint{Place: named(d), Values: d.accuraciesByQuestion().Values()})
	}
	return lines
}

// addPoint adds a point to its line.
func addPoint(lines []DebateLine, line DebateLine, point DebatePoint) []DebateLine {
	i := slices.IndexFunc(lines, func(l DebateLine) bool {
		return l.Panel == line.Panel && l.Measure == line.Measure && l.Name == line.Name
	})
	if i < 0 {
		i = len(lines)
		lines = append(lines, line)
	}
	lines[i].Points = append(lines[i].Points, point)
	return lines
}
