package ledger_test

import (
	"testing"

	"roundtable/activities/laketest"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/task"
)

// Settled calls count at what they were billed and no longer at their worst case, in what
// status shows and in what the budget goes by.
func TestSettledCallsOfEndedCells(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	if err := laketest.Play(ctx, s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 1}", 0); err != nil {
		t.Fatal(err)
	}
	before, err := ledger.Spent(ctx, s, "c")
	if err != nil {
		t.Fatal(err)
	}
	ended, err := ledger.Open(ctx, s, "c").Outcomes()
	if err != nil || len(ended) != 1 {
		t.Fatalf("%+v, %v", ended, err)
	}
	worst := 0.25
	call := lake.SettledCall{CallKey: lake.CallKey{Run: ended[0].Run, Entry: 3}, USD: 0.125, Tokens: 100, WorstUSD: &worst, WorstTokens: 400}
	if err := lake.WriteSettlement(ctx, s, "c", lake.Settlement{Calls: []lake.SettledCall{call}}); err != nil {
		t.Fatal(err)
	}
	spent := task.Result{CostUSD: 1, WorstUSD: 0.375}
	if err := ledger.Open(ctx, s, "c").CorrectSpent(&spent); err != nil || spent.CostUSD != 1.125 || spent.WorstUSD != 0.125 {
		t.Errorf("status says $%v, at most $%v more; want 1.125 and 0.125; %v", spent.CostUSD, spent.WorstUSD, err)
	}
	after, err := ledger.Spent(ctx, s, "c")
	if err != nil || after.NanoUSD != before.NanoUSD-125_000_000 || after.Tokens != before.Tokens-300 {
		t.Errorf("spent is %v, before it was settled %v; %v", after, before, err)
	}
}
