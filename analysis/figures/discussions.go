package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/discussion"
	"roundtable/envs/wording"
)

// discussed is a figure of paper 2: it draws what a table has.
type discussed struct {
	title string
	x     string // "" for bars over names
	lines func(campaign.Campaign) []discussion.DiscussionLine
	names map[string]string // of lines, where the table's are not words
	needs string            // what a campaign must have
	note  string
}

// ofDiscussions are the figures of paper 2; its Figure 11 is Figure 2 of another model.
var ofDiscussions = map[string]discussed{
	"discussion-accuracy": {"Discussions by decision protocol (paper 2, Figures 2 and 11)", "",
		discussion.ProtocolLines, nil,
		"discussions under several decision protocols",
		"Gains over the single agent, paired by question, with their intervals: table discussion-accuracy; voting " +
			"against consensus: voting-against-consensus."},
	"answerable-questions": {"F1 by whether the text answers the question (paper 2, Figure 3)", "",
		discussion.AnswerableLines, nil,
		"discussions under several decision protocols of questions that their text may not answer (SQuAD)",
		"Exact match: table answerable-questions."},
	"discussion-by-rounds": {"Accuracy by rounds before the vote (paper 2, Figure 4)", discussion.ByRounds,
		scalingLines(discussion.ByRounds), nil,
		"discussions with at least three numbers of rounds before the vote", scalingNote},
	"discussion-by-agents": {"Accuracy by number of agents (paper 2, Figure 5)", discussion.ByAgents,
		scalingLines(discussion.ByAgents), nil,
		"discussions of at least three numbers of agents", scalingNote},
	"challenges": {"Final answers that are challenged, by what is shown (paper 2, Figure 6)", "", challengeLines, nil,
		needChallenges, "Challenged: agents that do not agree with the answer that they are shown; the mean over " +
			"discussions. Intervals are cut at 0 and 100."},
	"challenge-outcomes": {"What becomes of challenged answers, by what is shown (paper 2, Figure 7)", "",
		changeLines, nil,
		needChallenges, "Improved, worsened: of the answers that were challenged, whose new answer is right where " +
			"the other was not, and the reverse (SQuAD: exact match). Intervals are cut at 0 and 100."},
	"all-agents-drafting": {"All-agents drafting by decision protocol (paper 2, Figure 8)", "",
		variantLines("protocol.all_draft"),
		map[string]string{"false": "baseline", "true": "all-agents drafting"},
		"discussions with and without protocol.all_draft", variantNote},
	"collective-improvement": {"Collective improvement by decision protocol (paper 2, Figure 9)", "",
		variantLines("protocol.collective"),
		map[string]string{"false": "baseline", "true": "collective improvement"},
		"discussions with and without protocol.collective", variantNote},
	"response-generators": {"Response generators by decision protocol (paper 2, Figure 10)", "",
		variantLines("protocol.response"),
		map[string]string{"simple": "baseline (simple)"}, "discussions that differ in protocol.response", variantNote},
}

const (
	needChallenges = "discussions whose final answer is challenged"
	scalingNote    = "The line is over the replicates' accuracies; its slope with the interval: table " +
		"discussion-scaling."
	variantNote = "Each pair differs in this setting alone. Gains, paired by question, with their intervals: " +
		"table answer-diversity."
)

func scalingLines(by string) func(campaign.Campaign) []discussion.DiscussionLine {
	return func(c campaign.Campaign) []discussion.DiscussionLine { return discussion.ScalingLines(c, by) }
}

// usualValues are the protocol's defaults of the settings that are compared.
var usualValues = map[string]string{"protocol.all_draft": "false", "protocol.collective": "false",
	"protocol.response": "simple"}

func variantLines(setting string) func(campaign.Campaign) []discussion.DiscussionLine {
	return func(c campaign.Campaign) []discussion.DiscussionLine {
		return discussion.VariantLines(c, setting, usualValues[setting])
	}
}

func challengeLines(c campaign.Campaign) []discussion.DiscussionLine {
	lines, _ := discussion.ChallengeLines(c)
	return lines
}

