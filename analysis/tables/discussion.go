package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/metrics"
	"roundtable/analysis/table"
)

// goodness of the decision from 0 to 1: the accuracy of a question, SQuAD's F1; 0 without a decision.
func (r Run) goodness() float64 {
	v, _ := r.Outcome()
	return v
}

// discussed is a condition of paper 2's experiments: a discussion, or one agent
// alone beside it.
type discussed struct {
	group
	task   string
	alone  bool     // one agent's single answer
	kind   string   // of its rule: voting, consensus, or "" for others
	values []string // of the labels
}

// discussions are those of a campaign with what is compared to them.
type discussions struct {
	view              // of the discussions
	all   []discussed // and of single agents
	tasks []string
}

// discussions whose questions are told apart by data set, not by file.
func (c Campaign) discussions() discussions {
	d := discussions{view: c.view("")}
	every := d.groups
	for _, beside := range c.Beside {
		every = slices.Concat(every, beside.groups())
	}
	d.groups = slices.DeleteFunc(slices.Clone(every), func(g group) bool { return g.settings["protocol"] != discussion })
	d.labels, d.whole = nil, true // to decide early is not to be cut off
	for _, key := range d.varying() {
		if !strings.HasPrefix(key, "env") || key == "env.agents" {
			d.labels = append(d.labels, key)
		}
	}
	if !slices.Contains(d.labels, "rule") {
		d.labels = append([]string{"rule"}, d.labels...)
	}
	names := taskNames(every)
	for _, g := range every {
		one := discussed{group: g, task: names.of(g), alone: alone(g.settings), kind: kindOf(g.settings["rule"])}
		if g.settings["protocol"] != discussion && !one.alone {
			continue
		}
		for _, key := range d.labels {
			one.values = append(one.values, g.shown(key))
		}
		d.all = append(d.all, one)
		if !slices.Contains(d.tasks, one.task) {
			d.tasks = append(d.tasks, one.task)
		}
	}
	return d
}

// notes are those of the view, and that the single agents beside it are scripted.
func (d discussions) notes(t *table.Table) {
	d.view.notes(t)
	scripted := slices.ContainsFunc(d.all, func(x discussed) bool {
		return x.alone && slices.ContainsFunc(x.runs, func(r Run) bool { return r.Simulated })
	})
	if some, _ := d.simulated(); some == 0 && scripted {
		t.Notes = append([]string{table.Simulated + ", of the " + loneAgent + "."}, t.Notes...)
	}
}

// talking are the discussions alone.
func (d discussions) talking() []discussed {
	return slices.DeleteFunc(slices.Clone(d.all), func(x discussed) bool { return x.alone })
}

// reference is one agent's answers to the same questions, with chain of thought
// if there are several, and the first of those.
func (d discussions) reference(x discussed) (discussed, bool) {
	all := d.references(x)
	if len(all) == 0 {
		return discussed{}, false
	}
	return all[0], true
}

// references are the single agents' answers to the same questions, those with
// chain of thought first.
func (d discussions) references(x discussed) []discussed {
	if x.alone {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(d.all), func(o discussed) bool { return !o.alone || o.task != x.task || !sameQuestions(o, x) })
	slices.SortStableFunc(all, func(a, b discussed) int {
		return strings.Compare(fmt.Sprint(unprompted(a.settings)), fmt.Sprint(unprompted(b.settings)))
	})
	return all
}

// sameQuestions says that the same number stands for the same question in both,
// which in another campaign another seed may have drawn.
func sameQuestions(a, b discussed) bool {
	names := map[int32]string{}
	for _, r := range a.runs {
		names[r.Instance] = cmp.Or(r.InstanceID, names[r.Instance]) // a run that could not begin has none
	}
	return !slices.ContainsFunc(b.runs, func(r Run) bool {
		name := names[r.Instance]
		return name != "" && r.InstanceID != "" && name != r.InstanceID
	})
}

// rowsBy gathers conditions that are the same by a key, in their order.
func rowsBy(all []discussed, key func(discussed) string) [][]discussed {
	var rows [][]discussed
	at := map[string]int{}
	for _, x := range all {
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(rows)
			at[k] = i
			rows = append(rows, nil)
		}
		rows[i] = append(rows[i], x)
	}
	return rows
}

// loneAgent is what a row or a bar of one agent alone is called.
const loneAgent = "single agent"

// aloneName names a single agent by how it was asked.
func (x discussed) aloneName() string {
	if unprompted(x.settings) {
		return loneAgent + ", no chain of thought"
	}
	return loneAgent
}

// label is the settings of a row; the single agent's say so in the first.
func (x discussed) label() []table.Cell {
	var cells []table.Cell
	for i, v := range x.values {
		if x.alone {
			v = map[bool]string{true: x.aloneName()}[i == 0]
		}
		cells = append(cells, table.Word(v))
	}
	return cells
}

// overReplicates is mean and standard deviation over replicates of a measure in percent.
func overReplicates(runs []Run, measure func(Run) float64) []table.Cell {
	mean, sd, ok := metrics.Runs(perReplicate(runs, measure))
	if !ok {
		return make([]table.Cell, 2)
	}
	return []table.Cell{table.Number(mean, 1), table.Known(sd, 1)}
}
