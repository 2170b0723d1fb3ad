package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"roundtable/analysis/lake/record"
	"roundtable/cmd/internal/cli"
)

// harsh is a campaign whose digest does not depend on where the vendor is. A busy machine
// keeps an answer for a second, not for five.
const harsh = `name: harsh
replicates: %d
env: exchange
protocol: {name: roundtable, rounds: 3}
model: {name: openai/fake}
` + vendorPrices + `generate: {max_tokens: 100}
grid:
  rule: [majority, plurality]
limits: {collaborations: 12, calls: 24, models: {openai/fake: {timeout: 5s}}}
`

// TestPassingFaults: of every six answers one does not come, each time for
// another reason; the campaign ends as without, and its books are the vendor's.
func TestPassingFaults(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	text := fmt.Sprintf(harsh, 12) // random 429s slow the throttle down more than they should
	want := quietly(t, text, "harsh")

	v := newVendor(t)
	v.latency = 5 * time.Millisecond
	tricks := passing()
	v.set(every(6, tricks...))
	dir := write(t, text)
	began := time.Now()
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	t.Logf("%d requests in %v; faults: %v", len(v.arrivals()), time.Since(began).Round(time.Second), v.played)
	if got := digestBy(t, dir, "harsh"); got != want {
		t.Errorf("digest %s, without faults %s", got, want)
	}
	for _, trick := range tricks {
		if v.played[trick.name] == 0 {
			t.Errorf("%s was never played", trick.name)
		}
	}
	balance(t, dir, "harsh", v)
}

// balance compares the ledger and the costs with the vendor's own books.
func balance(t *testing.T, dir, name string, v *vendor) {
	t.Helper()
	sold, perhaps := v.books()
	var answered, unknown int64
	for _, c := range rowsOf[record.Call](t, dir, name) {
		switch {
		case c.Status == "unknown":
			unknown++
		case !c.Cached:
			answered++
		}
	}
	if answered != sold.calls || unknown != perhaps.calls {
		t.Errorf("the ledger has %d answers and %d calls of unknown outcome, the vendor sold %d and may have billed %d", answered, unknown, sold.calls, perhaps.calls)
	}
	all, _ := costOf(t, dir, name)
	for key, want := range map[string]int64{"answered": sold.calls, "unknown": perhaps.calls, "input tokens": sold.input, "output tokens": sold.output} {
		if all[key] != float64(want) {
			t.Errorf("cost says %s = %v, the vendor %d", key, all[key], want)
		}
	}
	if usd, want := all["cost USD"].(float64), float64(sold.nanoUSD)/1e9; math.Abs(usd-want) > 1e-9 {
		t.Errorf("cost says $%v, the vendor billed $%v", usd, want)
	}
	if worst, least := all["worst USD"].(float64), float64(sold.nanoUSD+perhaps.nanoUSD)/1e9; worst < least-1e-9 {
		t.Errorf("at worst $%v, but the vendor may have billed $%v", worst, least)
	}
}

// TestPausingFaults: one campaign meets what the operator must fix. Each time it
// pauses, says what it is about, and goes on after resume; nothing is bought
// twice. That waiting calls are turned away then is tested in the throttle.
func TestPausingFaults(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	faults := []struct {
		trick
		says []string
	}{
		{says("401", false, 401, openaiError("invalid_request_error", "invalid_api_key")), []string{"401", "invalid_api_key"}},
		{says("403", false, 403, openaiError("permission", "unsupported_country")), []string{"403", "unsupported_country"}},
		{says("quota", false, 429, openaiError("insufficient_quota", "insufficient_quota"), "Retry-After", "1"), []string{"429", "insufficient_quota"}},
		{says("402", false, 402, openaiError("billing", "payment_required")), []string{"402", "payment_required"}},
		{says("spend limit", false, 429, openaiError("requests", "project_spend_limit_exceeded")), []string{"429", "spend_limit_exceeded"}},
		{says("no model", false, 404, openaiError("invalid_request_error", "model_not_found")), []string{"404", "model_not_found"}},
		{says("LiteLLM", false, 400, openaiError("budget_exceeded", "400")), []string{"400", "budget_exceeded"}},
	}
	const atOnce = 6
	text := strings.ReplaceAll(fmt.Sprintf(harsh, 3), "calls: 24", fmt.Sprint("calls: ", atOnce))
	want := quietly(t, text, "harsh")
	v := newVendor(t)
	v.latency = 50 * time.Millisecond
	dir := write(t, text)
	verb := []string{"run", "campaign.yaml"}
	for _, fault := range faults {
		v.after(20, fault.trick)
		d := ends(t, cli.ExitIncomplete, dir, v.at(), verb...)
		for _, s := range append(fault.says, "is paused", "resume with: roundtable") {
			if !strings.Contains(d.err, s) {
				t.Errorf("%s: does not say %q:\n%s", fault.name, s, d.err)
			}
		}
		t.Logf("%s: %d requests met it; %d calls are allowed at once, 18 turns were to be taken", fault.name, v.played[fault.name], atOnce)
		verb = []string{"resume", "harsh"}
	}
	v.set(nil)
	ends(t, 0, dir, v.at(), verb...)
	if got := digestBy(t, dir, "harsh"); got != want {
		t.Errorf("digest %s, without faults %s", got, want)
	}
	balance(t, dir, "harsh", v)
}

