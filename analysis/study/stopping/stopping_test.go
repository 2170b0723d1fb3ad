package stopping

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/referencetest"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
)

var update = flag.Bool("update", false, "write the golden files")

// What does not depend on folds is what the reference says of the same collaborations.
func TestTable10Reference(t *testing.T) {
	for _, kind := range []string{"exchange", "recsys"} {
		runs, _ := analysistest.Reference(t, kind)
		var want struct {
			Summary map[string]struct {
				Score     float64  `json:"mean_goodness"`
				FiredAt   *float64 `json:"mean_stop_round_fired"`
				Round     float64  `json:"mean_round_unconditional"`
				Effective float64  `json:"effective_ratio"`
			}
		}
		referencetest.Read(t, "dialogue_acts_"+kind+"_expected.json", &want)
		c := analysistest.OfTrajectories(kind, map[string][]acts.Trajectory{"majority": runs})
		ten, ok := EarlyStopping(c)
		if !ok {
			t.Fatal("no Table 10")
		}
		eleven, _ := StoppingTimes(c)
		got := analysistest.Row(t, ten, kind)
		for method, key := range map[string]string{"Baseline": "baseline", "First Agreement": "first", "Consecutive Agreements": "consecutive", "Oracle": "oracle"} {
			w := want.Summary[key]
			score := w.Score
			if kind == "recsys" {
				score = -score
			}
			analysistest.Near(t, kind+" "+method, got[method].Value, score)
			analysistest.Near(t, kind+" last round of "+method, analysistest.Row(t, eleven, "last round of all")[method].Value, w.Round)
			analysistest.Near(t, kind+" effective ratio of "+method, analysistest.Row(t, eleven, "effective ratio")[method].Value, w.Effective)
			if stop := analysistest.Row(t, eleven, "early stopped round")[method].Value; w.FiredAt != nil {
				analysistest.Near(t, kind+" stop of "+method, stop, *w.FiredAt)
			} else if stop != nil {
				t.Errorf("%s stops at %v", method, *stop)
			}
		}
		if got["Dialogue Act"].Value == nil || analysistest.Row(t, eleven, "threshold")["Information Distance"].Value == nil {
			t.Errorf("%s: rules that learn have no figures", kind)
		}
		if _, ok := EarlyStoppingRecsys(c); ok != (kind == "recsys") {
			t.Errorf("%s has Table 2: %t", kind, ok)
		}
	}
}

func planted() campaign.Campaign {
	labelled := analysistest.Script{Runs: 20, Rounds: 6, Agents: 3, Seed: 1, Peak: 3, Own: 0.1, Noise: 0.02, Still: 4}.Make()
	plain := analysistest.Script{Runs: 20, Rounds: 6, Agents: 3, Seed: 2, Peak: 5, Own: 0.1, Noise: 0.02}.Make()
	for _, r := range plain {
		for i := range r.Rounds {
			r.Rounds[i].Acts, r.Rounds[i].Distance, r.Rounds[i].CostUSD = nil, nil, nil
		}
	}
	c := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{"majority": labelled, "rated": plain, "ranked": plain[:1]})
	courses := campaign.TrajectoriesOf(c)
	courses.Excluded = []acts.Excluded{{ID: "a", Reason: "it ended after round 2 of 6"}, {ID: "b", Reason: "it ended after round 2 of 6"}}
	campaign.Keep(&c.Parts, courses)
	return c
}

func TestStoppingGolden(t *testing.T) {
	c := planted()
	var b bytes.Buffer
	for _, name := range []string{"early-stopping", "stopping-times", "nested", "comparisons"} {
		tab, err := build(c, name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(tab.Text(), "NaN") {
			t.Errorf("table %s has a NaN", name)
		}
		if err := table.Write(&b, "text", []table.Table{tab}); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
	}
	golden := filepath.Join("testdata", "stopping.text")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs (go test -update rewrites it):\n%s", golden, &b)
	}
}

// Peaks are planted at rounds 3 and 5: a fixed round saves the rest, and the gap is nearly closed.
func TestPlantedPeaksInTables(t *testing.T) {
	eleven, ok := StoppingTimes(planted())
	if !ok {
		t.Fatal("no Table 11")
	}
	for rule, round := range map[string]float64{"majority": 3, "rated": 5} {
		for _, r := range eleven.Rows {
			if r[2].Text != rule {
				continue
			}
			fixed := r[3+6]
			switch r[0].Text {
			case "last round of all":
				analysistest.Near(t, rule+" fixed best round", fixed.Value, round)
			case "rounds saved, %":
				analysistest.Near(t, rule+" rounds saved", fixed.Value, 100*(6-round)/6)
			case "gap closed, %":
				if *fixed.Value < 80 {
					t.Errorf("%s closes %v %%", rule, *fixed.Value)
				}
			}
		}
	}
}

// Without collaborations round by round, and with too few, tables say why they are empty.
func TestStoppingExplains(t *testing.T) {
	c := planted()
	campaign.Keep(&c.Parts, campaign.Trajectories{})
	table, err := build(c, "early-stopping")
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "0 collaborations can be analysed") {
		t.Errorf("notes: %s", notes)
	}
	few := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{"rated": analysistest.Script{Runs: 3, Rounds: 4, Agents: 3, Noise: 0.1}.Make()})
	table, _ = EarlyStopping(few)
	if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "5 folds of 3 collaborations") {
		t.Errorf("notes: %s", notes)
	}
}

