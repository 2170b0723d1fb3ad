package discussion

import (
	"cmp"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/debate"
	"roundtable/analysis/table"
)

// DiscussionLine is one line, or the bars of one colour, in a figure of paper 2.
type DiscussionLine struct {
	Panel   string // what the lines of one panel share: data set and settings
	Measure string // accuracy, or F1 where answers are words of a text
	Name    string // of the line within its panel
	Marks   []DiscussionMark
	Fit     *statistics.Line // of its values on At; nil if there is none
}

// DiscussionMark is one condition's value in percent, as its table has it.
type DiscussionMark struct {
	Place      string   // decision protocol, or what was shown; "" if At says it
	At         int      // rounds before the vote, or agents
	Value      *float64 // nil if nothing is in yet
	Around     *float64 // half-width: standard deviation over replicates, or half of a 95 % interval over discussions
	N          int      // discussions that the value rests on
	Replicates int      // that the standard deviation is over; 0 for an interval
}

// DiscussionRemarks returns the notes that all tables about discussions have.
func DiscussionRemarks(c campaign.Campaign) []string {
	var t table.Table
	discussionsOf(c).addNotes(&t)
	return t.Notes
}

// ProtocolLines returns the data of the table discussion-accuracy (paper 2, Figures 2 and 11): the single
// agent, and one line per kind of decision protocol with a mark per protocol.
func ProtocolLines(c campaign.Campaign) []DiscussionLine {
	d := discussionsOf(c)
	var lines []DiscussionLine
	for _, row := range d.rulesApart() {
		title := titleWithLabels(d.Without(isRule), row[len(row)-1], row[0].task)
		for _, x := range row {
			kind := cmp.Or(x.kind, "other protocols")
			if x.alone {
				kind = loneAgent
			}
			lines = put(lines, title, d.measure(x), kind, replicatesMark(d.protocolOf(x), x.Succeeded()))
		}
	}
	return lines
}

// AnswerableLines returns the data of the table answerable-questions (Figure 3): F1 of all questions, of those
// that their text answers, and of those that it does not.
func AnswerableLines(c campaign.Campaign) []DiscussionLine {
	d := discussionsOf(c)
	var lines []DiscussionLine
	for _, row := range d.rulesApart() {
		title := titleWithLabels(d.Without(isRule), row[len(row)-1], row[0].task)
		for _, part := range answerableParts() {
			for _, x := range row {
				if d.answersAreSpans(x.task) {
					lines = put(lines, title, d.measure(x), part.name, replicatesMark(d.protocolOf(x), part.runsOf(x)))
				}
			}
		}
	}
	return lines
}

// VariantLines returns the data of the table discussion-accuracy by setting (Figures 8 to 10): decision
// protocols with each value of setting, usual first. Only conditions that differ in this setting alone are
// compared.
func VariantLines(c campaign.Campaign, setting, usual string) []DiscussionLine {
	d := discussionsOf(c)
	value := func(x discussed) string { return cmp.Or(x.Settings[setting], usual) }
	same := d.Without(func(key string) bool { return key == setting })
	pairs := table.Gather(d.onlyDiscussions(), func(x discussed) string { return x.task + "\x00" + same.Key(x.Group) })
	pairs = slices.DeleteFunc(pairs, func(row []discussed) bool {
		return !slices.ContainsFunc(row, func(x discussed) bool { return value(x) != value(row[0]) })
	})
	unusual := func(x discussed) int {
		if value(x) == usual {
			return 0
		}
		return 1
	}
	all := byKind(slices.Concat(pairs...))
	slices.SortStableFunc(all, func(a, b discussed) int { return unusual(a) - unusual(b) })
	var lines []DiscussionLine
	for _, x := range all {
		title := titleWithLabels(same.Without(isRule), x, x.task)
		lines = put(lines, title, d.measure(x), cmp.Or(x.Labels[setting], value(x)),
			replicatesMark(d.protocolOf(x), x.Succeeded()))
	}
	return lines
}

// ScalingLines returns the data of the table discussion-scaling (Figures 4 and 5); by is ByRounds or ByAgents.
func ScalingLines(c campaign.Campaign, by string) []DiscussionLine {
	d := discussionsOf(c)
	all := slices.DeleteFunc(d.listSeries(), func(s series) bool { return s.by.name != by })
	apart := d.Without(func(key string) bool {
		return !slices.ContainsFunc(all, func(s series) bool {
			return !slices.Contains(s.by.keys, key) && s.all[0].Settings[key] != all[0].all[0].Settings[key]
		})
	})
	var lines []DiscussionLine
	for _, s := range all {
		first := s.all[0]
		line := DiscussionLine{Panel: first.task, Measure: d.measure(first),
			Name: cmp.Or(titleWithLabels(apart, first, ""), first.Shown("rule"))}
		for i, x := range s.all {
			mark := replicatesMark("", x.Succeeded())
			mark.At = s.at[i]
			line.Marks = append(line.Marks, mark)
		}
		if fit, err := s.fit(); err == nil {
			line.Fit = &fit
		}
		lines = append(lines, line)
	}
	return lines
}

