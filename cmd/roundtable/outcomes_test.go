package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/sql"
	"roundtable/analysis/study"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
)

// undecided is a campaign in which a rule seldom comes to a decision.
const undecided = `
name: undecided
replicates: 2
instances: 6
data: data
env: {name: qa, format: bbh, file: orders.json, agents: 4}
protocol: debate
model: {name: scripted/answerer, policy: {accuracy: 0.5, conformity: 0.2}}
grid: {rule: [majority, unanimous]}
`

// found is a campaign that was run, with the outcome of each condition worked
// out from its rows, in the order of tables.
type found struct {
	*testing.T
	name       string
	campaign   campaign.Campaign
	conditions []campaign.Condition
	outcome    []float64 // NaN where nothing has one
	checks     int
}

// compareOutcomes compares the outcomes of a campaign that was run in a folder.
func compareOutcomes(t *testing.T, dir, name string) {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	f := &found{T: t, name: name}
	if f.campaign, err = analyze.ReadCampaign(context.Background(), s, name, campaign.Kept{}); err != nil {
		t.Fatal(err)
	}
	f.conditions, _ = f.campaign.Conditions("")
	f.work(s)
	f.sql(s, filepath.Join(dir, "lake"))
	f.tables()
	f.figures()
	f.comparisons()
	page := filepath.Join(t.TempDir(), "page.html")
	if d := ran(t, "report", name, "--lake", filepath.Join(dir, "lake"), "-o", page); d.code != 0 {
		t.Fatalf("report %s: code %d\n%s", name, d.code, d.err)
	}
	data, err := os.ReadFile(page)
	noError(t, err)
	for _, v := range f.outcome {
		if !math.IsNaN(v) && !slices.ContainsFunc([]int{4, 3, 2}, func(decimals int) bool { // as the largest of its column has
			scale := math.Pow10(decimals)
			number := fmt.Sprintf(">%.*f", decimals, math.Round(v*scale)/scale+0) // -0 is written 0
			return strings.Contains(string(data), strings.Replace(number, "-", "−", 1))
		}) {
			t.Errorf("%s: the report does not have the outcome %.4f", name, v)
		}
	}
	if f.checks < 5 {
		t.Errorf("only %d figures were compared", f.checks)
	}
}

// work finds the outcomes from the rows alone.
func (f *found) work(s store.Store) {
	d, err := lake.ReadDataset(context.Background(), s, f.name)
	if err != nil {
		f.Fatal(err)
	}
	sums, counts := map[string]float64{}, map[string]float64{}
	open := 0 // without a decision
	for c, err := range lake.Scan[record.Collaboration](context.Background(), s, d) {
		if err != nil {
			f.Fatal(err)
		}
		isError := slices.Contains([]string{"recsys", "consensus", "robots"}, c.Environment)
		switch {
		case c.Status != "succeeded" || c.Score == nil && isError:
		case c.Score == nil:
			counts[c.ConditionID]++
			open++
		default:
			sums[c.ConditionID], counts[c.ConditionID] = sums[c.ConditionID]+*c.Score, counts[c.ConditionID]+1
		}
	}
	if f.name == "undecided" && (open == 0 || open == len(d.Members)) {
		f.Errorf("%d of %d groups are undecided, so the test shows nothing", open, len(d.Members))
	}
	for _, c := range f.conditions {
		f.outcome = append(f.outcome, sums[c.ID]/counts[c.ID])
	}
}

// of are the outcomes of the conditions with a setting, times a factor.
func (f *found) of(setting, value string, factor float64) []float64 {
	var list []float64
	for i, c := range f.conditions {
		if c.Settings[setting] == value && !math.IsNaN(f.outcome[i]) {
			list = append(list, factor*f.outcome[i])
		}
	}
	return list
}

// same compares all values, whatever their order.
func (f *found) same(what string, got, want []float64) {
	f.Helper()
	if len(got) == 0 && len(want) == 0 {
		return
	}
	f.checks++
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
		f.Errorf("%s: %s has %.4f, the rows %.4f", f.name, what, got, want)
	}
}

func (f *found) sql(s store.Store, folder string) {
	db, err := sql.Open(context.Background(), sql.Source{Store: s, Location: folder})
	if err != nil {
		f.Fatal(err)
	}
	defer db.Close()
	where := " WHERE campaign_id = '" + f.name + "'"
	for what, from := range map[string]string{"SQL": "collaborations", "SQL of the last rounds": "rounds JOIN (SELECT collaboration_id, max(round) AS round FROM rounds" + where + " GROUP BY ALL) USING (collaboration_id, round)"} {
		r, err := db.Run(context.Background(), sql.Statement{Text: "SELECT avg(outcome) AS outcome FROM " + from + where + " GROUP BY condition_id"})
		if err != nil {
			f.Fatal(err)
		}
		var got []float64
		for row, err := range r.Rows {
			if err != nil {
				f.Fatal(err)
			}
			if v, ok := row[0].(float64); ok {
				got = append(got, v)
			}
		}
		f.same(what, got, slices.DeleteFunc(slices.Clone(f.outcome), math.IsNaN))
	}
}

