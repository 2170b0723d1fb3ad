package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/screentest"
	"roundtable/workflows/task"
)

// spentFigures is what a command says that a campaign has spent.
type spentFigures struct {
	calls int64
	usd   float64
}

// sumOf adds up what status and list say.
func sumOf(parts ...task.Result) (n spentFigures) {
	for _, r := range parts {
		n.calls, n.usd = n.calls+r.Calls, n.usd+r.CostUSD
	}
	return n
}

// readNumbers asks status, cost and list, one after the other.
func readNumbers(t *testing.T, dir string) (names []string, all []spentFigures) {
	t.Helper()
	st, ok := statusNow(t, dir)
	if !ok {
		t.Fatal("there is no status")
	}
	cost, _ := costOf(t, dir, "slow")
	var listed struct{ Campaigns []campaigns.Listed }
	noError(t, json.Unmarshal([]byte(ends(t, 0, dir, nil, "list", "campaigns", "--json").out), &listed))
	of := listed.Campaigns[0]
	return []string{"status", "cost", "list"}, []spentFigures{
		sumOf(st.Spent, st.UnderWay.Spent, st.Besides),
		{int64(cost["answered"].(float64) + cost["unknown"].(float64)), cost["cost USD"].(float64)},
		sumOf(of.Spent, of.UnderWay.Spent, of.Besides),
	}
}

// TestOneNumber: status, cost, list and view say the same of what a campaign has spent, while
// it runs, paused, killed and done; and no reading of any of them has less than the one
// before it, whatever ends in between.
func TestOneNumber(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v, dir := newVendor(t), t.TempDir()
	v.latency = 5 * time.Millisecond
	later := v.holdAfter(600)
	save(t, dir, "slow.yaml", strings.Replace(fmt.Sprintf(slowCampaign, 60), "scripted/trader, latency: 40ms", "openai/fake", 1)+vendorPrices)
	b := starts(t, dir, v.at(), "run", "slow.yaml")
	screentest.Until(t, "some have ended", func() bool { st, ok := statusNow(t, dir); return ok && st.Succeeded > 2 })
	pages := viewIn(t, dir)

	say := func(when string) {
		t.Helper()
		time.Sleep(5500 * time.Millisecond) // the page reads every 5 s what does not run
		names, all := readNumbers(t, dir)
		st := pages.state("slow")
		for i, n := range all {
			if n.calls != all[0].calls || math.Abs(n.usd-st.USD) > 1e-9 || n.calls == 0 {
				t.Errorf("%s: %s has %+v, %s %+v, view $%v", when, names[i], n, names[0], all[0], st.USD)
			}
		}
		if line := fmt.Sprintf("%d calls", all[0].calls); !strings.Contains(strings.Join(st.Lines, "\n"), line) {
			t.Errorf("%s: view says %q, without %q", when, st.Lines, line)
		}
	}

	last, before := spentFigures{}, ""
	for range 8 {
		names, all := readNumbers(t, dir)
		for i, n := range all {
			if n.calls < last.calls || n.usd < last.usd-1e-9 {
				t.Errorf("%s says %+v after %s has said %+v", names[i], n, before, last)
			}
			last, before = n, names[i]
		}
	}
	now := v.holdAfter(0)
	arrived := 0
	screentest.Until(t, "all wait for an answer", func() bool {
		time.Sleep(500 * time.Millisecond)
		was := arrived
		arrived = len(v.arrivals())
		return arrived == was
	})
	say("while it runs")
	b.kill()
	say("killed")
	b = starts(t, dir, v.at(), "run", "slow.yaml")
	screentest.Until(t, "it runs again", func() bool { st, ok := statusNow(t, dir); return ok && st.State == "running" })
	output(t, dir, "pause", "slow")
	later()
	now()
	b.code(t)
	say("paused")
	ends(t, 0, dir, v.at(), "run", "slow.yaml")
	say("done")
}
