package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// example copies an example into a folder of its own, changed.
func example(t *testing.T, name string, replace ...string) (dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	here := strings.Replace(string(text), "\ndata: data\n", "\ndata: examples/data\n", 1) // see exampleData
	changed := strings.NewReplacer(replace...).Replace(here)
	if len(replace) > 0 && changed == here {
		t.Fatalf("%s has none of %q", name, replace)
	}
	dir = t.TempDir()
	save(t, dir, name, changed)
	return dir
}

// TestVotingRules: the rules differ in directions that were declared before
// this test was first run: those of paper 1's Table 1.
func TestVotingRules(t *testing.T) {
	t.Parallel()
	fewer := "replicates: 20"
	if *long {
		fewer = "replicates: 50"
	}
	dir := example(t, "voting-rules.yaml", "replicates: 100", fewer)
	output(t, dir, "run", "voting-rules.yaml")
	sameEverywhere(t, dir, "voting-rules")
	if !*long { // it is larger then
		pinned(t, dir, "voting-rules")
	}
	table := analyse(t, dir, "voting-rules", "utility-by-rule")
	graded := []string{"rated", "ranked", "cumulative"}
	for _, rule := range graded {
		for _, discrete := range []string{"unanimous", "majority", "plurality"} {
			if a, b := table.value(t, rule, "AUC@3"), table.value(t, discrete, "AUC@3"); a <= b {
				t.Errorf("AUC@3 of %s is %.2f and of %s %.2f; graded ballots should decide earlier", rule, a, discrete, b)
			}
		}
		if a, b := table.value(t, rule, "rigidity"), table.value(t, "majority", "rigidity"); a >= b {
			t.Errorf("rigidity of %s is %.2f and of majority %.2f; graded ballots should change more often", rule, a, b)
		}
	}
	for _, rule := range append(graded, "majority", "plurality") {
		if a, b := table.value(t, "unanimous", "AUC@10"), table.value(t, rule, "AUC@10"); a >= b {
			t.Errorf("AUC@10 of unanimous is %.2f and of %s %.2f; unanimity should be the slowest", a, rule, b)
		}
		if a, b := table.value(t, "unanimous", "rigidity"), table.value(t, rule, "rigidity"); a <= b {
			t.Errorf("rigidity of unanimous is %.2f and of %s %.2f; unanimity should be the most rigid", a, rule, b)
		}
	}
}

// TestControls: two names of one rule give the same rows but for the name.
func TestControls(t *testing.T) {
	t.Parallel()
	dir := example(t, "controls.yaml", "replicates: 50", "replicates: 5")
	output(t, dir, "run", "controls.yaml")
	sameEverywhere(t, dir, "controls")
	pinned(t, dir, "controls")
	s, err := store.Open(filepath.Join(dir, "lake"))
	if err != nil {
		t.Fatal(err)
	}
	markers, err := lake.Committed(context.Background(), s, "controls")
	if err != nil || len(markers) != 20 {
		t.Fatalf("%d collaborations: %v", len(markers), err)
	}
	cell := regexp.MustCompile(`-i\d+-r\d+$`)
	digests := map[string]map[string]string{} // by rule's words, cell
	for _, m := range markers {
		rows, err := lake.ReadRows[record.Turn](context.Background(), s, m)
		if err != nil {
			t.Fatal(err)
		}
		ballots, err := lake.ReadRows[record.Ballot](context.Background(), s, m)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			rows[i].ConditionID, rows[i].CollaborationID = "", ""
		}
		for i := range ballots {
			ballots[i].ConditionID, ballots[i].CollaborationID = "", ""
		}
		data, err := json.Marshal([]any{rows, ballots})
		if err != nil {
			t.Fatal(err)
		}
		rule, _, _ := strings.Cut(m.Condition, "-")
		twin := map[string]string{"absolute_majority": "majority", "dowdall": "ranked"}[rule]
		if twin == "" {
			twin = rule
		}
		key := twin + cell.FindString(m.Collaboration)
		if digests[key] == nil {
			digests[key] = map[string]string{}
		}
		digests[key][rule] = string(data)
	}
	for key, byName := range digests {
		if len(byName) != 2 {
			t.Fatalf("%s has %d names, want 2", key, len(byName))
		}
		first := ""
		for name, rows := range byName {
			if first != "" && rows != first {
				t.Errorf("%s: the rows of %s differ from those of its other name", key, name)
			}
			first = rows
		}
	}
}

// TestMovieLens runs on the made-up data, and on the real ones where they are.
func TestMovieLens(t *testing.T) {
	t.Parallel()
	tiny, err := filepath.Abs("../../envs/recsys/testdata/ml-tiny")
	if err != nil {
		t.Fatal(err)
	}
	fewer := "\ninstances: 3\n"
	if *long {
		fewer = "\ninstances: 20\n"
	}
	dir := example(t, "movielens-tiny.yaml", "../envs/recsys/testdata/ml-tiny", tiny+fewer)
	output(t, dir, "run", "movielens-tiny.yaml")
	if table := analyse(t, dir, "movielens-tiny", "rating-errors"); len(table.Tables[0].Rows) == 0 {
		t.Error("Table 7 is empty")
	}
	output(t, dir, "verify", "movielens-tiny")
	sameEverywhere(t, dir, "movielens-tiny")
	if !*long { // it is larger then
		pinned(t, dir, "movielens-tiny")
	}

	reals, err := filepath.Abs("../../../shared/data/ml-100k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(reals, "u1.base")); err != nil {
		t.Log("MovieLens-100k is not here; its run is left out")
		return
	}
	output(t, dir, "data", "movielens", "--path", reals)
	dir = example(t, "movielens.yaml", "data: ml-100k", "data: ml-100k"+fewer)
	if err := os.Symlink(reals, filepath.Join(dir, "ml-100k")); err != nil {
		t.Fatal(err)
	}
	output(t, dir, "run", "movielens.yaml")
	if table := analyse(t, dir, "movielens", "rating-errors"); len(table.Tables[0].Rows) == 0 {
		t.Error("Table 7 is empty")
	}
}

// TestExamplesPlan: every example that needs no service is accepted as it is.
func TestExamplesPlan(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "movielens.yaml" || name == "who-holds-the-power.yaml" { // need the user's own data: see TestMovieLens, TestWhoHoldsThePower
			continue
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		cmd := program(t, "../..", "plan", abs, "--lake", t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("plan %s: %v\n%s", name, err, out)
		}
	}
}
