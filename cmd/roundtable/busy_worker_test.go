package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/infra"
	"roundtable/infra/embedded"
)

// TestBusyWorker: the status of a workflow whose worker does not answer is what its program has last
// heard, unless that is long ago. The server says when it has heard of a worker, once there is one.
func TestBusyWorker(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Setenv("TEMPORAL_ADDRESS", "")
	dir := t.TempDir()
	o := &cli.Options{State: filepath.Join(dir, ".roundtable"), Lake: filepath.Join(dir, "lake")}
	folder := filepath.Join(o.State, o.CampaignFolder("c"))
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: folder, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	c, err := infra.Dial(t.Context(), server.Target())
	noError(t, err)
	t.Cleanup(c.Close)
	_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: "of nobody"}, "w")
	noError(t, err)
	ask := func(patience time.Duration) (int, time.Time, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return campaigns.AskStatus[int](ctx, o, c, "c", "w")
	}
	if _, _, err := ask(time.Second); err == nil {
		t.Error("a workflow without a worker answered")
	}
	keep := func(p campaigns.Progress) {
		text, err := json.Marshal(p)
		noError(t, err)
		noError(t, os.WriteFile(filepath.Join(folder, campaigns.ProgressFile), text, 0o600))
	}
	before := time.Now()
	keep(campaigns.Progress{Status: json.RawMessage("42"), At: before.Round(0)})
	status, at, err := ask(time.Minute)
	if took := time.Since(before); err != nil || status != 42 || at.Before(before.Add(-time.Second)) || took > 30*time.Second {
		t.Errorf("after %s: %d of %s, %v", took, status, at, err)
	}
	keep(campaigns.Progress{Status: json.RawMessage("41"), At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	if status, _, err := ask(time.Second); err == nil {
		t.Errorf("it is %d since January", status)
	}

	began := time.Now()
	w := worker.New(c, "queue", worker.Options{Identity: "me"})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { return nil }, workflow.RegisterOptions{Name: "none"})
	noError(t, w.Start())
	t.Cleanup(w.Stop)
	var seen time.Time
	for ok := false; !ok; {
		if time.Since(began) > time.Minute {
			t.Fatal("the server has not heard of the worker within a minute")
		}
		seen, ok = engine.LastPoll(t.Context(), c, infra.Namespace, "queue", "me")
	}
	if seen.Before(began.Add(-time.Second)) || seen.After(time.Now().Add(time.Second)) {
		t.Errorf("it has heard of it at %s, which began at %s", seen, began)
	}
}
