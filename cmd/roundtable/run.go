package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// runOptions are the flags of run.
type runOptions struct {
	*cli.Options
	retry   bool
	noCache bool
	checks  bool // ask each model once before the first call
	until   int  // how many cells of the plan are run; 0 is all
}

const noCheckUsage = "do not ask each model once before the campaign starts"

func newRun(o *cli.Options) *cobra.Command {
	r := runOptions{Options: o}
	noCheck := false
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a campaign, or resume it where it stopped",
		Args:  cli.OneArg("campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.checks = !noCheck
			return r.run(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&r.retry, "retry-failed", false, "run failed and stopped cells again, as another generation")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, noCheckUsage)
	cmd.Flags().BoolVar(&r.noCache, "no-cache", false, "do not use answers of other campaigns or cells; stored answers of this campaign are still never asked again")
	return cmd
}

func (r runOptions) run(ctx context.Context, path string) error {
	s, made, err := r.CreateLake()
	if err != nil {
		return err
	}
	defer made.Discard()
	p, m, file, err := readCampaign(ctx, path, s, true)
	if err != nil {
		return err
	}
	stored, err := checkExtends(ctx, s, &p, m, file.Prompts)
	if err != nil {
		return err
	}
	announceExtension(stored, p)
	if err := warn(p, s); err != nil {
		return err
	}
	made.Announce(r.LakeName(), r.State)
	return r.finish(ctx, s, p, m, "roundtable run "+path)
}

// finish runs what is left of a recorded plan and prints its tables.
func (r runOptions) finish(ctx context.Context, s storage.Store, p recorded.Plan, m recorded.Manifest, again string) error {
	if !r.retry && sealed(ctx, s, p) && labelsDone(ctx, s, m) {
		if err := relabel(ctx, s, m); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, doneText(p.Campaign.Name, p.Campaign.Size()))
	} else if status, err := r.work(ctx, s, p, m, again); err != nil {
		return err
	} else if m.Labels != nil && !status.Cancelled && r.until == 0 && !labelsDone(ctx, s, m) {
		l := labelOptions{Options: r.Options, noCache: r.noCache}
		if err := l.work(ctx, s, p.Campaign.Name, *m.Labels); err != nil {
			return err
		}
	}
	return r.report(ctx, s, p, m)
}

// work runs what is left of a recorded plan and returns how far it came.
func (r runOptions) work(ctx context.Context, s storage.Store, p recorded.Plan, m recorded.Manifest, again string) (workflows.Status, error) {
	name := p.Campaign.Name
	var status workflows.Status
	_, err := recorded.ReadManifest(ctx, s, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return status, err
	}
	e, err := engine.Start(ctx, r.Options, s, engine.Job{Folder: engine.CampaignFolder(r.Options, name), Fresh: err != nil, NoCache: r.noCache})
	if err != nil {
		return status, err
	}
	defer e.Stop()
	if err := e.LockCampaign(r.Options, name); err != nil {
		return status, err
	}
	if err := recordPlan(ctx, s, p, m); err != nil { // not before the lock: another run's plan stays
		return status, err
	}
	if r.retry {
		if err := recorded.RequestRerun(ctx, s, name); err != nil {
			return status, err
		}
	}
	if err := recorded.ClearHalt(ctx, s, name); err != nil {
		return status, err
	}
	if r.checks {
		if err := r.check(ctx, e, s, p, again); err != nil {
			return status, err
		}
	}
	if err := e.TakeWork(ctx); err != nil {
		return status, err
	}
	status, err = r.drive(ctx, e, p, m.Limits)
	if ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "\ninterrupted: answers of in-flight requests are being kept (Ctrl-C again to leave at once)\n")
		fmt.Fprintf(os.Stderr, "resume with: %s\n", again)
		return status, cli.InterruptedError(errors.New("interrupted"))
	}
	if err != nil {
		return status, err
	}
	if status.Paused && status.Done() < status.Cells {
		if err := recorded.WriteHalt(ctx, s, name, recorded.Halt{Reason: status.PauseReason, At: time.Now().UTC()}); err != nil {
			return status, err
		}
		if strings.Contains(status.PauseReason, "roundtable resume") { // it says how; run would use the file's limits
			fmt.Fprintf(os.Stderr, "\n%s is paused: %s\n", name, status.PauseReason)
		} else {
			fmt.Fprintf(os.Stderr, "\n%s is paused: %s\nresume with: %s\n", name, status.PauseReason, again)
		}
		return status, cli.IncompleteError(fmt.Errorf("%s is paused after %d of %s", name, status.Done(), wording.Count(status.Cells, "collaboration")))
	}
	return status, nil
}

// relabel records what the file now calls the values of its grid, of a campaign
// that has nothing else to do.
func relabel(ctx context.Context, s storage.Store, m recorded.Manifest) error {
	stored, err := recorded.ReadManifest(ctx, s, m.Campaign)
	if err != nil || reflect.DeepEqual(stored.AxisLabels, m.AxisLabels) {
		return err
	}
	stored.AxisLabels = m.AxisLabels
	return recorded.WriteManifest(ctx, s, stored)
}

