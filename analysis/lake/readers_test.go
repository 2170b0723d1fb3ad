package lake_test

import (
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// Who has seen enough of a data set is given no more of it.
func TestReadersThatStop(t *testing.T) {
	s, err := store.NewLocal("testdata/schema-1")
	if err != nil {
		t.Fatal(err)
	}
	d, err := lake.ReadDataset(ctx, s, "golden")
	if err != nil || len(d.Members) < 2 {
		t.Fatal(len(d.Members), err)
	}
	seen := 0
	for range lake.Collaborations(ctx, s, d) {
		seen++
		break
	}
	for range lake.Scan[record.Turn](ctx, s, d) {
		seen++
		break
	}
	if seen != 2 {
		t.Errorf("%d were seen", seen)
	}
}

// A manifest that was written in part is none where its batch is written down, and damage where it is not.
func TestTornManifest(t *testing.T) {
	b := lake.Batch{Campaign: "c", Number: 1}
	for _, x := range []struct {
		intent string // "" is none
		wrong  bool
	}{{"", true}, {"{", false}} {
		files := map[string]string{b.Key(): "{"}
		if x.intent != "" {
			files[b.IntentKey()] = x.intent
		}
		all, open, err := lake.ReadManifests(ctx, storetest.NewMemory(files), "c")
		if len(all)+len(open) > 0 || (err != nil) != x.wrong || x.wrong && !strings.Contains(err.Error(), b.Key()) {
			t.Errorf("intent %q: %v, %v, %v", x.intent, all, open, err)
		}
	}
}

func TestChargeOf(t *testing.T) {
	usd, worst, n := 0.25, 1.5, int64(7)
	for want, c := range map[lake.Charge]record.Call{
		{}:                                   {Cached: true, CostUSD: &usd, InputTokens: &n},
		{NanoUSD: 250_000_000, Tokens: 14}:   {CostUSD: &usd, InputTokens: &n, OutputTokens: &n},
		{NanoUSD: 1_500_000_000, Tokens: 7}:  {WorstUSD: &worst, WorstTokens: &n},
		{NanoUSD: 1_750_000_000, Tokens: 21}: {CostUSD: &usd, WorstUSD: &worst, InputTokens: &n, OutputTokens: &n, WorstTokens: &n},
	} {
		if got := lake.ChargeOf([]record.Call{c}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
