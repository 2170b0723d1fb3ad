package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// quiz is a campaign of five questions; quizFolder a folder with it.
const quiz = `name: quiz
data: .
env: {name: qa, format: jsonl, kind: integer, file: questions.jsonl}
model: scripted/answerer
protocol: {name: debate, rounds: 1}
grid: {rule: [plurality, approval]}
`

func quizFolder(t *testing.T) string {
	dir := write(t, strings.Replace(quiz, "approval", "unanimous", 1))
	var lines []string
	for i := range 5 {
		lines = append(lines, fmt.Sprintf(`{"id": "q%d", "question": "What is %d + 1?", "answer": "%d"}`, i, i, i+1))
	}
	save(t, dir, "questions.jsonl", strings.Join(lines, "\n"))
	return dir
}

// TestChangesOnTheCommandLine: --set, --name, --limit and --instances change what runs,
// plan shows them, the recorded plan keeps them, and resume needs none of them.
func TestChangesOnTheCommandLine(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := quizFolder(t)
	flags := []string{"--name", "a-try", "--limit", "2", "--set", "grid.rule=[plurality]", "--set", "protocol.rounds=2"}
	d := ends(t, 0, dir, nil, append([]string{"plan", "campaign.yaml"}, flags...)...)
	for _, want := range []string{
		"a-try: 1 condition, 2 cells\n\n",
		"Changed on the command line: --set 'grid.rule=[plurality]' --set protocol.rounds=2 --name a-try --limit 2\n",
		"protocol debate (rounds 2)",
	} {
		contains(t, d.out, want)
	}
	ends(t, 0, dir, nil, append([]string{"run", "campaign.yaml"}, flags...)...)
	d = ends(t, 0, dir, nil, "resume", "a-try", "--json")
	contains(t, d.err, "a-try is done already: all 2 collaborations finished")
	plans, err := filepath.Glob(filepath.Join(dir, "lake/lake/_campaigns/a-try/plans/*"))
	if err != nil || len(plans) != 1 {
		t.Fatalf("%d plans: %v", len(plans), err)
	}
	data, err := os.ReadFile(plans[0])
	noError(t, err)
	var p struct{ Changed []string }
	if err := json.Unmarshal(data, &p); err != nil || strings.Join(p.Changed, " ") != "--set 'grid.rule=[plurality]' --set protocol.rounds=2 --name a-try --limit 2" {
		t.Errorf("the plan says that %q were changed: %v", p.Changed, err)
	}
	// A higher limit goes on, a lower one is refused.
	flags[3] = "3"
	contains(t, ends(t, 0, dir, nil, append([]string{"run", "campaign.yaml"}, flags...)...).err, "a-try is extended from 2 to 3 cells")
	flags[3] = "1"
	contains(t, ends(t, 2, dir, nil, append([]string{"run", "campaign.yaml"}, flags...)...).err, "instances was 3 and is 1; it can only grow")

	ends(t, 0, dir, nil, "run", "campaign.yaml", "--instances", "q4,q1")
	d = ends(t, 0, dir, nil, "query", "select distinct instance, instance_id from collaborations where campaign_id = 'quiz' order by 1", "--json")
	for _, want := range []string{`"q1"`, `"q4"`} {
		contains(t, d.out, want)
	}
	if strings.Contains(d.out, `"q0"`) {
		t.Errorf("another instance has run: %s", d.out)
	}
	contains(t, ends(t, 0, dir, nil, "run", "campaign.yaml").err, "quiz is extended from 4 to 10 cells")
	digestBy(t, dir, "quiz")
}

