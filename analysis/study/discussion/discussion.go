// Package discussion compares discussions under decision protocols with single agents (paper 2): accuracy,
// gains, kinds of rules, diversity, challenges, and their cost in calls and tokens.
package discussion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// discussed is a condition of paper 2's experiments: a discussion, or one agent
// alone next to it.
type discussed struct {
	campaign.Group
	task  string
	alone bool     // one agent's single answer
	kind  string   // of its rule: voting, consensus, or "" for others
	texts []string // what the view's names have
}

// discussions are those of a campaign with what is compared to them.
type discussions struct {
	campaign.View             // of the discussions
	all           []discussed // and of single agents
	tasks         []string
}

// discussionsOf whose questions are told apart by data set, not by file.
func discussionsOf(c campaign.Campaign) discussions {
	d := discussions{View: c.View("")}
	every := d.Groups
	for _, beside := range c.Baselines {
		every = slices.Concat(every, beside.Groups())
	}
	d.Groups = slices.DeleteFunc(slices.Clone(every),
		func(g campaign.Group) bool { return g.Settings["protocol"] != Protocol })
	d.Labels, d.Whole = nil, true // to decide early is not to be cut off
	for _, key := range d.Varying() {
		if !strings.HasPrefix(key, "env") || key == "env.agents" {
			d.Labels = append(d.Labels, key)
		}
	}
	if !slices.Contains(d.Labels, "rule") {
		d.Labels = append([]string{"rule"}, d.Labels...)
	}
	names := campaign.TaskNames(every)
	for _, g := range every {
		one := discussed{Group: g, task: names.Of(g), alone: isAlone(g.Settings), kind: kindOf(g.Settings["rule"])}
		if g.Settings["protocol"] != Protocol && !one.alone {
			continue
		}
		one.texts = d.Texts(g)
		d.all = append(d.all, one)
		if !slices.Contains(d.tasks, one.task) {
			d.tasks = append(d.tasks, one.task)
		}
	}
	return d
}

// addNotes are those of the view, and that the single agents next to it are scripted.
func (d discussions) addNotes(t *table.Table) {
	d.View.AddNotes(t)
	scripted := slices.ContainsFunc(d.all, func(x discussed) bool {
		return x.alone && slices.ContainsFunc(x.Runs, func(r campaign.Run) bool { return r.Simulated })
	})
	if some, _ := d.Simulated(); some == 0 && scripted {
		t.Notes = append([]string{table.Simulated + ", of the " + loneAgent + "."}, t.Notes...)
	}
}

// onlyDiscussions returns the discussions alone.
func (d discussions) onlyDiscussions() []discussed {
	return slices.DeleteFunc(slices.Clone(d.all), func(x discussed) bool { return x.alone })
}

// referenceOf is one agent's answers to the same questions, with chain of thought
// if there are several, and the first of those.
func (d discussions) referenceOf(x discussed) (discussed, bool) {
	all := d.referencesOf(x)
	if len(all) == 0 {
		return discussed{}, false
	}
	return all[0], true
}

// hasSingle reports whether a discussion has a single agent next to it.
func (d discussions) hasSingle() bool {
	return slices.ContainsFunc(d.all, func(x discussed) bool { return len(d.referencesOf(x)) > 0 })
}

// referencesOf returns the single agents' answers to the same questions, those with
// chain of thought first.
func (d discussions) referencesOf(x discussed) []discussed {
	if x.alone {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(d.all),
		func(o discussed) bool { return !o.alone || o.task != x.task || !haveSameQuestions(o, x) })
	slices.SortStableFunc(all, func(a, b discussed) int {
		return strings.Compare(fmt.Sprint(isUnprompted(a.Settings)), fmt.Sprint(isUnprompted(b.Settings)))
	})
	return all
}

// haveSameQuestions says that the same number stands for the same question in both,
// which in another campaign another seed may have drawn.
func haveSameQuestions(a, b discussed) bool {
	names := map[int32]string{}
	for _, r := range a.Runs {
		names[r.Instance] = cmp.Or(questionOf(r), names[r.Instance]) // a run that could not begin has none
	}
	return !slices.ContainsFunc(b.Runs, func(r campaign.Run) bool {
		name := names[r.Instance]
		return name != "" && r.InstanceID != "" && name != questionOf(r)
	})
}

// questionOf returns what tells the question of a run from others.
func questionOf(r campaign.Run) string {
	if r.InstanceHash != nil {
		return *r.InstanceHash
	}
	return r.InstanceID
}

// loneAgent is what a row or a bar of one agent alone is called.
const loneAgent = "single agent"

// aloneName names a single agent by how it was asked.
func (x discussed) aloneName() string {
	if isUnprompted(x.Settings) {
		return loneAgent + ", no chain of thought"
	}
	return loneAgent
}

// label returns the settings of a row; the single agent's say so in the first.
func (x discussed) label() []table.Cell {
	var cells []table.Cell
	for i, v := range x.texts {
		if x.alone {
			v = map[bool]string{true: x.aloneName()}[i == 0]
		}
		cells = append(cells, table.Word(v))
	}
	return cells
}

// nameColumns name a condition by its data set and what tells it apart.
func (d discussions) nameColumns() table.Columns[discussed] {
	return table.Join(
		table.Column("data set", func(x discussed) table.Cell { return table.Word(x.task) }),
		table.Columns[discussed]{Headers: d.Names(), Cells: discussed.label})
}

// replicateColumns are mean and standard deviation over replicates of a measure, in percent.
func replicateColumns(mean, sd string, measure func(campaign.Run) float64) table.Columns[discussed] {
	return table.Columns[discussed]{Headers: []string{mean, sd},
		Cells: func(x discussed) []table.Cell { return overReplicates(x.Succeeded(), measure) }}
}

// exactColumn is the mean of exact matches.
func exactColumn(header string) table.Columns[discussed] {
	return table.Column(header, func(x discussed) table.Cell { return overReplicates(x.Succeeded(), campaign.Run.Right)[0] })
}

// countColumn counts what means are over.
func countColumn() table.Columns[discussed] {
	return table.Column("n", func(x discussed) table.Cell { return table.Count(len(x.Succeeded())) })
}

// overReplicates returns mean and standard deviation over replicates of a measure in percent.
func overReplicates(runs []campaign.Run, measure func(campaign.Run) float64) []table.Cell {
	mean, sd, ok := statistics.MeanOfRuns(campaign.PerReplicate(runs, measure))
	if !ok {
		return make([]table.Cell, 2)
	}
	return []table.Cell{table.Number(mean, 1), table.NumberOrEmpty(sd, 1)}
}
