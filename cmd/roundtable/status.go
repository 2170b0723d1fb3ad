package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/activities/ledger"
	"roundtable/activities/recorded"
	"roundtable/analysis/cost"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

func newStatus(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "status [NAME]",
		Short: "Show the progress of campaigns",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.UsageError(fmt.Errorf("expected at most 1 campaign, got %d", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return printStatuses(cmd.Context(), o, args) },
	}
}

// campaignStatus is the status of one campaign; what runs comes from the
// engine, what has ended from the lake.
type campaignStatus struct {
	Name  string `json:"name"`
	State string `json:"state"` // running, paused, interrupted or done
	workflows.Status
	Binding []engine.WaitReason `json:"waitReason,omitempty"` // what turns wait for, the most frequent first
	Unread  string              `json:"unread,omitempty"`     // why the engine's word could not be had: the counts are the lake's
	Again   int                 `json:"again,omitempty"`      // cells that have ended and are to be run once more
	// Unlabelled collaborations have ended and wait for the labeller of the campaign's file.
	Unlabelled int `json:"unlabelled,omitempty"`
	// UnderWay are collaborations that have begun and not ended; spent is of those that have ended.
	UnderWay ledger.Unended `json:"under_way"`
	// Beside is what labels, embeddings and checks of models have taken.
	Beside task.Result `json:"beside"`
	Share  float64     `json:"share"` // of the campaign that is done, collaborations under way by their turns
	Limits plan.Limits `json:"limits"`
	// Charged is what the campaign has cost at most, cells under way included; absent while it runs.
	Charged *charged `json:"charged,omitempty"`
}

type charged struct {
	USD    float64 `json:"usd"`
	Tokens int64   `json:"tokens"`
}

func printStatuses(ctx context.Context, o *cli.Options, names []string) error {
	s, err := o.OpenLake()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = lake.Campaigns(ctx, s); err != nil {
			return err
		}
	}
	all := []campaignStatus{}
	for _, name := range names {
		st, err := readStatus(ctx, o, s, name)
		if err != nil {
			return err
		}
		all = append(all, st)
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), all)
	}
	if len(all) == 0 {
		fmt.Fprintf(o.Stdout(), "the lake %s has no campaign\n", o.LakeName())
	}
	for _, st := range all {
		st.print(o.Stdout())
	}
	return nil
}

// cachedBeside says how many answers came from the cache, next to the calls.
func cachedBeside(spent task.Result) string {
	if spent.Cached == 0 {
		return ""
	}
	return " and " + wording.Count(spent.Cached, "answer") + " from the cache"
}

func (st campaignStatus) print(w io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "  "+format+"\n", args...) }
	fmt.Fprintf(w, "%s: %s, %d of %s finished (%d succeeded, %d failed, %d stopped), %d running, %.0f%% done\n",
		st.Name, st.State, st.Done(), wording.Count(st.Cells, "collaboration"), st.Succeeded, st.Failed, st.Stopped, st.Running, 100*st.Share)
	if st.Again > 0 {
		line("%d of them will be run again", st.Again)
	}
	if st.Unlabelled > 0 {
		line("%d are not labelled yet; resume with: roundtable label %s", st.Unlabelled, st.Name)
	}
	if st.PauseReason != "" {
		line("paused because: %s", st.PauseReason)
	}
	if st.Unread != "" {
		line("its state cannot be read: %s", strings.ReplaceAll(st.Unread, "\n", "; "))
	} else if st.State == "running" {
		line("%s", engine.DescribeWaits(st.Binding))
	}
	spent := st.Spent
	spent.Add(st.UnderWay.Spent)
	spent.Add(st.Beside)
	line("%s%s, %s tokens, $%.4f%s so far", wording.Count(spent.Calls, "call"), cachedBeside(spent), cli.Abbreviate(spent.InputTokens+spent.OutputTokens), spent.CostUSD, beside(spent))
	if b := st.Beside; b.Calls > 0 {
		line("of these %s, $%.4f for labels, embeddings and checks of models", wording.Count(b.Calls, "call"), b.CostUSD)
	}
	if u := st.UnderWay; u.Collaborations > 0 {
		line("of these %s, $%.4f in %s, with %d of at most %s taken", wording.Count(u.Spent.Calls, "call"), u.Spent.CostUSD, wording.Count(u.Collaborations, "unfinished collaboration"), u.Turns, wording.Count(u.Most, "turn"))
	}
	if c := st.Charged; c != nil {
		line("$%.4f and %s tokens at most, calls of unknown outcome included", c.USD, cli.Abbreviate(c.Tokens))
	}
	if st.State != "done" {
		var limits []string
		for _, l := range listLimits(st.Limits) {
			limits = append(limits, l.Name+" "+l.Value)
		}
		line("limits: %s", strings.Join(limits, ", "))
	}
}

// beside returns what is not in a sum of costs.
func beside(spent task.Result) string {
	text := ""
	if spent.WorstUSD > 0 {
		text = fmt.Sprintf(", at most $%.4f more for calls of unknown outcome,", spent.WorstUSD)
	}
	if spent.Unpriced {
		text += " and calls of unknown price"
	}
	return text
}

