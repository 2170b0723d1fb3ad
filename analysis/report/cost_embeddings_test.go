package report

import (
	"strings"
	"testing"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
)

// Two embedders: one with an answer, one call of unknown outcome and one that
// does not say what it has used; the other without a price.
func TestEmbeddingsAreCounted(t *testing.T) {
	bought := map[string][]record.Call{
		"large": {
			{Status: "answered", InputTokens: p(int64(900)), OutputTokens: p(int64(0)), CostUSD: p(.25), LatencyMS: p(int64(500))},
			{Status: "answered", InputTokens: p(int64(0)), OutputTokens: p(int64(0)), WorstUSD: p(.5), LatencyMS: p(int64(700))},
			unknown(3, p(.125)),
		},
		"unpriced": {{Status: "answered", InputTokens: p(int64(10)), OutputTokens: p(int64(0)), LatencyMS: p(int64(100))}},
	}
	for _, by := range campaign.SpendingBys() {
		without, r := load(t, madeUp(t), by), load(t, madeUp(t), by)
		r.Embedded(bought)
		table := CostTable(r)
		large, unpriced, before, all := cells(t, table, "embeddings by large"), cells(t, table, "embeddings by unpriced"), cells(t, CostTable(without), "all"), cells(t, table, "all")
		for column, want := range map[string]string{"collaborations": "", "answered": "2", "unknown": "1", "input tokens": "900", "output tokens": "0", "cost USD": "0.2500", "worst USD": "0.8750", "USD/collaboration": "", "USD/answer": "0.250000", "p50 s": "0.50"} {
			if large[column] != want {
				t.Errorf("by %s: %s of the one with a price is %q, want %q", by, column, large[column], want)
			}
		}
		if unpriced["cost USD"] != "" || unpriced["answered"] != "1" || unpriced["input tokens"] != "10" {
			t.Errorf("by %s: without a price %v", by, unpriced)
		}
		if r.Total.USD != without.Total.USD+.25 || r.Total.Billed != without.Total.Billed+3 || r.Total.Input != without.Total.Input+910 || all["collaborations"] != before["collaborations"] {
			t.Errorf("by %s: all is %+v, was %+v", by, r.Total, without.Total)
		}
		if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "The service did not report the usage of 1 call:") || r.Total.Unpriced != without.Total.Unpriced+1 {
			t.Errorf("by %s: %d calls have no price; notes %q", by, r.Total.Unpriced, notes)
		}
		if !strings.Contains(strings.Join(table.Notes, "\n"), "each bought once") || strings.Contains(strings.Join(CostTable(without).Notes, "\n"), "each bought once") {
			t.Errorf("by %s: notes %q", by, table.Notes)
		}
	}
}
