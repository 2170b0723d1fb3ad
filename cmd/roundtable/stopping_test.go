package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// TestStoppingTables: a rule that converges faster is found to, no rule beats
// the Oracle, and not stopping is what Table 1 says of the last round.
func TestStoppingTables(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := example(t, "voting-rules.yaml", "replicates: 100", "replicates: 10", "rule: [unanimous, majority, plurality, rated, ranked, cumulative]", "rule: [unanimous, ranked]")
	output(t, dir, "run", "voting-rules.yaml")
	one, ten, eleven := analyse(t, dir, "voting-rules", "utility-by-rule"), analyse(t, dir, "voting-rules", "early-stopping"), analyse(t, dir, "voting-rules", "stopping-times")
	for _, rule := range []string{"unanimous", "ranked"} {
		baseline := ten.value(t, rule, "Baseline")
		if utility := one.value(t, rule, "utility@10") / 100; math.Abs(baseline-utility) > 1e-9 {
			t.Errorf("%s without a stop is %v, and %v in Table 1", rule, baseline, utility)
		}
		for _, method := range []string{"Baseline", "First Agreement", "Consecutive Agreements", "Validation Checkpoint", "Fixed Best Round"} {
			if got, best := ten.value(t, rule, method), ten.value(t, rule, "Oracle"); got > best+1e-9 {
				t.Errorf("%s of %s is %v, the Oracle %v", method, rule, got, best)
			}
		}
	}
	if fast, slow := eleven.value(t, "ranked", "First Agreement"), eleven.value(t, "unanimous", "First Agreement"); fast >= slow {
		t.Errorf("the first agreement is in round %.2f of ranked and %.2f of unanimous voting; graded ballots should agree earlier", fast, slow)
	}
	all := output(t, dir, "analyze", "voting-rules", "--table", "all")
	for _, want := range []string{"(paper 1, Table 10)", "(paper 1, Table 11)", "with its optimism", "in pairs", "No Dialogue Act: 10 of 10 collaborations have rounds without dialogue acts; label"} {
		if !strings.Contains(strings.Join(strings.Fields(all), " "), want) {
			t.Errorf("analyze --table all has no %q:\n%s", want, all)
		}
	}
	output(t, dir, "label", "voting-rules")
	if labelled := output(t, dir, "analyze", "voting-rules", "--table", "early-stopping"); strings.Contains(labelled, "No Dialogue Act") {
		t.Errorf("labels are not used:\n%s", labelled)
	}
	if out, err := program(t, dir, "analyze", "voting-rules", "--table", "early-stopping", "--labeller", "nobody").CombinedOutput(); err == nil || !strings.Contains(string(out), "nobody") {
		t.Errorf("a labeller that there is not: %v\n%s", err, out)
	}
	compared := analyse(t, dir, "voting-rules", "comparisons").Tables[0].Rows
	var n float64
	if len(compared) != 1 || json.Unmarshal(compared[0]["n"], &n) != nil || n != 10 {
		t.Errorf("comparisons: %v", compared)
	}
}
