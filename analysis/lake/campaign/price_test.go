package campaign

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"roundtable/workflows/plan"
)

func TestPriceJSON(t *testing.T) {
	var p Price
	if err := json.Unmarshal([]byte(`{"input": 3, "output": 15, "cached_input": 0.3, "cache_write": 3.75, "reasoning": 15, "max_output": 64000}`), &p); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(p)
	if want := `{"input":3,"output":15,"cached_input":0.3,"cache_write":3.75,"reasoning":15,"max_output":64000}`; err != nil || string(again) != want {
		t.Errorf("%s, %v", again, err)
	}
	for bad, says := range map[string]string{
		`{"input": -1, "output": 1}`:                     "input: a price is US dollars",
		`{"input": 1, "output": 1e9}`:                    "output:",
		`{"input": 1, "output": 1, "cached": 1}`:         `"cached"`,
		`{"input": 1, "output": 1, "cache_write": -0.1}`: "cache_write:",
		`{"output": 1}`:                                  "input and output must be given",
		`{"input": 1}`:                                   "input and output must be given",
		`{"input": 1, "output": 1, "max_output": -1}`:    "max_output:",
		`{"input": 1, "output": 1, "long": {"above": 1, "input": 1, "outpt": 2}}`: `"long.outpt"`,
		`{"input": 1, "output": 1, "long": {"above": -1, "input": -1}}`:           "long.input:",
		`{"input": 1, "output": 1, "flex": {"input": 0.5}}`:                       "flex: input and output must be given",
		`{"input": 1, "output": 1, "batch": {"input": 0.5, "output": -1}}`:        "batch.output:",
		`{"input": 1, "output": 1, "batch_input": 0.5}`:                           `"batch_input"`,
		`{"input": 1, "output": 1, "as_of": "yesterday"}`:                         "as_of:",
		`{"input": "1", "output": 1}`:                                             "price:",
		`[]`:                                                                      "price:",
	} {
		if err := json.Unmarshal([]byte(bad), &p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error about %s", bad, err, says)
		}
	}
	if err := errors.Join(Price{}.Validate(), Price{Input: maxPrice}.Validate()); err != nil { // free, and the greatest
		t.Error(err)
	}
	if err := (Price{Input: math.NaN()}).Validate(); err == nil {
		t.Error("NaN is a price")
	}
}

// Thinking costs as many times more than words in a tier as in the standard one.
func TestThinkingInATier(t *testing.T) {
	thinking := 8.
	p := Price{Input: 1, Output: 4, Reasoning: &thinking, Flex: &TierPrice{Input: 0.5, Output: 2}}
	if in := p.In(plan.Flex); in.Reasoning == nil || *in.Reasoning != 4 {
		t.Errorf("a million tokens of thinking in flex cost %v, want 4", in.Reasoning)
	}
}
