package main

import (
	"fmt"
	"math"
	"net"
	"strings"
	"testing"
)

// A service that is down costs nothing: what was reserved for calls that it
// refused is free again, and the campaign goes on under its cap.
func TestServiceThatIsDownTakesNothingOfTheBudget(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	const refusals = 6 // a model that has never answered pauses its campaign at the eighth
	v := newVendor(t)
	down := says("500", false, 500, openaiError("server_error", ""))
	v.set(func(a *asked) *trick {
		if a.n >= refusals {
			return nil
		}
		return &down
	})
	dir := write(t, fmt.Sprintf(thrifty, 2)+vendorPrices+"limits: {cost_usd: 0.1}\n")
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	if n := v.played["500"]; n != refusals {
		t.Fatalf("the service refused %d calls, %d were planned", n, refusals)
	}
	sold, _ := v.books()
	sum, _ := costOf(t, dir, "thrifty")
	if worst := sum["worst USD"].(float64); math.Abs(worst-float64(sold.nanoUSD)/1e9) > 1e-4 || sum["unknown"].(float64) != 0 {
		t.Errorf("the campaign cost $%v at most with %v unknown calls; the service sold for $%v", worst, sum["unknown"], float64(sold.nanoUSD)/1e9)
	}
}

// Calls of unknown outcome are settled by an amount: then the cost is what the service
// billed, and verify finds nothing wrong.
func TestCallsOfUnknownOutcomeAreSettled(t *testing.T) {
	t.Parallel()
	v := newVendor(t)
	lost := breaks("lost", func(net.Conn, []byte) {})
	unsold := breaks("never begun", func(net.Conn, []byte) {})
	unsold.billed = false
	v.set(func(a *asked) *trick {
		switch a.n {
		case 3, 8, 13:
			return &lost
		case 5, 21:
			return &unsold
		}
		return nil
	})
	dir := write(t, fmt.Sprintf(thrifty, 1)+vendorPrices+"limits: {cost_usd: 0.1}\n")
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	before, _ := costOf(t, dir, "thrifty")
	if before["unknown"].(float64) != 5 {
		t.Fatalf("%v calls are of unknown outcome, 5 were lost", before["unknown"])
	}
	sold, perhaps := v.books()
	billed := float64(sold.plus(perhaps).nanoUSD) / 1e9
	d := ends(t, 0, dir, nil, "cost", "thrifty", "--settle", fmt.Sprintf("%.9f", billed-before["cost USD"].(float64)), "--json")
	if !strings.Contains(d.err, "settled 5 calls") {
		t.Errorf("says:\n%s", d.err)
	}
	after, _ := costOf(t, dir, "thrifty")
	for _, column := range []string{"cost USD", "worst USD"} {
		if got := after[column].(float64); math.Abs(got-billed) > 1e-6 {
			t.Errorf("%s is %v after the settlement, the service billed %v", column, got, billed)
		}
	}
	if out := ends(t, 0, dir, nil, "verify", "thrifty").out; !strings.Contains(out, "Settled: 5 calls") {
		t.Errorf("verify says:\n%s", out)
	}
	// It turns out that they were not billed: the last word counts, once.
	for _, want := range []string{"settled 5 calls of unknown outcome: $0.0000 in place of $", "were billed this"} {
		if d := ends(t, 0, dir, nil, "cost", "thrifty", "--settle", "unbilled"); !strings.Contains(d.err, "no call of unknown outcome is left") || !strings.Contains(d.err, want) {
			t.Errorf("a second settlement says:\n%s", d.err)
		}
	}
	corrected, _ := costOf(t, dir, "thrifty")
	for _, column := range []string{"cost USD", "worst USD"} {
		if got := corrected[column].(float64); math.Abs(got-before["cost USD"].(float64)) > 1e-6 {
			t.Errorf("%s is %v, and the calls of unknown outcome were not billed: want %v", column, got, before["cost USD"])
		}
	}
	if out := ends(t, 0, dir, nil, "verify", "thrifty").out; !strings.Contains(out, "Settled: 5 calls") {
		t.Errorf("verify says:\n%s", out)
	}
}
