package study

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
)

// Differences of shares end at -1 and 1, those of errors nowhere.
func TestIntervalsOfComparisonsEnd(t *testing.T) {
	compared := func(environment string, first, second float64) map[string]table.Cell {
		var c campaign.Campaign
		for i, scores := range [][2]float64{{first, second}, {second, second}} {
			for k, rule := range []string{"majority", "ranked"} {
				c.Runs = append(c.Runs, NewRun(record.Collaboration{
					Key: record.Key{ConditionID: rule, CollaborationID: fmt.Sprint(rule, i)}, Status: record.Succeeded, Environment: environment, Measure: analysistest.MeasureOf(environment), Rule: rule,
					InstanceID: fmt.Sprint(i), Instance: int32(i), SettingsJSON: fmt.Sprintf(`{"env":{"name":%q}}`, environment), Score: &scores[k], DecisionJSON: new("1"),
				}, nil, nil))
			}
		}
		table, _ := overview.Comparisons(c)
		if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "of shares cut at -1 and 1") {
			t.Errorf("nothing says that intervals are cut: %s", notes)
		}
		return analysistest.ByColumn(table, table.Rows[0])
	}
	shares := compared("qa", 1, 0)
	analysistest.Near(t, "difference", shares["A - B"].Value, .5)
	analysistest.Near(t, "low", shares["95 % from"].Value, -1)
	analysistest.Near(t, "high", shares["to"].Value, 1)
	errors := compared(campaign.Recsys, -1, -2)
	analysistest.Near(t, "low of errors", errors["95 % from"].Value, .5-12.706204736174698*.5)
	if high := *errors["to"].Value; math.Abs(high-(.5+12.706204736174698*.5)) > 1e-9 {
		t.Errorf("high of errors is %v", high)
	}
}
