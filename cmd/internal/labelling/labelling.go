package labelling

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"roundtable/activities/commits"
	"roundtable/activities/labels"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// Work labels what is left.
func (l Options) Work(ctx context.Context, s store.Store, name string, how campaign.Labelling) error {
	return engine.UnderClock(ctx, engine.Notices(l.Options),
		func(ctx context.Context) error { return l.labelRest(ctx, s, name, how) })
}

func (l Options) labelRest(ctx context.Context, s store.Store, name string, how campaign.Labelling) error {
	_, err := campaign.ReadLabelling(ctx, s, name, how.ID())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	e, err := engine.Start(ctx, l.Options, s,
		engine.Job{Folder: l.LabelsFolder(name, how.ID()), Fresh: err != nil, NoCache: l.NoCache})
	if err != nil {
		return err
	}
	defer e.Stop()
	if ctx, err = e.LockCampaign(ctx, l.Options, name); err != nil {
		return err
	}
	if err := e.TakeWork(ctx); err != nil {
		return err
	}
	return l.carryOut(ctx, e, s, name, how)
}

// carryOut labels what is left with an engine that works, to the end or until the
// operator must fix something.
func (l Options) carryOut(ctx context.Context, e *engine.Engine, s store.Store, name string,
	how campaign.Labelling) error {
	if err := e.RefuseForeign(ctx, workflows.LabelsID(name, how.ID())); err != nil {
		return err
	}
	if err := campaign.WriteLabelling(ctx, s, name, how); err != nil {
		return err
	}
	if how.CodeBook != nil {
		if _, err := recordBook(ctx, s, name, *how.CodeBook); err != nil {
			return err
		}
	}
	status, err := l.driveWorkflow(ctx, e,
		workflows.CampaignInput{Name: name, Labeller: how.ID(), Heartbeat: e.Heartbeat(),
			Visibility: e.Visibility(ctx, l.Options)})
	switch {
	case ctx.Err() != nil:
		return cli.Interrupted(ctx, "the same command")
	case err != nil:
		return err
	case status.Paused:
		return cli.IncompleteError(fmt.Errorf("labelling stopped: %s\nresume with: the same command",
			status.PauseReason))
	case status.Failed > 0:
		return cli.IncompleteError(fmt.Errorf("%s could not be labelled, the first because: %s\nretry with: the same command", wording.Count(status.Failed, "collaboration"), status.Failure))
	}
	return commits.RefreshCard(ctx, s, name)
}

// driveWorkflow starts the workflow, or finds it running, and watches it to its end or until the
// operator must fix something.
func (l Options) driveWorkflow(ctx context.Context, e *engine.Engine,
	in workflows.CampaignInput) (workflows.Status, error) {
	id := workflows.LabelsID(in.Name, in.Labeller)
	options := client.StartWorkflowOptions{ID: id,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING}
	in.Visibility.ShowCampaign(&options, in.Name, in.Revision)
	run, err := e.Execute(ctx, "labelling", task.CampaignWorkflow, options, in)
	if err == nil { // one that was stopped resumes
		err = e.Client.SignalWorkflow(ctx, id, run.GetRunID(), workflows.SignalResume, nil)
	}
	if _, ended := errors.AsType[*serviceerror.NotFound](err); err != nil && !ended {
		return workflows.Status{}, err
	}
	return engine.Watch(ctx, e, run, "labelling", cli.PlainEvery, func(now workflows.Status) bool {
		fmt.Fprintf(e.Notices(), "%d of %s labelled, %s\n", now.Succeeded, wording.Count(now.Cells, "collaboration"),
			wording.Count(e.Activities.Meter().Calls, "call"))
		return now.Paused && e.Activities.Meter().UnderWay == 0
	})
}

// sumUp sums up what a labeller has committed.
func sumUp(ctx context.Context, s store.Store, name string, how campaign.Labelling) (Summary, error) {
	r := Summary{Campaign: name, Labeller: how.ID(), Model: how.Labeller.Name,
		Simulated: how.Labeller.Name == labels.Rules}
	if how.CodeBook != nil {
		r.CodeBook, r.whole = how.CodeBook.ID(), how.CodeBook.Unit == campaign.UnitCollaboration
	}
	markers, err := lake.LabelMarkers(ctx, s, name, r.Labeller)
	if err != nil {
		return r, err
	}
	var spent task.Result
	for _, m := range markers {
		rows, err := lake.ReadRows[record.Label](ctx, s, m)
		if err != nil {
			return r, err
		}
		for _, row := range rows {
			if r.Messages++; row.Status != record.Labelled {
				r.Invalid++
			}
		}
		spent.Add(ledger.ResultOf(m.Outcome()))
	}
	r.Collaborations, r.Calls, r.InputTokens, r.OutputTokens = len(markers), spent.Calls, spent.InputTokens,
		spent.OutputTokens
	if !spent.Unpriced {
		r.CostUSD = &spent.CostUSD
	}
	r.WorstUSD = spent.WorstUSD
	r.Left, err = campaigns.CountUnlabelled(ctx, s, name, r.Labeller)
	return r, err
}
