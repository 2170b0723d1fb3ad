// Package study is the only list of studies. Each study is a package below it: what it reads of each run, and
// its tables, which are functions of a campaign.
package study

import (
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/debate"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/discussion"
	"roundtable/analysis/study/entry"
	"roundtable/analysis/study/environments"
	"roundtable/analysis/study/forks"
	"roundtable/analysis/study/numeric"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/study/stopping"
	"roundtable/analysis/study/worth"
	"roundtable/analysis/table"
)

// listStudies returns the one list. Adding one is one line here.
func listStudies() []entry.Study {
	return []entry.Study{
		overview.Study(),
		worth.Study(),
		environments.Exchange(),
		environments.Recommendation(),
		debate.Study(),
		discussion.Study(),
		environments.Deliberation(),
		numeric.Study(),
		dialogue.SpeechStudy(),
		stopping.Study(),
		dialogue.Study(),
		dialogue.JudgesStudy(),
		forks.Study(),
	}
}

// list returns the tables of all studies in the order in which they are printed.
func list() []entry.Table {
	var all, last []entry.Table
	for _, s := range listStudies() {
		for _, t := range s.Tables {
			if t.Last {
				last = append(last, t)
			} else {
				all = append(all, t)
			}
		}
	}
	return append(all, last...)
}

// Tables returns the names of all tables, with aliases and descriptions.
func Tables() []entry.Named {
	var all []entry.Named
	for _, l := range list() {
		all = append(all, l.Named)
	}
	return all
}

// TitleOf returns the title of the study that has the table called name; "" if none has.
func TitleOf(name string) string {
	for _, s := range listStudies() {
		if slices.ContainsFunc(s.Tables, func(t entry.Table) bool { return t.Name == name }) {
			return s.Title
		}
	}
	return ""
}

// Titles returns the titles of all studies, in their order.
func Titles() (all []string) {
	for _, s := range listStudies() {
		all = append(all, s.Title)
	}
	return all
}

// SourceOf returns what the table called name is made from. For "all" it is entry.Trajectories, the most that
// a table without labels needs; for an unknown name entry.Rows.
func SourceOf(name string) entry.Source {
	for _, l := range list() {
		if l.Name == name {
			return l.From
		}
	}
	if name == "all" {
		return entry.Trajectories
	}
	return entry.Rows
}

// All returns the tables for which the campaign has data, except those with entry.Never.
func All(c campaign.Campaign) []table.Table {
	return selectTables(c, func(t entry.Table) bool { return t.Shown != entry.Never })
}

// Main returns the tables that are printed at the end of a run: outcomes, comparisons, and those with
// entry.Always that the campaign has something for, such as the main tables of its paper and the summary.
func Main(c campaign.Campaign) []table.Table {
	first := []string{"outcomes", "comparisons"}
	var all []table.Table
	for _, name := range first {
		if t, err := Make(c, name); err == nil {
			all = append(all, t)
		}
	}
	return append(all, selectTables(c, func(t entry.Table) bool { return t.Shown == entry.Always && !slices.Contains(first, t.Name) })...)
}

func selectTables(c campaign.Campaign, isAsked func(entry.Table) bool) []table.Table {
	var all []table.Table
	for _, l := range list() {
		switch {
		case l.Build == nil, !isAsked(l), l.From == entry.Trajectories && len(campaign.TrajectoriesOf(c).Runs) == 0,
			l.Redundant != nil && l.Redundant(c):
			continue
		}
		if t, ok := build(l, c); ok {
			all = append(all, withTitle(l, t))
		}
	}
	return all
}

// build makes a table; of campaigns that were joined, one of each of them if it is made apart.
func build(l entry.Table, c campaign.Campaign) (table.Table, bool) {
	if !l.Apart || len(c.Sources) == 0 {
		return l.Build(c)
	}
	var names []string
	var all []table.Table
	for _, source := range c.Sources {
		if t, ok := l.Build(source); ok {
			names, all = append(names, source.Name), append(all, t)
		}
	}
	return table.Stack("campaign", names, all), len(all) > 0
}

// withTitle returns the table with its name, and in its title where papers have it.
func withTitle(l entry.Table, t table.Table) table.Table {
	t.Name = l.Name
	if cite := l.Cite(); cite != "" {
		t.Title += " (" + cite + ")"
	}
	return t
}

// OfLabels gives t, which was made from labels, the name and title of the table called name; it panics if
// there is no such table.
func OfLabels(name string, t table.Table) table.Table {
	return withTitle(list()[slices.Index(entry.Of(Tables()), name)], t)
}

// Make returns the table with this name or alias; the error says why there is none.
func Make(c campaign.Campaign, name string) (table.Table, error) {
	found, err := entry.Find("table", Tables(), name, "all")
	if err != nil {
		return table.Table{}, err
	}
	l := list()[slices.Index(entry.Of(Tables()), found.Name)]
	if l.Build != nil {
		if t, ok := build(l, c); ok {
			return withTitle(l, t), nil
		}
	}
	if len(c.Runs) == 0 {
		return table.Table{}, fmt.Errorf("table %s needs %s; no collaboration of campaign %s has ended yet", l.Name,
			l.Needs, c.Name)
	}
	return table.Table{}, fmt.Errorf("table %s needs %s; what has ended of campaign %s (%s) gives it no row", l.Name,
		l.Needs, c.Name, campaign.Collaborations(len(c.Runs)))
}

// ReadersOf returns the readers that the table called name needs: those of its study; for "all" and other
// names those of all studies.
func ReadersOf(name string) []campaign.Reader {
	for _, s := range listStudies() {
		if slices.ContainsFunc(s.Tables, func(t entry.Table) bool { return t.Name == name }) {
			return s.Readers
		}
	}
	return Readers()
}

// Readers returns the readers of all studies, which keep what their tables need of each run.
func Readers() []campaign.Reader {
	var all []campaign.Reader
	for _, s := range listStudies() {
		all = append(all, s.Readers...)
	}
	return all
}