// cells are the numbers of the columns, by row, of rows that are kept.
func (f *found) cells(name string, keep func(row map[string]table.Cell) bool, columns func(string) bool) (list []float64) {
	t, err := study.Make(f.campaign, name)
	if err != nil {
		return nil
	}
	for _, cells := range t.Rows {
		row := map[string]table.Cell{}
		for i, c := range cells {
			row[t.Columns[i]] = c
		}
		last := (*float64)(nil)
		for i, c := range cells {
			isRound := strings.HasPrefix(t.Columns[i], "@")
			switch {
			case !keep(row) || !columns(t.Columns[i]):
			case isRound && (c.Value != nil || f.equallyLong()): // groups that part again have nothing in their last round
				last = c.Value
			case !isRound && c.Value != nil:
				list = append(list, *c.Value)
			}
		}
		if last != nil { // of rounds the last one
			list = append(list, *last)
		}
	}
	return list
}

func (f *found) tables() {
	all := slices.DeleteFunc(slices.Clone(f.outcome), math.IsNaN)
	any := func(map[string]table.Cell) bool { return true }
	measure := func(text string) func(map[string]table.Cell) bool {
		return func(row map[string]table.Cell) bool { return row["measure"].Text == text }
	}
	is := func(name string) func(string) bool { return func(column string) bool { return column == name } }
	round := func(column string) bool { return strings.HasPrefix(column, "@") }
	for _, name := range []string{"outcomes", "scores"} {
		f.same("table "+name, f.cells(name, any, is("outcome")), all)
	}
	f.same("table rounds", f.cells("rounds", measure("score"), round), all)
	f.same("table utility-by-rule", f.cells("utility-by-rule", any, is(fmt.Sprint("utility@", f.rounds()))), f.of("env", "exchange", 100))
	f.same("table rating-errors", f.cells("rating-errors", func(row map[string]table.Cell) bool {
		return row["measure"].Text == "MAE" && !strings.HasPrefix(row["rule"].Text, "baseline")
	}, round), f.of("env", "recsys", -1))
	f.same("table deliberation-rewards", f.cells("deliberation-rewards", any, func(column string) bool { return strings.HasSuffix(column, " NR") }), f.of("protocol", "deliberation", 100))
	f.same("table debate-by-round", f.cells("debate-by-round", measure("accuracy, %"), round), f.of("protocol", "debate", 100))
	paired := func(suffix string) func(string) bool {
		t, _ := study.Make(f.campaign, map[string]string{" gain": "debate-accuracy", " ± sd": "discussion-accuracy"}[suffix])
		return func(column string) bool { return slices.Contains(t.Columns, column+suffix) }
	}
	if f.of("protocol", "discussion", 1) != nil {
		f.same("table discussion-accuracy", f.cells("discussion-accuracy", any, paired(" ± sd")), append(f.of("protocol", "discussion", 100), f.of("protocol", "debate", 100)...))
	} else if !strings.HasPrefix(f.name, "viewpoint") { // which are in 4.6
		f.same("table debate-accuracy", f.cells("debate-accuracy", any, paired(" gain")), f.of("protocol", "debate", 100))
	}
}

// rounds that are planned at most.
func (f *found) rounds() int {
	most := 0
	for _, r := range f.campaign.Runs {
		most = max(most, int(r.RoundsPlanned))
	}
	return most
}

// equallyLong says that no condition is planned with fewer rounds than others.
func (f *found) equallyLong() bool {
	return !slices.ContainsFunc(f.campaign.Runs, func(r campaign.Run) bool { return int(r.RoundsPlanned) < f.rounds() })
}

func (f *found) figures() {
	for name, want := range map[string][]float64{
		"rounds": slices.DeleteFunc(slices.Clone(f.outcome), math.IsNaN), "utility-by-rule": f.of("env", "exchange", 100), "rating-errors": f.of("env", "recsys", -1),
	} {
		figure, err := figures.Make(f.campaign, name)
		if err != nil {
			continue
		}
		var got []float64
		for _, panel := range figure.Panels {
			for _, line := range panel.Lines {
				if v := line.Points[len(line.Points)-1].Value; v != nil && line.Beside == "" { // not those of decided groups only
					got = append(got, *v)
				}
			}
		}
		f.same("figure "+name, got, want)
	}
}

// comparisons of an environment are those of each condition with each after it.
func (f *found) comparisons() {
	t, err := study.Make(f.campaign, "comparisons")
	if err != nil {
		return
	}
	var want, got []float64
	for i := range f.outcome {
		for j := i + 1; j < len(f.outcome); j++ {
			want = append(want, f.outcome[i]-f.outcome[j])
		}
	}
	for _, row := range t.Rows {
		if d := row[slices.Index(t.Columns, "A - B")].Value; d != nil {
			got = append(got, *d)
		}
	}
	if env := f.conditions[0].Settings["env"]; len(got) == len(want) && !slices.Contains([]string{"recsys", "consensus", "robots"}, env) { // the same units in all
		f.same("table comparisons", got, want)
	}
	if _, err := json.Marshal(t); err != nil {
		f.Error(err)
	}
}
