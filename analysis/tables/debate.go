package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"roundtable/analysis/metrics"
	"roundtable/analysis/record"
)

const debate = "debate"

// Replies are the agents' answers in a debate, by round from 1.
type Replies []metrics.Replies

// readReplies keeps the answers of each round.
func readReplies(r *Run, rows record.Rows) error {
	var all Replies
	for _, t := range rows.Turns {
		if t.Format != "answer" || t.Role != "" || t.Round < 1 {
			continue
		}
		for len(all) < int(t.Round) {
			all = append(all, nil)
		}
		one := metrics.Reply{Right: right(t) == 1}
		if t.ProposalKey != nil {
			one.Key = *t.ProposalKey
		}
		if t.ProposalJSON != nil {
			one.JSON = *t.ProposalJSON
		}
		all[t.Round-1] = append(all[t.Round-1], one)
	}
	Keep(&r.Parts, all)
	return nil
}

func repliesOf(r Run) Replies { return Part[Replies](r.Parts) }

// right is 1 if what was decided is right, else 0; no decision is not right.
func (r Run) right() float64 {
	if len(r.Utilities) > 0 && r.Utilities[0] >= 1 {
		return 1
	}
	return 0
}

// debateGroup is a condition of a debate in the words of paper 4.
type debateGroup struct {
	group
	strategy string
	task     string
	size     int      // agents that take part
	rounds   int      // of debate
	others   []string // other settings in which conditions differ
}

// debateView is the debates of a campaign that keep accepts.
type debateView struct {
	view
	all   []debateGroup
	tasks []string
}

func (c Campaign) debateView(keep func(debateGroup) bool) debateView {
	v := debateView{view: c.view("")}
	v.groups = slices.DeleteFunc(v.groups, func(g group) bool { return g.settings["protocol"] != debate })
	named := []string{"env", "env.file", "env.format", "env.agents", "env.kind", "protocol.order", "protocol.rounds", "protocol.agents", "protocol.viewpoints.scaling"}
	names := taskNames(v.groups)
	v.labels = v.beyondTasks(names, named...)
	var kept []group
	for _, g := range v.groups {
		d := debateGroup{group: g, task: names.of(g), size: wholeNumber(g.settings["protocol.agents"]), rounds: 1}
		if text, ok := g.settings["protocol.rounds"]; ok {
			d.rounds = wholeNumber(text)
		}
		if d.size == 0 {
			d.size = wholeNumber(cmp.Or(g.settings["env.agents"], "3"))
		}
		d.strategy = strategy(d)
		for _, key := range v.labels {
			d.others = append(d.others, g.shown(key))
		}
		if !keep(d) {
			continue
		}
		kept, v.all = append(kept, g), append(v.all, d)
		if !slices.Contains(v.tasks, d.task) {
			v.tasks = append(v.tasks, d.task)
		}
	}
	v.groups = kept
	return v
}

// wholeNumber is a whole number of the settings; 0 if it is not there.
func wholeNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// strategy is the name that paper 4 has for a condition.
func strategy(d debateGroup) string {
	s := d.settings
	switch {
	case d.fixed():
		name := strings.ReplaceAll(s["protocol.viewpoints.scaling"], "_", " ")
		if order := s["protocol.order"]; order != "" && order != "fixed" {
			name += ", " + order
		}
		return name
	case d.rounds == 0 && d.size == 1:
		return single
	case d.rounds == 0:
		return "Self-Consistency"
	}
	names := map[string]string{
		"": mad, "fixed": mad, "random": mad + ", random order", "truth_last": mad + "+Truth", "truth_first": mad + ", truth first",
		"madc": mad + "+MADC", "madc_per_receiver": mad + "+MADC per receiver",
	}
	return cmp.Or(names[s["protocol.order"]], s["protocol.order"])
}

const (
	mad    = "MAD" // the debate in the fixed order, to which the others are compared
	single = "Single CoT"
)

// questions are the accuracies in percent by question, over its replicates.
func (d debateGroup) questions() units { return perQuestion(d.done(), Run.right) }

// butForSize says that two are the same but for the number of agents.
func butForSize(a, b debateGroup) bool {
	return a.strategy == b.strategy && a.task == b.task && a.rounds == b.rounds && slices.Equal(a.others, b.others)
}

// base is the debate in the fixed order with all else equal.
func (v debateView) base(d debateGroup) (debateGroup, bool) {
	for _, g := range v.all {
		if g.strategy == mad && d.strategy != mad && d.rounds > 0 && d.rounds == g.rounds && d.size == g.size && d.task == g.task && slices.Equal(d.others, g.others) {
			return g, true
		}
	}
	return debateGroup{}, false
}
