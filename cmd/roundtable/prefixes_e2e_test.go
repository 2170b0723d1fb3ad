package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model/modeltest"
)

// What plan says that a service will read from its cache, and what that saves, is what cost shows after the
// run against a service with the documented rules: within 8 points of the input and a quarter of the cost. It is
// four fifths or more, since one agent of a phase is asked first.
func TestCachedPrefixesArePredicted(t *testing.T) {
	if !*long {
		t.Skip("runs with -long")
	}
	for name, c := range map[string]struct {
		service       *modeltest.Prefixes
		model, prices string
	}{
		"openai/m": {&modeltest.Prefixes{Least: 1024, Step: 128}, "base_url: URL/v1", "{input: 1, cached_input: 0.1, output: 6}"},
		"anthropic/m": {&modeltest.Prefixes{Least: 1024, Back: 20}, "base_url: URL, cache_control: true",
			"{input: 1, cached_input: 0.1, cache_write: 1.25, output: 6}"},
	} {
		t.Run(name, func(t *testing.T) {
			c.service.Takes = 20 * time.Millisecond
			words := strings.Repeat("as we said ", 540/11)
			c.service.Say = func(body []byte) string {
				switch text := string(body); {
				case strings.Contains(text, "this is the message phase"):
					return fmt.Sprintf(`{"target": [], "message": %q}`, words)
				case strings.Contains(text, "this is the proposal phase"):
					third := `{"apples": 33, "bread": 33, "cloth": 34}`
					return fmt.Sprintf(`{"reason_for_decision": %q, "proposal": {"Alex": {"apples": 34, "bread": 34, "cloth": 32}, "Blake": %s, "Casey": %s}}`, words, third, third)
				}
				return fmt.Sprintf(`{"reason_for_decision": %q, "decision": 1}`, words)
			}
			server := httptest.NewServer(c.service)
			defer server.Close()
			dir := t.TempDir()
			save(t, dir, "cached.yaml", fmt.Sprintf(`name: cached
env: {name: exchange, agents: 3}
protocol: {name: roundtable, rounds: 10}
rule: majority
model: {name: %s, %s, json: plain}
generate: {max_tokens: 300}
limits: {cost_usd: 5}
prices: {%[1]s: %[3]s}
`, name, strings.ReplaceAll(c.model, "URL", server.URL), c.prices))
			output := func(args ...string) []byte {
				t.Helper()
				out, err := program(t, dir, args...).Output()
				noError(t, err)
				return out
			}
			var planned struct {
				Prediction struct {
					Input   struct{ Mean float64 } `json:"input_tokens"`
					Cost    struct{ Mean float64 } `json:"cost_usd"`
					Cached  float64                `json:"cached_input_tokens"`
					Savings float64                `json:"cached_saves_usd"`
				}
			}
			noError(t, json.Unmarshal(output("plan", "cached.yaml", "--json"), &planned))
			output("run", "cached.yaml")
			var spent struct {
				Table struct {
					Rows []struct {
						Input  float64 `json:"input tokens"`
						Cached float64 `json:"of them cached"`
						Cost   float64 `json:"cost USD"`
					}
				}
			}
			noError(t, json.Unmarshal(output("cost", "cached", "--json"), &spent))
			got, p := spent.Table.Rows[len(spent.Table.Rows)-1], planned.Prediction
			share, predicted, usd := 100*got.Cached/got.Input, 100*p.Cached/p.Input.Mean, p.Cost.Mean-p.Savings
			t.Logf("%.1f %% read from the cache, %.1f %% predicted; $%.3f, $%.3f predicted", share, predicted, got.Cost, usd)
			if share < 80 || math.Abs(share-predicted) > 8 || math.Abs(usd/got.Cost-1) > 0.25 {
				t.Errorf("%.1f %% of the input is read from the cache for $%.3f, and %.1f %% for $%.3f were predicted",
					share, got.Cost, predicted, usd)
			}
		})
	}
}
