package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/activities/programs"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
)

// hook is a webhook that remembers what it was sent.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []programs.Notice
	hold   chan struct{} // answers wait for its end; nil if they do not
}

func newHook(t *testing.T) *hook {
	h := &hook{status: http.StatusNoContent}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n programs.Notice
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &n); err != nil || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Idempotency-Key") != n.ID {
			t.Errorf("%v: %s %v", err, body, r.Header)
		}
		h.mu.Lock()
		h.got = append(h.got, n)
		status, hold := h.status, h.hold
		h.mu.Unlock()
		if hold != nil {
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h
}

func (h *hook) set(status int, hold chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status, h.hold = status, hold
}

// forget forgets what it was sent.
func (h *hook) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = nil
}

// since returns what it was sent after the first n.
func (h *hook) since(n int) []programs.Notice {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got[n:])
}

// events returns the events of notices, in order of their names.
func eventsOf(all []programs.Notice) string {
	var names []string
	for _, n := range all {
		names = append(names, n.Event)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

const told = `name: told
replicates: %d
env: exchange
protocol: {name: roundtable, rounds: 2}
model: {name: openai/fake}
` + vendorPrices + `generate: {max_tokens: 60}
rule: majority
limits: {collaborations: 4, calls: 12, cost_usd: %v}
notify: {%s}
`

// TestNotify: a webhook and a command hear of a pause and of the end, once each.
func TestNotify(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v, h := newVendor(t), newHook(t)
	dir := write(t, fmt.Sprintf(told, 2, 50, fmt.Sprintf("command: [./tell.sh, now], webhook: %q", h.URL+"/hook")))
	save(t, dir, "tell.sh", "#!/bin/sh\necho \"$1 $ROUNDTABLE_EVENT $ROUNDTABLE_CAMPAIGN $ROUNDTABLE_NOTICE key=$OPENAI_API_KEY\" >> heard\ncat >> heard\necho >> heard\nenv > environment\n")
	noError(t, os.Chmod(filepath.Join(dir, "tell.sh"), 0o700))
	if d := command(t, dir, v.at(), "run", "campaign.yaml"); d.code != cli.ExitUsage || !strings.Contains(d.err, "export ROUNDTABLE_PROGRAMS='./tell.sh now in ") {
		t.Fatalf("a command that is not trusted: code %d\n%s", d.code, d.err)
	}
	env := append(v.at(), "ROUNDTABLE_PROGRAMS=*",
		"TEMPORAL_TLS_CLIENT_KEY_DATA=canary", "OTEL_EXPORTER_OTLP_HEADERS=authorization=canary", "TEAM_WEBHOOK=https://canary.example", "SERVICE_TOKEN=canary")

	// Before the first call: the check of the model is refused.
	v.set(func(*asked) *trick {
		refused := says("401", false, 401, openaiError("invalid_request_error", "invalid_api_key"))
		return &refused
	})
	ends(t, cli.ExitIncomplete, dir, env, "run", "campaign.yaml", "--no-check=false")
	if before := h.since(0); eventsOf(before) != "pause" || !before[0].Paused || before[0].Cells != 2 {
		t.Fatalf("before the first call: %+v", before)
	}
	h.forget()

	v.after(6, says("401", false, 401, openaiError("invalid_request_error", "invalid_api_key")))
	ends(t, cli.ExitIncomplete, dir, env, "run", "campaign.yaml")
	paused := h.since(0)
	if len(paused) != 1 || paused[0].Event != "pause" || !paused[0].Paused || !strings.Contains(paused[0].Reason, "invalid_api_key") || paused[0].Campaign != "told" || paused[0].Cells != 2 {
		t.Fatalf("%+v", paused)
	}

	v.set(nil)
	ends(t, 0, dir, env, "run", "campaign.yaml")
	ended := h.since(1)
	if len(ended) != 1 || ended[0].Event != "end" || ended[0].Succeeded != 2 || ended[0].Failed != 0 || ended[0].Paused || !strings.HasSuffix(ended[0].Lake, "lake") || time.Since(ended[0].Time) > time.Minute {
		t.Fatalf("%+v", ended)
	}
	sold, _ := v.books()
	if usd := ended[0].SpentUSD; usd != float64(sold.nanoUSD)/1e9 || *ended[0].CapUSD != 50 {
		t.Errorf("$%v of %v, the vendor billed %d nano-dollars", usd, ended[0].CapUSD, sold.nanoUSD)
	}
	ends(t, 0, dir, env, "run", "campaign.yaml") // done already
	if again := h.since(2); len(again) > 0 {
		t.Errorf("sent again: %+v", again)
	}
	heard, err := os.ReadFile(filepath.Join(dir, "heard"))
	noError(t, err)
	for _, want := range []string{"now pause told " + paused[0].ID + " key=\n", "now end told " + ended[0].ID + " key=\n", `"event":"end"`} {
		if !strings.Contains(string(heard), want) {
			t.Errorf("the command did not hear %q:\n%s", want, heard)
		}
	}
	if shown, err := os.ReadFile(filepath.Join(dir, "environment")); err != nil || strings.Contains(string(shown), "canary") {
		t.Errorf("the command was given secrets (%v):\n%s", err, shown)
	}
	digestBy(t, dir, "told") // verify knows the markers
}

// TestNotifyBudget: word comes when four fifths of the budget are spent, and when it is used up.
func TestNotifyBudget(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v, h := newVendor(t), newHook(t)
	dir := write(t, fmt.Sprintf(told, 8, 0.02, "webhook_env: TOLD_HOOK, on: [budget]"))
	if d := command(t, dir, v.at(), "run", "campaign.yaml"); d.code != cli.ExitUsage || !strings.Contains(d.err, "TOLD_HOOK is not set") {
		t.Fatalf("code %d\n%s", d.code, d.err)
	}
	env := append(v.at(), "TOLD_HOOK="+h.URL+"/secret-5f1d?token=secret-5f1d")
	ends(t, cli.ExitIncomplete, dir, env, "run", "campaign.yaml")
	got := h.since(0)
	if eventsOf(got) != "budget budget" || got[0].ID == got[1].ID {
		t.Fatalf("%+v", got)
	}
	slices.SortFunc(got, func(a, b programs.Notice) int { return len(a.Reason) - len(b.Reason) })
	if near, up := got[0], got[1]; near.Paused || !strings.HasSuffix(near.Reason, " % of the budget is spent") || near.SpentUSD < 0.016 || !up.Paused || !strings.Contains(up.Reason, "budget reached") {
		t.Errorf("%+v", got)
	}
	h.set(http.StatusInternalServerError, nil)
	d := ends(t, 0, dir, env, "resume", "told", "--cost-usd", "50") // above four fifths no more, and the end is not wanted
	if more := h.since(2); len(more) > 0 || strings.Contains(d.err, "notice") {
		t.Errorf("%+v\n%s", more, d.err)
	}
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if data, _ := os.ReadFile(path); strings.Contains(string(data), "secret-5f1d") {
			t.Errorf("%s holds the webhook's address", path)
		}
		return err
	})
}