func changeLines(c campaign.Campaign) []discussion.DiscussionLine {
	_, lines := discussion.ChallengeLines(c)
	return lines
}

func (d discussed) drawFigure(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: d.title}
	lines := d.lines(c)
	for _, line := range lines {
		line.Name = cmp.Or(d.names[line.Name], line.Name)
		f.addLine(line, d.x)
	}
	reading, ok := explainIntervals(lines)
	if !ok {
		return f, errNothing(c, d.needs)
	}
	f.apartAcross()
	if f.reading = reading; d.x != "" {
		f.reading += " Dashes: least squares."
	}
	f.addRemarks(discussion.DiscussionRemarks(c), f.reading, d.note)
	return f, nil
}

// addLine puts a line into its panel: bars over the names of places, or points
// over numbers with the line that fits them.
func (f *Figure) addLine(l discussion.DiscussionLine, x string) {
	title := wording.SafeLine(l.Panel)
	i := slices.IndexFunc(f.Panels, func(p Panel) bool { return p.Title == title })
	if i < 0 {
		i = len(f.Panels)
		f.Panels = append(f.Panels, Panel{Title: title, X: x, Y: l.Measure})
		if x != "" { // points need no 0 below them
			f.Panels[i].Y = strings.Replace(l.Measure, ", %", " in %", 1)
		}
	}
	p := &f.Panels[i]
	line := Line{Name: wording.SafeLine(l.Name)}
	for _, m := range l.Marks {
		point := markPoint(m, x)
		if line.Points = append(line.Points, point); x == "" && !slices.Contains(p.Groups, point.Group) {
			p.Groups = append(p.Groups, point.Group)
		}
	}
	if l.Fit != nil {
		for _, m := range []discussion.DiscussionMark{l.Marks[0], l.Marks[len(l.Marks)-1]} {
			line.Dashes = append(line.Dashes, Spot{float64(m.At), l.Fit.Intercept + l.Fit.Slope*float64(m.At)})
		}
	}
	p.Lines = append(p.Lines, line)
}

// markPoint returns the point of a mark: on an axis of numbers, or over a name.
func markPoint(m discussion.DiscussionMark, x string) Point {
	point := Point{Group: wording.SafeLine(m.Place), Value: m.Value, N: m.N, Replicates: m.Replicates}
	switch x {
	case discussion.ByRounds:
		point.Round = m.At
	case discussion.ByAgents:
		point.Agents = m.At
	}
	if m.Value != nil && m.Around != nil {
		low, high := *m.Value-*m.Around, *m.Value+*m.Around
		if m.Replicates == 0 { // the interval of a share
			low, high = max(0, low), min(100, high)
		}
		point.Low, point.High = &low, &high
	}
	return point
}

// apartAcross moves the points of lines over numbers next to each other.
func (f *Figure) apartAcross() {
	for _, p := range f.Panels {
		x := p.horizontalAxis(scale{})
		for i := range p.Lines {
			p.Lines[i].beside = (x.high - x.low) * 0.012 * (float64(i) - float64(len(p.Lines)-1)/2)
		}
	}
}

// explainIntervals says what lies around the values, and over how many; false without values.
func explainIntervals(lines []discussion.DiscussionLine) (reading string, ok bool) {
	var n, replicates []int
	for _, l := range lines {
		for _, m := range l.Marks {
			if m.Value != nil {
				n, replicates = append(n, m.N), append(replicates, m.Replicates)
			}
		}
	}
	if len(n) == 0 {
		return "", false
	}
	switch slices.Max(replicates) {
	case 0:
		return "Shares with 95 % intervals (Student's t over discussions); n = " + rangeOf(n) +
			" discussions each.", true
	case 1:
		return "Means; n = " + rangeOf(n) + " discussions each. One replicate has no standard deviation.", true
	}
	return fmt.Sprintf("Mean ± standard deviation over %s replicates, as in the paper; n = %s discussions each.",
		rangeOf(replicates), rangeOf(n)), true
}

// rangeOf the least to the most.
func rangeOf(n []int) string {
	if least, most := slices.Min(n), slices.Max(n); least < most {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprint(n[0])
}
