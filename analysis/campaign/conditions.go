package campaign

import (
	"roundtable/analysis/table"
)

// Condition is one point of the grid with its succeeded runs.
type Condition struct {
	ID       string
	Settings map[string]string // by dotted key, as a campaign's grid names them
	Runs     []Run             // that succeeded, by instance and replicate
	group    Group
	view     View
}

// Shown returns the condition's label for a setting, or else its value, shortened if it is long.
func (c Condition) Shown(key string) string { return c.group.Shown(key) }

// Named returns the names under which the condition shows these settings, and its text for each
// name.
func (c Condition) Named(keys []string) (names, texts []string) {
	c.view.Labels = keys
	return c.view.nameOf(c.group)
}

// Conditions returns the conditions of an environment ("" for all) in the order of the tables'
// rows, and the keys of the settings that differ between them.
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

// Condition returns g as a condition of the view.
func (v View) Condition(g Group) Condition {
	return Condition{g.ID, g.Settings, g.Succeeded(), g, v}
}

// Remarks returns the notes that every table about an environment has: what is simulated, what all
// conditions share, what failed or is still pending.
func (c Campaign) Remarks(environment string) []string {
	var t table.Table
	c.View(environment).AddNotes(&t)
	return t.Notes
}
