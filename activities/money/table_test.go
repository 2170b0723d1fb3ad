package money_test

import (
	"bytes"
	"flag"
	"net/url"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs/hostiletest"
	"roundtable/workflows/plan"
)

func TestDefaultTable(t *testing.T) {
	table, asOf := money.Default()
	if _, err := time.Parse(time.DateOnly, asOf); err != nil {
		t.Error(err)
	}
	keys := table.Keys()
	if len(keys) < 40 {
		t.Errorf("%d models", len(keys))
	}
	for _, key := range keys {
		e, ok := table.Find(key)
		source, err := url.Parse(e.Source)
		if !ok || e.Key != key || e.Provider == "" || err != nil || source.Scheme != "https" {
			t.Errorf("%s: found %v, %+v", key, ok, e)
		}
		if day, err := time.Parse(time.DateOnly, e.Price.AsOf); err != nil || day.Year() < 2026 || e.Price.AsOf > asOf {
			t.Errorf("%s: looked up on %q; the table is of %s", key, e.Price.AsOf, asOf)
		}
		for _, tier := range []*campaign.TierPrice{e.Price.Flex, e.Price.Batch} {
			if tier != nil && (tier.Input < 0.4*e.Price.Input || tier.Input >= e.Price.Input || tier.Output >= e.Price.Output) {
				t.Errorf("%s: prices that no service has: %+v", key, *tier)
			}
		}
		embeds := strings.Contains(key, "embed") // and answers with no token
		for _, p := range []float64{e.Price.Input, e.Price.Output} {
			if (p < 0.01 || p > 100) && !(embeds && p == e.Price.Output && p == 0) {
				t.Errorf("%s: $%v for a million tokens", key, p)
			}
		}
		if e.Price.CachedInput != nil && *e.Price.CachedInput > e.Price.Input || !embeds && e.Price.Output < e.Price.Input {
			t.Errorf("%s: prices that no service has: %+v", key, e.Price)
		}
	}
}

func TestFind(t *testing.T) {
	table, _ := money.Default()
	for name, key := range map[string]string{
		"openai/gpt-5-mini":                        "gpt-5-mini",
		"gpt-5-mini":                               "gpt-5-mini",
		"gpt-5-mini-2025-08-07":                    "gpt-5-mini",
		"openai/gpt-5-mini-2025-08-07":             "gpt-5-mini",
		"openai/gpt-4o-2024-05-13":                 "gpt-4o-2024-05-13", // a snapshot with a price of its own
		"openai/gpt-4o-2024-11-20":                 "gpt-4o",
		"openai/gpt-3.5-turbo-0125":                "gpt-3.5-turbo-0125", // of papers 1 and 5
		"openai/gpt-3.5-turbo-0613":                "gpt-3.5-turbo-0613",
		"anthropic/claude-haiku-4-5-20251001":      "claude-haiku-4-5",
		"claude-haiku-4-5@20251001":                "claude-haiku-4-5",
		"gemini/gemini-2.5-pro":                    "gemini/gemini-2.5-pro",
		"google/gemini-2.5-pro":                    "gemini/gemini-2.5-pro",
		"gemini-2.5-pro":                           "gemini/gemini-2.5-pro",
		"bedrock/amazon.nova-lite-v1:0":            "amazon.nova-lite-v1:0",
		"bedrock/eu.amazon.nova-2-lite-v1:0":       "eu.amazon.nova-2-lite-v1:0",
		"groq/openai/gpt-oss-120b":                 "groq/openai/gpt-oss-120b",
		"together/openai/gpt-oss-120b":             "together_ai/openai/gpt-oss-120b",
		"meta-llama/Llama-3.3-70B-Instruct-Turbo":  "together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo",
		"deepseek/deepseek-v4-pro":                 "deepseek/deepseek-v4-pro",
		"openai/text-embedding-3-large":            "text-embedding-3-large",
		"openrouter/openai/text-embedding-3-large": "openrouter/openai/text-embedding-3-large",
		"":                                   "",
		"/":                                  "",
		"gpt":                                "",
		"gpt-5-min":                          "",
		"gpt-5-mini-":                        "",
		"gpt-5-mini-2025":                    "",
		"gpt-5-mini-2025-13-40":              "",
		"openai/gpt-6.2-sol":                 "gpt-6.2-sol",
		"google/gemini-3.1-pro-preview":      "gemini/gemini-3.1-pro-preview",
		"gpt-5-mini-fast":                    "",
		"gpt-4.5":                            "",
		"gpt-4-32k":                          "",
		"gpt-4-0314":                         "",
		"GPT-4o":                             "",
		"azure/gpt-4o":                       "", // Azure has prices of its own
		"anthropic/gpt-4o":                   "",
		"openrouter/openai/gpt-5-mini":       "",
		"openai/gpt-oss-120b":                "", // not OpenAI's to sell
		"openai/openai/gpt-5-mini":           "",
		"bedrock/jp.amazon.nova-2-lite-v1:0": "", // another region, another price
		"bedrock/claude-haiku-4-5":           "",
		"sample_spec":                        "",
		"openai/" + strings.Repeat("gpt-4o", 10_000): "",
	} {
		e, ok := table.Find(name)
		if e.Key != key || ok != (key != "") {
			t.Errorf("%.60q is %q, want %q", name, e.Key, key)
		}
	}
}

