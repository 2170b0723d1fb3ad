package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

type predicted struct {
	Cells      int
	Conditions []struct {
		Condition string
		Turns     float64 `json:"max_turns"`
		Calls     float64 `json:"max_calls"`
	}
	Prediction struct {
		Calls        struct{ Low, Mean, High, Most float64 }
		OutputTokens struct{ Low, Mean, High, Most float64 } `json:"output_tokens"`
		CostUSD      *struct{ Mean float64 }                 `json:"cost_usd"`
		Basis, Bound string
		Labels       *struct{ Calls struct{ Mean, Most float64 } }
		Usable       []struct{ Turns, Usable int }
		Conditions   []struct {
			Condition     string
			Calls, Tokens float64
			CostUSD       *float64 `json:"cost_usd"`
		}
	}
}

// checkConditions checks that what is likely for each condition adds up to what is for the campaign.
func (p predicted) checkConditions(t *testing.T) {
	t.Helper()
	calls, usd := 0., 0.
	for i, c := range p.Prediction.Conditions {
		if c.Condition != p.Conditions[i].Condition {
			t.Errorf("%s stands at the place of %s", c.Condition, p.Conditions[i].Condition)
		}
		calls += c.Calls
		usd += *c.CostUSD
	}
	total := p.Prediction
	if len(total.Conditions) != len(p.Conditions) || math.Abs(calls-total.Calls.Mean) > 1e-6 || math.Abs(usd-total.CostUSD.Mean) > 1e-9 {
		t.Errorf("the conditions take %v calls and $%v, the campaign %v and $%v", calls, usd, total.Calls.Mean, total.CostUSD.Mean)
	}
}

func predictedBy(t *testing.T, cmd *exec.Cmd) predicted {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var p predicted
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

const pilotFile = `name: pilot
replicates: 30
env: exchange
protocol: {name: roundtable, rounds: 3}
model: {name: scripted/trader, skip: 0.3}
stop: first_agreement
grid: {rule: [majority, plurality]}
`

// A pilot predicts what the campaign then takes, is part of it, and changes nothing.
func TestPilot(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir, plain := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, plain} {
		save(t, d, "pilot.yaml", pilotFile)
	}
	guess := predictedBy(t, program(t, dir, "plan", "pilot.yaml", "--json"))
	if _, err := os.Stat(filepath.Join(dir, "lake", "raw")); err == nil {
		t.Error("plan without a pilot has run something")
	}
	if cost := guess.Prediction.CostUSD; cost == nil || cost.Mean != 0 {
		t.Errorf("scripted agents cost %v", cost)
	}
	p := predictedBy(t, program(t, dir, "plan", "pilot.yaml", "--pilot", "0.5", "--json"))
	guess.checkConditions(t)
	p.checkConditions(t)
	var st []struct{ Succeeded, Cells int }
	if err := json.Unmarshal([]byte(output(t, dir, "status", "pilot", "--json")), &st); err != nil || len(st) != 1 || st[0].Succeeded != 30 {
		t.Errorf("after a pilot of 30 of 60 cells: %+v %v", st, err)
	}
	if u := p.Prediction.Usable; len(u) != 3 || u[0].Turns == 0 || u[0].Usable != u[0].Turns {
		t.Errorf("the turns of the pilot were usable as %+v", u)
	}
	output(t, dir, "run", "pilot.yaml")
	output(t, plain, "run", "pilot.yaml")
	if a, b := sealedDigest(t, dir), sealedDigest(t, plain); a != b {
		t.Error("the campaign with a pilot has another digest")
	}
	var took []struct{ Spent struct{ Calls float64 } }
	noError(t, json.Unmarshal([]byte(output(t, dir, "status", "pilot", "--json")), &took))
	calls := took[0].Spent.Calls
	if q := p.Prediction.Calls; q.Low > calls || calls > q.High || q.High-q.Low > calls {
		t.Errorf("the pilot predicts %+v, and it took %v calls", q, calls)
	}
	for name, q := range map[string]predicted{"guess": guess, "pilot": p} {
		if q.Cells != 60 || q.Prediction.Basis == "" || q.Prediction.Calls.Low > q.Prediction.Calls.Mean || q.Prediction.Calls.Mean > q.Prediction.Calls.High {
			t.Errorf("%s: %+v", name, q)
		}
	}
}

