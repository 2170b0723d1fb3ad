package tables

import (
	"roundtable/analysis/metrics"
	"roundtable/analysis/table"
)

// Condition is one point of the grid and what is averaged of it.
type Condition struct {
	ID       string
	Settings map[string]string // by dotted key, as a campaign's grid names them
	Runs     []Run             // that succeeded, by instance and replicate
	labels   map[string]string
}

// Shown is what a setting is called: its label, or its value, which is
// shortened if it is long.
func (c Condition) Shown(key string) string {
	return group{settings: c.Settings, labels: c.labels}.shown(key)
}

// Conditions are those of an environment ("" for all) in the order of the
// tables' rows, and the settings in which they differ.
func (c Campaign) Conditions(environment string) (list []Condition, varying []string) {
	v := c.view(environment)
	for _, g := range v.groups {
		list = append(list, Condition{g.condition, g.settings, g.done(), g.labels})
	}
	if len(v.groups) > 1 {
		varying = v.varying()
	}
	return list, varying
}

// Remarks are the notes of every table about an environment: what is simulated,
// what all conditions share, what failed or is still to come.
func (c Campaign) Remarks(environment string) []string {
	var t table.Table
	c.view(environment).notes(&t)
	return t.Notes
}

// Baselines are the absolute errors of the simple methods on the items of a
// recommendation campaign, each item once.
func (c Campaign) Baselines() map[string]metrics.Errors {
	byName, _ := c.view(recsys).baselineErrors()
	return byName
}
