// Package study is the one list of the tables that studies make of a campaign.
// A study is a package below it: what it reads of each run, and its tables,
// which are functions of a campaign.
package study

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
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
	"roundtable/envs/wording"
)

// listed is a table that can be asked for.
type listed struct {
	name  string
	shows string // in a few words
	build func(campaign.Campaign) (table.Table, bool)
	needs string // what a campaign must have for it
	shown shown
}

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
)

// list returns the one list of tables, in the order in which they are printed.
func list() []listed {
	return []listed{
		{"scores", "each condition: its outcome with an interval, whatever the protocol", overview.ByCondition, needEnded, inAll},
		{"1", "exchange: decisions and utility by rule and round (paper 1, Table 1)", exchange.Table1, needExchange, always},
		{"6", "exchange: the same for every setting that varies (paper 1, Table 6)", exchange.Table6, needExchange, inAll},
		{"headline", "the least decision rule against the best, and the growth of messages (paper 1)", exchange.Headline, "rules of an exchange economy, or messages of at least two rounds", inAll},
		{"readings", "exchange: the same under alternative definitions", exchange.Readings, needExchange, inAll},
		{"7", "recsys: errors of ratings by rule and round (paper 1, Table 7)", recsys.Table7, needRecsys, always},
		{"4.1", "debates: accuracy by strategy and task (paper 4, Table 1)", debate.Strategies, "debates", always},
		{"4.2", "debates: accuracy by number of agents (paper 4, Tables 2 to 5)", debate.DebateAgents, "debates of groups of different sizes", inAll},
		{"4.rounds", "debates: accuracy, log-likelihood and entropy by round (paper 4, Figures 3 to 5, 7)", debate.DebateRounds, "debates", inAll},
		{"4.gains", "debates: gains over the fixed order, paired by question", debate.DebateGains, "debates in the fixed order and in others", inAll},
		{"4.repeats", "debates: spread over repetitions, gains over the fixed order tested over them (paper 4, Figures 3 to 5)", debate.DebateRepetitions, "debates with several replicates", inAll},
		{"4.6", "debates of fixed viewpoints: right outcomes by number of agents (paper 4, Tables 6 to 11)", debate.Viewpoints, "debates that begin with viewpoints of a pool", always},
		{"2.protocols", "discussions: accuracy by decision protocol, gains over the single agent (paper 2, Figure 2)", discussion.Discussions, needDiscussions, always},
		{"2.kinds", "discussions: voting against consensus (paper 2, 4.1)", discussion.Kinds, "discussions with rules of both kinds, voting and consensus", always},
		{"2.answerable", "discussions: questions that their text does not answer (paper 2, Figure 3)", discussion.Answerables, "discussions of questions that their text may not answer (SQuAD)", inAll},
		{"2.1", "discussions: diversity of answers and accuracy (paper 2, Table 1)", discussion.Diversities, needDiscussions, inAll},
		{"2.2", "discussions: rounds and turns until the decision (paper 2, Table 2)", discussion.Terminations, needDiscussions, inAll},
		{"2.4", "discussions: how often each way of counting decides (paper 2, Table 4)", discussion.Countings, needDiscussions, inAll},
		{"2.scaling", "discussions: accuracy by rounds before the vote and by agents (paper 2, Figures 4, 5)", discussion.Scalings, "discussions of at least three sizes", inAll},
		{"2.challenge", "discussions: challenges of the final answer (paper 2, Figures 6, 7)", discussion.Challenges, "discussions whose final answer is challenged", inAll},
		{"2.compute", "discussions: turns, tokens and money that an answer takes", discussion.Computes, needDiscussions, inAll},
		{"3.2", "deliberations: optimality, rationality, rigidity, agreement (paper 3, Table 2)", deliberation.Deliberations, "deliberations", always},
		{"3.3", "deliberations: with the full information (paper 3, Table 3)", deliberation.Oracles, "deliberations with the variant oracle", inAll},
		{"3.4", "deliberations: with a solver as a tool (paper 3, Table 4)", deliberation.Tools, "deliberations with the tool solver", inAll},
		{"3.6", "deliberations: errors of estimates of the state (paper 3, Table 6)", deliberation.Estimates, "deliberations", inAll},
		{"3.7", "deliberations: what keeps them from the centralized decision (paper 3, Table 7)", deliberation.Gaps, "deliberations next to centralized decisions", inAll},
		{"consensus", "numeric states: how groups agree, and where (paper 5)", numeric.Consensus, needStates, always},
		{"strategies", "numeric states: strategies that agents name (paper 5, Figure 11)", numeric.StrategyShares, needStates, inAll},
		{"influence", "numeric states: who moves whom (paper 5)", numeric.Influence, needStates, inAll},
		{"montecarlo", "numeric states: where groups end, over many starts (paper 5, Figure 4)", numeric.MonteCarlo, "groups that reach a consensus on a line", inAll},
		{"variance", "numeric states: variance by number of agents (paper 5, Figure 4)", numeric.Variances, "groups of different sizes that reach a consensus on a line", inAll},
		{"finals", "numeric states: each final state (data of figure bias)", numeric.Finals, needStates, never},
		{"trajectories", "numeric states: each state of each round (data of the figure)", numeric.Trajectories, needStates, never},
		{"paths", "robots: planned and actual positions (data of the figure)", numeric.PathData, "robots, whose paths are planned", never},
		{"words", "messages: words a message", speech.Words, "messages", inAll},
		{"8", "messages: words, reading grade, information distance (paper 1, Table 8)", speech.Table8, "messages", inAll},
		{"2", "recsys: the rule that stops at the best round (paper 1, Table 2)", stopping.Table2, needRecsys, inAll},
		{"10", "stopping rules: rounds saved and what they cost (paper 1, Table 10)", stopping.Table10, needEnded, inAll},
		{"11", "stopping rules: gap closed to the best round (paper 1, Table 11)", stopping.Table11, needEnded, inAll},
		{stopping.FoldsTable, "stopping rules: what cross-validation held out and chose", stopping.FoldList, needEnded, never},
		{"nested", "stopping rules: chosen by nested cross-validation", stopping.Nested, needEnded, inAll},
		{"regression", "dialogue acts: what goes with better decisions", stopping.Regression, needEnded, never},
		{"comparisons", "each two conditions: pairwise comparison of final scores, with tests", overview.Comparisons, "two conditions of one environment", inAll},
		{"instances", "each instance: its outcome under each condition", overview.ByInstance, needEnded, never},
		{"rounds", "each round: decisions and scores", overview.Rounds, needEnded, inAll},
		{"summary", "each condition: collaborations, answers, cost", overview.Summary, needEnded, always},
	}
}

