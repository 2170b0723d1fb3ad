package answers

import (
	"context"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// Charge returns what stored answers count against a budget: answers at what they
// have cost, calls of unknown outcome or usage at what they have cost at most. What
// came from the cache was paid elsewhere.
func (s Stored) Charge() lake.Charge { return lake.ChargeOf(s.Calls(record.Key{})) }

// Covered returns what of the answers' cost, in 1e-9 US dollars, was reserved before
// their calls. The rest is of calls that nothing bounds, and of services that bill
// more than a request allows: a budget's log hears of it later, or never if the
// process is killed. What is charged at the worst case does not count.
func (s Stored) Covered() int64 {
	sum := int64(0)
	for _, t := range s.Turns {
		for _, a := range t.Asks {
			if a.WorstTokens > 0 {
				continue
			}
			cost := lake.ChargeOf([]record.Call{a.callRow(record.Key{}, t.Entry)}).NanoUSD
			reserved := lake.ChargeOf([]record.Call{{WorstUSD: s.reserved[call{t.Entry, a.Ask, a.Attempt}]}}).NanoUSD
			sum += min(cost, reserved)
		}
	}
	return sum
}

// Runs returns the collaborations of a campaign of which something is stored.
func (a *Answers) Runs(ctx context.Context, campaign string) ([]RunKey, error) {
	folders, err := lake.Folders(ctx, a.store, "answers/campaign="+campaign+"/")
	var runs []RunKey
	for _, f := range folders {
		if run, ok := lake.ParseRun(f); ok {
			runs = append(runs, RunKey{Campaign: campaign, Collaboration: run.Collaboration,
				Generation: run.Generation})
		}
	}
	return runs, err
}
