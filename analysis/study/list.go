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
	build func(campaign.Campaign) (table.Table, bool)
	about string // what a campaign must have for it
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

// list is the one list of tables, in the order in which they are printed.
func list() []listed {
	return []listed{
		{"scores", overview.ByCondition, needEnded, inAll},
		{"1", exchange.Table1, needExchange, always},
		{"6", exchange.Table6, needExchange, inAll},
		{"headline", exchange.Headline, "rules of an exchange economy, or messages of at least two rounds", inAll},
		{"readings", exchange.Readings, needExchange, inAll},
		{"7", recsys.Table7, needRecsys, always},
		{"4.1", debate.Strategies, "debates", always},
		{"4.2", debate.DebateAgents, "debates of groups of different sizes", inAll},
		{"4.rounds", debate.DebateRounds, "debates", inAll},
		{"4.gains", debate.DebateGains, "debates in the fixed order and in others", inAll},
		{"4.repeats", debate.DebateRepetitions, "debates with several replicates", inAll},
		{"4.6", debate.Viewpoints, "debates that begin with viewpoints of a pool", always},
		{"2.protocols", discussion.Discussions, needDiscussions, always},
		{"2.kinds", discussion.Kinds, "discussions with rules of both kinds, voting and consensus", always},
		{"2.answerable", discussion.Answerables, "discussions of questions that their text may not answer (SQuAD)", inAll},
		{"2.1", discussion.Diversities, needDiscussions, inAll},
		{"2.2", discussion.Terminations, needDiscussions, inAll},
		{"2.4", discussion.Countings, needDiscussions, inAll},
		{"2.scaling", discussion.Scalings, "discussions of at least three sizes", inAll},
		{"2.challenge", discussion.Challenges, "discussions whose final answer is challenged", inAll},
		{"2.compute", discussion.Computes, needDiscussions, inAll},
		{"3.2", deliberation.Deliberations, "deliberations", always},
		{"3.3", deliberation.Oracles, "deliberations with the variant oracle", inAll},
		{"3.4", deliberation.Tools, "deliberations with the tool solver", inAll},
		{"3.6", deliberation.Estimates, "deliberations", inAll},
		{"3.7", deliberation.Gaps, "deliberations next to centralized decisions", inAll},
		{"consensus", numeric.Consensus, needStates, always},
		{"strategies", numeric.StrategyShares, needStates, inAll},
		{"influence", numeric.Influence, needStates, inAll},
		{"montecarlo", numeric.MonteCarlo, "groups that reach a consensus on a line", inAll},
		{"variance", numeric.Variances, "groups of different sizes that reach a consensus on a line", inAll},
		{"finals", numeric.Finals, needStates, never},
		{"trajectories", numeric.Trajectories, needStates, never},
		{"paths", numeric.PathData, "robots, whose paths are planned", never},
		{"words", speech.Words, "messages", inAll},
		{"8", speech.Table8, "messages", inAll},
		{"2", stopping.Table2, needRecsys, inAll},
		{"10", stopping.Table10, needEnded, inAll},
		{"11", stopping.Table11, needEnded, inAll},
		{stopping.FoldsTable, stopping.FoldList, needEnded, never},
		{"nested", stopping.Nested, needEnded, inAll},
		{"regression", stopping.Regression, needEnded, never},
		{"comparisons", overview.Comparisons, "two conditions of one environment", inAll},
		{"instances", overview.ByInstance, needEnded, never},
		{"rounds", overview.Rounds, needEnded, inAll},
		{"summary", overview.Summary, needEnded, always},
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

// All are the tables that the campaign has something for.
func All(c campaign.Campaign) []table.Table { return selectTables(c, inAll) }

// Chief are those that say what a campaign found, in short: those of the paper
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
			return t, fmt.Errorf("table %s is about %s, of which campaign %s has nothing", name, l.about, c.Name)
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
