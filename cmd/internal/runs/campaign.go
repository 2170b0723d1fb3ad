// Package runs runs campaigns on an engine: it checks their models, starts or joins them, shows their
// progress, and pauses, tunes and cancels them. An interrupted run keeps the answers of calls in flight.
//
// It also lets persons answer a campaign's questions at a terminal, and records what calls of unknown outcome
// were billed.
package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/activities/people"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/cmd/internal/planning"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Options holds the flags of run.
type Options struct {
	*cli.Options
	Retry   bool
	NoCache bool
	Checks  bool   // ask each model once before the first call
	Until   int    // how many cells of the plan are run; 0 is all
	File    string // the campaign file that was given; "" if none was
}

// resumeWith returns the command that continues a campaign whose file may have been moved since.
func (r Options) resumeWith(again, name string) string {
	if _, err := os.Stat(r.File); r.File != "" && errors.Is(err, fs.ErrNotExist) {
		return "roundtable resume " + name + r.Places()
	}
	return again
}

// NoCheckUsage is the help text of the flag that skips the check of models.
const NoCheckUsage = "do not ask each model once before the campaign starts"

// Work runs what is left of a recorded plan and returns its status at the end. again is the command that
// resumes it, for messages.
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
	if err := campaign.CheckStarts(ctx, s, name); err != nil {
		return status, cli.UsageError(err)
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
	} else if !heard { // workers would meet it before driveWorkflow, which ends the others, has joined the workflow
		if err := campaign.ClearSameHalt(ctx, s, name, halt); err != nil {
			return status, err
		}
	}
	if r.Checks {
		if err := r.check(ctx, e, s, p, again); err != nil {
			return status, err
		}
	}
	start := campaign.Start{At: time.Now().UTC(), Revision: p.Campaign.Revision()}
	if err := campaign.NoteStart(ctx, s, name, start); err != nil {
		return status, err
	}
	if err := e.TakeWork(ctx); err != nil {
		return status, err
	}
	status, err = r.driveWorkflow(ctx, e, p, m, func() (bool, error) { return liftHalt(ctx, s, name, halt) })
	if ctx.Err() != nil {
		return status, cli.Interrupted(ctx, r.resumeWith(again, name))
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
			fmt.Fprintf(os.Stderr, "\n%s is paused: %s\nresume with: %s\n", name, status.PauseReason,
				r.resumeWith(again, name))
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
	events := c.GetWorkflowHistory(ctx, workflows.CampaignID(name), "", false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
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

// Signal signals the workflow of a running campaign and then prints its name and said; nothing if said is "".
func Signal(ctx context.Context, o *cli.Options, name, signal string, arg any, said string) error {
	err := campaigns.Signal(ctx, o, name, signal, arg)
	if errors.Is(err, campaigns.ErrNotRunning) {
		return fmt.Errorf("campaign %q: %w; resume with: roundtable run FILE, or roundtable resume %s", name, err, name)
	}
	if err != nil {
		return fmt.Errorf("campaign %q: %w", name, err)
	}
	if said == "" {
		return nil
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), map[string]string{"campaign": name, "signal": signal})
	}
	fmt.Printf("%s %s\n", name, said)
	return nil
}

// ReportDone prints that a campaign has nothing left to run, so that command does nothing.
func ReportDone(o *cli.Options, p campaign.Plan, command string) error {
	name, cells := p.Campaign.Name, p.Campaign.Size()
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), map[string]any{"campaign": name, "state": "done", "cells": cells})
	}
	_, err := fmt.Fprintf(o.Stdout(), "%s; there is nothing to %s\n", DoneText(name, cells), command)
	return err
}

// DoneText returns a sentence that says that campaign name, with this number of cells, is done.
func DoneText(name string, cells int) string {
	all := fmt.Sprintf("all %d collaborations", cells)
	if cells == 1 {
		all = "its collaboration"
	}
	return fmt.Sprintf("%s is done already: %s finished", name, all)
}

