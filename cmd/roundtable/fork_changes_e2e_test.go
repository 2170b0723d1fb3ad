package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/internal/cli"
)

// tradedOriginal are scripted agents who speak one after another.
const tradedOriginal = `name: traded
seed: 4
replicates: 6
env: exchange
protocol: {name: roundtable, rounds: 4}
rule: majority
model: scripted/trader
`

// effectRows returns the rows of the table fork-effects, by change; an only one has none.
func effectRows(t *testing.T, dir, name string) map[string]map[string]any {
	t.Helper()
	var a struct {
		Tables []struct{ Rows []map[string]any }
	}
	if err := json.Unmarshal([]byte(ends(t, 0, dir, nil, "analyze", name, "--table", "fork-effects", "--json").out), &a); err != nil || len(a.Tables) != 1 {
		t.Fatal(err)
	}
	rows := map[string]map[string]any{}
	for _, r := range a.Tables[0].Rows {
		change, _ := r["fork.change"].(string)
		rows[change] = r
	}
	return rows
}

// cellNumber returns a cell's number, with or without a standard error; nil if it is empty.
func cellNumber(cell any) *float64 {
	switch v := cell.(type) {
	case float64:
		return &v
	case map[string]any:
		return cellNumber(v["value"])
	}
	return nil
}

// TestForkOfStopped: what did not succeed is not forked, and the command says so. A fork
// whose original has lost its answers fails; it does not keep the campaign from its end.
func TestForkOfStopped(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	untilFile(t, dir, "until: {compare: rule, measure: decided, reference: majority, smallest: 0.45, ahead: 6}")
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	r := queriedRows(t, dir, `SELECT count(*) FILTER (status = 'succeeded') AS good, count(*) FILTER (status = 'stopped') AS stopped FROM collaborations WHERE campaign_id = 'killed'`)[0]
	if r["stopped"] == 0. || r["good"] == 0. {
		t.Fatalf("the original has %v", r)
	}
	d := ends(t, 0, dir, nil, "fork", "killed", "--at", "round=2", "--name", "some")
	contains(t, d.err, "did not succeed and are not forked (", "stopped: answered)")
	got := queriedRows(t, dir, `SELECT count(*) FILTER (status = 'succeeded') AS good, count(*) AS n FROM collaborations WHERE campaign_id = 'some'`)[0]
	if got["good"] != r["good"] || got["n"] != r["good"] {
		t.Errorf("of %v collaborations that succeeded the fork has %v", r["good"], got)
	}
	contains(t, ends(t, 0, dir, nil, "verify", "some").out, "Nothing is wrong.")
	ends(t, 0, dir, nil, "run", "some.yaml")

	lost, err := filepath.Glob(filepath.Join(dir, "lake/answers/campaign=killed/majority-*-r1.0"))
	if err != nil || len(lost) != 1 {
		t.Fatalf("%v %v", lost, err)
	}
	noError(t, os.RemoveAll(lost[0]))
	ends(t, cli.ExitIncomplete, dir, nil, "fork", "killed", "--at", "round=2", "--name", "others")
	failed := queriedRows(t, dir, `SELECT failure FROM collaborations WHERE campaign_id = 'others' AND status != 'succeeded'`)
	if len(failed) != 1 || !strings.HasSuffix(failed[0]["failure"].(string), "ends at entry 0, before the fork, and not by itself") {
		t.Errorf("without success are %v", failed)
	}
}

// TestForkReplaces: a text stands in place of a message, and the row says so; one that
// cannot be used is an error before anything is asked, and leaves no file.
func TestForkReplaces(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	exampleData(t, dir)
	text, err := os.ReadFile("../../examples/forks/original.yaml")
	noError(t, err)
	fewerOptions(t, filepath.Join(dir, "examples/data/orders.json"), 2)
	save(t, dir, "original.yaml", strings.NewReplacer("data: ../data", "data: examples/data", "rounds: 3", "rounds: 2").Replace(string(text)))
	ends(t, 0, dir, nil, "run", "original.yaml", "--limit", "4")
	refused := func(want string, args ...string) {
		t.Helper()
		contains(t, ends(t, cli.ExitUsage, dir, nil, append([]string{"fork", "debated"}, args...)...).err, want)
		if _, err := os.Stat(filepath.Join(dir, "debated-fork.yaml")); err == nil {
			t.Errorf("%v leaves its file", args)
		}
	}
	refused("the text cannot stand in place of what Agent 1 says in round 1, phase answer", "--replace", "round=1,agent=Agent 1", "--text", "I think so")
	refused("the text cannot stand in place of what Agent 1 says in round 2", "--at", "round=2", "--replace", "round=2,agent=Agent 1", "--text", "I think so")
	refused("(in 2 of 4 instances, as ", "--replace", "round=1,agent=Agent 1", "--text", "It is this. (D)", "--no-run")

	ends(t, 0, dir, nil, "fork", "debated", "--replace", "round=1,agent=Agent 1", "--text", "So it is. (B)", "--replace", "round=2,agent=Agent 2", "--text", "No. (A)")
	r := queriedRows(t, dir, `SELECT count(*) FILTER (entry = 0 AND text LIKE 'So it is.%' AND forked_from IS NULL) AS first, count(*) FILTER (round = 2 AND agent_name = 'Agent 2' AND text LIKE 'No.%') AS second,
		count(*) FILTER (entry IN (1, 2) AND forked_from IS NOT NULL) AS had, count(*) FILTER (kind = 'ask' AND round = 2 AND answer_hash != '') AS asked,
		count(DISTINCT collaboration_id) AS n FROM turns WHERE campaign_id = 'debated-fork'`)[0]
	if r["n"] == 0. || r["first"] != r["n"] || r["second"] != r["n"] || r["had"] != 2*r["n"].(float64) || r["asked"] != 2*r["n"].(float64) {
		t.Errorf("the table turns says %v", r)
	}
	contains(t, ends(t, 0, dir, nil, "verify", "debated-fork").out, "Nothing is wrong.")
	takeOver(t, dir)
	contains(t, ends(t, cli.ExitFailed, dir, nil, "verify", "debated-fork").out, "entry 0 was asked for or taken over, and a text is to stand in its place")
}

