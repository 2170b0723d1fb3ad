package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"roundtable/activities/model/wire"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"strings"
	"testing"
	"time"
)

// thrifty is a campaign of cells that are all under way at once, three calls each.
const thrifty = `name: thrifty
replicates: %d
env: exchange
protocol: {name: roundtable, rounds: 3}
model: {name: openai/fake}
generate: {max_tokens: 60}
grid:
  rule: [majority, plurality]
`

func capped(replicates int, limits string) string {
	return fmt.Sprintf(thrifty, replicates) + vendorPrices + "limits: {collaborations: 64, calls: 64, " + limits + "}\n"
}

// costly is a vendor some of whose calls cost all that they may.
func costly(t *testing.T) *vendor {
	v := newVendor(t)
	v.usual, v.latency = false, 20*time.Millisecond
	return v
}

// within fails if the vendor has billed more than a cap, answered or not.
func within(t *testing.T, v *vendor, nanoUSD int64) {
	t.Helper()
	sold, perhaps := v.books()
	billed := sold.plus(perhaps)
	t.Logf("%d calls for $%.6f of $%.6f", billed.calls, float64(billed.nanoUSD)/1e9, float64(nanoUSD)/1e9)
	if billed.nanoUSD > nanoUSD {
		t.Errorf("the vendor has billed %d nano-dollars, the cap is %d", billed.nanoUSD, nanoUSD)
	}
}

// TestBudget: killed with -9 again and again, a campaign never costs more than
// its cap. There it pauses, and goes on when the operator has raised it.
func TestBudget(t *testing.T) {
	t.Parallel()
	kills, replicates := 1, 3
	if *long {
		kills, replicates = 8, 16
	}
	want := quietly(t, capped(replicates, "cost_usd: 1000"), "thrifty")
	v := costly(t)
	dir := write(t, capped(replicates, "cost_usd: 0.03"))
	for range kills {
		from := len(v.arrivals())
		b := starts(t, dir, v.at(), "run", "campaign.yaml")
		screentest.Until(t, "a call or the end", func() bool { return b.over() || len(v.arrivals()) > from })
		time.Sleep(rand.N(300 * time.Millisecond))
		b.kill()
		within(t, v, 30_000_000)
	}
	d := ends(t, cli.ExitIncomplete, dir, v.at(), "run", "campaign.yaml")
	for _, s := range []string{"is paused", "budget", "--cost-usd"} {
		if !strings.Contains(d.err, s) {
			t.Errorf("does not say %q:\n%s", s, d.err)
		}
	}
	within(t, v, 30_000_000)
	said := ends(t, 0, dir, v.at(), "status", "thrifty", "--json")
	var status []campaigns.Status
	if err := json.Unmarshal([]byte(said.out), &status); err != nil || len(status) != 1 {
		t.Fatalf("status: %v\n%s", err, said.out)
	}
	if s := status[0]; s.State != "paused" || !strings.Contains(s.PauseReason, "--cost-usd") || s.Charged == nil || s.Charged.USD > 0.03 || s.Charged.USD < 0.01 || s.Charged.Tokens == 0 {
		t.Errorf("when nothing runs any more, status says %+v, charged %+v", s, s.Charged)
	}
	if sold, _ := v.books(); sold.nanoUSD < 10_000_000 {
		t.Errorf("only %d nano-dollars are used", sold.nanoUSD)
	}
	ends(t, cli.ExitIncomplete, dir, v.at(), "resume", "thrifty", "--cost-usd", "0.04")
	within(t, v, 40_000_000)
	ends(t, 0, dir, v.at(), "resume", "thrifty", "--cost-usd", "3")
	if got := digestBy(t, dir, "thrifty"); got != want {
		t.Errorf("digest %s, without a budget %s", got, want)
	}
	all, _ := costOf(t, dir, "thrifty")
	sold, _ := v.books()
	if worst, billed := all["worst USD"].(float64), float64(sold.nanoUSD)/1e9; worst < billed-1e-9 || worst > 3 {
		t.Errorf("cost says at worst $%v, the vendor billed $%v", worst, billed)
	}
}

// TestTokenBudget: likewise for tokens, here without prices.
func TestTokenBudget(t *testing.T) {
	t.Parallel()
	v := costly(t)
	dir := write(t, fmt.Sprintf(thrifty, 6)+"cost: unknown\nlimits: {collaborations: 24, calls: 64, tokens: 150000}\n")
	d := ends(t, cli.ExitIncomplete, dir, v.at(), "run", "campaign.yaml")
	if !strings.Contains(d.err, "--tokens") {
		t.Errorf("does not say how to go on:\n%s", d.err)
	}
	sold, _ := v.books()
	if used := sold.input + sold.output; used > 150_000 || used < 75_000 {
		t.Errorf("%d tokens are used, the cap is 150000", used)
	}
}

// TestUnknownPrice: nothing is asked for at a price that nobody knows, unless
// that is said; and then no budget in money is taken. Another machine is asked
// through a proxy, since this one is free.
func TestUnknownPrice(t *testing.T) {
	t.Parallel()
	v := newVendor(t)
	elsewhere := []string{"OPENAI_BASE_URL=http://service.example/v1", wire.TrustEnv + "=http://service.example", "HTTP_PROXY=" + v.URL, "http_proxy=", "NO_PROXY=", "no_proxy="}
	text := fmt.Sprintf(thrifty, 1)
	for _, x := range []struct {
		more string
		code int
		says string
	}{
		{"", cli.ExitUsage, "the price of openai/fake is not known"},
		{"limits: {cost_usd: 1}\n", cli.ExitUsage, "limits.cost_usd could not hold"},
		{"cost: unknown\nlimits: {cost_usd: 1}\n", cli.ExitUsage, "limits.cost_usd could not hold"},
		{"cost: unknown\n", 0, "+?"},
	} {
		dir := write(t, text+x.more)
		d := ends(t, x.code, dir, elsewhere, "run", "campaign.yaml")
		if !strings.Contains(d.err, x.says) {
			t.Errorf("%q: does not say %q:\n%s", x.more, x.says, d.err)
		}
		if _, err := os.Stat(filepath.Join(dir, ".roundtable")); x.code != 0 && err == nil {
			t.Errorf("%q: a server was started", x.more)
		}
		if asked := len(v.arrivals()); (asked > 0) != (x.code == 0) {
			t.Errorf("%q: %d requests", x.more, asked)
		}
	}
}
