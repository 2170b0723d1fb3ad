package campaigns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// server is a Temporal server that lists two campaigns a page, and whose workers are late.
type server struct {
	client.Client
	running []string // workflow IDs
	queue   string   // of the workflow that it describes
	status  enumspb.WorkflowExecutionStatus
	failed  error
	asked   int
}

func (s *server) ListWorkflow(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	from := len(r.NextPageToken) // a token has a byte for each that was listed
	page := &workflowservice.ListWorkflowExecutionsResponse{}
	for _, id := range s.running[from:min(from+2, len(s.running))] {
		page.Executions = append(page.Executions, &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: "run"}, TaskQueue: s.queue})
	}
	if from += 2; from < len(s.running) {
		page.NextPageToken = make([]byte, from)
	}
	return page, s.failed
}

func (s *server) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{
		ExecutionConfig:       &workflowpb.WorkflowExecutionConfig{TaskQueue: &taskqueuepb.TaskQueue{Name: s.queue}},
		WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: s.status},
	}, s.failed
}

func (s *server) QueryWorkflow(context.Context, string, string, string, ...any) (converter.EncodedValue, error) {
	s.asked++
	return nil, context.DeadlineExceeded
}

// All pages of what runs are listed; a workflow of another lake or engine is refused while it runs.
func TestSharedServer(t *testing.T) {
	o := &cli.Options{Temporal: "temporal.example:7233", Namespace: "mine", Lake: filepath.Join(t.TempDir(), "lake")}
	s, err := campaigns.NewSharedServer(o, "1234")
	if err != nil || s.Address != o.Temporal || s.Namespace != "mine" {
		t.Fatalf("%+v, %v", s, err)
	}
	if target, ok, err := campaigns.OutsideTarget(o); !ok || err != nil || target.HostPort != o.Temporal || target.Namespace != "mine" {
		t.Errorf("%+v, %t, %v", target, ok, err)
	}
	if _, ok, err := campaigns.OutsideTarget(&cli.Options{}); ok || err != nil {
		t.Errorf("without an address there is a server: %t, %v", ok, err)
	}
	if n := campaigns.Namespace(&cli.Options{Namespace: "mine"}); n == "mine" {
		t.Error("an embedded server has a namespace of the flags")
	}
	for n := range 6 {
		c := &server{queue: s.Queue}
		for i := range n {
			c.running = append(c.running, workflows.CampaignID(fmt.Sprint(i)))
		}
		all, err := s.ListRunning(t.Context(), c)
		var names []string
		for _, r := range all {
			names = append(names, workflows.CampaignID(r.Name()))
		}
		if err != nil || !slices.Equal(names, c.running) || n > 0 && all[0].Queue != s.Queue {
			t.Errorf("of %d campaigns it lists %q, %v", n, names, err)
		}
	}
	const running, done = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	for _, x := range []struct {
		server
		says string
	}{
		{server{queue: s.Queue, status: running}, ""}, {server{queue: task.LakeQueue("5678"), status: done}, ""},
		{server{failed: serviceerror.NewNotFound("")}, ""}, {server{failed: errors.New("lost")}, "temporal.example:7233: lost"},
		{server{queue: task.LakeQueue("5678"), status: running}, "for another lake (5678)"}, {server{queue: "roundtable-0@1234", status: running}, "by engine 0"},
	} {
		err := s.RefuseForeign(t.Context(), &x.server, "c")
		_, isForeign := errors.AsType[campaigns.Foreign](err)
		if (err == nil) != (x.says == "") || err != nil && !strings.Contains(err.Error(), x.says) || isForeign != (err != nil && x.failed == nil) {
			t.Errorf("%s: %v", x.says, err)
		}
		if is := campaigns.IsRunning(t.Context(), &x.server, "c"); is != (x.status == running) {
			t.Errorf("%s: it runs: %t", x.says, is)
		}
	}
}

// What a late worker's program has written lately stands for its status, but nothing on a cluster does.
func TestStatusOfLateWorkers(t *testing.T) {
	o := &cli.Options{State: t.TempDir(), Lake: filepath.Join(t.TempDir(), "lake")}
	cluster := *o
	cluster.Temporal = "temporal.example:7233"
	folder := filepath.Join(o.State, o.CampaignFolder("c"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		o     *cli.Options
		age   time.Duration
		cells int // 0 is no status
	}{{o, 0, 7}, {o, time.Hour, 0}, {&cluster, 0, 0}} {
		text, err := json.Marshal(campaigns.Progress{Status: []byte(`{"Cells": 7}`), At: time.Now().Add(-x.age)})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, campaigns.ProgressFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		c := &server{}
		status, _, err := campaigns.AskStatus[struct{ Cells int }](t.Context(), x.o, c, "c", "c")
		if status.Cells != x.cells || (err == nil) != (x.cells > 0) || (c.asked == 1) != (x.cells > 0) {
			t.Errorf("%s old, at %q: %+v, %v, asked %d times", x.age, x.o.Temporal, status, err, c.asked)
		}
	}
}
