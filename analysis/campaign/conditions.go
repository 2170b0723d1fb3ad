package campaign

import (
	"roundtable/analysis/table"
)

// Condition is one point of the grid and what is averaged of it.
type Condition struct {
	ID       string
	Settings map[string]string // by dotted key, as a campaign's grid names them
	Runs     []Run             // that succeeded, by instance and replicate
	Labels   map[string]string
}

// Shown returns what a setting is called: its label, or its value, which is
// shortened if it is long.
func (c Condition) Shown(key string) string {
	return Group{Settings: c.Settings, Labels: c.Labels}.Shown(key)
}

// Conditions returns the conditions of an environment ("" for all) in the order of the
// tables' rows, and the settings in which they differ.
func (c Campaign) Conditions(environment string) (list []Condition, varying []string) {
	v := c.View(environment)
	for _, g := range v.Groups {
		list = append(list, Condition{g.ID, g.Settings, g.Succeeded(), g.Labels})
	}
	if len(v.Groups) > 1 {
		varying = v.Varying()
	}
	return list, varying
}

// Remarks returns the notes of every table about an environment: what is simulated,
// what all conditions share, what failed or is still to come.
func (c Campaign) Remarks(environment string) []string {
	var t table.Table
	c.View(environment).AddNotes(&t)
	return t.Notes
}
