package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"roundtable/analysis/lake/record"
	"slices"
	"strings"
	"testing"
)

// TestTenQuestions runs every query of docs/guides/questions.md over a lake that was sent to
// another folder without its data files, and derives what some of them say again.
func TestTenQuestions(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir, sent := t.TempDir(), t.TempDir()
	exampleData(t, dir)
	output(t, dir, "run", "examples/own-study.yaml", "--set", "replicates=1", "--set", "instances=6")
	for _, c := range rowsOf[record.Collaboration](t, dir, "own-study") {
		if c.AgentsJSON == nil || !strings.Contains(*c.AgentsJSON, `"role":"accountant"`) {
			t.Fatalf("who sat at the table is not recorded: %v", c.AgentsJSON)
		}
	}
	noError(t, os.Rename(filepath.Join(dir, "lake"), filepath.Join(sent, "lake")))
	noError(t, os.RemoveAll(dir))

	page, err := os.ReadFile("../../docs/guides/questions.md")
	noError(t, err)
	answers := map[string][]map[string]any{}
	for section := range strings.SplitSeq(string(page), "\n## ") {
		title, _, _ := strings.Cut(section, "\n")
		for _, m := range block.FindAllStringSubmatch(section, -1) {
			if m[1] != "sql" {
				continue
			}
			if n := len(regexp.MustCompile(`\bJOIN\b`).FindAllString(m[2], -1)); n > 1 {
				t.Errorf("%s: %d joins", title, n)
			}
			if answers[title] = rowsOfQuery(t, sent, m[2]); len(answers[title]) == 0 {
				t.Errorf("%s: no answer", title)
			}
			for _, row := range answers[title] {
				for column, value := range row {
					if s, _ := row["simulated"].(bool); column == "simulated" && !s || value == nil && column != "unknown_at_most" && row["decided"] != 0.0 {
						t.Errorf("%s: %s is %v", title, column, value)
					}
				}
			}
		}
	}
	if len(answers) < 11 {
		t.Fatalf("%d questions", len(answers))
	}
	checkQuestions(t, answers, deriveQuestions(t, sent))

	// Who gets the data set sees what was asked, and each condition by its label.
	output(t, sent, "export", "own-study", "--dataset", "-o", "published")
	readme, err := os.ReadFile(filepath.Join(sent, "published", "README.md"))
	noError(t, err)
	contains(t, string(readme), "| debate | majority-", "path: instances.parquet", "| [instances](instances.parquet) | 36 | One question")
}

// derived is what the rows of one condition say.
type derived struct {
	groups, right, answers, changed, toRight, toWrong, decided, first float64
	agreement                                                         map[string][]float64 // by round
}

// deriveQuestions counts in Go what the queries say of answers.
func deriveQuestions(t *testing.T, dir string) map[string]*derived {
	t.Helper()
	all, groups := map[string]*derived{}, map[any]map[string]any{}
	nameOf := func(row map[string]any) string { return fmt.Sprint(row["label"], " ", row["rule"]) }
	for _, c := range rowsOfQuery(t, dir, "FROM collaborations") {
		groups[c["collaboration_id"]] = c
		d := all[nameOf(c)]
		if d == nil {
			d = &derived{agreement: map[string][]float64{}}
			all[nameOf(c)] = d
		}
		d.groups++
		d.right += c["outcome"].(float64)
	}
	held, seen, given := map[string]any{}, map[any]bool{}, map[string]map[any]float64{}
	for _, turn := range rowsOfQuery(t, dir, "SELECT * FROM turns WHERE proposal_json IS NOT NULL AND agent IS NOT NULL ORDER BY collaboration_id, entry") {
		id := turn["collaboration_id"]
		c := groups[id]
		d, now, agent := all[nameOf(c)], turn["proposal_json"], fmt.Sprint(id, turn["agent"])
		isRight := func(answer any) bool { return strings.Contains(c["key_json"].(string), answer.(string)) }
		if before, some := held[agent]; some {
			d.answers++
			if before != now {
				d.changed++
			}
			if !isRight(before) && isRight(now) {
				d.toRight++
			}
			if isRight(before) && !isRight(now) {
				d.toWrong++
			}
		}
		if held[agent] = now; !seen[id] && c["decision_json"] != nil {
			d.decided++
			if now == c["decision_json"] {
				d.first++
			}
		}
		seen[id] = true
		round := fmt.Sprint(id, " ", turn["round"])
		if given[round] == nil {
			given[round] = map[any]float64{}
		}
		given[round][now]++
	}
	for round, counts := range given {
		id, number, _ := strings.Cut(round, " ")
		most, sum := 0.0, 0.0
		for _, n := range counts {
			most, sum = max(most, n), sum+n
		}
		d := all[nameOf(groups[id])]
		d.agreement[number] = append(d.agreement[number], most/sum)
	}
	return all
}

