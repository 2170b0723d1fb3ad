// Package runs carries campaigns out on an engine: it checks their models, starts or
// joins them, shows their progress, and pauses, tunes and cancels them. An interrupted
// run keeps the answers of requests in flight.
//
// Persons answer its questions at a terminal, and what calls of unknown outcome were billed is
// recorded: nothing or an amount that they can have cost.
package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/cmd/internal/planning"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// Options are the flags of run.
type Options struct {
	*cli.Options
	Retry   bool
	NoCache bool
	Checks  bool // ask each model once before the first call
	Until   int  // how many cells of the plan are run; 0 is all
}

const NoCheckUsage = "do not ask each model once before the campaign starts"

// Work runs what is left of a recorded plan and returns how far it came.
func (r Options) Work(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest,
	again string) (status workflows.Status, err error) {
	err = engine.UnderClock(ctx, engine.Notices(r.Options), func(ctx context.Context) (err error) {
		status, err = r.runRest(ctx, s, p, m, again)
		r.Retry, r.Checks = false, false // once is enough
		return err
	})
	return status, err
}

func (r Options) runRest(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest,
	again string) (workflows.Status, error) {
	name := p.Campaign.Name
	var status workflows.Status
	halt, err := campaign.ReadHalt(ctx, s, name) // what is commanded from now on stays
	if err != nil {
		return status, err
	}
	_, err = campaign.ReadManifest(ctx, s, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return status, err
	}
	e, err := engine.Start(ctx, r.Options, s,
		engine.Job{Folder: r.CampaignFolder(name), Fresh: err != nil, NoCache: r.NoCache})
	if err != nil {
		return status, err
	}
	defer e.Stop()
	if ctx, err = e.LockCampaign(ctx, r.Options, name); err != nil {
		return status, err
	}
	if err := e.RefuseForeign(ctx, workflows.CampaignID(name)); err != nil {
		return status, err
	}
	if err := planning.RecordPlan(ctx, s, p, m); err != nil { // not before the lock: another run's plan stays
		return status, err
	}
	if r.Retry {
		if err := campaign.RequestRerun(ctx, s, name); err != nil {
			return status, err
		}
	}
	if heard, err := heardOf(ctx, e.Client, name, halt); err != nil {
		return status, err
	} else if !heard { // workers would meet it before drive, which ends the others, has joined the workflow
		if err := campaign.ClearSameHalt(ctx, s, name, halt); err != nil {
			return status, err
		}
	}
	if r.Checks {
		if err := r.check(ctx, e, s, p, again); err != nil {
			return status, err
		}
	}
	if err := e.TakeWork(ctx); err != nil {
		return status, err
	}
	status, err = r.driveWorkflow(ctx, e, p, m, func() (bool, error) { return liftHalt(ctx, s, name, halt) })
	if ctx.Err() != nil {
		return status, cli.Interrupted(ctx, again)
	}
	if err != nil {
		return status, err
	}
	if status.Paused && status.Done() < status.Cells {
		if err := campaign.NoteHalt(ctx, s, name,
			campaign.Halt{Reason: status.PauseReason, At: time.Now().UTC()}); err != nil {
			return status, err
		}
		if e.Log().Warn("run ends: the campaign is paused", "campaign", name, "reason",
			status.PauseReason); r.Telemetry.Logs() {
			return status, pausedError(name, status)
		}
		if strings.Contains(status.PauseReason, "roundtable resume") { // it says how; run would use the file's limits
			fmt.Fprintf(os.Stderr, "\n%s is paused: %s\n", name, status.PauseReason)
		} else {
			fmt.Fprintf(os.Stderr, "\n%s is paused: %s\nresume with: %s\n", name, status.PauseReason, again)
		}
		return status, pausedError(name, status)
	}
	return status, nil
}

// pausedError returns the error of a campaign that is paused.
func pausedError(name string, s workflows.Status) error {
	return cli.IncompleteError(fmt.Errorf("%s is paused after %d of %s", name, s.Done(),
		wording.Count(s.Cells, "collaboration")))
}

