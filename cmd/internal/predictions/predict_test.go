package predictions

import (
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/labels"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/until"
)

// Before anything was asked, each condition is predicted, models without a price are named, labels by rules take
// nothing, and a question is simulated if there is one.
func TestPredict(t *testing.T) {
	t.Parallel()
	s := storetest.NewMemory(map[string]string{})
	p, err := laketest.Record(t.Context(), s, `{name: c, replicates: 3, env: exchange, protocol: {name: roundtable, rounds: 2}, rule: plurality,
  grid: {model: [scripted/trader, openai/a, openai/b]}}`)
	if err != nil {
		t.Fatal(err)
	}
	o, most := &cli.Options{Plugins: catalogue.Builtin()}, []int{18, 18, 18}
	m := campaign.Manifest{Campaign: "c", Prices: map[string]campaign.Price{"openai/a": {Input: 1, Output: 2, MaxOutput: 99}}}
	predict := func() Prediction {
		t.Helper()
		got, err := Predict(t.Context(), o, s, p, m, most, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := predict()
	if len(got.Conditions) != 3 || !slices.Equal(got.Unpriced, []string{"openai/b"}) || !got.AsksModels() || got.Labels != nil || got.Until != nil || got.Paid != nil || got.Usable != nil {
		t.Errorf("%+v", got)
	}
	sum := 0.
	for i, known := range []bool{true, true, false} {
		c := got.Conditions[i]
		tokens, cost := c.TokensAndCost()
		if sum += c.Calls; c.Calls == 0 || c.Condition != p.Campaign.Conditions[i].ID() || (c.CostUSD != nil) != known || (cost != "not known") != known || tokens != cli.Abbreviate(int64(math.Ceil(c.Tokens))) {
			t.Errorf("condition %d: %+v, %s tokens, %s", i, c, tokens, cost)
		}
	}
	if sum != got.Calls.Mean || got.Calls.Most < sum+2 { // both models are checked, which is not likely to cost anything
		t.Errorf("%+v in all, %v in the conditions", got.Calls, sum)
	}
	if got.CostUSD != nil || *got.Conditions[0].CostUSD != 0 || *got.Conditions[1].CostUSD == 0 || got.live != got.Conditions[1].Calls+got.Conditions[2].Calls {
		t.Errorf("%+v, %v calls of models", got.Conditions, got.live)
	}
	for _, part := range []string{"the model's own maximum", "16384 tokens, as neither", "and the check call of each model"} {
		if !strings.Contains(got.Bound, part) {
			t.Errorf("%q is not in %q", part, got.Bound)
		}
	}

	m.Prices["openai/b"] = campaign.Price{Input: 1, Output: 2, MaxOutput: 9}
	m.Limits.CostUSD = new(1e-9)
	m.Labels = &campaign.Labelling{Labeller: plan.Choice{Name: labels.Rules}, Reasks: 2}
	m.Until = &until.Question{Compare: "model", Measure: "score", Method: until.Asymptotic, Width: .1, Level: .05, Ahead: 1, Levels: []until.Level{{Name: "a"}, {Name: "b"}}}
	if got = predict(); got.Labels == nil || got.Labels.Calls.Most != 0 || *got.Labels.CostUSD != (Estimate{}) || got.Paid == nil || *got.Paid >= 1 || got.CostUSD == nil || got.Unpriced != nil {
		t.Errorf("%+v", got)
	}
	if got.Until == nil || got.Until.Cells != 9 || len(got.Until.Cases) != 0 || !strings.Contains(got.Until.Basis, "--pilot finds out") {
		t.Errorf("%+v", got.Until)
	}
	if strings.Contains(got.Bound, "label") || strings.Contains(got.Bound, "16384") {
		t.Error(got.Bound)
	}
	m.Labels.Labeller.Name = "openai/l"
	if got = predict(); got.Labels.Calls.Mean == 0 || got.Labels.CostUSD != nil || !strings.Contains(got.Bound, "every label asked again 2 times") {
		t.Errorf("%+v, %s", got.Labels, got.Bound)
	}
	m.Labels.Price = &campaign.Price{Input: 1, Output: 2}
	if got = predict(); got.Labels.CostUSD == nil || got.Labels.CostUSD.Mean == 0 {
		t.Errorf("%+v", got.Labels)
	}
	o.Plugins = catalogue.Catalogue{} // which plays nothing
	if got, err := Predict(t.Context(), o, s, p, m, most, 0, ""); err == nil || got.Until != nil || got.Labels != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// A price of the tier stands beside the standard one, on which a call may fall back; in batches nothing is read
// from a cache.
func TestPriceOf(t *testing.T) {
	tenth, quarterMore := .1, 1.25
	price := campaign.Price{Input: 1, Output: 2, CachedInput: &tenth, CacheWrite: &quarterMore, MaxOutput: 9}
	m := campaign.Manifest{Prices: map[string]campaign.Price{"a": price}}
	for tier, want := range map[plan.Tier]Rate{"": {1, 2, .1, 1.25, nil}, plan.Batch: {1, 2, 0, 0, nil}} {
		m.Limits.Tier = tier
		var b bounds
		if got, longest := b.priceOf("a", 0, m); *got != want || longest != 9 || b.tier != "" || !b.real || !b.own || b.set || b.stated {
			t.Errorf("%q: %+v, %d, %+v", tier, got, longest, b)
		}
	}
	var b bounds
	if got, longest := b.priceOf("b", 0, m); got != nil || longest != statedBound || !b.unpriced["b"] || !b.stated {
		t.Errorf("%+v, %d, %+v", got, longest, b)
	}
	if _, longest := b.priceOf("a", 7, m); longest != 7 || !b.set || b.unpriced["a"] {
		t.Errorf("%d, %+v", longest, b)
	}
}

// Units are drawn again if there are enough of each comparison's differences; no more run at once than may.
func TestIsEnough(t *testing.T) {
	one, none := until.Observation{Difference: new(.5)}, until.Observation{}
	var units [][]until.Observation
	for n := range 9 {
		if isEnough(units) {
			t.Errorf("%d units are enough, of which the first lacks a difference", n)
		}
		if units = append(units, []until.Observation{one, none}); n > 0 {
			units[n][1] = one
		}
	}
	for want, rest := range map[bool][][]until.Observation{false: units[:8], true: units[1:]} {
		if isEnough(rest) != want {
			t.Errorf("of %d, enough: %t", len(rest), !want)
		}
	}
	for want, x := range map[int]struct {
		l     plan.Limits
		cells int
	}{1: {plan.Limits{}, 0}, 5: {plan.Limits{Calls: 7}, 5}, 3: {plan.Limits{Collaborations: 3}, 5}, 2: {plan.Limits{Calls: 2}, 5}} {
		if got := atOnce(x.l, x.cells); got != want {
			t.Errorf("%+v: %d at once, want %d", x, got, want)
		}
	}
	if earlyText(5, 5) != "" || !strings.Contains(earlyText(4, 5), "count the 4 calls") {
		t.Error(earlyText(5, 5), earlyText(4, 5))
	}
}