// TestFailingFaults: what cannot succeed fails its cell, visibly, and no other;
// what a model refuses to say is data. Once fixed, failed cells can be run again.
func TestFailingFaults(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	text := fmt.Sprintf(harsh, 3)
	want := quietly(t, text, "harsh")
	v := newVendor(t)
	dir := write(t, text)
	golden := map[string]struct {
		trick
		failure string // empty if the cell succeeds
		invalid string // reason of turns without a usable answer
	}{
		"r0": {says("filter", true, 400, openaiError("invalid_request_error", "content_filter")), "content_filter", ""},
		"r1": {says("long", false, 400, openaiError("invalid_request_error", "context_length_exceeded")), "context_length_exceeded", ""},
		"r2": {sells("filtered answer", "content_filter", func(*asked) string { return "" }), "", "content_filter"},
	}
	v.set(func(a *asked) *trick {
		fault, ok := golden[a.replicate()]
		if !ok || !strings.HasPrefix(a.cell(), "majority") || !strings.Contains(a.prompt(), "proposal phase") {
			return nil
		}
		return &fault.trick
	})
	ends(t, cli.ExitIncomplete, dir, v.at(), "run", "campaign.yaml")
	if st := statusBy(t, dir, "harsh"); st.Succeeded != 4 || st.Failed != 2 {
		t.Errorf("4 cells succeed and 2 fail, status says %+v", st.Status)
	}
	for _, c := range rowsOf[record.Collaboration](t, dir, "harsh") {
		fault := golden[replicateOf(c.CollaborationID)]
		if !strings.HasPrefix(c.CollaborationID, "majority") {
			fault.failure = ""
		}
		switch {
		case fault.failure == "" && (c.Status != "succeeded" || c.Failure != nil):
			t.Errorf("%s is %s", c.CollaborationID, c.Status)
		case fault.failure != "" && (c.Status != "failed" || c.Failure == nil || !strings.Contains(*c.Failure, fault.failure)):
			t.Errorf("%s is %s, not failed for %s: %v", c.CollaborationID, c.Status, fault.failure, c.Failure)
		case fault.failure != "":
			if d := ends(t, 0, dir, nil, "show", "harsh/"+c.CollaborationID); !strings.Contains(d.out, fault.failure) {
				t.Errorf("show does not say %s:\n%s", fault.failure, d.out)
			}
		}
	}
	filtered := 0
	for _, turn := range rowsOf[record.Turn](t, dir, "harsh") {
		if turn.InvalidReason != nil && *turn.InvalidReason == "content_filter" {
			filtered++
			if turn.Asks != 1 || replicateOf(turn.CollaborationID) != "r2" {
				t.Errorf("%s entry %d: asked %d times", turn.CollaborationID, turn.Entry, turn.Asks)
			}
		}
	}
	if filtered == 0 || int64(filtered) != int64(v.played["filtered answer"]) {
		t.Errorf("%d turns are filtered, the vendor filtered %d answers", filtered, v.played["filtered answer"])
	}
	balance(t, dir, "harsh", v)

	v.set(nil)
	ends(t, 0, dir, v.at(), "run", "--retry-failed", "campaign.yaml")
	if st := statusBy(t, dir, "harsh"); st.Succeeded != 6 {
		t.Errorf("fixed and run again: %+v", st.Status)
	}
	if got := digestBy(t, dir, "harsh"); got == want {
		t.Error("filtered answers have left no trace in the digest")
	}
}
