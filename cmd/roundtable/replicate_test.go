package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/figures"
	"roundtable/analysis/study"
	"roundtable/analysis/study/entry"
	"roundtable/cmd/internal/replicate"
)

// replicated are the entries that run without -limits, the first without -long: one of each
// kind of campaign and table.
var replicated = []string{"paper1/table-1", "paper4/table-2", "paper1/table-10", "paper2/table-4", "paper3/table-2", "paper5/figure-10", "paper2/figure-6"}

// TestReplicate: with scripted agents and made-up data every entry runs, small, to its table,
// and each number that the paper prints of one model finds its place in it.
func TestReplicate(t *testing.T) {
	p, err := replicate.Load()
	noError(t, err)
	data := paperData(t)
	t.Chdir(t.TempDir())
	for _, name := range p.Names() {
		if among := slices.Index(replicated, name); !*statedLimits && (among < 0 || !*long && among > 0) {
			continue
		}
		entry := p.Entries[name]
		limit := "3"
		switch {
		case entry.Pool != "": // of the three questions, which have five contexts each
			limit = "11"
		case strings.HasPrefix(name, "paper1/"): // a collaboration for each of five folds
			limit = "5"
		}
		args := []string{"replicate", name, "--json", "--limit", limit, "--data", data}
		for _, set := range scriptedPaper(name) {
			args = append(args, set...)
		}
		d := ran(t, args...)
		if d.code != 0 {
			t.Errorf("%s: code %d\n%s%s", name, d.code, d.out, d.err)
			continue
		}
		var made []struct {
			Name  string
			Rows  []map[string]any
			Notes []string
		}
		noError(t, json.Unmarshal([]byte(d.out), &made))
		last := made[len(made)-1]
		if last.Name != name || len(made) != 1+len(entry.Campaigns) && name != "paper2/figure-2" {
			t.Errorf("%s ends with %q, %d tables", name, last.Name, len(made))
		}
		if len(entry.Printed) == 0 && len(entry.NotDerived) == 0 {
			t.Errorf("%s has no numbers, and does not say why", name)
		}
		compares := len(last.Rows) > 0 && last.Rows[0]["here"] != nil
		if len(entry.Printed) > 0 && !compares {
			t.Errorf("%s compares nothing: %q", name, last.Notes)
		}
		if len(entry.Printed) == 0 && fmt.Sprint(last.Rows) != "[map[compared:none: the paper prints no numbers here]]" {
			t.Errorf("%s does not say that the paper prints no numbers: %v", name, last.Rows)
		}
		for _, note := range last.Notes {
			if strings.HasPrefix(note, "Not compared") && !strings.Contains(note, "nothing there") && !strings.Contains(note, "the table viewpoints has no such row") && !strings.Contains(note, "--embedder") {
				t.Errorf("%s: %s", name, note)
			}
		}
		if compares && !slices.ContainsFunc(last.Notes, func(n string) bool { return strings.HasPrefix(n, "SIMULATED") }) {
			t.Errorf("%s does not say that it is simulated: %q", name, last.Notes)
		}
	}
}

// scriptedPaper returns the flags that replace a paper's models by scripted agents, and what
// else makes it small or lets it take made-up data.
func scriptedPaper(name string) [][]string {
	set := func(text string) []string { return []string{"--set", text} }
	switch {
	case name == "paper1/table-1" || name == "paper1/table-6" || name == "paper1/figure-3" || name == "paper1/figure-20" || name == "paper1/figure-23":
		return [][]string{{"--model", "scripted/trader"}}
	case slices.Contains([]string{"paper1/table-2", "paper1/table-7", "paper1/figure-4", "paper1/figure-21", "paper1/figure-24"}, name):
		return [][]string{{"--model", "scripted/rater"}, set("env={name: recsys, synthetic: true, n: 9}")}
	case strings.HasPrefix(name, "paper1/"): // both environments
		return [][]string{{"--model", "scripted/stubborn"}, set("1-table-7:env={name: recsys, synthetic: true, n: 9}")}
	case strings.HasPrefix(name, "paper3/"):
		return [][]string{{"--model", "{name: scripted/sharer, policy: {noise: 0.4, share: 0.8}}"}}
	case strings.HasPrefix(name, "paper5/"):
		return [][]string{{"--model", "scripted/average"}}
	case slices.Contains([]string{"paper4/table-6", "paper4/table-7", "paper4/table-8", "paper4/table-9", "paper4/table-10", "paper4/table-11", "paper4/figure-9"}, name):
		return [][]string{{"--model", "{name: scripted/answerer, policy: {accuracy: 0.5}}"}, set("4-table-6:replicates=1"), set("4-table-6:grid.protocol.agents=[1, 40, 80]")}
	}
	if name == "paper4/figure-8" { // whose answers are the viewpoints above
		return [][]string{{"--model", "{name: scripted/answerer, policy: {accuracy: 0.5}}"}}
	}
	return [][]string{{"--model", "scripted/answerer"}}
}

