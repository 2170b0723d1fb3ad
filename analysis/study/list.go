// Package study is the one list of the tables that studies make of a campaign.
// A study is a package below it: what it reads of each run, and its tables,
// which are functions of a campaign.
package study

import (
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/naming"
	"roundtable/analysis/study/debate"
	"roundtable/analysis/study/deliberation"
	"roundtable/analysis/study/discussion"
	"roundtable/analysis/study/exchange"
	"roundtable/analysis/study/numeric"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/study/recsys"
	"roundtable/analysis/study/speech"
	"roundtable/analysis/study/stopping"
	"roundtable/analysis/table"
)

// listed is a table that can be asked for.
type listed struct {
	naming.Named
	build func(campaign.Campaign) (table.Table, bool) // nil if it takes labels
	shown shown
	from  Source
}

// Source is what a table is made from.
type Source int

// Sources of tables: what the campaign holds once it is loaded, or what is added to it.
const (
	Rows     Source = iota
	Courses         // each collaboration round by round, labelled and measured
	Measures        // of messages
	Vectors         // of answers, unless the table compares them by their words
	Labels          // of messages, which are no part of a campaign: Make does not make it
)

// shown says when a table is printed without being asked for by name.
type shown int

const (
	never  shown = iota // it is the data of a figure
	inAll               // with all others
	always              // and at the end of a run
)

const (
	needExchange    = "the environment exchange"
	needRecsys      = "the environment recsys"
	needDiscussions = "discussions"
	needStates      = "agents with numeric states"
	needEnded       = "collaborations that have ended"
	needLabels      = "labels of messages (roundtable label)"
)

