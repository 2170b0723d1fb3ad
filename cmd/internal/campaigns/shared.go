package campaigns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/analysis/lake"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// SharedServer is a server that others may use as well, with other lakes, engines and keys.
type SharedServer struct {
	Address, Namespace string
	Lake               string // as this process reaches it
	Queue              string // of the lake
	keys               codec.Keys
}

// NewSharedServer returns the server that flags or environment name, for the lake of an id.
func NewSharedServer(o *cli.Options, id string) (*SharedServer, error) {
	keys, err := codec.KeysFromEnv()
	if err != nil {
		return nil, cli.UsageError(err)
	}
	return &SharedServer{
		Address: infra.TargetFromEnv(o.Temporal).HostPort, Namespace: Namespace(o),
		Lake: o.LakeName(), Queue: task.LakeQueue(id), keys: keys,
	}, nil
}

// Foreign is the error of a workflow of the same name that runs for another lake or by
// another engine.
type Foreign struct{ says string }

func (f Foreign) Error() string { return f.says }

// RefuseForeign returns an error of type [Foreign] if a workflow of this name runs for
// another lake or by another engine: it would be taken for this lake's.
func (s *SharedServer) RefuseForeign(ctx context.Context, c client.Client, workflowID string) error {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the Temporal server at %s: %w", s.Address, err)
	}
	if d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil
	}
	queue := d.GetExecutionConfig().GetTaskQueue().GetName()
	if queue == s.Queue {
		return nil
	}
	return cli.UsageError(Foreign{fmt.Sprintf("%s runs in the namespace %s of %s already, %s. Use what it was started with, or another name or namespace",
		workflowID, s.Namespace, s.Address, s.DescribeForeign(queue))})
}

// DescribeForeign says whose a queue is that is not this lake's.
func (s *SharedServer) DescribeForeign(queue string) string {
	its, lakeID, _ := strings.Cut(strings.TrimPrefix(queue, "roundtable-"), "@")
	if its != task.EngineVersion {
		return fmt.Sprintf("by engine %s; this program has engine %s (`roundtable version` shows it)", its,
			task.EngineVersion)
	}
	_, mine, _ := strings.Cut(s.Queue, "@")
	return fmt.Sprintf("for another lake (%s); this one, %s, is %s", lakeID, s.Lake, mine)
}

// refuseForeign refuses to steer or to ask the campaign of another lake.
func refuseForeign(ctx context.Context, o *cli.Options, c client.Client, workflowID string) error {
	store, err := o.OpenLake()
	if err != nil {
		return err
	}
	known, err := lake.ReadIdentity(ctx, store)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s, err := NewSharedServer(o, cmp.Or(known.ID, "none"))
	if err != nil {
		return err
	}
	return s.RefuseForeign(ctx, c, workflowID)
}

// RunningCampaign is a campaign that runs in the namespace.
type RunningCampaign struct {
	WorkflowID, RunID, Queue string
}

// Name returns the campaign's name.
func (r RunningCampaign) Name() string {
	return strings.TrimPrefix(r.WorkflowID, workflows.CampaignID(""))
}

// ListRunning returns the campaigns that run in the namespace, of all lakes and engines.
func (s *SharedServer) ListRunning(ctx context.Context, c client.Client) (all []RunningCampaign, err error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: fmt.Sprintf("WorkflowType = '%s' AND ExecutionStatus = 'Running'", task.CampaignWorkflow)}
	for {
		page, err := c.ListWorkflow(ctx, request)
		if err != nil {
			return all, err
		}
		for _, w := range page.GetExecutions() {
			all = append(all, RunningCampaign{w.GetExecution().GetWorkflowId(), w.GetExecution().GetRunId(),
				w.GetTaskQueue()})
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return all, nil
		}
	}
}

func (r RunningCampaign) workflowExecution() *commonpb.WorkflowExecution {
	return &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID, RunId: r.RunID}
}

// CheckReadable returns why this process cannot work for a campaign: its histories are
// encrypted with a key that it lacks.
func (s *SharedServer) CheckReadable(ctx context.Context, c client.Client, r RunningCampaign) error {
	page, err := c.WorkflowService().GetWorkflowExecutionHistory(ctx,
		&workflowservice.GetWorkflowExecutionHistoryRequest{
			Namespace: s.Namespace, Execution: r.workflowExecution(), MaximumPageSize: 1,
		})
	if err != nil || len(page.GetHistory().GetEvents()) == 0 {
		return nil // it has ended meanwhile, or is looked at next time
	}
	for _, p := range page.GetHistory().GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads() {
		if err := s.keys.CanOpen(p); err != nil {
			return fmt.Errorf("campaign %s: %w", r.Name(), err)
		}
	}
	return nil
}
