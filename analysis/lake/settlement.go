package lake

import (
	"context"
	"fmt"
	"time"

	"roundtable/analysis/lake/store"
)

// CallKey identifies one call of a campaign.
type CallKey struct {
	Run
	Entry   int `json:"entry"`
	Ask     int `json:"ask"`
	Attempt int `json:"attempt"`
}

// SettledCall is a call of unknown outcome with what it turned out to have been billed.
type SettledCall struct {
	CallKey
	USD         float64  `json:"usd"`
	Tokens      int64    `json:"tokens"`              // input and output
	WorstUSD    *float64 `json:"worst_usd,omitempty"` // of its intent, like WorstTokens
	WorstTokens int64    `json:"worst_tokens,omitempty"`
}

// Settlement says what calls of unknown outcome were billed, and who says so. It is stored next to
// the ledger, which is not changed.
type Settlement struct {
	At       time.Time     `json:"at"`
	Evidence string        `json:"evidence"`
	Again    bool          `json:"again,omitempty"` // its calls were settled before; this one replaces that
	Calls    []SettledCall `json:"calls"`
}

// Settled holds the settled calls of a campaign.
type Settled map[CallKey]SettledCall

// Correct returns a run's cost, and the worst case of its calls of unknown outcome, both in US
// dollars and after settlement; cost and worst are these sums before it.
func (s Settled) Correct(run Run, cost, worst float64) (float64, float64) {
	for key, c := range s {
		if key.Run != run {
			continue
		}
		cost += c.USD
		if c.WorstUSD != nil {
			worst -= *c.WorstUSD
		}
	}
	if worst < 1e-9 { // a sum of fractions
		worst = 0
	}
	return cost, worst
}

// SettlementsKey returns the prefix of the keys of a campaign's settlements.
func SettlementsKey(campaign string) string { return AboutKey(campaign, "settlements/") }

// SettlementKeys returns the keys of a campaign's first n settlements.
func SettlementKeys(campaign string, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = settlementKey(campaign, i)
	}
	return keys
}

func settlementKey(campaign string, number int) string {
	return fmt.Sprintf("%s%06d.json", SettlementsKey(campaign), number)
}

// ReadSettled returns the settled calls of a campaign. If a call was settled several times, the
// last settlement counts.
func ReadSettled(ctx context.Context, s store.Store, campaign string) (Settled, error) {
	all, _, err := ReadSettlements(ctx, s, campaign)
	return all, err
}

// ReadSettlements is ReadSettled that also returns the last settlement, which has no calls if there
// is none.
func ReadSettlements(ctx context.Context, s store.Store, campaign string) (all Settled, last Settlement, err error) {
	objects, err := List(ctx, s, SettlementsKey(campaign))
	if err != nil {
		return nil, last, err
	}
	all = Settled{}
	for _, o := range objects {
		data, err := s.Get(ctx, o.Key)
		if err != nil {
			return nil, last, err
		}
		last = Settlement{}
		if err := Unseal(o.Key, data, &last); err != nil {
			return nil, last, err
		}
		for _, c := range last.Calls {
			if _, before := all[c.CallKey]; before != last.Again {
				already := map[bool]string{true: "is settled already", false: "was not settled before"}[before]
				return nil, last, fmt.Errorf("%s: %w: it settles call %d of entry %d of %s.%d, which %s", o.Key,
					store.ErrCorrupt, c.Attempt, c.Entry, c.Collaboration, c.Generation, already)
			}
			all[c.CallKey] = c
		}
	}
	return all, last, nil
}

// WriteSettlement adds a settlement. If two are written at the same time, one fails with
// store.ErrExists.
func WriteSettlement(ctx context.Context, store store.Store, campaign string, s Settlement) error {
	objects, err := List(ctx, store, SettlementsKey(campaign))
	if err != nil {
		return err
	}
	key := settlementKey(campaign, len(objects))
	data, err := Seal(key, s)
	if err != nil {
		return err
	}
	return store.PutIfAbsent(ctx, key, data)
}
