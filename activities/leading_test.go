package activities_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Where a service sells what it has read before at a lower price, and all prompts of a phase begin with the
// same new text of 1,024 tokens or more, one agent is asked first and the others at once after its answer.
func TestOneCallLeadsWhereABeginningIsShared(t *testing.T) {
	less, equal := 0.1, 1.0
	for name, c := range map[string]struct {
		price   campaign.Price
		tier    plan.Tier
		message int // bytes of what each agent writes
		led     bool
	}{
		"cached reads are sold": {campaign.Price{Input: 1, Output: 2, CachedInput: &less}, "", 2000, true},
		"prompts are short":     {campaign.Price{Input: 1, Output: 2, CachedInput: &less}, "", 20, false},
		"they are not sold":     {campaign.Price{Input: 1, Output: 2}, "", 2000, false},
		"at the same price":     {campaign.Price{Input: 1, Output: 2, CachedInput: &equal}, "", 2000, false},
		"a batch has no order":  {campaign.Price{Input: 1, Output: 2, CachedInput: &less}, plan.Batch, 2000, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newLake(t)
				p := recordPlan(t, s, yaml("led", 3, 1))
				noError(t, campaign.WriteManifest(ctx, s, campaign.Manifest{
					Campaign: p.Campaign.Name, Revision: p.Campaign.Revision(), Limits: plan.Limits{Tier: c.tier},
					Prices: map[string]campaign.Price{"test/model": c.price}}))
				var open, most atomic.Int64 // of proposals
				m := &fake{answer: func(r model.Request) (model.Response, error) {
					if r.Scene.Format == transcript.FormatProposal {
						if n := open.Add(1); n > most.Load() {
							most.Store(n)
						}
						defer open.Add(-1)
					}
					time.Sleep(time.Second)
					if r.Scene.Format == transcript.FormatMessage {
						return response(fmt.Sprintf(`{"target": [], "message": %q}`, strings.Repeat("word ", c.message/5))), nil
					}
					return response(polite(r)), nil
				}}
				_, err := play(t, newActivities(s, m), task.Round{Ref: ref(p, 0)})
				noError(t, err)
				want := int64(3)
				if c.led {
					want = 2
				}
				same(t, most.Load(), want)
			})
		})
	}
}