// ChallengeLines returns the data of the table challenges: the agents that challenge, by data set (Figure 6),
// and how the challenged answers change (Figure 7).
func ChallengeLines(c campaign.Campaign) (challenged, changed []DiscussionLine) {
	d := discussionsOf(c)
	others := d.Without(func(key string) bool { return key == challengeKey })
	for _, x := range d.contestedDiscussions() {
		cells := x.challengeCells()
		mark := func(c table.Cell) DiscussionMark {
			return DiscussionMark{Place: x.Shown(challengeKey), Value: c.Value, Around: halfOf(c), N: c.N}
		}
		title := titleWithLabels(others, x, x.task)
		challenged = put(challenged, titleWithLabels(others, x, ""), "challenged, % of agents", x.task, mark(cells[0]))
		changed = put(changed, title, "% of the challenged answers", "improved", mark(cells[1]))
		changed = put(changed, title, "% of the challenged answers", "worsened", mark(cells[2]))
	}
	return challenged, changed
}

// put a mark into its line.
func put(lines []DiscussionLine, panel, measure, name string, mark DiscussionMark) []DiscussionLine {
	i := slices.IndexFunc(lines, func(l DiscussionLine) bool { return l.Panel == panel && l.Name == name })
	if i < 0 {
		i = len(lines)
		lines = append(lines, DiscussionLine{Panel: panel, Measure: measure, Name: name})
	}
	lines[i].Marks = append(lines[i].Marks, mark)
	return lines
}

// replicatesMark returns a mark with its standard deviation over the replicates.
func replicatesMark(place string, runs []campaign.Run) DiscussionMark {
	cells := overReplicates(runs, campaign.Run.ScoreOrZero)
	return DiscussionMark{
		Place: place, Value: cells[0].Value, Around: cells[1].Value, N: len(runs),
		Replicates: len(campaign.PerReplicate(runs, campaign.Run.ScoreOrZero)),
	}
}

// halfOf of a mean's 95 % t interval over the discussions it rests on.
func halfOf(c table.Cell) *float64 {
	if c.SE == nil {
		return nil
	}
	v := statistics.QuantileT(0.975, float64(c.N-1)) * *c.SE
	return &v
}

// rulesApart returns the discussions that differ in their decision protocol alone,
// where there are several, by kind, after the single agent.
func (d discussions) rulesApart() [][]discussed {
	same := d.Without(isRule)
	rows := table.Gather(byKind(d.onlyDiscussions()),
		func(x discussed) string { return x.task + "\x00" + same.Key(x.Group) })
	rows = slices.DeleteFunc(rows, func(row []discussed) bool { return len(row) < 2 })
	for i, row := range rows {
		rows[i] = append(d.referencesOf(row[0]), row...)
	}
	return rows
}

// byKind puts voting before consensus, and both before what is neither.
func byKind(all []discussed) []discussed {
	kinds := []string{kindVoting, kindConsensus, ""}
	slices.SortStableFunc(all, func(a, b discussed) int { return slices.Index(kinds, a.kind) - slices.Index(kinds, b.kind) })
	return all
}

func (d discussions) measure(x discussed) string {
	if d.answersAreSpans(x.task) {
		return "F1, %"
	}
	return "accuracy, %"
}

// titleWithLabels returns a name with what a condition has in a view's labels.
func titleWithLabels(v campaign.View, x discussed, name string) string {
	return strings.TrimPrefix(debate.Panel(name, v.Texts(x.Group), v.Names()), ", ")
}

// protocolOf returns the rule with those of its parameters that vary.
func (d discussions) protocolOf(x discussed) string {
	if x.alone {
		return x.aloneName()
	}
	rule := d.Without(func(key string) bool { return !isRule(key) })
	var parts []string
	texts := rule.Texts(x.Group)
	for i, name := range rule.Names() {
		switch param, is := strings.CutPrefix(name, "rule."); {
		case texts[i] == "":
		case is:
			parts = append(parts, param, texts[i])
		default:
			parts = append(parts, texts[i])
		}
	}
	return strings.Join(parts, " ")
}
