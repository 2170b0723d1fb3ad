package debate

import (
	"math"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// debateMeasure is what is reported of a debate after each round.
type debateMeasure struct {
	name     string
	decimals int
	at       func(r campaign.Run, round int) (v float64, ok bool) // of one debate
	most     func(debateGroup) float64                            // the greatest difference of two
}

func debateMeasures() []debateMeasure {
	return []debateMeasure{
		{"accuracy, %", 1, accuracyAt, func(d debateGroup) float64 { return 100 * d.MostDifference() }},
		{"log-likelihood", 3, repliesAt(statistics.Replies.LogLikelihood), endlessRange},
		{"smoothed log-likelihood", 3, repliesAt(statistics.Replies.Smoothed), endlessRange},
		{"entropy", 3, repliesAt(statistics.Replies.Entropy), endlessRange},
	}
}

// endlessRange is of measures whose differences have no limits.
func endlessRange(debateGroup) float64 { return math.Inf(1) }

var measureNotes = []string{
	"Accuracy is that of the count after the round (SQuAD: F1), in %; without a decision it is 0.",
	"Log-likelihood: log2 of the share of agents that are right, over the debates in which one is; n are the " +
		"questions that have such debates. Smoothed: log2((k+1/2)/(n+1)), over all. Entropy in bits; an answer that " +
		"could not be read is one of its own.",
}

// accuracyAt returns the score of the decision that stands after a round, in percent.
func accuracyAt(r campaign.Run, round int) (float64, bool) {
	v, ok := r.OutcomeAt(round)
	return 100 * v, ok
}

// repliesAt returns a measure of one round's answers.
func repliesAt(measure func(statistics.Replies) (float64, bool)) func(campaign.Run, int) (float64, bool) {
	return func(r campaign.Run, round int) (float64, bool) {
		if round > len(repliesOf(r)) {
			return 0, false
		}
		return measure(repliesOf(r)[round-1])
	}
}

func (m debateMeasure) byQuestion(d debateGroup, round int) campaign.Units {
	return campaign.ByUnit(d.Succeeded(), func(r campaign.Run) (float64, bool) { return m.at(r, round) })
}

// meanCell returns the mean over questions; n is shown if some of them have no value.
func (m debateMeasure) meanCell(d debateGroup, round int) table.Cell {
	s := table.Sample{Values: m.byQuestion(d, round).Values(), Of: len(campaign.UnitsOf(d.Succeeded()))}
	return s.Mean(m.decimals)
}
