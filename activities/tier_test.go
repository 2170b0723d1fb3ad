package activities_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/model/openai"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// flexService answers as OpenAI documents it: service_tier is asked for in the body and named in
// the answer, a refusal for lack of room is a 429 that costs nothing, and a model that is not
// sold in the tier is a 400.
type flexService struct {
	busy   atomic.Bool
	unsold bool
	mute   bool // it does not name the tier
	asked  atomic.Int64
	flex   atomic.Int64
	during func() // a call, before it is answered
}

func (s *flexService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Tier string `json:"service_tier"`
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &q)
	s.asked.Add(1)
	w.Header().Set("Content-Type", "application/json")
	tier := "default"
	if q.Tier == "flex" {
		s.flex.Add(1)
		tier = "flex"
		if s.unsold {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"Unsupported service_tier: flex","type":"invalid_request_error","param":"service_tier","code":null}}`)
			return
		}
		if s.busy.Load() {
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error":{"message":"Resource unavailable: there is no flex capacity at the moment.","type":"resource_unavailable","code":"resource_unavailable"}}`)
			return
		}
	}
	if s.during != nil {
		s.during()
	}
	named := fmt.Sprintf(`"service_tier":%q,`, tier)
	if s.mute {
		named = ""
	}
	fmt.Fprintf(w, `{"id":"c","model":"m",%s"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"{\"target\":[],\"message\":\"hi\"}"}}],`+
		`"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":400},"completion_tokens_details":{"reasoning_tokens":60}}}`, named)
}

func TestFlex(t *testing.T) {
	t.Parallel()
	const standard, flex = 600*1 + 400*0.5 + 100*2, 600*0.5 + 400*0.25 + 100*1 // millionths of a dollar
	for name, c := range map[string]struct {
		service *flexService
		limits  plan.Limits
		busy    bool // at the first call
		fails   string
		tier    string
		micro   float64
	}{
		"as it is":             {&flexService{}, plan.Limits{Tier: plan.Flex}, false, "", "flex", flex},
		"not asked for":        {&flexService{}, plan.Limits{}, false, "", "", standard},
		"the tier is not said": {&flexService{mute: true}, plan.Limits{Tier: plan.Flex}, false, "", "", standard},
		"room later":           {&flexService{}, plan.Limits{Tier: plan.Flex}, true, "the tier flex is busy; from ", "flex", flex},
		"no wait":              {&flexService{}, plan.Limits{Tier: plan.Flex, TierWait: "0s"}, true, "the tier flex is busy; from ", "", standard},
		"never":                {&flexService{}, plan.Limits{Tier: plan.Flex, TierWait: "never"}, true, "limits.tier_wait is never", "flex", flex},
		"not sold":             {&flexService{unsold: true}, plan.Limits{Tier: plan.Flex}, false, "from now on the model is asked in the standard tier", "", standard},
		"not sold, never":      {&flexService{unsold: true}, plan.Limits{Tier: plan.Flex, TierWait: "never"}, false, "limits.tier_wait is never", "pause", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.service)
			t.Cleanup(server.Close)
			s := newLake(t)
			p := recordPlan(t, s, yaml("flex", 2, 1, "generate: {max_tokens: 200, reasoning_effort: low}", "reasks: 0"))
			c.limits.CostUSD = dollars(1)
			half, quarter := 0.5, 0.25
			noError(t, campaign.WriteManifest(ctx, s, campaign.Manifest{
				Campaign: p.Campaign.Name, Revision: p.Campaign.Revision(), Limits: c.limits,
				Prices: map[string]campaign.Price{"test/model": {Input: 1, Output: 2, CachedInput: &half, Flex: &campaign.TierPrice{Input: 0.5, Output: 1, CachedInput: &quarter}}},
			}))
			m := must(openai.New(openai.Config{Model: "m", BaseURL: server.URL + "/v1"}))
			a := newActivities(s, m, noCache)
			worst := func() float64 { // what is reserved while a call is under way
				all := stored(t, s, p, ref(p, 0))
				if len(all.Unknown) != 1 {
					t.Fatalf("%d calls under way", len(all.Unknown))
				}
				return *all.Unknown[0].WorstUSD * 1e6
			}
			reserved := 0.
			c.service.during = func() { reserved = worst() }
			c.service.busy.Store(c.busy)
			takeTurn := func() error {
				_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, 0)})
				return err
			}
			err := takeTurn()
			if c.fails == "" {
				noError(t, err)
			} else {
				app := application(t, err)
				if !strings.Contains(app.Message(), c.fails) || app.NextRetryDelay() > 15*time.Minute {
					t.Errorf("failed with %q, again in %v, want %q", app.Message(), app.NextRetryDelay(), c.fails)
				}
				if paused := app.Type() == task.ErrPause; paused != (c.tier == "pause") {
					t.Errorf("failed with %s", app.Type())
				}
				if all := stored(t, s, p, ref(p, 0)); len(all.Unknown) > 0 || all.Charge().NanoUSD != 0 {
					t.Errorf("a refusal is charged: %+v", all)
				}
				if c.tier == "pause" {
					return
				}
				if c.limits.TierWait != "0s" {
					c.service.busy.Store(false)
				}
				noError(t, takeTurn())
			}
			calls := stored(t, s, p, ref(p, 0)).Calls(record.Key{})
			if len(calls) != 1 {
				t.Fatalf("%d calls", len(calls))
			}
			call := calls[0]
			if tier := text(call.Tier); tier != c.tier || math.Abs(*call.CostUSD*1e6-c.micro) > 1e-6 {
				t.Errorf("tier %q for %v millionths, want %q for %v", tier, *call.CostUSD*1e6, c.tier, c.micro)
			}
			if call.SavedUSD == nil != (c.tier == "") || call.SavedUSD != nil && math.Abs(*call.SavedUSD*1e6-(standard-flex)) > 1e-6 {
				t.Errorf("saved %v", call.SavedUSD)
			}
			if reserved < standard || text(call.ReasoningAsked) != "low" || *call.ReasoningTokens != 60 {
				t.Errorf("%v millionths were reserved; asked for thinking %q, used %d", reserved, text(call.ReasoningAsked), *call.ReasoningTokens)
			}
		})
	}
}

// A model whose price in the tier is not known is asked in the standard one.
func TestFlexWithoutPrice(t *testing.T) {
	t.Parallel()
	service := &flexService{}
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	s := newLake(t)
	p := recordPlan(t, s, yaml("unpriced", 2, 1, "generate: {max_tokens: 200}", "reasks: 0"))
	limit(t, s, p, plan.Limits{Tier: plan.Flex}) // its price has no flex
	m := must(openai.New(openai.Config{Model: "m", BaseURL: server.URL + "/v1"}))
	a := newActivities(s, m, noCache)
	take(t, a, ref(p, 0), 0)
	if service.flex.Load() != 0 || service.asked.Load() != 1 {
		t.Errorf("%d of %d calls asked for flex", service.flex.Load(), service.asked.Load())
	}
}

// text returns what may be absent.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
