package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

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

// A new plan writes down what has another default than it once had; a plan that
// was recorded without it keeps the former meaning, its ids, and can grow.
func TestChangedDefaults(t *testing.T) {
	now := parse(t, supermajority).Campaign
	c := now.Conditions[0]
	if p := string(c.Protocol.Params); !strings.Contains(p, `"merge_equal":false`) {
		t.Errorf("the protocol is recorded with %s", p)
	}
	if p := string(c.Rule.Params); p != `{"inclusive":true}` || !selects(t, c) {
		t.Errorf("the rule is recorded with %s, two of three suffice: %v", p, selects(t, c))
	}

	recorded := now
	recorded.Conditions = []plan.Condition{{
		Env: plan.Choice{Name: "exchange"}, Protocol: plan.Choice{Name: "discussion"}, Rule: plan.Choice{Name: "supermajority_consensus"},
		Stop: c.Stop, Model: c.Model, Reasks: c.Reasks,
	}}
	if selects(t, recorded.Conditions[0]) {
		t.Error("two of three suffice in a campaign recorded when more than two thirds were needed")
	}
	host := plan.Host{Catalogue: catalogue.Builtin(), Recorded: func(name string) (plan.Campaign, error) {
		if name != "a" {
			return plan.Campaign{}, fmt.Errorf("asked for %s", name)
		}
		return recorded, nil
	}}
	file, err := plan.Parse([]byte(supermajority+"replicates: 2\n"), host)
	if err != nil {
		t.Fatal(err)
	}
	again := file.Campaign
	if again.Conditions[0].ID() != recorded.Conditions[0].ID() || selects(t, again.Conditions[0]) {
		t.Errorf("the campaign goes on with %s", again.Conditions[0].Rule.Params)
	}
	if diff := again.Extends(recorded); len(diff) > 0 {
		t.Errorf("it cannot grow: %v", diff)
	}

	// A recorded plan of today's goes on as it is.
	recorded.Conditions = now.Conditions
	if file, err = plan.Parse([]byte(supermajority), host); err != nil || file.Campaign.Revision() != now.Revision() {
		t.Errorf("today's plan does not go on: %v", err)
	}
}

// What the file gives is taken as it is, and makes the same condition as the default.
func TestChangedDefaultsThatAreGiven(t *testing.T) {
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

// A new campaign keeps its answers to itself; one that was recorded when the
// whole lake shared them goes on so, though its file does not say it.
func TestCacheScopeOfRecordedCampaigns(t *testing.T) {
	now := parse(t, minimal).Campaign
	if now.CacheScope != "campaign" {
		t.Errorf("the scope of a new campaign is %s", now.CacheScope)
	}
	recorded := now
	recorded.CacheScope = "lake"
	host := plan.Host{Catalogue: catalogue.Builtin(), Recorded: func(string) (plan.Campaign, error) { return recorded, nil }}
	file, err := plan.Parse([]byte(minimal+"replicates: 2\n"), host)
	if err != nil {
		t.Fatal(err)
	}
	if diff := file.Campaign.Extends(recorded); file.Campaign.CacheScope != "lake" || len(diff) > 0 {
		t.Errorf("the recorded campaign goes on with the scope %s: %q", file.Campaign.CacheScope, diff)
	}
	file, err = plan.Parse([]byte(minimal+"cache_scope: campaign\n"), host)
	if err != nil {
		t.Fatal(err)
	}
	if diff := file.Campaign.Extends(recorded); len(diff) != 1 {
		t.Errorf("another scope that the file asks for is accepted: %q", diff)
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
	_, err := plan.Parse([]byte(minimal+"generate: {extra_body: {max_tokens: 9, top_k: 20}}\n"), plan.Host{Catalogue: catalogue.Builtin()})
	if err == nil || !strings.Contains(err.Error(), "generate.extra_body.max_tokens") || strings.Contains(err.Error(), "top_k") {
		t.Errorf("a bound in extra_body: %v", err)
	}
}
