// Package labelling labels the messages of a campaign with the labeller of its file or of the flags, and sums
// up what is labelled.
package labelling

import (
	"context"
	"encoding/json"
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
	"roundtable/cmd/internal/handcoding"
	"roundtable/cmd/internal/providers"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Options holds the flags of the command label.
type Options struct {
	*cli.Options
	Asked       bool // the flags name a labeller, or how it is asked
	CodeBook    string
	Labeller    string
	Params      string
	Generate    string
	Price       string
	Reasks      int
	CostUnknown bool
	NoCache     bool
}

// Run labels what is not labelled yet of campaign name and reports all of its labels.
func (l Options) Run(ctx context.Context, name string) error {
	s, err := l.ReadLake(ctx, name)
	if err != nil {
		return err
	}
	if err := cli.LoadEnvFileOf(ctx, s, name); err != nil {
		return err
	}
	how, err := l.chooseLabelling(ctx, s, name)
	if err != nil {
		return cli.UsageError(err)
	}
	left, err := campaigns.CountUnlabelled(ctx, s, name, how.ID())
	if err != nil {
		return err
	}
	if left > 0 {
		err = l.Work(ctx, s, name, how)
	} else {
		err = campaigns.RepairCard(ctx, s, name)
	}
	if err != nil {
		return err
	}
	return l.report(ctx, s, name, how)
}

// chooseLabelling returns how messages are to be labelled: as the campaign's file says, unless
// flags name another labeller. Nothing is sent.
func (l Options) chooseLabelling(ctx context.Context, s store.Store, campaign string) (campaign.Labelling, error) {
	how, err := l.LabellingOfFlags()
	if err != nil {
		return how, err
	}
	filed, err := campaigns.LabellingOfFile(ctx, s, campaign)
	if err != nil {
		return how, err
	}
	if l.Asked {
		filed = nil
	}
	if filed != nil {
		how = *filed
	}
	if err := l.useBook(&how); err != nil {
		return how, err
	}
	p, err := providers.New(s).Labeller(how.Labeller.Name, how.Labeller.Decode())
	if err == nil {
		err = providers.CheckReachable(p)
	}
	if err == nil && (filed == nil || l.Price != "") {
		how.Price, err = providers.StatedPrice(ctx, s, campaign, p, l.Price, l.CostUnknown)
	}
	return how, err
}

// useBook has messages labelled by another code book than that of the acts, if one is named.
func (l Options) useBook(how *campaign.Labelling) error {
	if l.CodeBook == "" || l.CodeBook == campaign.ActsBook {
		return nil
	}
	b, err := handcoding.ReadBook(l.CodeBook)
	if err != nil {
		return err
	}
	if how.Labeller.Name == labels.Rules {
		return fmt.Errorf("%s labels dialogue acts only; by the code book %s a model labels: --labeller provider/model",
			labels.Rules, b.Name)
	}
	how.CodeBook, how.Words = &b, b.Words()
	return nil
}

// LabellingOfFlags returns the labeller that they name.
func (l Options) LabellingOfFlags() (campaign.Labelling, error) {
	how := campaign.Labelling{Labeller: plan.Choice{Name: l.Labeller}, Reasks: l.Reasks, Words: labels.Words}
	if l.Reasks < 0 || l.Reasks > 10 {
		return how, fmt.Errorf("--reasks is %d; expected 0 to 10", l.Reasks)
	}
	if err := envs.DecodeStrict([]byte(l.Generate))(&how.Generate); err != nil {
		return how, fmt.Errorf("--generate: %w", err)
	}
	var params map[string]any
	if err := json.Unmarshal([]byte(l.Params), &params); err != nil {
		return how, fmt.Errorf("--params: %w", err)
	}
	if len(params) > 0 {
		how.Labeller.Params, _ = json.Marshal(params) // in one order and spacing: it is part of the id
	}
	return how, nil
}

// Summary is the JSON output of label.
type Summary struct {
	Campaign       string   `json:"campaign"`
	CodeBook       string   `json:"code_book,omitempty"` // its id; that of the acts is left out
	Labeller       string   `json:"labeller"`
	Model          string   `json:"model"`
	Simulated      bool     `json:"simulated"`
	Collaborations int      `json:"collaborations"` // labelled
	Left           int      `json:"left"`
	Messages       int      `json:"messages"`
	Invalid        int      `json:"invalid"`
	Calls          int64    `json:"calls"`
	InputTokens    int64    `json:"input_tokens"`
	OutputTokens   int64    `json:"output_tokens"`
	CostUSD        *float64 `json:"cost_usd"`  // null if a price is not known
	WorstUSD       float64  `json:"worst_usd"` // at most more, for calls of unknown outcome or usage
	whole          bool     // collaborations are labelled
}

// report sums up what is committed.
func (l Options) report(ctx context.Context, s store.Store, name string, how campaign.Labelling) error {
	r, err := sumUp(ctx, s, name, how)
	if err != nil {
		return err
	}
	if l.JSON {
		err = cli.WriteJSON(l.Stdout(), r)
	} else {
		r.print()
	}
	if err == nil && r.Left > 0 {
		err = cli.IncompleteError(fmt.Errorf("%s not labelled; the same command resumes the labelling",
			wording.Count(r.Left, "collaboration")))
	}
	return err
}

func (r Summary) print() {
	if r.Simulated {
		fmt.Println("SIMULATED: labels by rules on words, not by a language model")
	}
	cost := "at a price that is not known"
	if r.CostUSD != nil {
		cost = fmt.Sprintf("$%.4f", *r.CostUSD)
	}
	if r.WorstUSD > 0 {
		cost += fmt.Sprintf(", at most $%.4f more for calls of unknown outcome or usage", r.WorstUSD)
	}
	items := wording.Count(r.Messages, "message")
	if r.whole {
		items = "transcripts"
	}
	fmt.Printf("%s: %s of %s labelled by %s (%d without a label)\n", r.Campaign, items,
		wording.Count(r.Collaborations, "collaboration"), r.Labeller, r.Invalid)
	fmt.Printf("%s, %s tokens, %s\n", wording.Count(r.Calls, "call"),
		cli.Abbreviate(r.InputTokens+r.OutputTokens), cost)
	if 10*r.Invalid > r.Messages {
		fmt.Printf("\nWARNING: %d of %s have no label, since no answer of %s about them could be used. What is "+
			"computed from labels rests on the others alone; a stronger labeller, or more --reasks, is needed.\n\n",
			r.Invalid, items, r.Labeller)
	}
	next := "dialogue-acts"
	if r.CodeBook != "" {
		next = "label-rates"
	}
	fmt.Printf("Next:    roundtable analyze %s --table %s\n", r.Campaign, next)
}

// Work labels what is not labelled yet of campaign name, with the labeller and settings in how.
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
		if _, err := handcoding.RecordBook(ctx, s, name, *how.CodeBook); err != nil {
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
		return cli.IncompleteError(fmt.Errorf("%s could not be labelled, the first because: %s\nretry with: the "+
			"same command", wording.Count(status.Failed, "collaboration"), status.Failure))
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