// TestRefusedChanges: what the command line gives is checked as the file is, and errors name the flag.
func TestRefusedChanges(t *testing.T) {
	t.Parallel()
	dir := quizFolder(t)
	for want, args := range map[string][]string{
		"1 error in the campaign file, nothing was started\n--set rule=borda: rule: the grid varies it; --set grid.rule=[…] replaces the whole axis\n": {"--set", "rule=borda"},
		"--set rule: write KEY=VALUE with a key of the campaign file, as rule=borda or protocol.rounds=3\n--set =3: write KEY=VALUE":                   {"--set", "rule", "--set", "=3"},
		"--limit is 0; expected 1 or more instances":                                                    {"--limit", "0"},
		`--name A: name: "A" is not a campaign name`:                                                    {"--name", "A"},
		`--instances q9: instances: unknown instance "q9"; expected one of q0, q1, q2 and 2 more`:       {"--instances", "q9"},
		"unknown flag --seed: it is a key of the campaign file; write seed: there, or --set seed=VALUE": {"--seed", "3"},
		"--instances q1: instances: is given by --set instances=3, too":                                 {"--set", "instances=3", "--instances", "q1"},
	} {
		for _, command := range []string{"run", "plan"} {
			contains(t, ends(t, 2, dir, nil, append([]string{command, "campaign.yaml"}, args...)...).err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "lake")); err == nil {
		t.Error("a refused command has made a lake")
	}
}

// TestExtendedFile: a file in another folder is extended; its paths are its own, errors
// name it, and the command line has the last word.
func TestExtendedFile(t *testing.T) {
	t.Parallel()
	dir := quizFolder(t)
	noError(t, os.MkdirAll(filepath.Join(dir, "tries"), 0o700))
	save(t, filepath.Join(dir, "tries"), "small.yaml", "extends: ../campaign.yaml\nname: small\nrule: plurality\nprotocol: {order: random}\n")
	d := ends(t, 0, dir, nil, "run", "tries/small.yaml", "--limit", "2")
	contains(t, d.out, "env qa")
	digestBy(t, dir, "small")
	d = ends(t, 0, dir, nil, "plan", "tries/small.yaml", "--set", "protocol.order=fixed", "--name", "other")
	contains(t, d.out, "other: 1 condition, 5 cells")
	contains(t, d.out, "protocol debate (order fixed, rounds 1)")

	save(t, filepath.Join(dir, "tries"), "wrong.yaml", "extends: ../campaign.yml\nname: small\nrule: x\n")
	d = ends(t, 2, dir, nil, "plan", "tries/wrong.yaml")
	contains(t, d.err, "tries/wrong.yaml: line 1: extends: there is no file campaign.yml; paths are relative to the file that names them\n")
	contains(t, d.err, "tries/wrong.yaml: line 3: rule: unknown decision rule \"x\"")
	save(t, dir, "campaign.yaml", strings.Replace(quiz, "rounds: 1", "round: 1", 1))
	contains(t, ends(t, 2, dir, nil, "plan", "tries/small.yaml").err, "\ncampaign.yaml: line 5: protocol.round: unknown key; known are ")
}

// TestKeysOfAnEnvFile: keys come from the file next to the campaign file, by run and by
// resume, and only their names are said.
func TestKeysOfAnEnvFile(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	asked := make(chan string, 100)
	v := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		http.Error(w, `{"error": {"message": "wrong key"}}`, http.StatusUnauthorized) // which pauses a campaign
	}))
	t.Cleanup(v.Close)
	dir := quizFolder(t)
	text := strings.Replace(quiz, "scripted/answerer", "{name: openai/m, base_url: \""+v.URL+"/v1\", api_key_env: QUIZ_KEY}\ncost: unknown\nreasks: 0", 1)
	save(t, dir, "campaign.yaml", strings.Replace(text, "[plurality, approval]", "[plurality]", 1))
	contains(t, ends(t, 2, dir, nil, "run", "campaign.yaml", "--limit", "1").err, "QUIZ_KEY is not set")
	save(t, dir, ".env", "QUIZ_KEY=canary-of-the-file\nOPENAI_API_KEY=other\nOPENAI_BASE_URL=http://127.0.0.1:1\n")
	d := command(t, dir, nil, "run", "campaign.yaml", "--limit", "1")
	contains(t, d.err, ".env: took QUIZ_KEY; the environment has its own for OPENAI_API_KEY; left OPENAI_BASE_URL, which it may not set\n")
	contains(t, command(t, dir, nil, "resume", "quiz").err, ".env: took QUIZ_KEY")
	contains(t, command(t, t.TempDir(), nil, "resume", "quiz", "--lake", filepath.Join(dir, "lake")).err, "the folder of quiz's file is not known on this machine")
	v.Close()
	close(asked)
	if len(asked) == 0 {
		t.Error("nobody was asked")
	}
	for key := range asked {
		if key != "Bearer canary-of-the-file" {
			t.Errorf("asked with %q", key)
		}
	}
	if strings.Contains(d.out+d.err, "canary") {
		t.Errorf("the key is shown: %s%s", d.out, d.err)
	}
	save(t, dir, ".env", "QUIZ_KEY=canary of the file\n")
	d = ends(t, 2, dir, nil, "plan", "campaign.yaml")
	if contains(t, d.err, ".env: line 1: the value of QUIZ_KEY is neither a plain word nor printable text in one pair of quotes"); strings.Contains(d.err, "canary") {
		t.Errorf("the key is shown: %s", d.err)
	}
}