func checkQuestions(t *testing.T, answers map[string][]map[string]any, want map[string]*derived) {
	t.Helper()
	same := func(title, key string, row map[string]any, column string, want float64) {
		if got, _ := row[column].(float64); got < want-0.00051 || got > want+0.00051 {
			t.Errorf("%s: %s of %s is %v, want %v", title, column, key, row[column], want)
		}
	}
	for title, rows := range answers {
		for _, row := range rows {
			key := fmt.Sprint(row["label"], " ", row["rule"])
			d := want[key]
			switch {
			case strings.HasPrefix(title, "How often is each"):
				same(title, key, row, "accuracy", d.right/d.groups)
				if low, high := row["low"].(float64), row["high"].(float64); low >= high || low < 0 || high > 1 {
					t.Errorf("%s: %s from %v to %v", title, key, low, high)
				}
			case strings.HasPrefix(title, "How often do agents"):
				same(title, key, row, "answers", d.answers)
				same(title, key, row, "changed", d.changed)
				same(title, key, row, "to_right", d.toRight)
				same(title, key, row, "to_wrong", d.toWrong)
			case strings.HasPrefix(title, "How often does the first"):
				same(title, key, row, "decided", d.decided)
				same(title, key, row, "first_wins", d.first/d.decided)
			case strings.HasPrefix(title, "Does agreement"):
				shares, sum := d.agreement[fmt.Sprint(row["round"])], 0.0
				for _, s := range shares {
					sum += s
				}
				same(title, key, row, "agreement", sum/float64(max(len(shares), 1)))
			}
		}
		if strings.HasPrefix(title, "Who speaks") && !slices.IsSortedFunc(rows, func(a, b map[string]any) int {
			return -cmp.Compare(a["characters"].(float64), b["characters"].(float64))
		}) {
			t.Errorf("%s: %v", title, rows)
		}
	}
	if n := len(answers["How often do agents change their answer, and to the better?"]); n != len(want) || n != 6 {
		t.Errorf("%d conditions, want %d", n, len(want))
	}
}

