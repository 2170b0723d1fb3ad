package campaigns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	querypb "go.temporal.io/api/query/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/analysis/lake"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/telemetry"
	"roundtable/infra"
	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// OutsideTarget returns the Temporal server that the flags or the environment name; ok is false if they name
// none, and an embedded server is used.
func OutsideTarget(o *cli.Options) (target infra.Target, ok bool, err error) {
	target = infra.TargetFromEnv(o.Temporal)
	if target.HostPort == "" {
		return target, false, nil
	}
	target.Namespace = cmp.Or(o.Namespace, target.Namespace)
	target.Insecure, target.Logger = o.Insecure, OpenWorkerLog(o)
	target, err = target.WithCredentialsFromEnv()
	return target, true, err
}

// DialOutside connects to the server of OutsideTarget; the client is nil if there is none. metrics may be nil.
func DialOutside(ctx context.Context, o *cli.Options, metrics client.MetricsHandler) (client.Client, error) {
	target, ok, err := OutsideTarget(o)
	if !ok || err != nil {
		return nil, err
	}
	target.Metrics = metrics
	return infra.Dial(ctx, target)
}

// OpenWorkerLog returns the logger of Temporal's SDK: it writes to worker.log, or to standard error if the
// flags ask for a log.
func OpenWorkerLog(o *cli.Options) *slog.Logger {
	level, err := o.Telemetry.Level()
	if err != nil { // Start has refused it
		return slog.New(slog.DiscardHandler)
	}
	if o.Telemetry.Logs() {
		return slog.New(telemetry.NewHandler(os.Stderr, o.Telemetry.LogFormat, level))
	}
	if err := os.MkdirAll(o.State, 0o700); err != nil {
		return slog.New(slog.DiscardHandler)
	}
	file, err := os.OpenFile(filepath.Join(o.State, "worker.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(telemetry.NewHandler(file, "text", level))
}

// ErrNotRunning says that no engine is there to talk to.
var ErrNotRunning = errors.New("it is not running here")

// Connect returns a client for the engine that runs a campaign in another process: the outside server, or the
// embedded server of a `roundtable run` in another terminal. It returns an error if that engine runs a
// campaign of the same name for another lake.
func Connect(ctx context.Context, o *cli.Options, campaign string) (client.Client, error) {
	c, err := DialOutside(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	if c != nil {
		if err := refuseForeign(ctx, o, c, workflows.CampaignID(campaign)); err != nil {
			c.Close()
			return nil, err
		}
		return c, nil
	}
	target, err := infra.TargetIn(filepath.Join(o.State, o.CampaignFolder(campaign)))
	if err != nil {
		return nil, ErrNotRunning
	}
	if _, err := codec.KeysFromEnv(); err != nil {
		return nil, err
	}
	target.Patience, target.Logger = time.Second, slog.New(slog.DiscardHandler)
	if c, err = infra.Dial(ctx, target); err != nil {
		return nil, ErrNotRunning
	}
	return c, nil
}

// Namespace returns the namespace of the engine that Connect finds.
func Namespace(o *cli.Options) string {
	target := infra.TargetFromEnv(o.Temporal)
	if target.HostPort == "" {
		return infra.Namespace
	}
	return cmp.Or(o.Namespace, target.Namespace, infra.Namespace)
}

// Signal signals the workflow of a campaign, wherever it runs; ErrNotRunning
// if it does not.
func Signal(ctx context.Context, o *cli.Options, campaign, signal string, arg any) error {
	c, err := Connect(ctx, o, campaign)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := CheckCodec(ctx, o, c, workflows.CampaignID(campaign)); err != nil {
		return err
	}
	err = c.SignalWorkflow(ctx, workflows.CampaignID(campaign), "", signal, arg)
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return ErrNotRunning
	}
	return NameLate("signal "+signal, err)
}

// CheckCodec returns an error if the worker of the workflow uses another encryption key, since it could not
// read a signal and would retry for ever. It returns nil if no key is set here or no worker answers the query.
func CheckCodec(ctx context.Context, o *cli.Options, c client.Client, workflowID string) error {
	keys, err := codec.KeysFromEnv()
	if err != nil {
		return cli.UsageError(err)
	}
	if keys.AreEmpty() { // nothing is encrypted here, and a busy worker answers late
		return nil
	}
	answer, err := c.WorkflowService().QueryWorkflow(ctx, &workflowservice.QueryWorkflowRequest{
		Namespace: Namespace(o), Execution: &commonpb.WorkflowExecution{WorkflowId: workflowID},
		Query: &querypb.WorkflowQuery{QueryType: workflows.QueryStatus},
	})
	if err != nil {
		return nil
	}
	for _, p := range answer.GetQueryResult().GetPayloads() {
		if err := keys.Match(p); err != nil {
			return cli.UsageError(fmt.Errorf("nothing was sent: %w", err))
		}
	}
	return nil
}

// RetryWhileLate repeats request until the engine answers it in time, and writes to w that it waits for what.
// Requests must be safe to repeat.
func RetryWhileLate(ctx context.Context, w io.Writer, what string, request func() error) error {
	for began := time.Now(); ; {
		err := request()
		if !IsLate(err) || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(w, "the engine has not answered for %s (%s); the machine may be far behind. Waiting on; Ctrl-C "+
			"ends this\n",
			time.Since(began).Round(time.Second), what)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// IsLate reports whether an error is only a timeout of the engine.
func IsLate(err error) bool {
	_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
	return late || errors.Is(err, context.DeadlineExceeded)
}

// NameLate adds what, the thing that was waited for, to an error for which IsLate is true; other errors are
// returned as they are.
func NameLate(what string, err error) error {
	if !IsLate(err) {
		return err
	}
	return fmt.Errorf("the engine did not answer in time (%s); the machine may be far behind. Nothing is lost: "+
		"give the same command again: %w", what, err)
}

// QueryStatus returns the status that a running workflow reports.
func QueryStatus[S any](ctx context.Context, c client.Client, id string) (status S, err error) {
	value, err := c.QueryWorkflow(ctx, id, "", workflows.QueryStatus)
	if err == nil {
		err = value.Get(&status)
	}
	return status, err
}

// SettledStatus is like QueryStatus, but retries for a while: after a worker was killed during a workflow
// task, queries can fail until Temporal hands that task out again.
func SettledStatus[S any](ctx context.Context, c client.Client, id string) (status S, err error) {
	for began := time.Now(); ; {
		status, err = QueryStatus[S](ctx, c, id)
		if _, failed := errors.AsType[*serviceerror.QueryFailed](err); !failed ||
			time.Since(began) > 4*workflows.TaskTimeout {
			return status, err
		}
		select {
		case <-ctx.Done():
			return status, err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// IsRunning reports whether a workflow is open.
func IsRunning(ctx context.Context, c client.Client, workflowID string) bool {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// whyUnreadable returns why the status of a workflow that runs cannot be had; nil if it does not run.
func whyUnreadable(ctx context.Context, c client.Client, workflowID string, cause error) error {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	if err != nil || d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil
	}
	if task := d.GetPendingWorkflowTask(); task.GetAttempt() > 1 {
		return errors.Join(fmt.Errorf("its worker has failed %d times to continue; worker.log says why",
			task.GetAttempt()-1), cause)
	}
	return cause
}

// SharedServer is a Temporal server that other lakes, engines and keys may use as well.
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

// Foreign is the error for a workflow of the same name that runs for another lake or engine.
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
	return cli.UsageError(Foreign{fmt.Sprintf("%s runs in the namespace %s of %s already, %s. Use what it was "+
		"started with, or another name or namespace",
		workflowID, s.Namespace, s.Address, s.DescribeForeign(queue))})
}

// DescribeForeign returns in words whose task queue it is, given a queue of another lake or engine.
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
	request := &workflowservice.ListWorkflowExecutionsRequest{
		Query: fmt.Sprintf("WorkflowType = '%s' AND ExecutionStatus = 'Running'", task.CampaignWorkflow)}
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

// CheckReadable returns an error if the histories of r are encrypted with a key that this process lacks.
func (s *SharedServer) CheckReadable(ctx context.Context, c client.Client, r RunningCampaign) error {
	page, err := c.WorkflowService().GetWorkflowExecutionHistory(ctx,
		&workflowservice.GetWorkflowExecutionHistoryRequest{
			Namespace: s.Namespace, MaximumPageSize: 1,
			Execution: &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID, RunId: r.RunID},
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
