package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
)

// Where conditions differ in many settings, one column has what they are called: how a
// collaboration ended comes next, and the settings are there on demand.
func TestManySettingsShareAColumn(t *testing.T) {
	var all []record.Rows
	for i, rule := range []string{"majority", "rated"} {
		rows := collaboration(rule, i, 1, "a")
		rows.Collaborations[0].SettingsJSON = fmt.Sprintf(`{"env":{"name":"exchange","params":{"agents":%d}},"protocol":{"name":"roundtable","params":{"rounds":%d}},"rule":{"name":%q},"model":{"name":"m%d"}}`, i+2, i+3, rule, i)
		rows.Collaborations[0].Score = new(-3.33386651619e-11)
		all = append(all, rows)
	}
	l := NewList(source(all...).Campaign)
	for _, rows := range all {
		l.Add(rows.Collaborations[0], false)
	}
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Columns []column
		Rows    [][]any
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	var shown, details []string
	for _, c := range list.Columns {
		if c.Detail {
			details = append(details, c.Name)
		} else {
			shown = append(shown, c.Name)
		}
	}
	if !slices.Equal(shown[:5], []string{"collaboration", "condition", "status", "decided in round", "score"}) || len(details) < 3 {
		t.Errorf("columns %v, on demand %v", shown, details)
	}
	if name := list.Rows[1][1]; name != "m1, agents 3, rounds 4, rated" {
		t.Errorf("the second condition is called %q", name)
	}
	if score := list.Rows[0][slices.IndexFunc(list.Columns, func(c column) bool { return c.Name == "score" })]; score != 0.0 {
		t.Errorf("the score is %v", score)
	}
	if few := NewList(campaign.Campaign{}); few.titles != nil {
		t.Error("a campaign without settings has a column for them")
	}
}
