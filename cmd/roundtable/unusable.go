package main

import (
	"context"
	"errors"

	"roundtable/activities/lake"
	"roundtable/analysis/record"
	reporting "roundtable/analysis/report"
	"roundtable/analysis/storage"
)

// unusableAnswers reads the raw answers of some entries that could not be used.
// The tables have only their faults.
func unusableAnswers(ctx context.Context, s storage.Store) func(record.Key, []int) (map[int][]reporting.Unusable, error) {
	answers := lake.NewAnswers(s)
	return func(of record.Key, entries []int) (map[int][]reporting.Unusable, error) {
		found := map[int][]reporting.Unusable{}
		place := lake.Place{Campaign: of.CampaignID, Collaboration: of.CollaborationID, Generation: int(of.Generation)}
		var all *lake.Stored // read only if turns were stored in batches
		var faults error
		for _, entry := range entries {
			t, err := answers.Turn(ctx, place, entry)
			if err == nil && len(t.Asks) == 0 {
				if all == nil {
					var stored lake.Stored
					stored, faults = answers.Load(ctx, place)
					all = &stored
				}
				t, _ = all.Turn(entry)
			}
			faults = errors.Join(faults, err)
			found[entry] = unusable(t)
		}
		return found, faults
	}
}

func unusable(t lake.Turn) []reporting.Unusable {
	var list []reporting.Unusable
	for _, a := range t.Asks {
		if a.Fault != "" {
			list = append(list, reporting.Unusable{Ask: a.Ask, Fault: a.Fault, Raw: a.Raw})
		}
	}
	return list
}
