package providers

import (
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
)

// A model on this machine is free unless it has a price or its cost is said to be unknown.
func TestModelsOnThisMachineAreFree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		endpoint, prices string
		unknown          bool
		want             *campaign.Price
		refused          bool
	}{
		"localhost":           {"http://localhost:8000/v1", "", false, &campaign.Price{}, false},
		"127.0.0.1":           {"http://127.0.0.1:11434/v1", "", false, &campaign.Price{}, false},
		"::1":                 {"http://[::1]:8000/v1", "", false, &campaign.Price{}, false},
		"with a price":        {"http://localhost:4000/v1", `{"openai/m":{"input":1,"output":2}}`, false, &campaign.Price{Input: 1, Output: 2}, false},
		"cost unknown":        {"http://localhost:4000/v1", "", true, nil, false},
		"another machine":     {"http://gpu1:8000/v1", "", false, nil, true},
		"the private network": {"http://10.0.0.8:8000/v1", "", false, nil, true},
	} {
		l := NewPriceList(FileFolder{})
		var prices []byte
		if c.prices != "" {
			prices = []byte(c.prices)
		}
		if err := l.Open(prices, c.unknown, plan.Limits{}); err != nil {
			t.Fatal(err)
		}
		err := l.require(model.Provider{Name: "openai/m", Endpoint: c.endpoint}, 100)
		got := l.Of("openai/m")
		if (err != nil) != c.refused || (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

// A price that would have no effect is refused.
func TestScriptedAgentsHaveNoPrice(t *testing.T) {
	t.Parallel()
	err := NewPriceList(FileFolder{}).Open([]byte(`{"scripted/answerer":{"input":1,"output":2},"openai/m":{"input":1,"output":2}}`), false, plan.Limits{})
	if err == nil || !strings.Contains(err.Error(), "scripted/answerer: scripted agents cost nothing") || strings.Contains(err.Error(), "openai/m") {
		t.Error(err)
	}
}
