package figures

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/debate"
	"roundtable/envs/wording"
)

// drawStrategies returns paper 4's Figure 1: bars over strategies, a colour for each task.
func drawStrategies(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: "Debates: accuracy by strategy and task (paper 4, Figure 1)", unit: "questions"}
	for _, line := range debate.StrategyLines(c) {
		f.add(line, "", func(p *Point, at debate.DebatePoint) { p.Group = wording.SafeLine(at.Place) })
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("debate-accuracy"))
	}
	f.addRemarks(c.Remarks(""),
		"Intervals: 95 %, Student's t over questions, each the mean over its replicates; none where there are fewer "+
			"than two. Gains, paired by question: table debate-accuracy.")
	return f, nil
}

// drawRepetitions returns paper 4's Figures 3 to 5: a panel for each measure and task, a
// dot for each repetition of the experiment over its strategy.
func drawRepetitions(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: "Debates: accuracy, log-likelihood, entropy over repetitions (paper 4, Figures 3 to 5)", apart: true}
	var counts []int
	for _, line := range debate.RepetitionLines(c) {
		line.Measure = strings.Replace(line.Measure, ", %", " in %", 1) // dots need no 0 below them
		f.add(line, "", func(p *Point, at debate.DebatePoint) {
			p.Group, p.N, p.Replicates = wording.SafeLine(at.Place), at.N, len(at.Values)
			p.Values, p.Low, p.High = at.Values, nil, nil
			if _, sd, _ := statistics.MeanOfRuns(at.Values); sd != nil {
				p.Low, p.High = new(*p.Value-*sd), new(*p.Value+*sd)
			}
			counts = append(counts, p.Replicates)
		})
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("debate-repetitions"))
	}
	f.reading = fmt.Sprintf("Dots: repetitions, each the mean over its questions after the last round, side by side "+
		"for legibility; %s of a strategy. Marks: mean ± standard deviation.", rangeOf(counts))
	f.addRemarks(c.Remarks(""), f.reading,
		"Gains over MAD with p over repetitions: table debate-repetitions; over questions: table debate-gains.",
		"Log-likelihood is defined where an agent is right; smoothed everywhere. Bits.")
	return f, nil
}

// mostAnswers are shown of a question; the others are counted together.
const mostAnswers = 8

// drawPool returns paper 4's Figure 8: a panel for each question, a colour for each model.
func drawPool(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: "Viewpoints of a pool: answers by question and model (paper 4, Figure 8)"}
	var counts []int
	lines := debate.PoolLines(c)
	for _, l := range lines {
		p := f.findPanel(wording.SafeLine(l.Question), "", "answers, %")
		if p.Groups == nil {
			p.Groups = answersTo(l.Question, lines)
		}
		p.Lines = append(p.Lines, sharesOf(l, p.Groups))
		counts = append(counts, l.N)
	}
	if len(f.Panels) == 0 {
		return f, errNothing(c, needsOf("viewpoint-pool"))
	}
	f.reading = fmt.Sprintf("Shares of the answers that a model gave alone; %s answers of a model to a question.",
		rangeOf(counts))
	f.addRemarks(c.Remarks(""), f.reading,
		fmt.Sprintf("Right answers come first, then the most frequent ones; beyond %d answers the rest counts "+
			"together. What could not be read is a group of its own.", mostAnswers))
	return f, nil
}

// Names of groups of answers.
const (
	unread    = "not read"
	remaining = "all others"
)

// answersTo returns the names of the answers to a question, of all models together.
func answersTo(question string, lines []debate.PoolLine) []string {
	var all debate.PoolLine
	for _, l := range lines {
		if l.Question == question {
			all = all.Join(l)
		}
	}
	var names []string
	for _, a := range all.Answers {
		name := answerName(a)
		if a.Key != "" && len(names) >= mostAnswers {
			name = remaining
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func answerName(a debate.PoolAnswer) string {
	switch {
	case a.Key == "":
		return unread
	case a.Right:
		return wording.SafeLine(a.Words()) + ", right"
	}
	return wording.SafeLine(a.Words())
}

// sharesOf returns the shares of a line's answers over the names of groups.
func sharesOf(l debate.PoolLine, groups []string) Line {
	given := map[string]int{}
	for _, a := range l.Answers {
		name := answerName(a)
		if !slices.Contains(groups, name) {
			name = remaining
		}
		given[name] += a.N
	}
	line := Line{Name: wording.SafeLine(l.Name)}
	for _, group := range groups {
		line.Points = append(line.Points,
			Point{Group: group, Value: new(100 * float64(given[group]) / float64(l.N)), N: l.N})
	}
	return line
}
