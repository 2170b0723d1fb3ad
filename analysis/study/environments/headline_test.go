package environments

import (
	"math"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/dialogue"
)

// Messages grow from 2 to 3 words in one environment and shrink from 4 to 1 in another: over
// both the mean of 50 % and -75 %.
func TestMessagesOfSeveralEnvironments(t *testing.T) {
	var c campaign.Campaign
	for env, texts := range map[string][]string{"exchange": {"We trade", "We all trade"}, "recsys": {"It is three stars", "Yes"}} {
		base := analysistest.Cell{Condition: "majority-" + env, Env: env, Rule: "majority", Agents: 3, Planned: 2}.Run()
		var turns []record.Turn
		for i, text := range texts {
			turns = append(turns, record.Turn{Round: int32(i + 1), Kind: "ask", Format: "message", Text: &text})
		}
		c.Runs = append(c.Runs, analysistest.NewRun(base.Collaboration, []record.Round{{Round: 1}, {Round: 2}}, turns, dialogue.SpeechStudy().Readers...))
	}
	table, ok := Headline(c)
	if !ok || len(table.Rows) != 3 {
		t.Fatalf("%+v", table.Rows)
	}
	for i, want := range [][4]float64{{2, 3, 50, 1}, {4, 1, -75, 1}, {0, 0, -12.5, 2}} {
		for j, cell := range table.Rows[i][5:] {
			if cell.Value == nil && want[j] == 0 {
				continue
			}
			if cell.Value == nil || *cell.Value != want[j] {
				t.Errorf("row %d, %s: %+v, want %v", i+1, table.Columns[5+j], cell, want[j])
			}
		}
	}
}

// The square root of 4 ± 1 is 2 ± 1/4, by the slope there.
func TestRoot(t *testing.T) {
	if r := rootOf(&statistics.Ratio{Value: 4, SE: new(1.0), N: 3}); r.Value != 2 || math.Abs(*r.SE-0.25) > 1e-12 || r.N != 3 {
		t.Errorf("%+v", r)
	}
}
