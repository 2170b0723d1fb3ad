package report

import (
	"cmp"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// conditionNames are the titles that figures give the conditions of a campaign.
type conditionNames struct {
	settings   []string // that tell conditions apart, as tables head their columns
	conditions []namedCondition
}

type namedCondition struct {
	title string
	texts []string // by setting
}

func newConditionNames(c campaign.Campaign) conditionNames {
	v, titles := c.View("", "env"), c.View("")
	n := conditionNames{settings: v.Names()}
	for _, g := range v.Groups {
		n.conditions = append(n.conditions, namedCondition{titles.FullTitle(g), v.Texts(g)})
	}
	return n
}

// merge replaces the columns that name a condition with one column of titles: a phone has room for one. Columns that
// are the same in all rows stay; the page states them below the table.
func (n conditionNames) merge(t table.Table) table.Table {
	naming := 0
	for naming < len(t.Columns) && slices.Contains(n.settings, t.Columns[naming]) {
		naming++
	}
	merged := slices.DeleteFunc(slices.Clone(t.ShownColumns()), func(j int) bool { return j >= naming })
	isMerged := func(j int) bool { return slices.Contains(merged, j) }
	hasNoText := func(row []table.Cell) bool { return len(merged) > 0 && row[merged[0]].Text == "" }
	if len(t.Rows) < 2 || len(merged) < 2 && !slices.ContainsFunc(t.Rows, hasNoText) {
		return t
	}
	all := t
	all.Columns, all.Rows = []string{"condition"}, nil
	for j, name := range t.Columns {
		if !isMerged(j) {
			all.Columns = append(all.Columns, name)
		}
	}
	for _, cells := range t.Rows {
		row := []table.Cell{table.Word(n.titleOf(t.Columns[:naming], cells))}
		for j, cell := range cells {
			if !isMerged(j) {
				row = append(row, cell)
			}
		}
		all.Rows = append(all.Rows, row)
	}
	return all
}

// titleOf returns the title of the condition with these texts under the settings; the texts if no condition or
// several have them.
func (n conditionNames) titleOf(settings []string, cells []table.Cell) string {
	var found, texts []string
	for _, c := range n.conditions {
		is := true
		for j, setting := range settings {
			is = is && c.texts[slices.Index(n.settings, setting)] == cells[j].Text
		}
		if is {
			found = append(found, c.title)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	for j := range settings {
		if text := cells[j].Text; text != "" {
			texts = append(texts, text)
		}
	}
	return cmp.Or(strings.Join(texts, ", "), "–")
}
