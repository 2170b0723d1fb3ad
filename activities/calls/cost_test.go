package calls

import (
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
)

// Fees that a service bills beside its tokens are booked and charged; its discounts are not.
func TestCostIsNoLessThanWhatTheServiceBilled(t *testing.T) {
	price := &campaign.Price{Input: 1, Output: 2} // $0.002 below
	for billed, want := range map[float64]float64{0: 0.002, 0.001: 0.002, 0.0073: 0.0073, 0.00200000001: 0.002000001} {
		r := model.Response{Usage: model.Usage{Input: 1000, Output: 500}, BilledUSD: billed}
		if got := costOf(price, r); got.USD() != want || got.Tokens != 1500 {
			t.Errorf("$%v billed: %v", billed, got)
		}
		if a := NewAnswerRecord(model.Provider{}, price, r, time.Now()); *a.CostUSD != want {
			t.Errorf("$%v billed: $%v booked", billed, *a.CostUSD)
		}
		r.Tier = "batch"
		if a := NewAnswerRecord(model.Provider{}, price, r, time.Now()); a.SavedUSD == nil || *a.SavedUSD < 0 {
			t.Errorf("$%v billed: %v saved", billed, a.SavedUSD)
		}
		if got := costOf(nil, r); got.NanoUSD != 0 {
			t.Errorf("$%v billed, no price: %v", billed, got)
		}
	}
}