// fewerOptions leaves the first questions their options (A) to (C).
func fewerOptions(t *testing.T, path string, n int) {
	t.Helper()
	data, err := os.ReadFile(path)
	noError(t, err)
	var file struct {
		Examples []struct {
			Input  string `json:"input"`
			Target string `json:"target"`
		} `json:"examples"`
	}
	noError(t, json.Unmarshal(data, &file))
	for i := range n {
		input := &file.Examples[i].Input
		*input = (*input)[:strings.Index(*input, "\n(D)")]
	}
	if data, err = json.Marshal(file); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Dir(path), filepath.Base(path), string(data))
}

// takeOver makes a fork's answers those of a version that ignored the text: the message that
// it replaces is taken over with the others.
func takeOver(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "lake/answers/campaign=debated-fork/*/*.batch.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d batches: %v", len(paths), err)
	}
	first := filepath.Join(filepath.Dir(paths[0]), "000000.batch.json")
	reseal(t, paths[0], first, func(turns []any) { turns[0].(map[string]any)["entry"] = 0 })
	if first != paths[0] {
		noError(t, os.Remove(paths[0]))
	}
}

// TestForkEffects: a collaboration that a changed rule ends at the point itself is another
// one; forks are compared with those of the same turn only; chance is that of forks.
func TestForkEffects(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := write(t, tradedOriginal)
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	ends(t, 0, dir, nil, "fork", "traded", "--at", "round=3", "--set", "stop=first_agreement", "--name", "stops")
	changed := queriedRows(t, dir, `SELECT count(*) FILTER (f.rounds_run < 4) AS n, count(*) FILTER (f.rounds_run = 2) AS there FROM collaborations f WHERE campaign_id = 'stops'`)[0]
	row := effectRows(t, dir, "stops")[""]
	if changed["there"] == 0. || *cellNumber(row["reached, %"]) != 100 {
		t.Errorf("%v end earlier, and the table says %v", changed, row)
	}
	ends(t, 0, dir, nil, "fork", "traded", "--at", "round=2", "--remove", "round=1,agent=Blake", "--control", "--replicates", "2", "--name", "removed")
	rows := effectRows(t, dir, "removed")
	was := queriedRows(t, dir, `SELECT avg(outcome) AS mean FROM collaborations WHERE campaign_id = 'traded'`)[0]["mean"].(float64)
	if got := cellNumber(rows["round 1 of Blake removed"]["as it was"]); got == nil || *got < was-0.001 || *got > was+0.001 {
		t.Errorf("of another turn than the control, it is compared with %v; the original has %v", rows["round 1 of Blake removed"]["as it was"], was)
	}
	ends(t, 0, dir, nil, "fork", "traded", "--at", "entry=2", "--remove", "entry=1", "--control", "--replicates", "2", "--name", "after")
	rows = effectRows(t, dir, "after")
	if a, b := cellNumber(rows["entry 1 removed"]["as it was"]), cellNumber(rows["as it was"]["as it was"]); a == nil || b == nil || *a == *b {
		t.Errorf("of the same turn as the control, it is compared with %v; the original has %v", a, b)
	}
}

// TestChanceOfForks: what never came to the point says nothing of chance, nor of a change.
func TestChanceOfForks(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := write(t, strings.Replace(tradedOriginal, "rule: majority\n", "rule: majority\nstop: first_agreement\n", 1))
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	for _, round := range []string{"2", "4"} {
		ends(t, 0, dir, nil, "fork", "traded", "--at", "round="+round, "--replicates", "3", "--name", "chance"+round)
	}
	const chance = `WITH f AS (SELECT instance, replicate % 6 AS r, outcome FROM collaborations c WHERE campaign_id = 'chance2'
		AND EXISTS (SELECT 1 FROM turns t WHERE t.campaign_id = 'chance2' AND t.collaboration_id = c.collaboration_id AND forked_from IS NULL)),
		o AS (SELECT instance, replicate AS r, outcome FROM collaborations WHERE campaign_id = 'traded' AND (instance, replicate) IN (SELECT (instance, r) FROM f)),
		a AS (SELECT * FROM f UNION ALL SELECT * FROM o)
		SELECT sqrt(sum(ss) / sum(n - 1)) AS sd, count(*) AS reached FROM (SELECT var_pop(outcome) * count(*) AS ss, count(*) AS n FROM a GROUP BY instance, r)`
	want := queriedRows(t, dir, chance)[0]
	row := effectRows(t, dir, "chance2")[""]
	reached := *cellNumber(row["reached, %"])
	if got := cellNumber(row["by chance, SD"]); reached == 0 || reached == 100 || got == nil || want["sd"] == nil || *got < want["sd"].(float64)-0.001 || *got > want["sd"].(float64)+0.001 {
		t.Errorf("by chance %v of %v; by SQL it is %v", row["by chance, SD"], row["reached, %"], want)
	}
	row = effectRows(t, dir, "chance4")[""]
	if *cellNumber(row["reached, %"]) == 0 && (cellNumber(row["effect"]) != nil || cellNumber(row["low"]) != nil) {
		t.Errorf("none came to the point, and the effect is %v", row)
	}
}
