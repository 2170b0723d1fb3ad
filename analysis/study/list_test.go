package study

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/environments"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
)

var Update = flag.Bool("update", false, "write the golden files again")

func TestTable1ByHand(t *testing.T) {
	table, ok := environments.UtilityByRule(analysistest.ByHand(Readers()...))
	if !ok {
		t.Fatal("no table")
	}
	if want := []string{"rule", "utility@3", "AUC@3", "rationality", "fairness", "rigidity", "n", "failed", "stopped", "simulated"}; !slices.Equal(table.Columns, want) {
		t.Errorf("columns %q, want %q", table.Columns, want)
	}
	if table.Rows[0][0].Text != "unanimous" {
		t.Error("unanimous does not come before majority")
	}
	m := analysistest.Row(t, table, "majority")
	for _, x := range []struct {
		column   string
		mean, se float64
	}{
		{"utility@3", 70, 10},         // 80 and 60
		{"AUC@3", 45, 5.0 / 3},        // 130/3 and 140/3
		{"rationality", 50, 25},       // 1 and 3 of 4
		{"fairness", 42.5, 17.5},      // 60 and 25
		{"rigidity", 100.0 / 3, 0},    // round 1 of a, round 2 of b
		{"n", 2, 0}, {"failed", 1, 0}, // the failed one's .99 is nowhere
	} {
		analysistest.Near(t, x.column, m[x.column].Value, x.mean)
		if x.se == 0 && m[x.column].SE != nil {
			t.Errorf("%s has an error without spread", x.column)
		}
		if x.se > 0 {
			analysistest.Near(t, x.column+" se", m[x.column].SE, x.se)
		}
	}
	u := analysistest.Row(t, table, "unanimous")
	analysistest.Near(t, "utility without a decision", u["utility@3"].Value, 0)
	analysistest.Near(t, "rigidity without a decision", u["rigidity"].Value, 100)
	if u["fairness"].Value != nil || u["utility@3"].SE != nil {
		t.Errorf("fairness without a decision %v, standard error of one run %v: both are undefined", u["fairness"], u["utility@3"].SE)
	}
	readings, _ := environments.Readings(analysistest.ByHand(Readers()...))
	m = analysistest.Row(t, readings, "majority")
	analysistest.Near(t, "over made", m["rational of made"].Value, (100.0/3+75)/2)
	analysistest.Near(t, "over comparable", m["rational of comparable"].Value, (50+75)/2.0)
	analysistest.Near(t, "rigidity by decision", m["rigid by decision"].Value, (100.0/3+0)/2)
	analysistest.Near(t, "undecided as fair", analysistest.Row(t, readings, "unanimous")["fairness or 100"].Value, 100)
}

func TestNotesSayWhatIsMissingAndSimulated(t *testing.T) {
	c := analysistest.ByHand(Readers()...)
	c.Planned = []campaign.Planned{{Condition: "majority-1", Cells: 4}, {Condition: "unanimous-1", Cells: 1}, {Condition: "ranked-1", Cells: 2,
		Settings: json.RawMessage(`{"env":{"name":"exchange"},"rule":{"name":"ranked"}}`)}}
	for _, tab := range All(c) {
		notes := strings.Join(tab.Notes, "\n")
		for _, want := range []string{table.Simulated + ", in 1 of 4", "1 failed, 0 stopped", "Remaining: 3 cells"} {
			if !strings.Contains(notes, want) {
				t.Errorf("table %s does not say %q:\n%s", tab.Name, want, notes)
			}
		}
	}
	table, _ := environments.UtilityByRule(c)
	var order []string
	for _, r := range table.Rows {
		order = append(order, r[0].Text)
	}
	if want := []string{"majority", "unanimous", "ranked"}; !slices.Equal(order, want) {
		t.Errorf("rows are %q, want the plan's order %q", order, want)
	}
	analysistest.Near(t, "remaining", analysistest.Row(t, table, "ranked")["remaining"].Value, 2)
}

func TestSummary(t *testing.T) {
	table, _ := overview.Summary(analysistest.ByHand(Readers()...))
	m := analysistest.Row(t, table, "majority")
	for column, want := range map[string]float64{"succeeded": 2, "failed": 1, "reruns": 1, "decided": 3, "asked turns": 11, "invalid turns": 0, "asks": 36, "calls": 36, "input tokens": 3000} {
		analysistest.Near(t, column, m[column].Value, want)
	}
	if got := m["cost USD"].String(); got != "unknown, at least 1.0000" {
		t.Errorf("a cost with an unknown part is %q", got)
	}
	if m["planned"].Value != nil {
		t.Error("cells are planned although no plan is known")
	}
	analysistest.Near(t, "known cost", analysistest.Row(t, table, "unanimous")["cost USD"].Value, .25)
	analysistest.Near(t, "sum", analysistest.Row(t, table, "all")["succeeded"].Value, 3)
}

