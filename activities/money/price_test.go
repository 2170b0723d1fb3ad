package money_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
)

func usd(v float64) *float64 { return &v }

func TestCost(t *testing.T) {
	// Claude Sonnet 4.5, https://platform.claude.com/docs/en/about-claude/pricing
	sonnet := campaign.Price{Input: 3, Output: 15, CachedInput: usd(0.3), CacheWrite: usd(3.75)}
	// Gemini 2.5 Pro, https://ai.google.dev/gemini-api/docs/pricing
	pro := campaign.Price{Input: 1.25, Output: 10, Long: &campaign.LongPrice{Above: 200_000, TierPrice: campaign.TierPrice{Input: 2.5, Output: 15}}}
	tests := []struct {
		name  string
		price campaign.Price
		usage model.Usage
		nano  int64
	}{
		{"plain", sonnet, model.Usage{Input: 1000, Output: 100}, 3_000_000 + 1_500_000},
		{"cached apart", sonnet, model.Usage{Input: 1000, CachedInput: 600, CacheWrite: 300}, 100*3000 + 600*300 + 300*3750},
		{"cached like input if not said", campaign.Price{Input: 2}, model.Usage{Input: 10, CachedInput: 10}, 20_000},
		{"reasoning apart", campaign.Price{Output: 1, Reasoning: usd(3)}, model.Usage{Output: 10, Reasoning: 4}, 6*1000 + 4*3000},
		{"at the step", pro, model.Usage{Input: 200_000, Output: 10}, 200_000*1250 + 100_000},
		{"above the step", pro, model.Usage{Input: 200_001, Output: 10, Reasoning: 10}, 200_001*2500 + 150_000},
		{"more cached than input", sonnet, model.Usage{Input: 10, CachedInput: 50, CacheWrite: 50}, 10 * 300},
		{"more reasoning than output", sonnet, model.Usage{Output: 10, Reasoning: 50}, 150_000},
		{"negative counts", sonnet, model.Usage{Input: -5, CachedInput: -9, CacheWrite: -1, Output: -3, Reasoning: -8}, 0},
		{"a part of a nano-dollar", campaign.Price{Input: 0.0028}, model.Usage{Input: 1}, 3},
	}
	for _, test := range tests {
		if got := money.Charge(test.price, test.usage); got.NanoUSD != test.nano {
			t.Errorf("%s: charge %v, want %d nano-dollars", test.name, got, test.nano)
		}
		if got := money.Cost(test.price, test.usage); math.Abs(got-float64(test.nano)/1e9) > 1e-9 {
			t.Errorf("%s: cost %v, want %v", test.name, got, float64(test.nano)/1e9)
		}
	}
}

// Of embeddings only what is sent costs: its bytes, 16 tokens a text and 64 around them.
func TestWorstInput(t *testing.T) {
	p := campaign.Price{Input: 0.13, Output: 99}
	got, err := money.WorstInput(p, 20_000, 128)
	if want := (money.Amount{NanoUSD: 2_874_560, Tokens: 22_112}); err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := money.WorstInput(campaign.Price{Input: -1}, 1, 1); err == nil {
		t.Error("a negative price is taken")
	}
}

func TestWorst(t *testing.T) {
	p := campaign.Price{Input: 1, Output: 2, CacheWrite: usd(1.25), Reasoning: usd(3), MaxOutput: 50}
	got, err := money.Worst(p, 900, 1, 0)
	if want := amount(980*1250+50*3000, 980+50); err != nil || got != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err = money.Worst(p, 900, 1, 10); err != nil || got.Tokens != 990 {
		t.Errorf("%v, %v", got, err)
	}
	p.MaxOutput = 0
	if _, err := money.Worst(p, 900, 1, 0); !errors.Is(err, money.ErrUnbounded) || !strings.Contains(err.Error(), "max_tokens") {
		t.Errorf("no bound on the answer: %v", err)
	}
	for _, bad := range [][3]int{{-1, 1, 1}, {1, -1, 1}, {1 << 50, 1, 1}, {1, 1 << 50, 1}, {1, 1, 1 << 50}} {
		if _, err := money.Worst(p, bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v has a worst case", bad)
		}
	}
	if _, err := money.Worst(campaign.Price{Input: -1}, 1, 1, 1); err == nil {
		t.Error("a negative price has a worst case")
	}
}