// A pilot makes no more calls at once than the file allows.
func TestPilotKeepsLimits(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	save(t, dir, "few.yaml", "name: few\nreplicates: 12\nenv: {name: exchange, agents: 3}\nprotocol: {name: roundtable, rounds: 1}\n"+
		"model: {name: scripted/trader, latency: 20ms}\nrule: majority\nlimits: {calls: 2}\n")
	output(t, dir, "plan", "few.yaml", "--pilot", "0.3")
	row := queriedRows(t, dir, `WITH c AS (SELECT started_at AS s, started_at + to_milliseconds(latency_ms - 1) AS f FROM calls),
		e AS (SELECT s AS t, 1 AS d FROM c UNION ALL SELECT f, -1 FROM c)
		SELECT CAST(max(n) AS BIGINT) AS most, (SELECT count(*) FROM c) AS calls FROM (SELECT sum(d) OVER (ORDER BY t, d ROWS UNBOUNDED PRECEDING) AS n FROM e)`)[0]
	if row["most"] != 2. || row["calls"] != 90. {
		t.Errorf("%v calls at once of %v, want 2 of 90: 10 cells of 9", row["most"], row["calls"])
	}
}

func sealedDigest(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "lake", "lake", "_campaigns", "pilot", "_SUCCESS"))
	noError(t, err)
	return string(data)
}

// The guess of plan prices the models of single agents, takes answers for as
// long as recorded ones of real models, and max_tokens lowers its upper end.
func TestPlanPredictsRealModels(t *testing.T) {
	dir := t.TempDir()
	file := func(generate string) predicted {
		save(t, dir, "real.yaml", `name: real
env: exchange
protocol: {name: roundtable, rounds: 2}
rule: majority
model: openai/fake
models: {Alex: openai/other}
prices: {openai/fake: {input: 1, output: 2}, openai/other: {input: 3, output: 4}}
labels: {model: openai/fake, reasks: 3}
`+generate)
		return predictedBy(t, program(t, dir, "plan", "real.yaml", "--json"))
	}
	free, bound := file(""), file("generate: {max_tokens: 300}\n")
	calls := free.Prediction.Calls.Mean
	if out := free.Prediction.OutputTokens.Mean / calls; out < 100 || out > 300 {
		t.Errorf("an answer has about %v tokens", out)
	}
	if free.Prediction.CostUSD == nil || bound.Prediction.CostUSD == nil {
		t.Fatalf("the prices of all models are given, and the cost is not known: %+v", free.Prediction)
	}
	free.checkConditions(t)
	contains(t, output(t, dir, "plan", "real.yaml"), "LIKELY TOKENS │ LIKELY COST", fmt.Sprintf(" │     $%.4f │", bound.Prediction.CostUSD.Mean))
	if a, b := free.Prediction.OutputTokens.Most, bound.Prediction.OutputTokens.Most; b >= a || b != 300*bound.Prediction.Calls.Most {
		t.Errorf("at most %v output tokens without max_tokens, %v with", a, b)
	}
	for _, p := range []struct {
		of     predicted
		reasks float64
	}{{free, 2}, {file("reasks: 1\n"), 1}, {file("reasks: 0\n"), 0}} {
		c, q := p.of.Conditions[0], p.of.Prediction
		if c.Calls != c.Turns*(1+p.reasks) || q.Calls.Most != c.Calls+2 || q.Calls.Mean > c.Turns {
			t.Errorf("with %v re-asks and 2 models that are checked, %+v of %+v", p.reasks, q.Calls, c)
		}
		if says := fmt.Sprintf("asked again %v time", p.reasks); strings.Contains(q.Bound, says) != (p.reasks > 0) || !strings.Contains(q.Bound, "every label asked again 3 times") {
			t.Errorf("the basis is %q", q.Basis)
		}
		if l := q.Labels; l == nil || l.Calls.Most != 4*l.Calls.Mean {
			t.Errorf("labels with 3 re-asks take %+v calls", l)
		}
	}
	for basis, says := range map[string]string{free.Prediction.Bound: "16384 tokens", bound.Prediction.Bound: "generate.max_tokens"} {
		if !strings.Contains(basis, says) {
			t.Errorf("%q does not say %q", basis, says)
		}
	}
}