// TestPrivateData: what is read of a lake whose data files are private, and have moved, takes
// --data; a paused campaign goes on with it, and so do forks, which are private, too.
func TestPrivateData(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir, moved := t.TempDir(), t.TempDir()
	questionsFile(t, dir, "q.jsonl", 3)
	save(t, dir, "c.yaml", "name: own\ndata: .\nprivate_data: true\nenv: {name: qa, format: jsonl, file: q.jsonl, kind: integer}\nprotocol: {name: debate, agents: 2, rounds: 1}\nrule: plurality\nmodel: scripted/answerer\nreplicates: 2\n")
	output(t, dir, "run", "c.yaml")
	noError(t, os.Rename(filepath.Join(dir, "q.jsonl"), filepath.Join(moved, "elsewhere.jsonl")))
	id := rowsOfQuery(t, dir, "SELECT collaboration_id FROM collaborations")[0]["collaboration_id"].(string)
	const asked, hint = "SELECT DISTINCT question FROM instances ORDER BY ALL", "--data DIR names a folder that has them"
	out, err := program(t, dir, "query", asked).CombinedOutput()
	if err == nil || !strings.Contains(string(out), hint) {
		t.Errorf("without data: %v\n%s", err, out)
	}
	shown := output(t, dir, "show", id)
	if contains(t, shown, hint); strings.Contains(shown, "retryable") {
		t.Error(shown)
	}
	contains(t, output(t, dir, "query", asked, "--data", moved), "What is 0 + 1?", "(3 rows)")
	contains(t, output(t, dir, "show", id, "--prompts", "--data", moved), "What is")
	contains(t, output(t, dir, "verify", "own", "--data", moved), "6 of 6 planned cells have ended", "Nothing is wrong.")

	output(t, dir, "export", "own", "-o", "tables") // the rows need no data files
	if _, err := os.Stat(filepath.Join(dir, "tables", "instances.parquet")); err == nil {
		t.Error("instances are exported without being named")
	}
	contains(t, output(t, dir, "export", "own", "--dataset", "-o", "published", "--data", moved), "README.md")
	if _, err := os.Stat(filepath.Join(dir, "published", "instances.parquet")); err == nil {
		t.Error("private questions are published without being named")
	}
	output(t, dir, "export", "own", "--table", "instances", "-o", "i.csv", "--data", moved)
	exported, err := os.ReadFile(filepath.Join(dir, "i.csv"))
	noError(t, err)
	contains(t, string(exported), "campaign_id,condition_id,instance,environment,instance_id,instance_hash,source,question,context,options_json,key_json\n", ",What is 0 + 1?,,,")

	out, err = program(t, dir, "fork", "own", "--at", "round=2", "--control").CombinedOutput()
	if err == nil || !strings.Contains(string(out), hint) {
		t.Errorf("a fork without data: %v\n%s", err, out)
	}
	questionsFile(t, dir, "q.jsonl", 4)
	out, err = program(t, dir, "fork", "own", "--at", "round=2", "--control").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the data file q.jsonl is not the one that own was run with") {
		t.Errorf("a fork with other data: %v\n%s", err, out)
	}
	output(t, dir, "fork", "own", "--at", "round=2", "--control", "--data", moved)
	contains(t, output(t, dir, "verify", "own-fork", "--data", moved), "6 of 6 planned cells have ended", "Nothing is wrong.")
	contains(t, output(t, dir, "attribute", "own", "--of", "agents", "--data", moved), "all together")
	save(t, dir, "fork.yaml", "name: own-fork\nreplicates: 2\nfork: {campaign: own, at: {round: 2}, changes: [{}]}\n")
	contains(t, output(t, dir, "run", "fork.yaml", "--data", moved), "own-fork: 12 of 12 collaborations")
	named := t.TempDir()
	questionsFile(t, named, "q.jsonl", 3)
	contains(t, output(t, dir, "plan", "c.yaml", "--name", "try", "--data", named), "Data: 3 questions")

	for _, folder := range []string{"raw", "answers"} { // it was interrupted
		noError(t, os.RemoveAll(filepath.Join(dir, "lake", folder)))
	}
	parts, err := filepath.Glob(filepath.Join(dir, "lake", "lake", "*", "campaign=own"))
	noError(t, err)
	for _, folder := range append(parts, filepath.Join(dir, "lake", "lake", "_campaigns", "own", "_SUCCESS")) {
		noError(t, os.RemoveAll(folder))
	}
	output(t, dir, "resume", "own", "--data", moved)
	contains(t, output(t, dir, "verify", "own", "--data", moved), "6 of 6 planned cells have ended", "Nothing is wrong.")
	if _, err := os.Stat(filepath.Join(dir, "lake", "data")); err == nil {
		t.Error("private data are in the lake")
	}
}

// TestDatasetWithoutInstances: a data set for others is written without the questions if their files
// are gone, and not at all if the lake's are damaged.
func TestDatasetWithoutInstances(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	questionsFile(t, dir, "q.jsonl", 2)
	save(t, dir, "c.yaml", "name: own\ndata: .\nenv: {name: qa, format: jsonl, file: q.jsonl, kind: integer}\nprotocol: {name: debate, agents: 2, rounds: 1}\nrule: plurality\nmodel: scripted/answerer\n")
	output(t, dir, "run", "c.yaml")
	kept, err := filepath.Glob(filepath.Join(dir, "lake", "data", "*"))
	noError(t, err)
	if len(kept) != 1 {
		t.Fatalf("the lake has the data files %v", kept)
	}
	noError(t, os.WriteFile(kept[0], []byte("damaged"), 0o600))
	out, err := program(t, dir, "export", "own", "--dataset", "-o", "published").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "it is not the file q.jsonl that was recorded") {
		t.Errorf("a damaged data file: %v\n%s", err, out)
	}
	noError(t, os.Remove(kept[0]))
	noError(t, os.Remove(filepath.Join(dir, "q.jsonl")))
	out, err = program(t, dir, "export", "own", "--dataset", "-o", "published").CombinedOutput()
	if err != nil {
		t.Fatalf("without data files: %v\n%s", err, out)
	}
	contains(t, string(out), "The table instances is left out: ", "README.md")
}