// Cancel cancels a campaign. One that is not running is loaded into an engine to be ended; no call is made.
func Cancel(ctx context.Context, o *cli.Options, name string) error {
	err := RequestCancel(ctx, o, name, "is being cancelled")
	if !errors.Is(err, campaigns.ErrNotRunning) {
		return err
	}
	s, p, m, err := campaigns.Open(ctx, o, name)
	if err != nil {
		return err
	}
	if campaigns.IsSealed(ctx, s, p) {
		return ReportDone(o, p, "cancel")
	}
	r := Options{Options: o}
	e, err := engine.Start(ctx, r.Options, s, engine.Job{Folder: o.CampaignFolder(name)})
	if err != nil {
		return err
	}
	defer e.Stop()
	if ctx, err = e.LockCampaign(ctx, o, name); err != nil {
		return err
	}
	// Halt and signal come before the worker: nothing is asked any more.
	halt := campaign.Halt{Reason: task.Cancelled, At: time.Now().UTC(), Holds: true, ByHand: true}
	before, err := campaign.ReadHalt(ctx, s, name)
	if err != nil {
		return err
	}
	if err := campaign.WriteHalt(ctx, s, name, halt); err != nil {
		return errors.Join(err, restoreHalt(ctx, s, name, halt, before))
	}
	in := workflows.CampaignInput{Name: name, Revision: p.Campaign.Revision(), Limits: m.Limits,
		Question: m.Until != nil, Heartbeat: e.Heartbeat(), Notify: true, Visibility: e.Visibility(ctx, o)}
	run, err := e.Client.SignalWithStartWorkflow(ctx, workflows.CampaignID(name), workflows.SignalCancel, nil,
		client.StartWorkflowOptions{TaskQueue: e.Queue, WorkflowTaskTimeout: workflows.TaskTimeout},
		task.CampaignWorkflow, in)
	if err = campaigns.NameLate("signal "+workflows.SignalCancel, err); campaigns.IsLate(err) { // it may have arrived
		return err
	}
	if err != nil {
		return errors.Join(err, restoreHalt(ctx, s, name, halt, before))
	}
	if err := e.TakeWork(ctx); err != nil {
		return err
	}
	status, err := r.watch(ctx, e, run, name, p.Campaign.Size())
	if err == nil {
		err = campaign.ClearSameHalt(ctx, s, name, &halt)
	}
	if err != nil {
		return err
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), status)
	}
	fmt.Fprintf(os.Stderr, "%s: %d succeeded, %d failed, %d stopped\n", name, status.Succeeded, status.Failed,
		status.Stopped)
	return nil
}

// check asks each model of a campaign once before anything else is asked: a
// wrong key or name would fail every cell. Models that have answered in this
// campaign are not asked again, nor are simulated and recorded ones. What passes
// by itself (a limit, a service that is down) does not keep a campaign from starting.
func (r Options) check(ctx context.Context, e *engine.Engine, s store.Store, p campaign.Plan, again string) error {
	name := p.Campaign.Name
	checks, others, err := ledger.EarlyAnswers(ctx, s, name)
	if err != nil {
		return err
	}
	answered := map[checked]bool{}
	for _, answer := range slices.Concat(checks, others) {
		answered[checked{answer.ModelAsked, false}] = true
		if answer.Logprob != nil {
			answered[checked{answer.ModelAsked, true}] = true
		}
	}
	build, asked := e.Models.Build, map[checked]bool{}
	for _, c := range p.Campaign.Conditions {
		for _, m := range c.AllModels() {
			g := c.GenerateFor(m)
			if !IsChecked(m.Name) || answered[checked{m.Name, g.Logprobs}] {
				continue
			}
			provider, err := build(m, c, nil)
			if err != nil {
				return err
			}
			if asked[checked{provider.Account, g.Logprobs}] {
				continue
			}
			asked[checked{provider.Account, g.Logprobs}] = true
			reason, err := checkModel(ctx, e, name, provider, g)
			if err != nil {
				return err
			}
			if reason != "" {
				return haltBefore(ctx, e, s, p, reason, r.resumeWith(again, p.Campaign.Name))
			}
		}
	}
	return nil
}

// checked is a model, or its account, and whether log-probabilities are asked of it.
type checked struct {
	name     string
	logprobs bool
}

// IsChecked reports whether run calls a model once before the campaign starts: models that are not free, and
// neither retrieval nor a person.
func IsChecked(model string) bool {
	return !IsFree(model) && !strings.HasPrefix(model, "retrieval/") && !people.IsPerson(model)
}

