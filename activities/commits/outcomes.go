package commits

import (
	"context"
	"errors"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// SumUp writes how runs ended that no Outcomes holds yet, as many as fill whole ones.
// Several processes may do so at once: the first one of a number stays.
func SumUp(ctx context.Context, s store.Store, campaign string) error {
	runs, next, err := lake.Unsummed(ctx, s, campaign)
	for ; err == nil && len(runs) >= lake.OutcomesEach; next++ {
		var markers []Marker
		if markers, err = lake.ReadMarkers(ctx, s, campaign, runs[:lake.OutcomesEach]); err != nil {
			return err
		}
		o := lake.Outcomes{Campaign: campaign, Number: next, Runs: lake.OutcomesOf(markers)}
		var data []byte
		if data, err = o.Seal(); err == nil {
			err = s.PutIfAbsent(ctx, o.Key(), data)
		}
		runs = runs[lake.OutcomesEach:]
	}
	if errors.Is(err, store.ErrExists) { // another process sums up
		return nil
	}
	return err
}
