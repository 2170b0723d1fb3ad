package tables

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// listed is a table that can be asked for.
type listed struct {
	name  string
	build func(Campaign) (table.Table, bool)
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
		{"scores", Campaign.ByCondition, needEnded, inAll},
		{"1", Campaign.Table1, needExchange, always},
		{"6", Campaign.Table6, needExchange, inAll},
		{"headline", Campaign.Headline, "rules of an exchange economy, or messages of at least two rounds", inAll},
		{"readings", Campaign.Readings, needExchange, inAll},
		{"7", Campaign.Table7, needRecsys, always},
		{"4.1", Campaign.Strategies, "debates", always},
		{"4.2", Campaign.DebateAgents, "debates of groups of different sizes", inAll},
		{"4.rounds", Campaign.DebateRounds, "debates", inAll},
		{"4.gains", Campaign.DebateGains, "debates in the fixed order and in others", inAll},
		{"4.repeats", Campaign.DebateRepetitions, "debates with several replicates", inAll},
		{"4.6", Campaign.Viewpoints, "debates that begin with viewpoints of a pool", always},
		{"2.protocols", Campaign.Discussions, needDiscussions, always},
		{"2.kinds", Campaign.Kinds, "discussions with rules of both kinds, voting and consensus", always},
		{"2.answerable", Campaign.Answerables, "discussions of questions that their text may not answer (SQuAD)", inAll},
		{"2.1", Campaign.Diversities, needDiscussions, inAll},
		{"2.2", Campaign.Terminations, needDiscussions, inAll},
		{"2.4", Campaign.Countings, needDiscussions, inAll},
		{"2.scaling", Campaign.Scalings, "discussions of at least three sizes", inAll},
		{"2.challenge", Campaign.Challenges, "discussions whose final answer is challenged", inAll},
		{"2.compute", Campaign.Computes, needDiscussions, inAll},
		{"3.2", Campaign.Deliberations, "deliberations", always},
		{"3.3", Campaign.Oracles, "deliberations with the variant oracle", inAll},
		{"3.4", Campaign.Tools, "deliberations with the tool solver", inAll},
		{"3.6", Campaign.Estimates, "deliberations", inAll},
		{"3.7", Campaign.Gaps, "deliberations next to centralized decisions", inAll},
		{"consensus", Campaign.Consensus, needStates, always},
		{"strategies", Campaign.StrategyShares, needStates, inAll},
		{"influence", Campaign.Influence, needStates, inAll},
		{"montecarlo", Campaign.MonteCarlo, "groups that reach a consensus on a line", inAll},
		{"variance", Campaign.Variances, "groups of different sizes that reach a consensus on a line", inAll},
		{"finals", Campaign.Finals, needStates, never},
		{"trajectories", Campaign.Trajectories, needStates, never},
		{"paths", Campaign.Paths, "robots, whose paths are planned", never},
		{"words", Campaign.Words, "messages", inAll},
		{"8", Campaign.Table8, "messages", inAll},
		{"2", Campaign.Table2, needRecsys, inAll},
		{"10", Campaign.Table10, needEnded, inAll},
		{"11", Campaign.Table11, needEnded, inAll},
		{foldsTable, Campaign.FoldList, needEnded, never},
		{"nested", Campaign.Nested, needEnded, inAll},
		{"regression", Campaign.Regression, needEnded, never},
		{"comparisons", Campaign.Comparisons, "two conditions of one environment", inAll},
		{"instances", Campaign.ByInstance, needEnded, never},
		{"rounds", Campaign.Rounds, needEnded, inAll},
		{"summary", Campaign.Summary, needEnded, always},
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
func (c Campaign) All() []table.Table { return c.those(inAll) }

// Chief are those that say what a campaign found, in short: those of the paper
// that it is about, or else its rounds, and the summary.
func (c Campaign) Chief() []table.Table {
	all := c.those(always)
	if len(all) > 1 {
		return all
	}
	if t, ok := c.Rounds(); ok {
		all = append([]table.Table{t}, all...)
	}
	return all
}

func (c Campaign) those(at shown) []table.Table {
	var all []table.Table
	for _, l := range list() {
		if l.shown < at || l.name == "6" && c.sixIsOne() || l.name == "words" && MeasuredBy(c) != nil || NeedCourses(l.name) && len(coursesOf(c).Runs) == 0 {
			continue
		}
		if t, ok := l.build(c); ok {
			all = append(all, t)
		}
	}
	return all
}

// sixIsOne says that Table 6 says no more than Table 1.
func (c Campaign) sixIsOne() bool {
	v := c.view(exchange)
	return len(v.labels) == 1 && v.labels[0] == "rule"
}

// Table is one of Names; the error says why there is none.
func (c Campaign) Table(name string) (table.Table, error) {
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
func Readers() []Reader {
	return []Reader{readSlots, readSpeech, readReplies, readStates, readMeasures, readDiscussion, readAsked}
}