// Whose labels a table rests on is said, and what they leave out.
func TestStoppingNamesTheLabeller(t *testing.T) {
	c := planted()
	courses := campaign.TrajectoriesOf(c)
	courses.Labels = acts.Labels{By: "rules-1", Others: []string{"model-2"}, Simulated: true, Invalid: 3, Missing: 1}
	campaign.Keep(&c.Parts, courses)
	for _, name := range []string{"early-stopping", "stopping-times", "regression"} {
		table, err := build(c, name)
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(table.Notes, "\n")
		for _, want := range []string{"Labelled by rules-1.", "Labelled too by model-2.", "left out: 3.", "1 collaboration not labelled yet."} {
			if !strings.Contains(notes, want) {
				t.Errorf("table %s does not say %q:\n%s", name, want, notes)
			}
		}
		if !strings.HasPrefix(table.Notes[0], "SIMULATED") {
			t.Errorf("table %s begins with %q", name, table.Notes[0])
		}
	}
}

// A campaign over both environments has the mean of their gaps, as the paper
// averages them, and averages over its rules; shares say on how many
// collaborations they rest.
func TestStoppingAverages(t *testing.T) {
	plan := analysistest.Script{Runs: 20, Rounds: 6, Agents: 3, Seed: 1, Peak: 3, Own: 0.1, Noise: 0.02, Still: 4}
	late := plan.Make()
	for i := range 10 { // half of them decide in round 4 only, after the round that is best
		for r := range 3 {
			late[i].Rounds[r].Score, late[i].Rounds[r].Agreed = nil, false
		}
	}
	a, b := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{"majority": plan.Make(), "rated": plan.Make()}), analysistest.OfTrajectories("recsys", map[string][]acts.Trajectory{"ranked": late})
	a.Runs = append(a.Runs, b.Runs...)
	campaign.Keep(&a.Parts, campaign.Trajectories{Runs: append(campaign.TrajectoriesOf(a).Runs, campaign.TrajectoriesOf(b).Runs...)})
	ten, _ := EarlyStopping(a)
	shares := map[string]table.Cell{}
	for _, r := range ten.Rows {
		if r[0].Text == gapStatistic {
			shares[r[1].Text] = analysistest.ByColumn(ten, r)["Validation Checkpoint"]
		}
	}
	if len(shares) != 3 {
		t.Fatalf("rows of gap closed: %v", shares)
	}
	analysistest.Near(t, "mean over environments", shares["all"].Value, (*shares["exchange"].Value+*shares["recsys"].Value)/2)
	eleven, _ := StoppingTimes(a)
	last := map[string]*float64{}
	for _, r := range eleven.Rows {
		if r[0].Text == "last round of all" && r[1].Text == "exchange" {
			last[r[2].Text] = analysistest.ByColumn(eleven, r)["First Agreement"].Value
		}
	}
	analysistest.Near(t, "average over rules", last["average"], (*last["majority"]+*last["rated"])/2)
	for _, r := range eleven.Rows {
		if c := analysistest.ByColumn(eleven, r)["First Agreement"]; r[0].Text == gapStatistic && r[2].Text == "ranked" && (c.N != 20 || c.Partial) {
			t.Errorf("all have a score when First Agreement stops: %+v", c)
		}
		if c := analysistest.ByColumn(eleven, r)["Information Distance"]; r[0].Text == gapStatistic && r[2].Text == "ranked" && (!c.Partial || c.N >= 20) {
			t.Errorf("some have not decided when Information Distance stops, and the share says %q", c)
		}
	}
}

// Replicates of one instance are held out together, and another program can see
// which fold each collaboration is in.
func TestFoldsKeepInstancesTogether(t *testing.T) {
	c := analysistest.OfTrajectories("recsys", map[string][]acts.Trajectory{"rated": analysistest.Script{Runs: 18, Rounds: 4, Agents: 3, Seed: 1, Peak: 2, Own: .1, Noise: .1}.Make()})
	for i := range campaign.TrajectoriesOf(c).Runs {
		campaign.TrajectoriesOf(c).Runs[i].Instance = i / 3
	}
	table, err := build(c, "folds")
	if err != nil {
		t.Fatal(err)
	}
	fold, stops := map[string]string{}, map[string]bool{}
	for _, r := range table.Rows {
		got := analysistest.ByColumn(table, r)
		if f := fold[got["unit"].String()]; f != "" && f != got["fold"].String() {
			t.Errorf("%s is in folds %s and %s", got["unit"], f, got["fold"])
		}
		fold[got["unit"].String()] = got["fold"].String()
		stops[got["Fixed Best Round"].String()] = true
	}
	if len(table.Rows) != 18 || len(fold) != 6 || len(stops) == 0 || stops[""] {
		t.Errorf("%d rows, units %v, stops %v", len(table.Rows), fold, stops)
	}
	if ten, _ := EarlyStopping(c); analysistest.Row(t, ten, "rated")["Baseline"].N != 18 {
		t.Error("a mean is over all collaborations")
	}
}

// build makes a table by its name.
func build(c campaign.Campaign, name string) (table.Table, error) {
	t, ok := map[string]func(campaign.Campaign) (table.Table, bool){
		"early-stopping-recsys": EarlyStoppingRecsys, "early-stopping": EarlyStopping, "stopping-times": StoppingTimes, "folds": FoldList, "nested": Nested, "regression": Regression, "comparisons": overview.Comparisons,
	}[name](c)
	if !ok {
		return t, fmt.Errorf("there is no table %s", name)
	}
	return t, nil
}
