package report

import (
	"testing"

	"roundtable/analysis/lake/campaign"
)

func TestPaid(t *testing.T) {
	for want, all := range map[string]campaign.SpendingGroup{
		"":                                       {},
		"$1.50; 10 calls, 300 tokens in, 20 out": {Billed: 10, USD: 1.5, Input: 300, Output: 20},
		"at least $0.00: no price is known of 10 calls; 10 calls, 0 tokens in, 0 out":                                                                                 {Billed: 10, Unpriced: 10},
		"$1.50, and at most $0.2500 for 2 calls of unknown outcome; 10 calls, 0 tokens in, 0 out":                                                                     {Billed: 10, USD: 1.5, Unknown: 2, WorstUSD: 0.25},
		"at least $1.50: of 3 calls the service did not report the usage, and at most $0.5000 for these and 0 calls of unknown outcome; 10 calls, 0 tokens in, 0 out": {Billed: 10, USD: 1.5, Silent: 3, WorstUSD: 0.5},
		"$1.50, and what 2 calls of unknown outcome may have cost; 10 calls, 0 tokens in, 0 out":                                                                      {Billed: 10, USD: 1.5, Unknown: 2, WorstUSD: 0.25, Unbounded: 1},
		"at least $0.00: no price is known of 1 call, and at most $0.2500 for 1 call of unknown outcome; 1 call, 1 token in, 0 out":                                   {Billed: 1, Unpriced: 1, Unknown: 1, WorstUSD: 0.25, Input: 1},
	} {
		if got := totalCost(all); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
