package campaign

import (
	"roundtable/analysis/table"
)

// Condition is one point of the grid and what is averaged of it.
type Condition struct {
	ID       string
	Settings map[string]string // by dotted key, as a campaign's grid names them
	Runs     []Run             // that succeeded, by instance and replicate
	group    Group
	view     View
}

// Shown returns what a setting is called: its label, or its value, which is
// shortened if it is long.
func (c Condition) Shown(key string) string { return c.group.Shown(key) }

// Named returns what names the condition in some settings, and what it has under each name.
func (c Condition) Named(keys []string) (names, texts []string) {
	c.view.Labels = keys
	return c.view.nameOf(c.group)
}

// Conditions returns the conditions of an environment ("" for all) in the order of the
// tables' rows, and the settings in which they differ.
func (c Campaign) Conditions(environment string) (list []Condition, varying []string) {
	v := c.View(environment)
	for _, g := range v.Groups {
		list = append(list, v.Condition(g))
	}
	if len(v.Groups) > 1 {
		varying = v.Varying()
	}
	return list, varying
}

// Condition returns a condition of the view.
func (v View) Condition(g Group) Condition {
	return Condition{g.ID, g.Settings, g.Succeeded(), g, v}
}

// Remarks returns the notes of every table about an environment: what is simulated,
// what all conditions share, what failed or is still to come.
func (c Campaign) Remarks(environment string) []string {
	var t table.Table
	c.View(environment).AddNotes(&t)
	return t.Notes
}