// Names of the tables.
func Names() []string {
	var names []string
	for _, l := range list() {
		names = append(names, l.name)
	}
	return names
}

// OfMessages names the tables that are about labels, which Load does not read.
func OfMessages() []string { return []string{"9", "transitions", "agreement"} }

// About says in a few words what a table shows; empty if there is no such table.
func About(name string) string {
	for _, l := range list() {
		if l.name == name {
			return l.shows
		}
	}
	return map[string]string{
		"9":           "dialogue acts: how often, by rule (paper 1, Table 9)",
		"transitions": "dialogue acts: which follows which",
		"agreement":   "dialogue acts: how far labellers agree",
	}[name]
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
	if t, ok := overview.Rounds(c); ok {
		all = append([]table.Table{t}, all...)
	}
	return all
}

func selectTables(c campaign.Campaign, at shown) []table.Table {
	var all []table.Table
	for _, l := range list() {
		if l.shown < at || l.name == "6" && sixIsOne(c) || l.name == "words" && speech.MeasuredBy(c) != nil || stopping.NeedCourses(l.name) && len(campaign.CoursesOf(c).Runs) == 0 {
			continue
		}
		if t, ok := l.build(c); ok {
			all = append(all, t)
		}
	}
	return all
}

// sixIsOne says that Table 6 says no more than Table 1.
func sixIsOne(c campaign.Campaign) bool {
	v := c.View(campaign.Exchange)
	return len(v.Labels) == 1 && v.Labels[0] == "rule"
}

// Make is one of Names; the error says why there is none.
func Make(c campaign.Campaign, name string) (table.Table, error) {
	for _, l := range list() {
		if l.name != name {
			continue
		}
		t, ok := l.build(c)
		if !ok {
			return t, fmt.Errorf("table %s is about %s, of which campaign %s has nothing", name, l.needs, c.Name)
		}
		return t, nil
	}
	names := slices.Concat(Names(), OfMessages())
	return table.Table{}, fmt.Errorf("there is no table %q; there are %s and all%s", name, strings.Join(names, ", "), wording.DidYouMean(name, names))
}

// Readers returns what each study keeps of a run.
func Readers() []campaign.Reader {
	return []campaign.Reader{exchange.Read, speech.Read, debate.Read, numeric.Read, deliberation.Read, discussion.Read, discussion.ReadAsked}
}
