package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"roundtable/analysis/lake/record"
)

// checkSelfConsistency counts it again from the rows.
func checkSelfConsistency(t *testing.T, dir string) {
	t.Helper()
	contains(t, output(t, dir, "plan", "baselines.yaml"), "self-consistency of 50", "single")
	contains(t, output(t, dir, "analyze", "baselines", "--table", "outcomes"), "self-consistency of 50", "baseline")

	table := analyse(t, dir, "baselines", "baselines")
	for protocol, want := range selfConsistency(t, dir) {
		got := table.number(t, "self-consistency, %", map[string]string{"protocol": protocol, "rule": "plurality"})
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: self-consistency is %v, counted from the rows it is %v", protocol, got, want)
		}
	}
}

// TestMoreSamples asks a service for more samples later: those that are there are not
// bought again, and the first ones are the first answers of a group that debates.
func TestMoreSamples(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	service := newVendor(t)
	dir := t.TempDir()
	exampleData(t, dir)
	file := func(samples int) {
		save(t, dir, "more.yaml", fmt.Sprintf(`name: more
data: examples/data
env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 4}
model: {name: openai/fake, base_url: %q, api_key_env: OPENAI_API_KEY}
prices: {openai/fake: {input: 1, output: 2}}
generate: {max_tokens: 100}
reasks: 0
limits: {collaborations: 1}
protocol: {name: debate, rounds: 1}
rule: plurality
baselines: [{self_consistency: {samples: %d}}]
`, service.URL+"/v1", samples))
		output(t, dir, "run", "more.yaml")
	}
	file(9)
	if n := len(service.arrivals()); n != 4*(3+3+6) {
		t.Errorf("%d requests, want 3 and 3 for each debate, and 6 samples besides the first answers", n)
	}
	file(12)
	if n := len(service.arrivals()); n != 4*(3+3+9) {
		t.Errorf("%d requests with three more samples, want 3 for each of 4 questions", n)
	}
	if n := len(rowsOf[record.Collaboration](t, dir, "more")); n != 12 {
		t.Errorf("%d collaborations, want 4 of the group, of 9 samples and of 12", n)
	}
	output(t, dir, "verify", "more")
}

// selfConsistency returns, by protocol of the plurality's groups, the percentage of
// questions that the most frequent sample answers that the group's tokens pay for.
func selfConsistency(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	tokens := map[string][]int64{} // by collaboration, then by entry
	for _, c := range rowsOf[record.Call](t, dir, "baselines") {
		for len(tokens[c.CollaborationID]) <= int(c.Entry) {
			tokens[c.CollaborationID] = append(tokens[c.CollaborationID], 0)
		}
		tokens[c.CollaborationID][c.Entry] += *c.InputTokens + *c.OutputTokens
	}
	turns := map[string][]record.Turn{}
	for _, turn := range rowsOf[record.Turn](t, dir, "baselines") {
		turns[turn.CollaborationID] = append(turns[turn.CollaborationID], turn)
	}
	all := rowsOf[record.Collaboration](t, dir, "baselines")
	share := map[string]float64{}
	for _, group := range all {
		if group.Agents != 3 || group.Rule != "plurality" {
			continue
		}
		samples := all[slices.IndexFunc(all, func(c record.Collaboration) bool { return c.Agents == 50 && c.Instance == group.Instance })]
		left := int64(0)
		for _, n := range tokens[group.CollaborationID] {
			left += n
		}
		votes, right := map[string]float64{}, map[string]bool{}
		for _, turn := range turns[samples.CollaborationID] {
			if left -= tokens[samples.CollaborationID][turn.Entry]; left < 0 {
				break
			}
			if turn.ProposalKey != nil {
				votes[*turn.ProposalKey]++
				right[*turn.ProposalKey] = *turn.ProposalUtility == 1
			}
		}
		most, tied, won := 0., 0., 0.
		for _, n := range votes {
			most = max(most, n)
		}
		for answer, n := range votes {
			if n == most {
				tied++
				if right[answer] {
					won++
				}
			}
		}
		share[group.Protocol] += 100 * won / tied / 4
	}
	return share
}