// checkModel asks one model and says what that cost. The reason is why it
// cannot be asked; empty if it can, or if what failed passes by itself.
func checkModel(ctx context.Context, e *engine.Engine, campaign string, p model.Provider,
	g plan.Generate) (reason string, err error) {
	defer tellWaiting(ctx, e.Notices(), p.Name)()
	answer, err := e.Activities.Check(ctx, campaign, p, calls.CheckOptions{Parameters: model.Parameters(g)})
	var call *model.Error
	var known *failure.Failure
	switch {
	case err == nil && g.Logprobs && answer.Logprob == nil:
		return fmt.Sprintf("%s was asked for log-probabilities and gave none; leave generate.logprobs out, or ask a "+
			"model or server that gives them", p.Name), nil
	case err == nil:
		cost := "at a price that is not known"
		if answer.CostUSD != nil {
			cost = fmt.Sprintf("$%.6f", *answer.CostUSD)
		}
		fmt.Fprintf(e.Notices(), "checked %s: it answers%s (%d tokens, %s)\n", p.Name, describeAnswer(answer),
			answer.Usage.Input+answer.Usage.Output, cost)
		for _, waived := range answer.Waived {
			fmt.Fprintf(e.Notices(), "  it takes %s\n", waived)
		}
		return "", nil
	case ctx.Err() != nil:
		return "", cli.InterruptedError(errors.New("interrupted"))
	case errors.As(err, &call) && isPassing(call):
		fmt.Fprintf(e.Notices(), "checked %s: %v; it will be tried again\n", p.Name, err)
		return "", nil
	case errors.As(err, &call):
		return fmt.Sprintf("%s cannot be asked: %v", p.Name, err), nil
	case errors.As(err, &known) && known.Type == task.ErrPause:
		return known.Message, nil
	}
	return "", err
}

// isPassing reports whether the failure of a check is of a service that is down, slow or busy.
func isPassing(e *model.Error) bool {
	return e.Class == model.Retry && e.Fault != model.Useless && e.Fault != model.Refused
}

// describeAnswer says of an answer to the check what makes others of its kind useless.
func describeAnswer(a answers.Answer) string {
	if len(strings.TrimSpace(string(a.Raw))) > 0 {
		return ""
	}
	said := ", with an empty text"
	if a.Elsewhere != "" {
		said += "; there is one in " + a.Elsewhere
	}
	if a.FinishReason != "" && a.FinishReason != "stop" {
		said += "; it ended with " + a.FinishReason
	}
	return said
}

// tellWaiting says every ten seconds, from the first two on, that a model has not answered
// yet, and once that an interrupt waits for its answer too, until the function that it returns is called.
func tellWaiting(ctx context.Context, out io.Writer, model string) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		began, next := time.Now(), time.After(2*time.Second)
		interrupted := ctx.Done()
		for {
			select {
			case <-done:
				return
			case <-interrupted:
				interrupted = nil
				fmt.Fprintf(out, "interrupted: waiting for the answer of %s, which may be billed; a second Ctrl-C or "+
					"SIGTERM ends at once\n", model)
			case <-next:
				fmt.Fprintf(out, "checking %s: waiting for its answer for %v\n", model,
					time.Since(began).Round(time.Second))
				next = time.After(cli.PlainEvery)
			}
		}
	}()
	return func() { close(done); <-ended }
}

// haltBefore pauses a campaign before its first call.
func haltBefore(ctx context.Context, e *engine.Engine, s store.Store, p campaign.Plan, reason, again string) error {
	name, at := p.Campaign.Name, time.Now().UTC()
	if err := campaign.NoteHalt(ctx, s, name, campaign.Halt{Reason: reason, At: at}); err != nil {
		return err
	}
	if strings.Contains(reason, "roundtable resume") { // it says how
		fmt.Fprintf(e.Notices(), "%s is paused: %s\n", name, reason)
	} else {
		fmt.Fprintf(e.Notices(), "%s is paused: %s\nresume with: %s\n", name, reason, again)
	}
	// No workflow runs yet that would send it.
	notice := task.Notice{Campaign: name, Revision: p.Campaign.Revision(), Event: plan.NotifyPause, Reason: reason,
		At: at, Key: at.Format(time.RFC3339Nano), Cells: p.Campaign.Size()}
	if _, err := e.Activities.Notify(ctx, notice); err != nil {
		return err
	}
	return cli.IncompleteError(fmt.Errorf("%s is paused before its first call; --no-check starts it without asking", name))
}

// IsFree reports whether a model, given by name, is scripted, a replay or a local embedder.
func IsFree(model string) bool {
	return strings.HasPrefix(model, "scripted/") || strings.HasPrefix(model, "replay/") ||
		strings.HasPrefix(model, plan.EmbedderPrefix)
}
