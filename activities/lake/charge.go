package lake

import (
	"context"
	"math"

	"roundtable/analysis/lake"
	"roundtable/analysis/record"
)

// Charge is what stored answers count against a budget: answers at what they
// have cost, calls of unknown outcome or usage at what they have cost at most. What
// came from the cache was paid elsewhere.
func (s Stored) Charge() lake.Charge { return charged(s.Calls(record.Key{})) }

// charged is the same of rows.
func charged(calls []record.Call) lake.Charge {
	var sum lake.Charge
	for _, c := range calls {
		if c.Cached {
			continue
		}
		sum.NanoUSD += nano(c.CostUSD) + nano(c.WorstUSD)
		for _, n := range []*int64{c.InputTokens, c.OutputTokens, c.WorstTokens} {
			if n != nil {
				sum.Tokens += *n
			}
		}
	}
	return sum
}

func nano(usd *float64) int64 {
	if usd == nil {
		return 0
	}
	return int64(math.Round(*usd * 1e9))
}

// Places are the collaborations of a campaign of which something is stored.
func (a *Answers) Places(ctx context.Context, campaign string) ([]Place, error) {
	folders, err := lake.Folders(ctx, a.store, "answers/campaign="+campaign+"/")
	var places []Place
	for _, f := range folders {
		if run, ok := lake.ParseRun(f); ok {
			places = append(places, Place{Campaign: campaign, Collaboration: run.Collaboration, Generation: run.Generation})
		}
	}
	return places, err
}

// cachedOf counts the answers that came from the cache.
func cachedOf(calls []record.Call) int64 {
	n := int64(0)
	for _, c := range calls {
		if c.Cached {
			n++
		}
	}
	return n
}
