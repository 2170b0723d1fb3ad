package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	lakecampaign "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"roundtable/infra"
	"roundtable/infra/embedded"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// TestHaltBeforeTheWorkflow: pause and cancel hold calls back in the lake, even if no worker ever
// comes to the workflow; one that reaches no workflow leaves everything as it was.
func TestHaltBeforeTheWorkflow(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	c, err := infra.Dial(t.Context(), infra.Target{HostPort: server.Target().HostPort})
	noError(t, err)
	defer c.Close()
	dir := t.TempDir()
	at := []string{"TEMPORAL_ADDRESS=" + server.Target().HostPort}
	queue := document(t, ends(t, 0, dir, at, "prepare", "--lake", "lake", "--json").out)["task_queue"].(string)
	local, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	halt := func() lakecampaign.Halt {
		t.Helper()
		h, err := lakecampaign.ReadHalt(t.Context(), local, "still")
		noError(t, err)
		if h == nil {
			return lakecampaign.Halt{}
		}
		return *h
	}
	noError(t, lakecampaign.WriteHalt(t.Context(), local, "still", lakecampaign.Halt{Reason: "lunch"}))
	if d := command(t, dir, at, "pause", "still"); d.code == 0 || halt().Reason != "lunch" || halt().Holds {
		t.Errorf("pause of what does not run: code %d, halt %+v\n%s", d.code, halt(), d.err)
	}
	if d := command(t, dir, at, "cancel", "typo"); d.code == 0 {
		t.Errorf("cancel of what nobody knows: code %d\n%s", d.code, d.err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lake", "_campaigns", "typo")); err == nil {
		t.Error("cancel made a campaign of a name that is misspelt")
	}
	_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: workflows.CampaignID("still"), TaskQueue: queue}, task.CampaignWorkflow, workflows.CampaignInput{Name: "still"})
	noError(t, err)
	for command, reason := range map[string]string{"pause": "paused by hand", "cancel": task.Cancelled} {
		noError(t, lakecampaign.ClearHalt(t.Context(), local, "still"))
		ends(t, 0, dir, at, command, "still")
		if h := halt(); h.Reason != reason || !h.Holds || !h.ByHand {
			t.Errorf("after %s: %+v", command, h)
		}
	}
	if os.Getuid() == 0 {
		return // who may write everything
	}
	noError(t, lakecampaign.ClearHalt(t.Context(), local, "still"))
	closed := filepath.Dir(filepath.Join(dir, "lake", filepath.FromSlash(lakecampaign.HaltKey("still"))))
	noError(t, os.Chmod(closed, 0o500))
	defer os.Chmod(closed, 0o700)
	if d := ends(t, 0, dir, at, "pause", "still"); !strings.Contains(d.err, "cannot be held back") {
		t.Errorf("pause of a lake that cannot be written says %s", d.err)
	}
}

// TestNoCallAfterSteering: on a busy machine no call begins from 3 s after pause or cancel was
// acknowledged, also while the campaign only starts again.
func TestNoCallAfterSteering(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	v.latency = 50 * time.Millisecond
	dir := t.TempDir()
	campaignFile(t, dir, v.URL, 20)
	save(t, dir, "campaign.yaml", strings.Replace(read(t, dir, "campaign.yaml"), "limits: {collaborations: 8, calls: 24}", "limits: {collaborations: 40, calls: 24}", 1))
	busy := append(v.at(), "GOMAXPROCS=1")
	quiet := func(after string) {
		t.Helper()
		from := time.Now().Add(3 * time.Second) // of a busy machine; a campaign that goes on makes hundreds
		time.Sleep(6 * time.Second)
		late := 0
		for _, a := range v.arrivals() {
			if a.at.After(from) {
				late++
			}
		}
		if late > 0 {
			t.Errorf("%d calls began from 3 s after %s was acknowledged", late, after)
		}
	}
	for range 2 {
		n := len(v.arrivals())
		b := starts(t, dir, busy, "run", "campaign.yaml")
		screentest.Until(t, "calls", func() bool { return len(v.arrivals()) > n+30 })
		ends(t, 0, dir, busy, "pause", "killed")
		quiet("pause")
		b.kill()
	}
	b := starts(t, dir, busy, "resume", "killed") // whose workflow has hardly begun when it is cancelled
	screentest.Until(t, "its lock", func() bool {
		o := cli.Options{Lake: filepath.Join(dir, "lake")}
		return o.CampaignHolder("killed") != ""
	})
	ends(t, 0, dir, busy, "cancel", "killed")
	quiet("cancel")
	b.kill()
	ends(t, 0, dir, v.at(), "cancel", "killed")
	st := statusBy(t, dir, "killed")
	if st.Done() != st.Cells || st.Stopped == 0 || st.Paused {
		t.Errorf("after cancel: %+v", st)
	}
}

// TestCancelThatReachedNoWorkflow: a cancel whose command was killed before it had signalled stops no cell of
// the next run, whose workers would meet it before the workflow is joined.
func TestCancelThatReachedNoWorkflow(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v := newVendor(t)
	v.latency = 20 * time.Millisecond
	dir := t.TempDir()
	campaignFile(t, dir, v.URL, 4)
	b := starts(t, dir, v.at(), "run", "campaign.yaml")
	screentest.Until(t, "calls", func() bool { return len(v.arrivals()) > 20 })
	b.kill()
	local, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	noError(t, lakecampaign.WriteHalt(t.Context(), local, "killed",
		lakecampaign.Halt{Reason: task.Cancelled, At: time.Now().UTC(), Holds: true, ByHand: true}))
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	if st := statusBy(t, dir, "killed"); st.Stopped > 0 || st.Succeeded != st.Cells {
		t.Errorf("after a cancel that reached nobody: %+v", st)
	}
}

// TestRefusedAfterStaleCancel: a check that fails says why the campaign is paused, also behind a cancel that
// reached no workflow.
func TestRefusedAfterStaleCancel(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}`, http.StatusUnauthorized)
	}))
	defer refuses.Close()
	dir := t.TempDir()
	campaignFile(t, dir, refuses.URL, 1)
	noError(t, os.Mkdir(filepath.Join(dir, "lake"), 0o700))
	local, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	noError(t, lakecampaign.WriteHalt(t.Context(), local, "killed",
		lakecampaign.Halt{Reason: task.Cancelled, At: time.Now().UTC(), Holds: true, ByHand: true}))
	d := command(t, dir, []string{"OPENAI_API_KEY=x"}, "run", "campaign.yaml")
	h, err := lakecampaign.ReadHalt(t.Context(), local, "killed")
	noError(t, err)
	if d.code != 3 || h == nil || !strings.Contains(h.Reason, "Incorrect API key") {
		t.Errorf("code %d, halt %+v\n%s", d.code, h, d.err)
	}
}