// Who agreed for a while and parted again has decided nothing.
func TestSummaryCountsDecisions(t *testing.T) {
	parted, held := analysistest.Majority(0), analysistest.Majority(1)
	parted.Scores, held.Scores = []*float64{new(.1), nil}, []*float64{nil, new(.1)}
	table, _ := overview.Summary(campaign.Campaign{Runs: []campaign.Run{parted.Run(Readers()...), held.Run()}})
	analysistest.Near(t, "decided", analysistest.Row(t, table, "majority")["decided"].Value, 1)
}

// What rounds to nothing has no sign.
func TestCellWithoutSign(t *testing.T) {
	for _, x := range []struct {
		v        float64
		decimals int
		want     string
	}{{-0.004, 2, "0.00"}, {math.Copysign(0, -1), 0, "0"}, {-0.006, 2, "-0.01"}, {-10, 1, "-10.0"}, {0.004, 2, "0.00"}} {
		if got := table.Number(x.v, x.decimals).String(); got != x.want {
			t.Errorf("%v is shown as %q, want %q", x.v, got, x.want)
		}
	}
}

func TestRowsAreNamedByWhatVaries(t *testing.T) {
	settings := `{"env":{"name":"exchange","params":{"agents":%d,"utility":"uniform"}},"rule":{"name":"majority"},"stop":{"name":"never"},"model":{"name":%q},"generate":{},"reasks":2}`
	var runs []campaign.Run
	for _, agents := range []int{5, 3} {
		for _, model := range []string{"openai/b", "openai/a"} {
			c := analysistest.Majority(0)
			c.Condition, c.Settings = fmt.Sprintf("majority-%d%s", agents, model), fmt.Sprintf(settings, agents, model)
			c.Scores = []*float64{new(.1), new(.1), new(.1)}
			runs = append(runs, c.Run(Readers()...))
		}
	}
	c := campaign.Campaign{Name: "made-up", Runs: runs}
	table, _ := environments.UtilityBySetting(c)
	if !slices.Equal(table.Columns[:2], []string{"model", "env.agents"}) {
		t.Errorf("columns %q", table.Columns)
	}
	if !strings.Contains(strings.Join(table.Notes, "\n"), "env exchange, rule majority, stop never") {
		t.Errorf("what does not vary is not said: %q", table.Notes)
	}
	if table, _ = environments.UtilityByRule(c); !slices.Equal(table.Columns[:3], []string{"rule", "model", "env.agents"}) {
		t.Errorf("columns of Table 1 %q", table.Columns)
	}
	one, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(c.Runs)
	table, _ = environments.UtilityByRule(c)
	if two, _ := json.Marshal(table); !bytes.Equal(one, two) {
		t.Errorf("the order of what is read changes the table:\n%s\n%s", one, two)
	}
}

// A model that changes behind its name in mid-campaign is not averaged away.
func TestRowsAreSplitBySnapshot(t *testing.T) {
	var runs []campaign.Run
	for i, by := range []string{"", "m-may", "m-may", "m-june", ""} {
		run := analysistest.Majority(i).Run(Readers()...)
		run.Answered = []campaign.Answered{{Asked: "m", By: by}, {Asked: "other", By: "other-may"}}
		if by == "" {
			run.Status, run.Answered = "failed", nil
		}
		runs = append(runs, run)
	}
	c := campaign.Campaign{Name: "made-up", Runs: runs, Planned: []campaign.Planned{{Condition: "majority-1", Cells: 6, Settings: json.RawMessage(runs[0].SettingsJSON)}}}
	v := c.View("exchange")
	if len(v.Groups) != 2 || !slices.Equal(v.Labels, []string{campaign.AnsweredBy}) {
		t.Fatalf("%d rows by %v", len(v.Groups), v.Labels)
	}
	for i, want := range []struct {
		by            string
		runs, pending int
	}{{"m-may", 4, 1}, {"m-june", 1, 0}} {
		if g := v.Groups[i]; g.Settings[campaign.AnsweredBy] != want.by || len(g.Runs) != want.runs || g.Pending() != want.pending {
			t.Errorf("row %d: %q with %d runs, %d to come; want %+v", i, g.Settings[campaign.AnsweredBy], len(g.Runs), g.Pending(), want)
		}
	}
	c.Runs = runs[:3]
	if v := c.View("exchange"); len(v.Groups) != 1 || slices.Contains(v.Labels, campaign.AnsweredBy) {
		t.Errorf("one model answered: %d rows by %v", len(v.Groups), v.Labels)
	}
}

