package transcripts

import (
	"context"
	"errors"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
)

// UnusableAnswers reads the raw answers of some entries that could not be used.
// The tables only have the reasons.
func UnusableAnswers(ctx context.Context, s store.Store) func(record.Key, []int) (map[int][]report.Unusable, error) {
	ledger := answers.NewAnswers(s)
	return func(of record.Key, entries []int) (map[int][]report.Unusable, error) {
		found := map[int][]report.Unusable{}
		place := answers.RunKey{Campaign: of.CampaignID, Collaboration: of.CollaborationID,
			Generation: int(of.Generation)}
		var all *answers.Stored // read only if turns were stored in batches
		var errs error
		for _, entry := range entries {
			t, err := ledger.Turn(ctx, place, entry)
			if err == nil && len(t.Asks) == 0 {
				if all == nil {
					var stored answers.Stored
					stored, errs = ledger.Load(ctx, place)
					all = &stored
				}
				t, _ = all.Turn(entry)
			}
			errs = errors.Join(errs, err)
			found[entry] = listUnusable(t)
		}
		return found, errs
	}
}

func listUnusable(t answers.Turn) []report.Unusable {
	var list []report.Unusable
	for _, a := range t.Asks {
		if a.Fault != "" {
			list = append(list, report.Unusable{Ask: a.Ask, Fault: a.Fault, Raw: a.Raw})
		}
	}
	return list
}