// list returns the one list of tables, in the order in which they are printed.
func list() []listed {
	return []listed{
		{naming.Named{Name: "scores", Shows: "each condition: its outcome with an interval, whatever the protocol", Needs: needEnded}, overview.ByCondition, inAll, Rows},
		{naming.Named{Name: "utility-by-rule", Shows: "exchange: decisions and utility by rule and round", Needs: needExchange, Former: "1", Papers: naming.Numbers(1, "table", 1)}, exchange.UtilityByRule, always, Rows},
		{naming.Named{Name: "utility-by-setting", Shows: "exchange: the same for every setting that varies", Needs: needExchange, Former: "6", Papers: naming.Numbers(1, "table", 6)}, exchange.UtilityBySetting, inAll, Rows},
		{naming.Named{Name: "headline", Shows: "the least decision rule against the best, and the growth of messages (paper 1)", Needs: "rules of an exchange economy, or messages of at least two rounds"}, exchange.Headline, inAll, Rows},
		{naming.Named{Name: "readings", Shows: "exchange: decisions and utility under alternative definitions", Needs: needExchange}, exchange.Readings, inAll, Rows},
		{naming.Named{Name: "rating-errors", Shows: "recsys: errors of ratings by rule and round", Needs: needRecsys, Former: "7", Papers: naming.Numbers(1, "table", 7)}, recsys.RatingErrors, always, Rows},
		{naming.Named{Name: "debate-accuracy", Shows: "debates: accuracy by strategy and task", Needs: "debates", Former: "4.1", Papers: slices.Concat(naming.Numbers(4, "table", 1), naming.Numbers(4, "figure", 1))}, debate.Strategies, always, Rows},
		{naming.Named{Name: "debate-by-agents", Shows: "debates: accuracy by number of agents", Needs: "debates of groups of different sizes", Former: "4.2", Papers: naming.Numbers(4, "table", 2, 3, 4, 5)}, debate.DebateAgents, inAll, Rows},
		{naming.Named{Name: "debate-by-round", Shows: "debates: accuracy, log-likelihood and entropy by round", Needs: "debates", Former: "4.rounds", Papers: naming.Numbers(4, "figure", 7)}, debate.DebateRounds, inAll, Rows},
		{naming.Named{Name: "debate-gains", Shows: "debates: gains over the fixed order, paired by question", Needs: "debates in the fixed order and in others", Former: "4.gains"}, debate.DebateGains, inAll, Rows},
		{naming.Named{Name: "debate-repetitions", Shows: "debates: spread over repetitions, gains over the fixed order tested over them", Needs: "debates with several replicates", Former: "4.repeats", Papers: naming.Numbers(4, "figure", 3, 4, 5)}, debate.DebateRepetitions, inAll, Rows},
		{naming.Named{Name: "viewpoints", Shows: "debates of fixed viewpoints: right outcomes by number of agents", Needs: "debates that begin with viewpoints of a pool", Former: "4.6", Papers: slices.Concat(naming.Numbers(4, "table", 6, 7, 8, 9, 10, 11), naming.Numbers(4, "figure", 9))}, debate.Viewpoints, always, Rows},
		{naming.Named{Name: "discussion-accuracy", Shows: "discussions: accuracy by decision protocol, gains over the single agent", Needs: needDiscussions, Former: "2.protocols", Papers: naming.Numbers(2, "figure", 2, 8, 9, 10, 11)}, discussion.Discussions, always, Rows},
		{naming.Named{Name: "voting-against-consensus", Shows: "discussions: voting against consensus (paper 2, 4.1)", Needs: "discussions with rules of both kinds, voting and consensus", Former: "2.kinds"}, discussion.Kinds, always, Rows},
		{naming.Named{Name: "answerable-questions", Shows: "discussions: questions that their text does not answer", Needs: "discussions of questions that their text may not answer (SQuAD)", Former: "2.answerable", Papers: naming.Numbers(2, "figure", 3)}, discussion.Answerables, inAll, Rows},
		{naming.Named{Name: "answer-diversity", Shows: "discussions: diversity of answers and accuracy", Needs: needDiscussions, Former: "2.1", Papers: naming.Numbers(2, "table", 1)}, discussion.Diversities, inAll, Vectors},
		{naming.Named{Name: "decision-time", Shows: "discussions: rounds and turns until the decision", Needs: needDiscussions, Former: "2.2", Papers: naming.Numbers(2, "table", 2)}, discussion.Terminations, inAll, Rows},
		{naming.Named{Name: "solution-counting", Shows: "discussions: how often each way of counting decides", Needs: needDiscussions, Former: "2.4", Papers: naming.Numbers(2, "table", 4)}, discussion.Countings, inAll, Rows},
		{naming.Named{Name: "discussion-scaling", Shows: "discussions: accuracy by rounds before the vote and by agents", Needs: "discussions of at least three sizes", Former: "2.scaling", Papers: naming.Numbers(2, "figure", 4, 5)}, discussion.Scalings, inAll, Rows},
		{naming.Named{Name: "challenges", Shows: "discussions: challenges of the final answer", Needs: "discussions whose final answer is challenged", Former: "2.challenge", Papers: naming.Numbers(2, "figure", 6, 7)}, discussion.Challenges, inAll, Rows},
		{naming.Named{Name: "discussion-compute", Shows: "discussions: turns, tokens and money that an answer takes", Needs: needDiscussions, Former: "2.compute"}, discussion.Computes, inAll, Rows},
		{naming.Named{Name: "deliberation-rewards", Shows: "deliberations: optimality, rationality, rigidity, agreement", Needs: "deliberations", Former: "3.2", Papers: naming.Numbers(3, "table", 2, 5)}, deliberation.Deliberations, always, Rows},
		{naming.Named{Name: "full-information", Shows: "deliberations: with the full information", Needs: "deliberations with the variant oracle", Former: "3.3", Papers: naming.Numbers(3, "table", 3)}, deliberation.Oracles, inAll, Rows},
		{naming.Named{Name: "solver-use", Shows: "deliberations: with a solver as a tool", Needs: "deliberations with the tool solver", Former: "3.4", Papers: naming.Numbers(3, "table", 4)}, deliberation.Tools, inAll, Rows},
		{naming.Named{Name: "estimate-errors", Shows: "deliberations: errors of estimates of the state", Needs: "deliberations", Former: "3.6", Papers: naming.Numbers(3, "table", 6)}, deliberation.Estimates, inAll, Rows},
		{naming.Named{Name: "centralized-gap", Shows: "deliberations: what keeps them from the centralized decision", Needs: "deliberations next to centralized decisions", Former: "3.7", Papers: naming.Numbers(3, "table", 7)}, deliberation.Gaps, inAll, Rows},
		{naming.Named{Name: "consensus", Shows: "numeric states: how groups agree, and where (paper 5)", Needs: needStates}, numeric.Consensus, always, Rows},
		{naming.Named{Name: "strategies", Shows: "numeric states: strategies that agents name", Needs: needStates, Papers: naming.Numbers(5, "figure", 11)}, numeric.StrategyShares, inAll, Rows},
		{naming.Named{Name: "influence", Shows: "numeric states: who moves whom (paper 5)", Needs: needStates}, numeric.Influence, inAll, Rows},
		{naming.Named{Name: "montecarlo", Shows: "numeric states: where groups end, over many starts", Needs: "groups that reach a consensus on a line", Papers: naming.Numbers(5, "figure", 4)}, numeric.MonteCarlo, inAll, Rows},
		{naming.Named{Name: "variance", Shows: "numeric states: variance by number of agents (paper 5, Figure 4)", Needs: "groups of different sizes that reach a consensus on a line"}, numeric.Variances, inAll, Rows},
		{naming.Named{Name: "finals", Shows: "numeric states: each final state (data of figure bias)", Needs: needStates}, numeric.Finals, never, Rows},
		{naming.Named{Name: "trajectories", Shows: "numeric states: each state of each round (data of the figure)", Needs: needStates, Papers: naming.Numbers(5, "figure", 2, 3, 6, 7, 8, 9)}, numeric.Trajectories, never, Rows},
		{naming.Named{Name: "paths", Shows: "robots: planned and actual positions (data of the figure)", Needs: "robots, whose paths are planned", Papers: naming.Numbers(5, "figure", 10)}, numeric.PathData, never, Rows},
		{naming.Named{Name: "message-length", Shows: "messages: words a message", Needs: "messages", Former: "words"}, speech.Words, inAll, Rows},
		{naming.Named{Name: "message-language", Shows: "messages: words, reading grade, information distance", Needs: "messages", Former: "8", Papers: naming.Numbers(1, "table", 8)}, speech.MessageLanguage, inAll, Measures},
		{naming.Named{Name: "early-stopping-recsys", Shows: "recsys: the rule that stops at the best round", Needs: needRecsys, Former: "2", Papers: naming.Numbers(1, "table", 2)}, stopping.EarlyStoppingRecsys, inAll, Courses},
		{naming.Named{Name: "early-stopping", Shows: "stopping rules: rounds saved and what they cost", Needs: needEnded, Former: "10", Papers: naming.Numbers(1, "table", 10)}, stopping.EarlyStopping, inAll, Courses},
		{naming.Named{Name: "stopping-times", Shows: "stopping rules: gap closed to the best round", Needs: needEnded, Former: "11", Papers: naming.Numbers(1, "table", 11)}, stopping.StoppingTimes, inAll, Courses},
		{naming.Named{Name: "folds", Shows: "stopping rules: what cross-validation held out and chose", Needs: needEnded}, stopping.FoldList, never, Courses},
		{naming.Named{Name: "nested", Shows: "stopping rules: chosen by nested cross-validation", Needs: needEnded}, stopping.Nested, inAll, Courses},
		{naming.Named{Name: "regression", Shows: "dialogue acts: what goes with better decisions", Needs: needLabels}, stopping.Regression, never, Courses},
		{naming.Named{Name: "comparisons", Shows: "each two conditions: pairwise comparison of final scores, with tests", Needs: "two conditions of one environment"}, overview.Comparisons, inAll, Rows},
		{naming.Named{Name: "instances", Shows: "each instance: its outcome under each condition", Needs: needEnded}, overview.ByInstance, never, Rows},
		{naming.Named{Name: "rounds", Shows: "each round: decisions and scores", Needs: needEnded}, overview.Rounds, inAll, Rows},
		{naming.Named{Name: "summary", Shows: "each condition: collaborations, answers, cost", Needs: needEnded}, overview.Summary, always, Rows},
		{naming.Named{Name: "dialogue-acts", Shows: "dialogue acts: how often, by rule", Needs: needLabels, Former: "9", Papers: naming.Numbers(1, "table", 9)}, nil, never, Labels},
		{naming.Named{Name: "transitions", Shows: "dialogue acts: which follows which", Needs: needLabels}, nil, never, Labels},
		{naming.Named{Name: "agreement", Shows: "dialogue acts: how far labellers agree", Needs: "labels of at least two labellers (roundtable label)"}, nil, never, Labels},
	}
}