// odd has the oddities of LiteLLM's file, with figures of our own.
const odd = `{
  "sample_spec": {"input_cost_per_token": 0.0, "max_output_tokens": "text", "litellm_provider": "one of …", "mode": "one of …"},
  "plain": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "max_output_tokens": 4096, "max_tokens": 9},
  "texts": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": "0.000001", "output_cost_per_token": "2e-6", "max_output_tokens": "8192"},
  "words": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "max_output_tokens": "as many as you like"},
  "step": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "cache_read_input_token_cost": 1e-07,
    "input_cost_per_token_flex": 5e-07, "output_cost_per_token_flex": 1e-06, "input_cost_per_token_batches": 4e-07,
    "input_cost_per_token_above_128k_tokens": 3e-06, "input_cost_per_token_above_200k_tokens": 4e-06, "output_cost_per_token_above_200k_tokens": 5e-06,
    "cache_read_input_token_cost_above_200k_tokens": 2e-07, "cache_creation_input_token_cost_above_1hr": 9e-06, "input_cost_per_token_priority": 8e-06},
  "long": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "input_cost_per_token_above_200k_tokens": 4e-06},
  "ranges": {"litellm_provider": "p", "mode": "chat", "tiered_pricing": [
    {"range": [0, 32000.0], "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
    {"range": [32000.0, 128000], "input_cost_per_token": 3e-06, "output_cost_per_token": 4e-06, "output_cost_per_reasoning_token": 6e-06}]},
  "image": {"litellm_provider": "p", "mode": "image_generation", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
  "vectors": {"litellm_provider": "p", "mode": "embedding", "input_cost_per_token": 1e-07},
  "free": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 0, "output_cost_per_token": 0},
  "half": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06},
  "negative": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": -1e-06, "output_cost_per_token": 1e-06},
  "dear": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e6, "output_cost_per_token": 1e-06},
  "list": [1, 2], "null": null, "text": "x", "numbers": {"litellm_provider": 7, "mode": 3, "input_cost_per_token": true},
  "p/two": {"litellm_provider": "p", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
  "q/two": {"litellm_provider": "q", "input_cost_per_token": 1e-06, "output_cost_per_token": 3e-06},
  "p/alike": {"litellm_provider": "p", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
  "q/alike": {"litellm_provider": "q", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06}
}`

