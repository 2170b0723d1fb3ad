package engine

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/activities"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
	"roundtable/infra/embedded"
)

// TestBusyWorker: the status of a workflow whose worker does not answer is what its
// program has last heard, unless that is long ago.
func TestBusyWorker(t *testing.T) {
	t.Setenv("TEMPORAL_ADDRESS", "")
	dir := t.TempDir()
	o := &cli.Options{State: filepath.Join(dir, ".roundtable"), Lake: filepath.Join(dir, "lake")}
	folder := filepath.Join(o.State, o.CampaignFolder("c"))
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: folder, Notices: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop() })
	c, err := infra.Dial(t.Context(), server.Target())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: "of nobody"}, "w"); err != nil {
		t.Fatal(err)
	}
	ask := func(patience time.Duration) (int, time.Time, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return campaigns.AskStatus[int](ctx, o, c, "c", "w")
	}
	if _, _, err := ask(time.Second); err == nil {
		t.Error("a workflow without a worker answered")
	}

	lake, err := store.NewLocal(o.Lake)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lake.Close() })
	e := &Engine{progress: filepath.Join(folder, campaigns.ProgressFile), Activities: activities.New(activities.Config{Store: lake})}
	before := time.Now()
	e.keepStatus(42)
	once, end := context.WithCancel(t.Context())
	end()
	e.writeProgress(once)
	status, at, err := ask(time.Minute)
	if took := time.Since(before); err != nil || status != 42 || at.Before(before.Add(-time.Second)) || took > 30*time.Second {
		t.Errorf("after %s: %d of %s, %v", took, status, at, err)
	}

	old := `{"waits": {}, "status": 41, "at": "2026-01-01T00:00:00Z"}`
	if err := os.WriteFile(e.progress, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, err := ask(time.Second); err == nil {
		t.Errorf("it is %d since January", status)
	}
}
