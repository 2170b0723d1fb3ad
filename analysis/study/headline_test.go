package study

import (
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/environments"
	"roundtable/analysis/table"
)

// Utility of the worst rule is 87 % below the best in round 1 and 40 % below at
// the end; messages grow by 100 % and 300 % under two rules of one environment
// and by 50 % in the other.
func TestHeadlineByHand(t *testing.T) {
	talk := func(condition, env, rule string, words []float64, scores ...*float64) campaign.Run {
		r := analysistest.Cell{Condition: condition, Env: env, Rule: rule, Agents: 3, Planned: 2, Scores: scores}.Run()
		var said []dialogue.Speech
		for _, w := range words {
			said = append(said, dialogue.Speech{Messages: 3, Words: w})
		}
		campaign.Keep(&r.Parts, said)
		return r
	}
	c := campaign.Campaign{Runs: []campaign.Run{
		talk("unanimous-1", "exchange", "unanimous", []float64{10, 20}, new(.091), new(.48)),
		talk("majority-1", "exchange", "majority", []float64{10, 40}, new(.7), new(.8)),
		talk("rated-1", "recsys", "rated", []float64{20, 30}, new(-1.), new(-1.)),
	}}
	table, ok := environments.Headline(c)
	if !ok {
		t.Fatal("no table")
	}
	want := []struct {
		figure, env, reference, compared string
		change                           float64
	}{
		{"total utility, first round", "exchange", "majority", "unanimous", -87},
		{"total utility, last round", "exchange", "majority", "unanimous", -40},
		{"words per message", "exchange", "first round", "last round", 200},
		{"words per message", "recsys", "first round", "last round", 50},
		{"words per message", "all", "first round", "last round", 125},
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for i, w := range want {
		got := analysistest.ByColumn(table, table.Rows[i])
		if got["figure"].Text != w.figure || got["env"].Text != w.env || got["reference"].Text != w.reference || got["compared"].Text != w.compared {
			t.Errorf("row %d: %v", i, got)
		}
		analysistest.Near(t, w.figure+" in "+w.env, got["change, %"].Value, w.change)
	}
}

// A group without a decision guesses 4 in the last rows of Table 7: on an item
// rated 1 its error is 3.
func TestUndecidedAsFour(t *testing.T) {
	open := analysistest.Cell{Condition: "rated-1", Env: "recsys", Rule: "rated", Agents: 3, Planned: 1, Scores: []*float64{nil}, Baselines: new(`{"always_4":-3}`)}
	decided := open
	decided.Replicate, decided.Scores = 1, []*float64{new(-1.)}
	table, _ := environments.RatingErrors(campaign.Campaign{Runs: []campaign.Run{open.Run(), decided.Run()}})
	analysistest.Near(t, "MAE", analysistest.Row(t, table, "MAE")["@1"].Value, 1)
	analysistest.Near(t, "MAE with the undecided as 4", analysistest.Row(t, table, environments.AsFour)["@1"].Value, 2)
	unknown := open
	unknown.Baselines = nil
	table, _ = environments.RatingErrors(campaign.Campaign{Runs: []campaign.Run{unknown.Run(), decided.Run()}})
	for _, r := range table.Rows {
		if r[0].Text == environments.AsFour {
			t.Error("the error of a guess that is not known is given")
		}
	}
}

// The least and the greatest mean of each column are marked, as the paper
// colours them, and no column of counts.
func TestExtremesAreMarked(t *testing.T) {
	table, _ := environments.UtilityByRule(analysistest.ByHand(Readers()...))
	text, page := table.Text(), table.Markdown()
	if !strings.Contains(text, "70.00 (10.00) ↑") || !strings.Contains(text, "0.00 ↓") || !strings.Contains(page, "**70.00 (10.00)** ↑") {
		t.Errorf("no marks in\n%s\n%s", text, page)
	}
	for i, marks := range table.Marks() {
		for j, m := range marks {
			if c := table.Rows[i][j]; (m.Sign() != "" && c.N == 0) || m.Heat > 0 {
				t.Errorf("column %s, row %d: %+v of %v", table.Columns[j], i, m, c)
			}
		}
	}
}

// A heat map has one scale for each measure.
func TestHeatIsByMeasure(t *testing.T) {
	tab := table.Table{Columns: []string{"measure", "@1", "@2"}, Shading: table.Heat, Rows: [][]table.Cell{
		{table.Word("words"), {Value: new(10.), N: 2}, {Value: new(110.), N: 2}}, {table.Word("grade"), {Value: new(1.), N: 2}, {Value: new(2.), N: 2}},
	}}
	if m := tab.Marks(); m[0][1].Heat != 1 || m[0][2].Heat != table.HeatSteps || m[1][1].Heat != 1 || m[1][2].Heat != table.HeatSteps {
		t.Errorf("%+v", m)
	}
}