func TestReadLiteLLM(t *testing.T) {
	table, err := money.Read(strings.NewReader(odd))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(table.Keys(), " "); got != "long p/alike p/two plain q/alike q/two ranges step texts vectors words" {
		t.Errorf("models %s", got)
	}
	for name, max := range map[string]int{"plain": 4096, "texts": 8192, "words": 0} {
		e, _ := table.Find("p/" + name)
		if e.Price.Input != 1 || e.Price.Output != 2 || e.Price.MaxOutput != max {
			t.Errorf("%s: %+v", name, e.Price)
		}
	}
	cost := func(name string, u model.Usage) float64 {
		e, _ := table.Find(name)
		return money.Cost(e.Price, u) * 1e6
	}
	for _, test := range []struct {
		name  string
		usage model.Usage
		micro float64
	}{
		{"step", model.Usage{Input: 128_000, Output: 1}, 128_000 + 2},
		{"step", model.Usage{Input: 128_001, Output: 1}, 128_001*4 + 5},
		{"long", model.Usage{Input: 200_001, Output: 1}, 200_001*4 + 2},
		{"ranges", model.Usage{Input: 32_000, Output: 1}, 32_000 + 2},
		{"ranges", model.Usage{Input: 32_001, Output: 1}, 32_001*3 + 6},
	} {
		if got := cost(test.name, test.usage); got < test.micro*0.999999 || got > test.micro*1.000001 {
			t.Errorf("%s: %+v costs %v millionths, want %v", test.name, test.usage, got, test.micro)
		}
	}
	step, _ := table.Find("p/step")
	if flex := step.Price.In(plan.Flex); step.Price.Batch != nil || *step.Price.Flex != (campaign.TierPrice{Input: 0.5, Output: 1}) || flex.Long.Input != 2 || flex.Long.Output != 2.5 || *flex.CachedInput != 0.1 {
		t.Errorf("flex: %+v, long %+v", flex, flex.Long)
	}
	if e, _ := table.Find("p/vectors"); e.Price != (campaign.Price{Input: 0.1}) {
		t.Errorf("embeddings cost %+v", e.Price)
	}
	if _, ok := table.Find("two"); ok {
		t.Error("a name with two prices was found")
	}
	if _, ok := table.Find("alike"); !ok {
		t.Error("a name with one price at two providers was not found")
	}
}

func TestReadRefusals(t *testing.T) {
	for _, bad := range []string{"", "[]", "{}", "null", "{", `{"a": 1}`, odd + odd, strings.Repeat("[", 1_000_000), `{"a":` + strings.Repeat("[", 1_000_000)} {
		if _, err := money.Read(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "price table: ") {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	large := strings.NewReader(`{"a": "` + strings.Repeat("x", 17<<20) + `"}`)
	if _, err := money.Read(large); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("17 MiB: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(odd))
	f.Add([]byte(`{"a/b": {"input_cost_per_token_above_0k_tokens": 1, "input_cost_per_token": "1e-7", "output_cost_per_token": 0}}`))
	f.Add([]byte(`{"a": {"tiered_pricing": [{"range": [1e300], "input_cost_per_token": 1}, {"range": []}, 5]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := money.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, key := range table.Keys() {
			e, ok := table.Find(key)
			if !ok || e.Key != key {
				t.Fatalf("%q is not found by its key", key)
			}
			if err := e.Price.Validate(); err != nil {
				t.Fatalf("%q: %v", key, err)
			}
			worst, err := money.Worst(e.Price, 300_000, 3, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if charge := money.Charge(e.Price, model.Usage{Input: 300_000, CachedInput: 9, CacheWrite: 9, Output: 1000, Reasoning: 500}); charge.NanoUSD > worst.NanoUSD {
				t.Fatalf("%q: %v is charged, the worst case is %v", key, charge, worst)
			}
			table.Find(key + "-2025-08-07")
		}
	})
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		money.Default()
	}
}

var long = flag.Bool("long", false, "run the long tests as well")

// Prices that a stranger could have made of valid ones take neither memory nor time.
func TestHostilePrices(t *testing.T) {
	n := 30
	if *long {
		n = 1000
	}
	hostiletest.ReadFiles(t, n, []string{odd}, func(data []byte) {
		if table, err := money.Read(bytes.NewReader(data)); err == nil {
			table.Keys()
		}
	})
}
