package study

import (
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// A settled call counts in its collaboration's cost, and no longer in the worst case.
func TestSettledCallsCountInCollaborations(t *testing.T) {
	t.Parallel()
	cost, worst, call := 1., 0.5, 0.25
	c := record.Collaboration{Key: record.Key{CollaborationID: "c", Generation: 1}, CostUSD: &cost, WorstUSD: &worst}
	key := lake.CallKey{Run: lake.Run{Collaboration: "c", Generation: 1}}
	campaign.Correct(&c, lake.Settled{key: {CallKey: key, USD: 0.125, WorstUSD: &call}})
	if *c.CostUSD != 1.125 || *c.WorstUSD != 0.25 {
		t.Errorf("$%v, at most $%v more", *c.CostUSD, *c.WorstUSD)
	}
	if cost != 1 || worst != 0.5 {
		t.Error("the row that was read has changed")
	}
	unknown := record.Collaboration{Key: c.Key}
	if campaign.Correct(&unknown, lake.Settled{key: {}}); unknown.CostUSD != nil {
		t.Error("a cost that is not known is known after a settlement")
	}
}