// Where agents with models of their own are drawn, collaborations ask different models,
// behind which nothing has changed.
func TestOtherModelsAreNoSnapshots(t *testing.T) {
	may, june := []campaign.Answered{{Asked: "a", By: "a-may"}, {Asked: "b", By: "b-may"}}, []campaign.Answered{{Asked: "a", By: "a-june"}, {Asked: "b", By: "b-june"}}
	rows := func(all ...[]campaign.Answered) (by []string) {
		var runs []campaign.Run
		for i, answered := range all {
			run := analysistest.Majority(i).Run(Readers()...)
			run.Answered = answered
			runs = append(runs, run)
		}
		for _, g := range (campaign.Campaign{Name: "made-up", Runs: runs}).View("exchange").Groups {
			by = append(by, fmt.Sprintf("%s: %d", g.Settings[campaign.AnsweredBy], len(g.Runs)))
		}
		return by
	}
	if got := rows(may[:1], may, may[1:]); !slices.Equal(got, []string{": 3"}) {
		t.Errorf("nothing has changed: %q", got)
	}
	if got := rows(may[:1], may, may[1:], june[:1], june[1:], june); !slices.Equal(got, []string{"a-may and b-may: 3", "a-june and b-june: 3"}) {
		t.Errorf("both have changed: %q", got)
	}
}

func TestWhatStoodIsCarriedOn(t *testing.T) {
	c := analysistest.Majority(0)
	c.Planned, c.Scores = 5, []*float64{nil, new(.5)}
	table, _ := environments.UtilityByRule(campaign.Campaign{Runs: []campaign.Run{c.Run(Readers()...)}})
	m := analysistest.Row(t, table, "majority")
	analysistest.Near(t, "utility@5", m["utility@5"].Value, 50)
	analysistest.Near(t, "AUC@5", m["AUC@5"].Value, 40)
	analysistest.Near(t, "rigidity of the rounds that were run", m["rigidity"].Value, 50)
	if !strings.Contains(strings.Join(table.Notes, "\n"), "1 collaboration ended before") {
		t.Errorf("it is not said: %q", table.Notes)
	}
}

func TestTable7(t *testing.T) {
	tab, ok := environments.RatingErrors(analysistest.Ratings())
	if !ok {
		t.Fatal("no table")
	}
	find := func(measure, label string) map[string]table.Cell {
		one := tab
		one.Rows = slices.DeleteFunc(slices.Clone(tab.Rows), func(r []table.Cell) bool { return r[0].Text != measure })
		return analysistest.Row(t, one, label)
	}
	mae, rmse := find("MAE", "rated"), find("RMSE", "rated")
	analysistest.Near(t, "MAE@1", mae["@1"].Value, 4.0/3)
	analysistest.Near(t, "se of MAE@1", mae["@1"].SE, 4.0/9) // two items: 2 of 1 and 1+1 of 2 are 2/3 off 4/3 each; √(2·(4/9+4/9))/3
	analysistest.Near(t, "RMSE@1", rmse["@1"].Value, math.Sqrt(2))
	analysistest.Near(t, "MAE@2", mae["@2"].Value, 1)
	analysistest.Near(t, "n@1", find("n with a decision", "rated")["@1"].Value, 3)
	always, rms := find("MAE", "baseline always_4"), find("RMSE", "baseline always_4")
	analysistest.Near(t, "always 4", always["@1"].Value, 1) // errors 0, 1, 2: item 2 counts once
	analysistest.Near(t, "always 4, RMSE", rms["@1"].Value, math.Sqrt(5.0/3))
	analysistest.Near(t, "items", always["n"].Value, 3)
	if _, ok := environments.UtilityByRule(analysistest.Ratings()); ok {
		t.Error("a recommendation campaign has a Table 1")
	}
	if _, err := Make(analysistest.Ratings(), "utility-by-rule"); err == nil || !strings.Contains(err.Error(), "exchange") {
		t.Errorf("asking for it says %v", err)
	}
}

func TestRounds(t *testing.T) {
	table, _ := overview.Rounds(analysistest.ByHand(Readers()...))
	analysistest.Near(t, "not yet agreed@1", analysistest.Row(t, table, "majority")["@1"].Value, 50)
	analysistest.Near(t, "unanimous never agrees", analysistest.Row(t, table, "unanimous")["@3"].Value, 100)
	score := table
	score.Rows = table.Rows[2:]
	analysistest.Near(t, "score@1 of exchange counts 0", analysistest.Row(t, score, "majority")["@1"].Value, .2)
	table, _ = overview.Rounds(analysistest.Ratings())
	score.Rows = table.Rows[1:]
	score.Columns = table.Columns
	analysistest.Near(t, "score@1 of recsys leaves out", analysistest.Row(t, score, "rated")["@1"].Value, -4.0/3)
}

func TestGolden(t *testing.T) {
	for name, tables := range map[string][]table.Table{"exchange": All(analysistest.ByHand(Readers()...)), "recsys": All(analysistest.Ratings())} {
		for _, format := range table.Formats() {
			var b bytes.Buffer
			if err := table.Write(&b, format, tables); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+"."+format)
			if *Update {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, b.Bytes()) {
				t.Errorf("%s differs (go test -update rewrites it):\n%s", golden, &b)
			}
		}
	}
}

func NewRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	return analysistest.NewRun(c, rounds, turns, Readers()...)
}
