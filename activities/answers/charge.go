package answers

import (
	"context"

	"roundtable/analysis/lake"
	"roundtable/analysis/record"
)

// Charge returns what stored answers count against a budget: answers at what they
// have cost, calls of unknown outcome or usage at what they have cost at most. What
// came from the cache was paid elsewhere.
func (s Stored) Charge() lake.Charge { return lake.ChargeOf(s.Calls(record.Key{})) }

// Runs returns the collaborations of a campaign of which something is stored.
func (a *Answers) Runs(ctx context.Context, campaign string) ([]RunKey, error) {
	folders, err := lake.Folders(ctx, a.store, "answers/campaign="+campaign+"/")
	var runs []RunKey
	for _, f := range folders {
		if run, ok := lake.ParseRun(f); ok {
			runs = append(runs, RunKey{Campaign: campaign, Collaboration: run.Collaboration, Generation: run.Generation})
		}
	}
	return runs, err
}
