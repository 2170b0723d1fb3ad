package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
)

// Two conditions whose environments and personas differ, three cells each.
func axisCampaign(labels ...map[string]string) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up", Axes: map[string]string{"env": "env", "protocol.personas": "protocol.personas", "env.agents": "env.agents"}}
	long := strings.Repeat("a careful reader who doubts, ", 12)
	for i, settings := range []string{
		`{"env":{"name":"qa","params":{"agents":3,"file":"a.json","format":"bbh"}},"protocol":{"name":"discussion","params":{"personas":"` + long + `1"}},"rule":{"name":"plurality"}}`,
		`{"env":{"name":"qa","params":{"agents":5,"file":"b.csv","format":"mmlu"}},"protocol":{"name":"discussion","params":{"personas":"` + long + `2"}},"rule":{"name":"plurality"}}`,
	} {
		p := campaign.Planned{Condition: fmt.Sprint("plurality-", i), Cells: 4, Instances: 2, Settings: []byte(settings)}
		if labels != nil {
			p.Labels = labels[i]
		}
		c.Planned = append(c.Planned, p)
		c.Runs = append(c.Runs, NewRun(record.Collaboration{
			Key: record.Key{ConditionID: p.Condition}, Environment: "qa", Measure: record.Share, Rule: "plurality", SettingsJSON: settings, Status: record.Succeeded,
		}, nil, nil))
	}
	return c
}

// An axis with labels is one column, whatever it sets; what another axis sets stays.
func TestLabelsAreShown(t *testing.T) {
	tab, _ := overview.Summary(axisCampaign(map[string]string{"env": "logic", "protocol.personas": "doubters"}, map[string]string{"env": "law", "protocol.personas": "believers"}))
	if got := tab.Columns[:3]; !slices.Equal(got, []string{"env", "env.agents", "protocol.personas"}) {
		t.Fatalf("columns are %v", tab.Columns)
	}
	var text strings.Builder
	if err := table.Write(&text, "text", []table.Table{tab}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"logic", "law", "doubters", "Instances × replicates of each condition: 2 × 2."} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	conditions, varying := axisCampaign(map[string]string{"env": "logic"}, map[string]string{"env": "law"}).Conditions("")
	names, _ := conditions[1].Named(varying)
	if got := strings.Join(names, " "); got != "env env.agents protocol.personas" || conditions[1].Shown("env") != "law" || conditions[1].Settings["env"] != "qa" {
		t.Errorf("%s; %s is %s", got, conditions[1].Settings["env"], conditions[1].Shown("env"))
	}
}

// Parameters of one environment are neither columns nor part of the names of the
// others; sizes say what their values are.
func TestParametersOfOtherEnvironments(t *testing.T) {
	c := campaign.Campaign{Name: "made-up"}
	for i, env := range []string{`{"name":"exchange","params":{"agents":4}}`, `{"name":"exchange","params":{"agents":5}}`, `{"name":"recsys","params":{"agents":4,"history":0,"synthetic":true}}`} {
		settings := `{"env":` + env + `,"protocol":{"name":"roundtable"},"rule":{"name":"majority"}}`
		p := campaign.Planned{Condition: fmt.Sprint("c", i), Cells: 2 + 2*i, Instances: 1 + i, Settings: []byte(settings)}
		c.Planned = append(c.Planned, p)
	}
	v := c.View("")
	if got := strings.Join(v.Labels, " "); got != "env env.agents" {
		t.Errorf("columns are %s", got)
	}
	v.Labels = []string{"env", "env.agents", "env.history"}
	if got := v.Title(v.Groups[1]); got != "agents 5" {
		t.Errorf("the name is %q", got)
	}
	if got, want := v.Sizes(), "Instances × replicates: exchange, agents 4: 1 × 2; exchange, agents 5: 2 × 2; recsys, agents 4: 3 × 2."; got != want {
		t.Errorf("sizes are %q", got)
	}
}

// Without labels long values are cut and still told apart.
func TestLongValuesAreCut(t *testing.T) {
	table, _ := overview.Summary(axisCampaign())
	at := slices.Index(table.Columns, "protocol.personas")
	one, two := table.Rows[0][at].Text, table.Rows[1][at].Text
	if one == two || len([]rune(one)) > 60 || !strings.HasPrefix(one, "a careful reader") {
		t.Errorf("they are %q and %q", one, two)
	}
}

// An axis with its own name is one column in place of all that its values set.
func TestAxisWithItsOwnName(t *testing.T) {
	c := axisCampaign(map[string]string{"task": "logic"}, map[string]string{"task": "law"})
	c.Axes = map[string]string{"env": "task", "protocol.personas": "task", "reasks": "task"}
	v := c.View("")
	if got := strings.Join(v.Names(), " "); got != "task" {
		t.Errorf("columns are %s", got)
	}
	if got := v.Title(v.Groups[1]); got != "law" {
		t.Errorf("the name is %q", got)
	}
}
