package report

import (
	"context"
	"math"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// labelled adds a marker of labels of a collaboration.
func labelled(t *testing.T, s store.Store, m lake.Marker) {
	t.Helper()
	m.Campaign, m.Condition, m.Table, m.Status, m.Files = "made-up", "majority", record.Labels, "succeeded", map[string]lake.File{}
	data, err := lake.Seal(m.Key(), m)
	if err == nil {
		err = s.PutIfAbsent(context.Background(), m.Key(), data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Two labellers: of one everything is known, of the other neither a price nor a
// worst case. However rows are cut, labels have their own.
func TestLabelsAreCounted(t *testing.T) {
	s := madeUp(t)
	labelled(t, s, lake.Marker{Collaboration: "a", By: "dear", Calls: 12, Unknown: 2, InputTokens: 600, OutputTokens: 50, CostUSD: p(.5), WorstUSD: p(.25)})
	labelled(t, s, lake.Marker{Collaboration: "a", Generation: 1, By: "dear", Calls: 8, InputTokens: 400, OutputTokens: 50, CostUSD: p(.5), WorstUSD: p(0.)})
	labelled(t, s, lake.Marker{Collaboration: "b", By: "unpriced", Calls: 3, Unknown: 1, InputTokens: 10, OutputTokens: 1})
	without := load(t, madeUp(t), campaign.ByModel)
	for _, by := range campaign.SpendingBys() {
		r := load(t, s, by)
		table := CostTable(r)
		dear, unpriced, all := cells(t, table, "labels by dear"), cells(t, table, "labels by unpriced"), cells(t, table, "all")
		for column, want := range map[string]string{
			"collaborations": "2", "answered": "18", "cached": "", "unknown": "2", "input tokens": "1000", "of them cached": "", "output tokens": "100", "of them reasoning": "",
			"cost USD": "1.0000", "worst USD": "1.2500", "USD/collaboration": "0.500000", "p50 s": "",
		} {
			if dear[column] != want {
				t.Errorf("by %s: %s of the labels is %q, want %q", by, column, dear[column], want)
			}
		}
		if unpriced["answered"] != "2" || unpriced["cost USD"] != "" || unpriced["worst USD"] != "" {
			t.Errorf("by %s: without a price %v", by, unpriced)
		}
		if r.Total.Billed != without.Total.Billed+20 || r.Total.Unknown != without.Total.Unknown+3 || r.Total.Collaborations != without.Total.Collaborations || all["worst USD"] != "" {
			t.Errorf("by %s: all are %+v", by, r.Total)
		}
		if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "Labels were made after") {
			t.Errorf("by %s: the notes are\n%s", by, notes)
		}
	}
	if notes := strings.Join(CostTable(without).Notes, "\n"); strings.Contains(notes, "Labels") {
		t.Errorf("without labels they are noted:\n%s", notes)
	}
}

// What is beside the collaborations is the same sum that the rows of all add up
// to, and the mean of an answer has no settled call in it.
func TestBesideIsWhatCostCounts(t *testing.T) {
	s := madeUp(t)
	labelled(t, s, lake.Marker{Collaboration: "a", By: "dear", Calls: 12, Unknown: 2, InputTokens: 600, OutputTokens: 50, CostUSD: p(.5), WorstUSD: p(.25)})
	run := lake.Run{Collaboration: "labels-dear-a"}
	calls := []lake.SettledCall{{CallKey: lake.CallKey{Run: run}, USD: .05, WorstUSD: p(.125)}, {CallKey: lake.CallKey{Run: run, Entry: 1}, USD: .05, WorstUSD: p(.125)}}
	if err := lake.WriteSettlement(context.Background(), s, "made-up", lake.Settlement{Calls: calls}); err != nil {
		t.Fatal(err)
	}
	checks := []record.Call{{Status: "answered", InputTokens: p(int64(9)), OutputTokens: p(int64(1)), CostUSD: p(.25)}}
	beside, err := campaign.LoadSpendingBeside(context.Background(), s, "made-up")
	if err != nil {
		t.Fatal(err)
	}
	beside.Checked(checks)
	if b := beside.Total; b.Billed != 11 || b.Settled != 2 || b.Unknown != 0 || math.Abs(b.USD-.85) > 1e-9 || b.WorstUSD != 0 || b.Input != 609 {
		t.Errorf("beside the collaborations %+v", b)
	}
	all, without := load(t, s, campaign.ByModel), load(t, madeUp(t), campaign.ByModel)
	all.Checked(checks)
	if math.Abs(all.Total.USD-without.Total.USD-beside.Total.USD) > 1e-9 {
		t.Errorf("all cost $%v, the collaborations $%v, what is beside them $%v", all.Total.USD, without.Total.USD, beside.Total.USD)
	}
	if got := cells(t, CostTable(all), "labels by dear")["USD/answer"]; got != "0.050000" {
		t.Errorf("10 answers for $0.50 cost %s each", got)
	}
}
