package lake

import (
	"math"

	"roundtable/analysis/lake/record"
)

// Charge is what counts against a budget, in nano-dollars and tokens.
type Charge struct {
	NanoUSD int64 `json:"nano_usd"`
	Tokens  int64 `json:"tokens"`
}

// ChargeOf returns what calls count against a budget: answers at their cost, calls of unknown
// outcome or usage at their worst case. Answers from the cache are free.
func ChargeOf(calls []record.Call) Charge {
	var sum Charge
	for _, c := range calls {
		if c.Cached {
			continue
		}
		sum.NanoUSD += nanoUSD(c.CostUSD) + nanoUSD(c.WorstUSD)
		for _, n := range []*int64{c.InputTokens, c.OutputTokens, c.WorstTokens} {
			if n != nil {
				sum.Tokens += *n
			}
		}
	}
	return sum
}

func nanoUSD(usd *float64) int64 {
	if usd == nil {
		return 0
	}
	return int64(math.Round(*usd * 1e9))
}