// Tables returns what all tables are called, those about labels last.
func Tables() []naming.Named {
	var all []naming.Named
	for _, l := range list() {
		all = append(all, l.Named)
	}
	return all
}

// SourceOf returns what a table is made from; with all, the most that tables take which need
// no labels.
func SourceOf(name string) Source {
	for _, l := range list() {
		if l.Name == name {
			return l.from
		}
	}
	if name == "all" {
		return Courses
	}
	return Rows
}

// All returns the tables that the campaign has something for.
func All(c campaign.Campaign) []table.Table { return selectTables(c, inAll) }

// Chief returns those that say what a campaign found, in short: those of the paper
// that it is about, or else its rounds, and the summary.
func Chief(c campaign.Campaign) []table.Table {
	all := selectTables(c, always)
	if len(all) > 1 {
		return all
	}
	if t, err := Make(c, "rounds"); err == nil {
		all = append([]table.Table{t}, all...)
	}
	return all
}

func selectTables(c campaign.Campaign, at shown) []table.Table {
	var all []table.Table
	for _, l := range list() {
		switch {
		case l.build == nil, l.shown < at, l.from == Courses && len(campaign.CoursesOf(c).Runs) == 0,
			l.Name == "utility-by-setting" && variesInRuleAlone(c), l.Name == "message-length" && speech.MeasuredBy(c) != nil:
			continue
		}
		if t, ok := l.build(c); ok {
			all = append(all, l.titled(t))
		}
	}
	return all
}