// paperData makes the folder of the papers' data sets, with made-up questions in their forms.
func paperData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	tiny := filepath.Join("..", "..", "envs", "qa", "testdata", "tiny")
	for from, to := range map[string]string{
		"mmlu_test.csv": "mmlu/test/made_test.csv", "mmlu_pro.jsonl": "mmlu_pro/test.jsonl", "squad.json": "squad2/dev-v2.0.json", "strategy.json": "strategyqa/train.json",
		"musr.json": "musr/murder_mystery.json", "bbh_shapes.json": "bbh/geometric_shapes.json", "math.jsonl": "math500/test.jsonl",
	} {
		noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755))
		noError(t, os.WriteFile(filepath.Join(dir, to), []byte(read(t, tiny, from)), 0o600))
	}
	noError(t, os.CopyFS(filepath.Join(dir, "ml-100k"), os.DirFS("../../envs/recsys/testdata/ml-tiny")))
	noError(t, os.Mkdir(filepath.Join(dir, "challenges"), 0o755))
	for set, of := range map[string][2]string{"mmlu": {"made_test-0", "(A)"}, "mmlu-pro": {"7", "(A)"}, "strategyqa": {"a1", "Yes"}, "squad2": {"m1", "1911"}} {
		save(t, filepath.Join(dir, "challenges"), set+".jsonl", fmt.Sprintf(`{"question": %q, "context": "Teacups are small.", "wrong": "Answer: %s", "irrelevant": "It rains."}`, of[0], of[1]))
	}
	// As many as the papers draw by number: 250 of GPQA, and the cases to 94 of seven objects.
	rows, err := csv.NewReader(strings.NewReader(read(t, tiny, "gpqa.csv"))).ReadAll()
	noError(t, err)
	var b strings.Builder
	w := csv.NewWriter(&b)
	noError(t, w.Write(rows[0]))
	for i := range 250 {
		row := slices.Clone(rows[1])
		row[slices.Index(rows[0], "Question")] += fmt.Sprint(" (", i, ")")
		row[slices.Index(rows[0], "Record ID")] = fmt.Sprint("rec", i)
		noError(t, w.Write(row))
	}
	w.Flush()
	noError(t, os.Mkdir(filepath.Join(dir, "gpqa"), 0o755))
	save(t, filepath.Join(dir, "gpqa"), "gpqa_extended.csv", b.String())
	var seven struct {
		Examples []map[string]string `json:"examples"`
	}
	noError(t, json.Unmarshal([]byte(read(t, tiny, "bbh_seven.json")), &seven))
	for i := len(seven.Examples); i < 94; i++ {
		first := seven.Examples[0]
		seven.Examples = append(seven.Examples, map[string]string{"input": fmt.Sprint("Case ", i, ". ", first["input"]), "target": first["target"]})
	}
	text, err := json.Marshal(seven)
	noError(t, err)
	save(t, filepath.Join(dir, "bbh"), "logical_deduction_seven_objects.json", string(text))
	return dir
}

// TestReplicateNames: the entries are the tables and figures that analyze knows by the papers'
// numbers, and each is made from the one that has its number.
func TestReplicateNames(t *testing.T) {
	p, err := replicate.Load()
	noError(t, err)
	var cited []string
	for _, list := range [][]entry.Named{study.Tables(), figures.Figures()} {
		for _, n := range list {
			for _, alias := range n.Aliases() {
				if !slices.Contains(cited, alias) {
					cited = append(cited, alias)
				}
				if e := p.Entries[alias]; e.Table != n.Name && !slices.Contains(e.Figures, n.Name) {
					t.Errorf("%s is %s of analyze, and made from %s and %v", alias, n.Name, e.Table, e.Figures)
				}
			}
		}
	}
	for _, name := range p.Names() {
		if !slices.Contains(cited, name) {
			t.Errorf("%s is not a number of a table or figure", name)
		}
	}
}

// TestReplicateCosts: the guide's table of costs is the one that the list has.
func TestReplicateCosts(t *testing.T) {
	d := ran(t, "replicate", "--list", "--model", "openai/gpt-6-luna", "--json")
	var made []struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(d.out), &made); err != nil || len(made) != 1 {
		t.Fatalf("code %d, %v\n%s%s", d.code, err, d.out, d.err)
	}
	rows := map[string]map[string]any{}
	for _, row := range made[0].Rows {
		rows[fmt.Sprint(row["name"])] = row
	}
	page, found := read(t, filepath.Join("..", "..", "docs", "guides"), "replicate.md"), 0
	for _, line := range regexp.MustCompile("(?m)^\\| `(paper.*?)`.*").FindAllStringSubmatch(page, -1) {
		found++
		row := rows[line[1]]
		for _, tier := range []string{"flex, $", "batch, $"} {
			want := fmt.Sprintf(" %.0f | %.2f | %.2f | %.2f |", row["calls"], row["cost, $"], row["cached, $"], row[tier])
			if got := strings.ReplaceAll(line[0], ",", ""); !strings.HasSuffix(got, want) {
				t.Errorf("the guide has %s, and the list %s", got, want)
			}
		}
	}
	if found != 5 {
		t.Errorf("the guide has %d experiments, want the main one of each of five papers", found)
	}
}

// TestReplicateRefuses: without data, and with what it does not know, nothing is asked.
func TestReplicateRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, args := range map[string][]string{
		"roundtable data movielens":           {"paper1/table-7"},
		"did you mean paper1/table-1":         {"paper1/table-l"},
		"--list":                              {},
		"numbers of GPT-5.1, DeepSeek-V3.2":   {"paper3/table-2", "--beside", "GPT-9"},
		"gpqa/gpqa_extended.csv":              {"paper2/table-4", "--data", "."},
		"the papers' sizes, whatever --limit": {"--list", "--limit", "3"},
		"is not known":                        {"paper1/table-1", "--model", "openai/nobody-knows-it"},
	} {
		d := ran(t, append([]string{"replicate"}, args...)...)
		if d.code != 2 || !strings.Contains(d.err, want) {
			t.Errorf("replicate %q: code %d, %q is not in\n%s", args, d.code, want, d.err)
		}
	}
	if _, err := os.Stat("lake"); err == nil {
		t.Error("a lake was made")
	}
}
