package main

import (
	"strings"
	"testing"
	"time"

	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/plan"
)

func TestPriceNotes(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	flex := &campaign.TierPrice{Input: 0.5, Output: 1}
	m := campaign.Manifest{Limits: plan.Limits{Tier: plan.Flex}, Prices: map[string]campaign.Price{
		"openai/fresh": {Input: 1, Output: 2, Flex: flex, AsOf: "2026-08-30"},
		"openai/old":   {Input: 1, Output: 2, Flex: flex, AsOf: "2026-08-28"},
		"openai/own":   {Input: 1, Output: 2},
		"openai/free":  {},
	}}
	got := strings.Join(planning.PriceNotes(m, now), "\n")
	want := "the price of openai/old was looked up on 2026-08-28, 91 days ago; check it, and give another one under prices\n" +
		"openai/own has no price in the tier flex, so it is asked in the standard tier; prices: {openai/own: {input: …, output: …, flex: {input: …, output: …}}} gives it one"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	m.Limits.Tier = plan.Batch
	if got := strings.Join(planning.PriceNotes(m, now), "\n"); !strings.Contains(got, "openai/own has no price in the tier batch (OpenAI, Anthropic and Google sell batches), so it is asked in the standard tier") {
		t.Errorf("batches: got\n%s", got)
	}
	if m.Limits.Tier = ""; strings.Contains(strings.Join(planning.PriceNotes(m, now), ""), "openai/own") {
		t.Error("a tier that was not asked for is missed")
	}
}

// A model counts as free, and that is said, if this machine serves it and it has no price.
func TestEndpointNotes(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "k")
	for _, c := range []struct {
		params string
		price  campaign.Price
		free   bool
	}{
		{`{"base_url": "http://127.0.0.1:9/v1"}`, campaign.Price{}, true}, {`{"base_url": "http://127.0.0.1:9/v1"}`, campaign.Price{Input: 1}, false},
		{`{}`, campaign.Price{}, false},
	} {
		var p campaign.Plan
		p.Campaign.Conditions = []plan.Condition{{Model: plan.Choice{Name: "openai/m", Params: []byte(c.params)}}}
		got := planning.EndpointNotes(p, campaign.Manifest{Prices: map[string]campaign.Price{"openai/m": c.price}}, nil)
		if (len(got) == 1 && strings.Contains(got[0], "openai/m is on this machine (http://127.0.0.1:9/v1) and counts as free")) != c.free || !c.free && len(got) > 0 {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