func anyPrice(t *rapid.T) campaign.Price {
	price := func(label string) float64 {
		return float64(rapid.Int64Range(0, 200_000_000).Draw(t, label)) / 1e6
	}
	optional := func(label string) *float64 {
		if rapid.Bool().Draw(t, "has "+label) {
			return usd(price(label))
		}
		return nil
	}
	p := campaign.Price{
		Input: price("input"), Output: price("output"), CachedInput: optional("cached"), CacheWrite: optional("write"), Reasoning: optional("reasoning"),
	}
	if rapid.Bool().Draw(t, "has long") {
		p.Long = &campaign.LongPrice{Above: rapid.IntRange(0, 500).Draw(t, "above"), TierPrice: campaign.TierPrice{
			Input: price("long input") + 1e-6, Output: price("long output") + 1e-6, CachedInput: optional("long cached"), CacheWrite: optional("long write"),
		}}
	}
	if rapid.Bool().Draw(t, "has flex") {
		p.Flex = &campaign.TierPrice{Input: price("flex input"), Output: price("flex output"), CachedInput: optional("flex cached"), CacheWrite: optional("flex write")}
		p.Flex.Input, p.Flex.Output = max(p.Flex.Input, 1e-6), max(p.Flex.Output, 1e-6)
	}
	return p
}

// TestNoCallCostsMoreThanItsWorstCase: whatever is billed for a request of so many
// bytes, with no more tokens than bytes and no longer an answer than asked for.
func TestNoCallCostsMoreThanItsWorstCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPrice(t)
		size, most := rapid.IntRange(0, 1000).Draw(t, "bytes"), rapid.IntRange(1, 1000).Draw(t, "max tokens")
		worst, err := money.Worst(p, size, 1, most)
		if err != nil {
			t.Fatal(err)
		}
		part := func(label string) int64 { return rapid.Int64Range(-10, 1200).Draw(t, label) }
		u := model.Usage{
			Input: rapid.Int64Range(0, int64(size)+16).Draw(t, "input"), Output: rapid.Int64Range(0, int64(most)).Draw(t, "output"),
			CachedInput: part("cached"), CacheWrite: part("written"), Reasoning: part("reasoning"),
		}
		p = p.In(rapid.SampledFrom([]plan.Tier{"", plan.Standard, plan.Flex}).Draw(t, "tier it was answered in"))
		charge, cost := money.Charge(p, u), money.Cost(p, u)
		if charge.NanoUSD > worst.NanoUSD || charge.Tokens > worst.Tokens {
			t.Fatalf("%+v is charged %v, the worst case is %v", u, charge, worst)
		}
		if cost < 0 || float64(charge.NanoUSD)/1e9 < cost-1e-12*(1+cost) || float64(charge.NanoUSD)/1e9 > cost+2e-9 {
			t.Fatalf("%+v costs %v and is charged %v", u, cost, charge)
		}
	})
}

func TestAmountInWords(t *testing.T) {
	for a, want := range map[money.Amount]string{
		amount(0, 0):                "$0.00 and 0 tokens",
		amount(1, 2):                "$0.000000001 and 2 tokens",
		amount(12_340_000_000, 5):   "$12.34 and 5 tokens",
		amount(10_000_000_000, 5):   "$10.00 and 5 tokens",
		amount(-500_000_000, -1):    "$-0.50 and -1 tokens",
		amount(-2_500_000_000, -1):  "$-2.50 and -1 tokens",
		amount(100_000_000_001, 17): "$100.000000001 and 17 tokens",
	} {
		if got := a.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := money.NewCaps(usd(0.29), 5).String(); got != "$0.29 and 5 tokens" {
		t.Error(got)
	}
	if got := money.NewCaps(nil, 0).String(); got != "no cap" {
		t.Error(got)
	}
}
