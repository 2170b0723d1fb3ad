package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"roundtable/activities/people"
	"roundtable/analysis/lake/record"
)

// TestPersonAtTheTable: a person has a seat. The program is killed while questions wait;
// what is answered meanwhile is taken up, nothing is asked twice, and an answer that
// cannot be used is asked for again with the reason.
func TestPersonAtTheTable(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	exampleData(t, dir)
	save(t, dir, "people.yaml", `name: people
data: examples/data
instances: 1
env: {name: qa, format: csv, file: requests.csv, agents: 3}
model: {name: scripted/answerer, policy: {accuracy: 0.7}}
models: {Agent 3: human/ann}
protocol: {name: debate, ballots: true}
grid: {rule: [majority, plurality]}
`)
	run := program(t, dir, "run", "people.yaml")
	noError(t, run.Start())
	first := openQuestions(t, dir, 2)
	run.Process.Kill()
	run.Wait()
	for _, q := range first {
		output(t, dir, "answer", "people", "--question", q.ID, "--text", "I have looked. The answer is (B).")
	}
	if out, err := program(t, dir, "answer", "people", "--question", first[0].ID, "--text", "no").CombinedOutput(); err == nil || !strings.Contains(string(out), "answered already") {
		t.Errorf("a second answer: %v\n%s", err, out)
	}
	if out, err := program(t, dir, "answer", "people", "--question", "nobody-e1-a0", "--text", "no").CombinedOutput(); err == nil || !strings.Contains(string(out), "there is no such question") {
		t.Errorf("an answer to no question: %v\n%s", err, out)
	}
	run = program(t, dir, "run", "people.yaml")
	noError(t, run.Start())
	t.Cleanup(func() { run.Process.Kill() })
	asked := map[string]bool{}
	for turns := 0; turns < 4; { // an answer and a ballot of two collaborations
		for _, q := range openQuestions(t, dir, 1) {
			if asked[q.ID] {
				continue
			}
			asked[q.ID] = true
			text := "The answer is (B)."
			switch {
			case q.Turn.Phase == "vote" && q.Turn.Ask == 0:
				text = "candidate one" // no JSON
			case q.Turn.Phase == "vote":
				text = `{"reason_for_decision": "", "decision": 1}`
				if last := q.Messages[len(q.Messages)-1].Content; !strings.Contains(last, "could not be used: it holds no JSON object") {
					t.Errorf("asked again without a reason: %s", last)
				}
				turns++
			default:
				turns++
			}
			answer := program(t, dir, "answer", "people", "--question", q.ID, "--file", "-")
			answer.Stdin = strings.NewReader(text)
			if out, err := answer.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
	noError(t, run.Wait())
	output(t, dir, "verify", "people")
	calls := 0
	for _, c := range rowsOf[record.Call](t, dir, "people") {
		if c.ModelAsked == "human/ann" {
			calls++
			if c.ModelAnswered != "human/ann" || c.Status != "answered" || c.Cached { // both rules ask the same first question
				t.Errorf("%+v", c)
			}
		}
	}
	if calls != 2*4 { // two answers, a ballot that could not be used, and one that could
		t.Errorf("%d calls of the person, want 8", calls)
	}
	if out := output(t, dir, "answer", "people", "--list"); !strings.Contains(out, "No question of people waits") {
		t.Error(out)
	}
}

// openQuestions waits until at least so many questions are open.
func openQuestions(t *testing.T, dir string, n int) (open []people.Question) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		out, err := program(t, dir, "answer", "people", "--json").Output()
		if err == nil {
			if err := json.Unmarshal(out, &open); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		if len(open) >= n {
			return open
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d questions in a minute: %v", len(open), err)
		}
	}
}

// TestOwnStudy: the study of the guide, killed in the middle and run again with its own
// command, comes to the same rows, and its tables tell the conditions apart.
func TestOwnStudy(t *testing.T) {
	if !*long {
		t.Skip("TestTenQuestions runs the study, TestKills kills; -long")
	}
	t.Parallel()
	whole, killed := t.TempDir(), t.TempDir()
	for _, dir := range []string{whole, killed} {
		exampleData(t, dir)
	}
	output(t, whole, "run", "examples/own-study.yaml")
	run := program(t, killed, "run", "examples/own-study.yaml")
	noError(t, run.Start())
	for deadline := time.Now().Add(time.Minute); len(rowsOf[record.Collaboration](t, killed, "own-study")) < 7; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no seven collaborations in a minute")
		}
	}
	run.Process.Kill()
	run.Wait()
	output(t, killed, "run", "examples/own-study.yaml")
	if a, b := digestBy(t, whole, "own-study"), digestBy(t, killed, "own-study"); a != b {
		t.Errorf("digest %s, after a kill %s", a, b)
	}
	var found struct {
		Tables []struct{ Rows []map[string]any }
	}
	out := output(t, whole, "analyze", "own-study", "--table", "outcomes", "--format", "json")
	if err := json.Unmarshal([]byte(out), &found); err != nil || len(found.Tables) != 1 || len(found.Tables[0].Rows) != 6 {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range found.Tables[0].Rows {
		if unanimous := row["protocol"] == "debate" && row["rule"] == "unanimous"; (row["tied"] == "b") != unanimous {
			t.Errorf("%v", row)
		}
	}
}
