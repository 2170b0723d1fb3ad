package study

import (
	"fmt"
	"slices"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/debate"
)

// Tasks have names that people recognize, and data sets of different sizes
// stand next to each other in one table.
func TestTasksAreNamed(t *testing.T) {
	for _, c := range []struct {
		env, format, file, name string
	}{
		{"qa", "math500", "math/test.jsonl", "math500"},
		{"qa", "strategyqa", "strategyqa/dev.json", "strategyqa"},
		{"qa", "bbh", "bbh/causal_judgement.json", "causal_judgement"},
		{"qa", "csv", "mine.csv", "mine"},
		{"qa", "jsonl", "physics/test.jsonl", "physics test"},
		{"exchange", "", "", "exchange"},
	} {
		settings := map[string]string{"env": c.env, "env.format": c.format, "env.file": c.file}
		if got := campaign.TaskNames([]campaign.Group{{Settings: settings}}).Of(campaign.Group{Settings: settings}); got != c.name {
			t.Errorf("%s %s is called %q, want %q", c.format, c.file, got, c.name)
		}
	}
	two := []campaign.Group{
		{Settings: map[string]string{"env": "qa", "env.format": "musr", "env.file": "murder_mysteries.json"}},
		{Settings: map[string]string{"env": "qa", "env.format": "musr", "env.file": "team_allocation.json"}},
	}
	if got := campaign.TaskNames(two).Of(two[1]); got != "musr team_allocation" {
		t.Errorf("one of two files of a format is called %q", got)
	}

	c := campaign.Campaign{Runs: asked4("fixed", true, false)}
	for i := range c.Runs {
		n, format, file := 2, "math500", "test.jsonl"
		if c.Runs[i].Instance == 1 {
			n, format, file = 5, "bbh", "orders.json"
		}
		c.Runs[i].ConditionID = fmt.Sprint("majority-", file)
		c.Runs[i].SettingsJSON = fmt.Sprintf(`{"env":{"name":"qa","params":{"format":%q,"file":%q,"n":%d}},"protocol":{"name":"debate"},"rule":{"name":"majority"}}`, format, file, n)
	}
	table, _ := debate.Strategies(c)
	if len(table.Rows) != 1 || !slices.Contains(table.Columns, "math500") || !slices.Contains(table.Columns, "orders") {
		t.Errorf("%d rows, columns %q", len(table.Rows), table.Columns)
	}
}
