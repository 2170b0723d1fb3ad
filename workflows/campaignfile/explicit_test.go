package campaignfile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

const supermajority = "name: a\nenv: exchange\nprotocol: discussion\nrule: supermajority_consensus\nmodel: scripted/trader\n"

// selects says whether a condition's rule takes two of three agreements.
func selects(t *testing.T, c plan.Condition) bool {
	t.Helper()
	rule, err := c.BuildRule(catalogue.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	two := decision.Profile{Candidates: 1, Electorate: 3}
	for range 2 {
		two.Ballots = append(two.Ballots, transcript.Ballot{})
	}
	return len(rule.Tally(two).Winners) == 1
}

// A condition states what its plug-ins want stated, given or not.
func TestExplicitParameters(t *testing.T) {
	c := parse(t, supermajority).Campaign.Conditions[0]
	if p := string(c.Protocol.Params); !strings.Contains(p, `"merge_equal":false`) {
		t.Errorf("the protocol is recorded with %s", p)
	}
	if p := string(c.Rule.Params); p != `{"inclusive":true}` || !selects(t, c) {
		t.Errorf("the rule is recorded with %s, two of three suffice: %v", p, selects(t, c))
	}
	for _, p := range catalogue.Builtin().Protocols {
		checkExplicit(t, p)
	}
	for _, p := range catalogue.Builtin().Rules {
		checkExplicit(t, p)
	}
	for _, p := range catalogue.Builtin().Environments {
		checkExplicit(t, p)
	}
}

func checkExplicit[T, N any](t *testing.T, p catalogue.Plugin[T, N]) {
	t.Helper()
	data, err := json.Marshal(p.Params)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range p.Explicit {
		if !strings.Contains(string(data), `"`+key+`":`) {
			t.Errorf("%s has no parameter %s", p.Name, key)
		}
	}
}

// What the file gives is taken as it is, and makes the same condition as the default.
func TestExplicitParametersThatAreGiven(t *testing.T) {
	given := strings.Replace(supermajority, "rule: supermajority_consensus", "rule: {name: supermajority_consensus, inclusive: true}", 1)
	if a, b := parse(t, given).Campaign.Conditions[0].ID(), parse(t, supermajority).Campaign.Conditions[0].ID(); a != b {
		t.Errorf("%s, %s", a, b)
	}
	strict := strings.Replace(given, "true", "false", 1)
	if c := parse(t, strict).Campaign.Conditions[0]; selects(t, c) {
		data, _ := json.Marshal(c)
		t.Errorf("%s takes two of three", data)
	}
}

// Further fields of a request's body are part of the condition where they are
// given; those that roundtable sets itself are refused.
func TestExtraBody(t *testing.T) {
	plain := parse(t, minimal+"generate: {temperature: 0}\n").Campaign.Conditions[0]
	extra := parse(t, minimal+"generate: {temperature: 0, extra_body: {chat_template_kwargs: {enable_thinking: false}}}\n").Campaign.Conditions[0]
	if plain.ID() == extra.ID() || len(extra.Generate.ExtraBody) != 1 || plain.Generate.ExtraBody != nil {
		t.Errorf("%s with %v, %s with %v", plain.ID(), plain.Generate, extra.ID(), extra.Generate)
	}
	_, err := campaignfile.Parse([]byte(minimal+"generate: {extra_body: {max_tokens: 9, top_k: 20}}\n"), campaignfile.Host{Catalogue: catalogue.Builtin()})
	if err == nil || !strings.Contains(err.Error(), "generate.extra_body.max_tokens") || strings.Contains(err.Error(), "top_k") {
		t.Errorf("a bound in extra_body: %v", err)
	}
}