// TestNotifySurvives: killed while word of the end is being sent, the same command sends it
// with the same id; what cannot be sent is said, and stops nothing.
func TestNotifySurvives(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v, h := newVendor(t), newHook(t)
	h.set(http.StatusNoContent, make(chan struct{}))
	dir := write(t, fmt.Sprintf(told, 2, 50, fmt.Sprintf("webhook: %q", h.URL)))
	b := starts(t, dir, v.at(), "run", "campaign.yaml")
	screentest.Until(t, "the first notice", func() bool { return len(h.since(0)) > 0 })
	b.kill()
	h.set(http.StatusNoContent, nil)
	from := len(h.since(0))
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	if got := h.since(from); len(got) != 1 || got[0].ID != h.since(0)[0].ID || got[0].Event != "end" || got[0].Succeeded != 2 {
		t.Errorf("%+v", h.since(0))
	}

	h.set(http.StatusInternalServerError, nil)
	from = len(h.since(0))
	save(t, dir, "campaign.yaml", fmt.Sprintf(told, 3, 50, fmt.Sprintf("webhook: %q", h.URL)))
	d := ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	if got := h.since(from); len(got) != 3 || got[0].ID != got[2].ID || !strings.Contains(d.err, "notice of campaign told (end) was not sent: the webhook at "+strings.TrimPrefix(h.URL, "http://")+" answers with status 500") {
		t.Errorf("%+v\n%s", got, d.err)
	}
}
