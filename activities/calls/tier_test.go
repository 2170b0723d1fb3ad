package calls

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
)

// A call waits as long as the file says, counted from its first refusal, and each for itself.
func TestTierWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tiers tiers
		price := &campaign.Price{Input: 1, Output: 2, Flex: &campaign.TierPrice{Input: 0.5, Output: 1}}
		l := plan.Limits{Tier: plan.Flex, TierWait: "2m"}
		q := Order{Run: answers.RunKey{Campaign: "c", Collaboration: "x"}, Provider: model.Provider{Name: "openai/m"}}
		busy := &model.Error{Status: 429, Code: "resource_unavailable", Message: "Resource unavailable", Unbilled: true, Fault: model.Busy, Class: model.Retry}
		refuse := func(q Order, e *model.Error) *model.Error {
			told, is := errors.AsType[*model.Error](tiers.note(q, 0, l, e))
			if !is {
				t.Fatalf("%v is not taken for a refusal of the tier", e)
			}
			return told
		}
		if e := refuse(q, busy); e.RetryAfter != 0 || !strings.Contains(e.Message, "from 00:02 UTC on the call is made in the standard tier") {
			t.Errorf("%v, again in %v", e, e.RetryAfter)
		}
		time.Sleep(100 * time.Second)
		if e := refuse(q, busy); e.RetryAfter != 20*time.Second {
			t.Errorf("again in %v, with 20 s left", e.RetryAfter)
		}
		if tiers.pickTier(q, 0, l, price) != plan.Flex {
			t.Error("it does not wait to the end")
		}
		time.Sleep(20 * time.Second)
		other := q
		other.Entry = 7
		if tiers.pickTier(q, 0, l, price) != "" || tiers.pickTier(other, 0, l, price) != plan.Flex {
			t.Error("two minutes after its first refusal the call is not made in the standard tier, or another one is, too")
		}
		tiers.forget(q, 0)
		if tiers.pickTier(q, 0, l, price) != plan.Flex || len(tiers.standard) > 0 {
			t.Error("what was answered is remembered")
		}
		for name, e := range map[string]*model.Error{
			"the limit of a minute": {Status: 429, Code: "rate_limit_exceeded", Message: "Rate limit reached for gpt-5", Unbilled: true},
			"another parameter":     {Status: 400, Message: "Unsupported parameter: temperature", Unbilled: true},
			"perhaps billed":        {Status: 429, Code: "resource_unavailable"},
		} {
			if tiers.note(q, 0, l, e) != nil {
				t.Errorf("%s is taken for a refusal of the tier", name)
			}
		}
		if e := refuse(q, &model.Error{Status: 503, Message: "The service is currently unavailable.", Unbilled: true}); e.Class != model.Retry {
			t.Errorf("Google's refusal: %+v", e)
		}
		l.TierWait = plan.NeverStandard
		time.Sleep(time.Hour)
		if tiers.pickTier(q, 0, l, price) != plan.Flex {
			t.Error("never is some time")
		}
		for name, other := range map[string]plan.Tier{
			"no tier":  tiers.pickTier(q, 0, plan.Limits{}, price),
			"no price": tiers.pickTier(q, 0, l, nil), "no price in the tier": tiers.pickTier(q, 0, l, &campaign.Price{Input: 1, Output: 2}),
		} {
			if other != "" {
				t.Errorf("%s: %q", name, other)
			}
		}
	})
}