// titled returns the table with its name, and in its title where papers have it.
func (l listed) titled(t table.Table) table.Table {
	t.Name = l.Name
	if cite := l.Cite(); cite != "" {
		t.Title += " (" + cite + ")"
	}
	return t
}

// OfLabels returns a table that was made from labels, or a part of one, with its name and
// title; it panics if no table is called so.
func OfLabels(name string, t table.Table) table.Table {
	return list()[slices.Index(naming.Of(Tables()), name)].titled(t)
}

// variesInRuleAlone says that utility-by-setting has no more to say than utility-by-rule.
func variesInRuleAlone(c campaign.Campaign) bool {
	v := c.View(campaign.Exchange)
	return len(v.Labels) == 1 && v.Labels[0] == "rule"
}

// Make returns the table of this name, or alias; the error says why there is none.
func Make(c campaign.Campaign, name string) (table.Table, error) {
	found, err := naming.Find("table", Tables(), name, "all")
	if err != nil {
		return table.Table{}, err
	}
	l := list()[slices.Index(naming.Of(Tables()), found.Name)]
	if l.build != nil {
		if t, ok := l.build(c); ok {
			return l.titled(t), nil
		}
	}
	return table.Table{}, fmt.Errorf("table %s is about %s, of which campaign %s has nothing", l.Name, l.Needs, c.Name)
}

// Readers returns what each study keeps of a run.
func Readers() []campaign.Reader {
	return []campaign.Reader{exchange.Read, speech.Read, debate.Read, numeric.Read, deliberation.Read, discussion.Read, discussion.ReadAsked}
}
