package calls

import (
	"context"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/singleflight"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake/campaign"
)

// fees are the most that services have billed beside tokens for one call. Nothing says them before
// a call: what was billed before is reserved for the next.
type fees struct {
	reading singleflight.Group // by campaign

	mu   sync.Mutex
	read map[string]bool  // campaigns whose earlier answers were looked at
	most map[feeKey]int64 // 1e-9 US dollars
}

type feeKey struct{ campaign, model string }

// note learns what an answer's service has billed beside tokens.
func (f *fees) note(campaign string, a answers.Answer) {
	if a.FeeUSD <= 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.most == nil {
		f.most = map[feeKey]int64{}
	}
	key := feeKey{campaign, a.ModelAsked}
	f.most[key] = max(f.most[key], int64(math.Round(a.FeeUSD*1e9)))
}

// withFee adds the highest fee that is known of a model to the worst case of a call. Under a cap, what
// the campaign's checks and first collaborations were billed is looked up once.
func (c *Caller) withFee(ctx context.Context, m campaign.Manifest, q Order, worst int64) (int64, error) {
	f := &c.fees
	f.mu.Lock()
	fee, read := f.most[feeKey{m.Campaign, q.Provider.Name}], f.read[m.Campaign]
	f.mu.Unlock()
	if read || m.Limits.CostUSD == nil || q.Provider.Endpoint == "" {
		return worst + fee, nil
	}
	_, err, _ := f.reading.Do(m.Campaign, func() (any, error) {
		checks, others, err := ledger.EarlyAnswers(context.WithoutCancel(ctx), c.store, m.Campaign)
		if err != nil {
			return nil, err
		}
		for _, a := range slices.Concat(checks, others) {
			f.note(m.Campaign, a)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.read == nil {
			f.read = map[string]bool{}
		}
		f.read[m.Campaign] = true
		return nil, nil
	})
	if err != nil {
		return 0, err
	}
	return c.withFee(ctx, m, q, worst)
}