// sealed reports whether every cell of the plan has ended, is still there and not to be run again.
func sealed(ctx context.Context, s storage.Store, p recorded.Plan) bool {
	success, err := lake.ReadSuccess(ctx, s, p.Campaign.Name)
	if err != nil || success.Revision != p.Campaign.Revision() {
		return false
	}
	markers, err := lake.Committed(ctx, s, p.Campaign.Name)
	if err != nil || lake.Digest(markers) != success.Digest {
		return false
	}
	again, err := recorded.ReadRerun(ctx, s, p.Campaign.Name)
	return err == nil && again.Left(markers) == 0
}

// labelsDone reports whether everything that has ended is labelled as the
// manifest says, and the recorded one says the same.
func labelsDone(ctx context.Context, s storage.Store, m recorded.Manifest) bool {
	stored, err := filedLabels(ctx, s, m.Campaign)
	if err != nil || m.Labels == nil || stored == nil {
		return err == nil && m.Labels == stored
	}
	if stored.ID() != m.Labels.ID() {
		return false
	}
	left, err := unlabelled(ctx, s, m.Campaign, m.Labels.ID())
	return err == nil && left == 0
}

// drive starts the campaign's workflow, or finds it running, and watches it to its end.
func (r runOptions) drive(ctx context.Context, e *engine.Engine, p recorded.Plan, limits plan.Limits) (workflows.Status, error) {
	in := workflows.CampaignInput{Name: p.Campaign.Name, Revision: p.Campaign.Revision(), Limits: limits, Until: r.until}
	id := workflows.CampaignID(in.Name)
	run, err := e.Execute(ctx, "campaign", task.CampaignWorkflow, client.StartWorkflowOptions{
		ID: id, WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, in)
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		if err := engine.CheckCodec(ctx, r.Options, e.Client, id); err != nil {
			return workflows.Status{}, err
		}
		err = engine.Patiently(ctx, os.Stderr, "state of the campaign that runs", func() (err error) {
			run, err = attach(ctx, e.Client, id, in, r.retry)
			return err
		})
	}
	if err != nil {
		return workflows.Status{}, err
	}
	return r.watch(ctx, e, run, in.Name, p.Campaign.Size())
}

// attach joins a campaign that is running: with the present plan and limits, and
// not paused, because the operator gave run; with the whole plan again if cells
// are to be run again.
func attach(ctx context.Context, c client.Client, id string, in workflows.CampaignInput, again bool) (client.WorkflowRun, error) {
	status, err := engine.QueryStatus[workflows.Status](ctx, c, id)
	if err == nil && (status.Revision != in.Revision || again || status.Until != in.Until) {
		err = c.SignalWorkflow(ctx, id, "", workflows.SignalExtend, in)
	}
	if err == nil {
		err = c.SignalWorkflow(ctx, id, "", workflows.SignalTune, in.Limits)
	}
	if err == nil && status.Paused {
		err = c.SignalWorkflow(ctx, id, "", workflows.SignalResume, nil)
	}
	return c.GetWorkflow(ctx, id, ""), err
}

// report prints the campaign's tables and where everything is.
func (r runOptions) report(ctx context.Context, s storage.Store, p recorded.Plan, m recorded.Manifest) error {
	name := p.Campaign.Name
	found, err := printTables(ctx, r.Stdout(), s, name, r.JSON)
	if err != nil {
		return err
	}
	markers, err := lake.Committed(ctx, s, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	cells, ended := p.Campaign.Size(), len(markers)
	bad := 0
	for _, m := range markers {
		if m.Status != task.Succeeded {
			bad++
		}
	}
	if !r.JSON {
		tables := "lake"
		if ended < cells { // the last rows are not compacted yet
			tables = "raw"
		}
		fmt.Printf("\nTables:  %s/%s/<table>/campaign=%s/\nAnswers: %s/answers/campaign=%s/\n", r.LakeName(), tables, name, r.LakeName(), name)
		if m.Labels != nil && labelsDone(ctx, s, m) {
			fmt.Printf("Labels:  by %s · roundtable analyze %s --table 9\n", m.Labels.ID(), name)
		}
		fmt.Printf("Next:    roundtable analyze %s · roundtable query · roundtable show COLLABORATION · roundtable verify %s\n", name, name)
		for _, warning := range found.Warnings {
			fmt.Println("\nWARNING: " + warning)
		}
	}
	switch {
	case ended < cells:
		return cli.IncompleteError(fmt.Errorf("not finished: %d of %s; the same command resumes them", cells-ended, wording.Count(cells, "collaboration")))
	case bad > 0:
		return cli.IncompleteError(fmt.Errorf("without success: %d of %s; `roundtable report %s -o report.html` says why, `run --retry-failed` runs them again", bad, wording.Count(cells, "collaboration"), name))
	}
	return nil
}
