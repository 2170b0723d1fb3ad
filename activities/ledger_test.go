package activities_test

import (
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/laketest"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/catalogue"
)

// Settled calls count at what they were billed and no longer at their worst case, in what
// status shows and in what the budget goes by.
func TestSettledCallsOfEndedCells(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	if err := laketest.Play(ctx, s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 1}", 0); err != nil {
		t.Fatal(err)
	}
	before, err := ledger.ReadSpent(ctx, s, "c")
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
	spent, err := ledger.Open(ctx, s, "c").SpentOnEnded()
	if err != nil || spent.CostUSD != 0.125 || spent.WorstUSD != 0 || spent.Calls != ended[0].Calls {
		t.Errorf("status says %+v; want $0.125; %v", spent, err)
	}
	after, err := ledger.ReadSpent(ctx, s, "c")
	if err != nil || after.NanoUSD != before.NanoUSD-125_000_000 || after.Tokens != before.Tokens-300 {
		t.Errorf("spent is %v, before it was settled %v; %v", after, before, err)
	}
}

// Every call is counted once, with what has ended or with what has not, whatever ends between
// two readings; a generation that was run again counts too.
func TestEachCallCountsOnce(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	const file = "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 1}"
	calls := func(ended []lake.Run) (finished, unfinished int) {
		t.Helper()
		spent, err := ledger.Open(ctx, s, "c").SpentOnEnded()
		if err != nil {
			t.Fatal(err)
		}
		books := ledger.Open(ctx, s, "c")
		books.TakeEnded(ended)
		left, err := books.UnfinishedCalls(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return int(spent.Calls), len(left)
	}
	for generation := range 2 {
		if err := laketest.Play(ctx, s, file, generation); err != nil {
			t.Fatal(err)
		}
	}
	ended, _, err := ledger.Open(ctx, s, "c").Runs()
	if err != nil || len(ended) != 2 {
		t.Fatalf("%v, %v", ended, err)
	}
	finished, left := calls(ended)
	if finished == 0 || left != 0 {
		t.Errorf("%d calls of what has ended, %d of what has not", finished, left)
	}
	if _, left := calls(nil); left != finished {
		t.Errorf("before anything has ended, %d calls, want %d", left, finished)
	}
	if _, left := calls(ended[:1]); left == 0 || left >= finished {
		t.Errorf("after the first generation, %d calls of %d", left, finished)
	}
}

// Calls of unknown outcome are found, settled once, and held to what was announced of them.
func TestUnsettledCalls(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	worst := 0.25
	run := answers.RunKey{Campaign: "c", Collaboration: "k-i0-r0"}
	for entry := range 2 {
		if _, err := answers.NewAnswers(s).Intend(ctx, run, answers.Intent{Entry: entry, WorstUSD: &worst, WorstTokens: 400}); err != nil {
			t.Fatal(err)
		}
	}
	unknown, _, err := ledger.UnknownCalls(ctx, s, "c")
	if err != nil || len(unknown) != 2 {
		t.Fatalf("%+v, %v", unknown, err)
	}
	calls, err := ledger.Open(ctx, s, "c").UnfinishedCalls(ctx)
	if err != nil || len(calls) != 2 || calls[0].CollaborationID != "k-i0-r0" {
		t.Errorf("%+v, %v", calls, err)
	}
	settle := func(c lake.SettledCall) {
		if err := lake.WriteSettlement(ctx, s, "c", lake.Settlement{Calls: []lake.SettledCall{c}}); err != nil {
			t.Fatal(err)
		}
	}
	settle(unknown[0].Settle(0.125, 100))
	left, known, err := ledger.UnknownCalls(ctx, s, "c")
	if err != nil || len(left) != 1 || left[0].Key != unknown[1].Key || len(known) != 1 || known[0].Key != unknown[0].Key {
		t.Errorf("left are %+v, %v", left, err)
	}
	if n, problems, err := ledger.CheckSettled(ctx, s, "c"); n != 1 || len(problems) > 0 || err != nil {
		t.Errorf("%d, %q, %v", n, problems, err)
	}
	// The operator finds out later that it was not billed: the last word counts.
	spentOn := func() int64 {
		spent, err := ledger.ReadSpent(ctx, s, "c")
		if err != nil {
			t.Fatal(err)
		}
		return spent.NanoUSD
	}
	billed := spentOn()
	again := func(usd float64) {
		settled := lake.Settlement{Again: true, Calls: []lake.SettledCall{unknown[0].Settle(usd, 100)}}
		if err := lake.WriteSettlement(ctx, s, "c", settled); err != nil {
			t.Fatal(err)
		}
	}
	again(0)
	if less := billed - spentOn(); less != 125_000_000 {
		t.Errorf("a call that was not billed after all makes it %d nanodollars less", less)
	}
	again(0.125)
	if n, problems, err := ledger.CheckSettled(ctx, s, "c"); n != 1 || len(problems) > 0 || err != nil || spentOn() != billed {
		t.Errorf("settled again: %d, %q, %v", n, problems, err)
	}
	other := unknown[1].Settle(0.125, 100)
	more := 0.5
	other.WorstUSD = &more
	settle(other)
	nobody := unknown[1].Settle(1, 1)
	nobody.Entry = 9
	settle(nobody)
	if n, problems, err := ledger.CheckSettled(ctx, s, "c"); n != 3 || len(problems) != 2 || err != nil || !strings.Contains(strings.Join(problems, "\n"), "1 settled calls are not in the ledger") {
		t.Errorf("%d, %q, %v", n, problems, err)
	}
	if n, problems, err := ledger.CheckSettled(ctx, s, "another"); n != 0 || len(problems) != 0 || err != nil {
		t.Errorf("of a campaign without any: %d, %q, %v", n, problems, err)
	}
	key := lake.SettlementsKey("c") + "000002.json"
	before := s.Objects[key]
	for usd, wrong := range map[float64]int{-0.1: 3, 1000: 3, 0.25: 2, 0.250000002: 3, 0: 2} { // more than the worst case, with a checksum that fits
		sealed, err := lake.Seal(key, lake.Settlement{Again: true, Calls: []lake.SettledCall{unknown[0].Settle(usd, 100)}})
		if err != nil {
			t.Fatal(err)
		}
		s.Objects[key] = string(sealed)
		if _, problems, err := ledger.CheckSettled(ctx, s, "c"); len(problems) != wrong || err != nil || !strings.Contains(strings.Join(problems, "\n"), "1 settled calls are not in the ledger") {
			t.Errorf("$%v: %q, %v", usd, problems, err)
		}
	}
	s.Objects[key] = before
	spent, err := ledger.ReadSpent(ctx, s, "c")
	if err != nil || spent.Tokens != 2*400-300-300+(1-400) {
		t.Errorf("%v, %v", spent, err)
	}
}

// Folders of checks, embeddings and judgements are told from those of collaborations, which may
// be called much alike. Those alone are under way; what others than the plan's took is spent all the same.
func TestFolders(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	p, err := laketest.Record(ctx, s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 1}")
	if err != nil {
		t.Fatal(err)
	}
	cell := p.Campaign.Conditions[0].ID() + p.Campaign.Cell(0).Suffix()
	worst, stored, books := 0.25, answers.NewAnswers(s), ledger.Open(ctx, s, "c")
	for i, name := range []string{
		cell, "judge-01234567-i0-r0",
		"check-m", "embeddings-small-0123456789", "judge-m-01234567-0123456789abcdef0123", "labels-m-" + cell,
	} {
		if _, err := stored.Intend(ctx, answers.RunKey{Campaign: "c", Collaboration: name}, answers.Intent{WorstUSD: &worst, WorstTokens: 400}); err != nil {
			t.Fatal(err)
		}
		if u, err := ledger.Open(ctx, s, "c").Unended(ctx, catalogue.Builtin(), p); err != nil || u.Collaborations != 1 || u.Spent.WorstUSD != worst*float64(min(i+1, 2)) || u.Most == 0 || u.Turns != 0 || u.Share != 0 {
			t.Errorf("with %s, under way are %+v, %v", name, u, err)
		}
	}
	if ended, unfinished, err := books.Runs(); err != nil || len(ended) != 0 || len(unfinished) != 2 {
		t.Errorf("%v have ended, %v not; %v", ended, unfinished, err)
	}
	shared, err := books.ReadShared(ctx)
	if err != nil || len(shared.Checks) != 1 || len(shared.Embeddings) != 1 || len(shared.Embeddings["small"]) != 1 || len(shared.Judgements) != 1 || len(shared.Judgements["m-01234567"]) != 1 {
		t.Errorf("%+v, %v", shared, err)
	}
}

// A model has answered if it was asked, not if its answer was in the cache.
func TestEarlyAnswers(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	for name, cached := range map[string]bool{"asked": false, "cached": true} {
		turn := answers.Turn{Done: true, Asks: []answers.Answer{{ModelAsked: name, Cached: cached, Raw: []byte("x")}}}
		if _, err := answers.NewAnswers(s).Put(ctx, answers.RunKey{Campaign: "c", Collaboration: name + "-i0-r0"}, turn); err != nil {
			t.Fatal(err)
		}
	}
	if _, early, err := ledger.EarlyAnswers(ctx, s, "c"); err != nil || len(early) != 1 || early[0].ModelAsked != "asked" {
		t.Errorf("%v, %v", early, err)
	}
}

// What a price or a worst case is not known of is unpriced.
func TestResultOf(t *testing.T) {
	t.Parallel()
	half := 0.5
	for _, x := range []struct {
		cost, worst *float64
		unpriced    bool
	}{{&half, &half, false}, {nil, &half, true}, {&half, nil, true}, {nil, nil, true}} {
		got := ledger.ResultOf(lake.Outcome{Calls: 2, InputTokens: 3, OutputTokens: 4, Status: "failed", Reason: "why", Cached: 1, CostUSD: x.cost, WorstUSD: x.worst})
		if got.Unpriced != x.unpriced || got.CostUSD != valueOf(x.cost) || got.WorstUSD != valueOf(x.worst) || got.Calls != 2 || got.InputTokens != 3 || got.OutputTokens != 4 || got.Status != "failed" || got.Failure != "why" || got.Cached != 1 {
			t.Errorf("%+v: %+v", x, got)
		}
	}
}

func valueOf(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

func TestShareDone(t *testing.T) {
	for _, x := range [][3]float64{{0, 0, 0}, {1, 4, 0.25}, {4, 4, 1}, {9, 4, 1}} {
		if got := ledger.ShareDone(int(x[0]), int(x[1])); got != x[2] {
			t.Errorf("%v of %v: %v", x[0], x[1], got)
		}
	}
}