func readStatus(ctx context.Context, o *cli.Options, s storage.Store, name string) (campaignStatus, error) {
	p, m, err := requirePlan(ctx, o, s, name)
	if err != nil {
		return campaignStatus{}, err
	}
	st := campaignStatus{Name: name, State: "interrupted", Limits: m.Limits}
	if st.Beside, err = besideCollaborations(ctx, s, name); err != nil {
		return st, cli.ExplainDamage(err, name, "the costs are not known")
	}
	if err := readEngineStatus(ctx, o, s, p, &st); err != nil || st.State == "done" {
		st.Share = shareDone(st.Status, 0)
		return st, err
	}
	if st.UnderWay, err = ledger.ReadUnended(ctx, s, p); err != nil {
		return st, err
	}
	st.Share = shareDone(st.Status, st.UnderWay.Share)
	return st, nil
}

// readEngineStatus fills in what the engine knows of a campaign, or the lake if no engine runs it.
func readEngineStatus(ctx context.Context, o *cli.Options, s storage.Store, p recorded.Plan, st *campaignStatus) (err error) {
	name := st.Name
	if c, err := engine.Connect(ctx, o, name); err == nil {
		defer c.Close()
		running, err := engine.QueryStatus[workflows.Status](ctx, c, workflows.CampaignID(name))
		if err == nil && running.Done() < running.Cells {
			st.State, st.Status = "running", running
			if running.Paused {
				st.State = "paused"
			}
			if st.Binding, err = engine.ReadWaits(ctx, c, running.Sample); err != nil {
				return err
			}
			return correctSpent(ctx, s, name, nil, &st.Spent)
		}
		if why := engine.WhyUnreadable(ctx, c, workflows.CampaignID(name), err); err != nil && why != nil {
			st.Status, st.Again, err = ended(ctx, s, p)
			st.State, st.Unread = "running", why.Error()
			return err
		}
	} else if !errors.Is(err, engine.ErrNotRunning) {
		return err
	}
	if st.Status, st.Again, err = ended(ctx, s, p); err != nil {
		return err
	}
	if st.Done() == st.Cells && st.Again == 0 {
		st.State = "done"
		filed, err := filedLabels(ctx, s, name)
		if err == nil && filed != nil {
			st.Unlabelled, err = unlabelled(ctx, s, name, filed.ID())
		}
		return err
	}
	return st.halted(ctx, s)
}

// halted says what the lake alone knows of a campaign that does not run.
func (st *campaignStatus) halted(ctx context.Context, s storage.Store) error {
	spent, err := ledger.Spent(ctx, s, st.Name)
	if err != nil {
		return err
	}
	st.Charged = &charged{spent.USD(), spent.Tokens}
	halt, err := recorded.ReadHalt(ctx, s, st.Name)
	if err == nil && halt != nil {
		st.State, st.Paused, st.PauseReason = "paused", true, halt.Reason
	}
	return err
}

// ended sums up the committed cells of a plan, of which some may be wanted again.
func ended(ctx context.Context, s storage.Store, p recorded.Plan) (st workflows.Status, again int, err error) {
	markers, err := lake.Committed(ctx, s, p.Campaign.Name)
	st = workflows.Status{Revision: p.Campaign.Revision(), Cells: p.Campaign.Size()}
	for _, m := range markers {
		switch m.Status {
		case task.Succeeded:
			st.Succeeded++
		case task.Failed:
			st.Failed++
		case task.Stopped:
			st.Stopped++
		}
		st.Spent.Add(ledger.ResultOf(m))
	}
	if err != nil {
		return st, 0, err
	}
	if err := correctSpent(ctx, s, p.Campaign.Name, markers, &st.Spent); err != nil {
		return st, 0, err
	}
	wanted, err := recorded.ReadRerun(ctx, s, p.Campaign.Name)
	return st, wanted.Left(markers), err
}

// correctSpent puts what settled calls of ended cells were billed in the place
// of their worst case. Markers that are not given are read if any call is settled.
func correctSpent(ctx context.Context, s storage.Store, campaign string, markers []lake.Marker, spent *task.Result) error {
	settled, err := lake.ReadSettled(ctx, s, campaign)
	if err != nil || len(settled) == 0 {
		return err
	}
	if markers == nil {
		if markers, err = lake.Committed(ctx, s, campaign); err != nil {
			return err
		}
	}
	for _, m := range markers {
		spent.CostUSD, spent.WorstUSD = settled.Correct(m.Run(), spent.CostUSD, spent.WorstUSD)
	}
	return nil
}

// besideCollaborations returns what a campaign has spent on labels, embeddings
// and checks of models, as `cost` counts it.
func besideCollaborations(ctx context.Context, s storage.Store, name string) (task.Result, error) {
	r, err := cost.LoadBeside(ctx, s, name)
	if err == nil {
		err = addShared(ctx, s, &r)
	}
	g := r.Total
	return task.Result{
		Calls: int64(g.Billed + g.Unknown + g.Settled), InputTokens: g.Input, OutputTokens: g.Output,
		CostUSD: g.USD, WorstUSD: g.WorstUSD, Unpriced: g.Unpriced+g.Unbounded > 0,
	}, err
}
