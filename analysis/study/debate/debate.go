// Package debate shows debates over questions (paper 4): accuracy by strategy, size and round, log-likelihood
// and entropy, repetitions of the experiment, and debates of fixed viewpoints.
package debate

import (
	"cmp"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
)

// Protocol is the name of the protocol of debates.
const Protocol = "debate"

// Replies are the agents' answers in a debate, by round from 1.
type Replies []statistics.Replies

// readReplies keeps the answers of each round.
func readReplies(r *campaign.Run, rows record.Rows) error {
	var all Replies
	for _, t := range rows.Turns {
		if t.Format != "answer" || t.Role != "" || t.Round < 1 {
			continue
		}
		for len(all) < int(t.Round) {
			all = append(all, nil)
		}
		one := statistics.Reply{Right: campaign.IsRight(t) == 1}
		if t.ProposalKey != nil {
			one.Key = *t.ProposalKey
		}
		if t.ProposalJSON != nil {
			one.JSON = *t.ProposalJSON
		}
		all[t.Round-1] = append(all[t.Round-1], one)
	}
	campaign.Keep(&r.Parts, all)
	return nil
}

func repliesOf(r campaign.Run) Replies { return campaign.Part[Replies](r.Parts) }

// debateGroup is a condition of a debate in the words of paper 4.
type debateGroup struct {
	campaign.Group
	strategy string
	called   string // what the study calls the strategy: its own label, or else that of paper 4
	task     string
	size     int      // agents that take part
	rounds   int      // of debate
	others   string   // other settings in which conditions differ: what tells rows apart
	named    []string // the same as the view names them
}

// debateView is the debates of a campaign that keep accepts.
type debateView struct {
	campaign.View
	all   []debateGroup
	tasks []string
}

func debatesOf(c campaign.Campaign, keep func(debateGroup) bool) debateView {
	v := debateView{View: c.View("")}
	v.Groups = slices.DeleteFunc(v.Groups, func(g campaign.Group) bool {
		// whose answers are neither right nor wrong
		return g.Settings["protocol"] != Protocol || g.Measure() == record.Scored
	})
	named := []string{"env", "env.file", "env.format", "env.agents", "env.kind", "protocol.order", "protocol.rounds",
		"protocol.agents", "protocol.viewpoints.scaling"}
	names := campaign.TaskNames(v.Groups)
	v.Labels = v.BeyondTasks(names, named...)
	var kept []campaign.Group
	for _, g := range v.Groups {
		d := debateGroup{Group: g, task: names.Of(g),
			size: campaign.WholeNumber(g.Settings["protocol.agents"]), rounds: 1}
		if text, ok := g.Settings["protocol.rounds"]; ok {
			d.rounds = campaign.WholeNumber(text)
		}
		if d.size == 0 {
			d.size = campaign.WholeNumber(cmp.Or(g.Settings["env.agents"], "3"))
		}
		d.strategy = strategyName(d)
		d.others, d.named = v.Key(g), v.Texts(g)
		if !keep(d) {
			continue
		}
		kept, v.all = append(kept, g), append(v.all, d)
		if !slices.Contains(v.tasks, d.task) {
			v.tasks = append(v.tasks, d.task)
		}
	}
	v.Groups = kept
	v.nameDebates()
	return v
}

// nameDebates gives debates the names that the study has for what it compares: the labels of the
// axis that sets the protocol, its order or its rounds, with the strategy if several have the
// same label. Where there are none, the names are those of paper 4.
func (v debateView) nameDebates() {
	labels, strategies := make([]string, len(v.all)), map[string]string{}
	isLabelled, shared := false, map[string]bool{}
	for i, d := range v.all {
		for _, key := range []string{"protocol.order", "protocol.rounds", "protocol.agents"} {
			labels[i] = cmp.Or(labels[i], v.LabelOf(d.Group, key))
		}
		isLabelled = isLabelled || labels[i] != ""
		labels[i] = cmp.Or(labels[i], d.Labels[campaign.BaselineLabel])
		if other, seen := strategies[labels[i]]; seen && other != d.strategy {
			shared[labels[i]] = true
		}
		strategies[labels[i]] = d.strategy
	}
	for i, d := range v.all {
		switch label := labels[i]; {
		case !isLabelled || label == "":
			v.all[i].called = d.strategy
		case shared[label]:
			v.all[i].called = label + ", " + d.strategy
		default:
			v.all[i].called = label
		}
	}
}

// strategyName returns the name that paper 4 has for a condition.
func strategyName(d debateGroup) string {
	s := d.Settings
	switch {
	case d.isFixed():
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
		"": mad, "fixed": mad, "random": mad + ", random order", "truth_last": mad + "+Truth",
		"truth_first": mad + ", truth first",
		"madc":        mad + "+MADC", "madc_per_receiver": mad + "+MADC per receiver",
	}
	return cmp.Or(names[s["protocol.order"]], s["protocol.order"])
}

const (
	mad    = "MAD" // the debate in the fixed order, to which the others are compared
	single = "Single CoT"
)

// accuraciesByQuestion returns the accuracies in percent by question, over its replicates.
func (d debateGroup) accuraciesByQuestion() campaign.Units {
	return campaign.PerQuestion(d.Succeeded(), campaign.Run.Right)
}

// setting is what tells debates apart.
type setting struct {
	task, strategy, others string
	size, rounds           int
}

// butForSize returns the setting without the number of agents.
func (d debateGroup) butForSize() setting {
	return setting{task: d.task, strategy: d.strategy, others: d.others, rounds: d.rounds}
}

// butForTask returns the setting without the task.
func (d debateGroup) butForTask() setting {
	return setting{strategy: d.strategy, others: d.others, size: d.size, rounds: d.rounds}
}

// baseOf returns the debate in the fixed order with all else equal.
func (v debateView) baseOf(d debateGroup) (debateGroup, bool) {
	for _, g := range v.all {
		if g.strategy == mad && d.strategy != mad && d.rounds > 0 && d.rounds == g.rounds && d.size == g.size &&
			d.task == g.task && d.others == g.others {
			return g, true
		}
	}
	return debateGroup{}, false
}