// driveWorkflow starts the campaign's workflow, or finds it running, and watches it to its end. One that
// nobody has cancelled yet, or that is extended, goes on whatever was cancelled before: it calls goOn, and
// is not resumed if somebody has halted it since.
func (r Options) driveWorkflow(ctx context.Context, e *engine.Engine, p campaign.Plan, m campaign.Manifest,
	goOn func() (held bool, err error)) (workflows.Status, error) {
	in := workflows.CampaignInput{Name: p.Campaign.Name, Revision: p.Campaign.Revision(), Limits: m.Limits,
		Until: r.Until, Question: m.Until != nil && r.Until == 0, Heartbeat: e.Heartbeat(), Notify: r.Until == 0,
		Visibility: e.Visibility(ctx, r.Options)}
	id := workflows.CampaignID(in.Name)
	for {
		run, err := r.join(ctx, e, id, in, goOn)
		if errors.Is(err, errEnded) {
			continue // the next one starts
		}
		if err != nil {
			return workflows.Status{}, err
		}
		return r.watch(ctx, e, run, in.Name, p.Campaign.Size())
	}
}

// errEnded is the error of a workflow that ran when it was found, and has ended since.
var errEnded = errors.New("the campaign's workflow has ended meanwhile")

// join starts a campaign's workflow, or joins the one that runs; the error is errEnded if
// that ends first.
func (r Options) join(ctx context.Context, e *engine.Engine, id string, in workflows.CampaignInput,
	goOn func() (held bool, err error)) (client.WorkflowRun, error) {
	options := client.StartWorkflowOptions{
		ID: id, WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}
	in.Visibility.ShowCampaign(&options, in.Name, in.Revision)
	run, err := e.Execute(ctx, "campaign", task.CampaignWorkflow, options, in)
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		if err := campaigns.CheckCodec(ctx, r.Options, e.Client, id); err != nil {
			return nil, err
		}
		err = campaigns.RetryWhileLate(ctx, e.Notices(), "state of the campaign that runs", func() (err error) {
			run, err = attach(ctx, e.Client, id, in, r.Retry, goOn)
			return err
		})
		if _, ended := errors.AsType[*serviceerror.NotFound](err); ended {
			return nil, errEnded
		}
		return run, err
	}
	if err == nil {
		_, err = goOn()
	}
	return run, err
}

// heardOf reports whether a halt is a cancel that the campaign's open workflow may have heard of: then
// it has to say whether that counts. It is asked without a worker, by its history.
func heardOf(ctx context.Context, c client.Client, name string, halt *campaign.Halt) (bool, error) {
	if halt == nil || !halt.ByHand || halt.Reason != task.Cancelled {
		return false, nil
	}
	heard := false
	events := c.GetWorkflowHistory(ctx, workflows.CampaignID(name), "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		switch event.GetEventType() {
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED: // it may have continued what was cancelled
			heard = event.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId() != ""
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
			heard = heard || event.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == workflows.SignalCancel
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
			enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED, enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
			enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
			return false, nil
		}
	}
	return heard, nil
}

// liftHalt ends the halt that was found when a command began. Held says that somebody has paused or
// cancelled the campaign since: that is what counts.
func liftHalt(ctx context.Context, s store.Store, name string, found *campaign.Halt) (held bool, err error) {
	if err := campaign.ClearSameHalt(ctx, s, name, found); err != nil {
		return false, err
	}
	now, err := campaign.ReadHalt(ctx, s, name)
	return now != nil && now.Holds && now.ByHand, err
}

// attach joins a campaign that is running: with the present plan and limits, and
// resumed, because the operator gave run; with the whole plan again if cells
// are to be run again.
func attach(ctx context.Context, c client.Client, id string, in workflows.CampaignInput, again bool,
	goOn func() (held bool, err error)) (client.WorkflowRun, error) {
	status, err := campaigns.SettledStatus[workflows.Status](ctx, c, id)
	extends := status.Revision != in.Revision || again || status.Until != in.Until || status.Question != in.Question
	if err == nil && extends {
		err = c.SignalWorkflow(ctx, id, "", workflows.SignalExtend, in)
	}
	if err == nil {
		err = c.SignalWorkflow(ctx, id, "", workflows.SignalTune, in.Limits)
	}
	held := false
	if err == nil && (extends || !status.Cancelled) { // a cancel that it has not heard of reached nobody
		held, err = goOn()
	}
	if err == nil && !held { // also if it is not paused: what waits is tried at once
		err = c.SignalWorkflow(ctx, id, "", workflows.SignalResume, nil)
	}
	return c.GetWorkflow(ctx, id, ""), err
}
