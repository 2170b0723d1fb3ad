package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"roundtable/analysis/crossval"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/cmd/internal/labelling"
	"roundtable/cmd/internal/pages"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
	"roundtable/workflows/stopping"
	"roundtable/workflows/task"
)

func newRun(o *cli.Options) *cobra.Command {
	r := runs.Options{Options: o}
	noCheck, alone, flags := false, false, planning.Flags{Fit: fitRule, Data: &o.Data}
	cmd := &cobra.Command{
		Use:     "run FILE",
		Short:   "Run a campaign, or resume it where it stopped",
		GroupID: toRun,
		Long: `Run a campaign, or resume it where it stopped. Answers that are stored are never
asked again. Ctrl-C keeps the answers of in-flight requests; the same command resumes.
Exit codes: 0 all collaborations succeeded, 2 the file or a flag is refused,
3 something is left or did not succeed, 130 interrupted.`,
		Example: `  roundtable run campaign.yaml
  roundtable run campaign.yaml --retry-failed
  roundtable run campaign.yaml --detach --json
  roundtable run campaign.yaml --limit 10 --name a-try --set rule=borda
  ROUNDTABLE_LAKE=s3://bucket/study roundtable run campaign.yaml`,
		Args: cli.OneArg("campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Telemetry.Check(); err != nil {
				return err
			}
			if alone {
				return detach(cmd.Context(), o, args[0], flags)
			}
			r.Checks = !noCheck
			return runCampaign(cmd.Context(), r, args[0], flags)
		},
	}
	cmd.Flags().BoolVar(&r.Retry, "retry-failed", false, "run failed and stopped cells again, as another generation")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, runs.NoCheckUsage)
	cmd.Flags().BoolVar(&alone, "detach", false,
		"start it as a process of its own that outlives the terminal, and say where its log is")
	cmd.Flags().BoolVar(&r.NoCache, "no-cache", false,
		"do not use answers of other campaigns or cells; stored answers of this campaign are still never asked again")
	flags.Add(cmd.Flags())
	o.Telemetry.Flags(cmd.Flags())
	return cmd
}

// fitRule fits a learned stopping rule: the one place where running a campaign reads others.
func fitRule(ctx context.Context, s store.Store, r planning.FitRequest) (stopping.LearnedFit, error) {
	return crossval.Learn(ctx, s, crossval.LearnRequest(r))
}

func runCampaign(ctx context.Context, r runs.Options, path string, flags planning.Flags) error {
	r.File = path
	s, p, m, err := workCampaign(ctx, r, path, flags, flags.Command(path))
	if err != nil {
		return err
	}
	return reportRun(ctx, r, s, p, m)
}

// workCampaign runs what is left of a campaign file; again is the command that resumes it.
func workCampaign(ctx context.Context, r runs.Options, path string, flags planning.Flags, again string) (store.Store,
	campaign.Plan, campaign.Manifest, error) {
	s, made, err := r.CreateLake()
	if err != nil {
		return nil, campaign.Plan{}, campaign.Manifest{}, err
	}
	defer made.Discard()
	p, m, file, err := flags.Read(ctx, r.Plugins, path, s, true)
	if err != nil {
		return s, p, m, err
	}
	stored, err := planning.CheckExtends(ctx, s, p, m)
	if err != nil {
		return s, p, m, err
	}
	planning.AnnounceExtension(stored, p)
	if err := planning.Warn(ctx, r.Plugins, p, s); err != nil {
		return s, p, m, err
	}
	for _, survey := range file.Surveys {
		for _, w := range survey.Warnings {
			fmt.Fprintf(os.Stderr, "warning: %s\n", w)
		}
	}
	made.Announce(r.LakeName(), r.State)
	return s, p, m, workPlan(ctx, r, s, p, m, again)
}

// finishCampaign runs what is left of a recorded plan and prints its tables.
func finishCampaign(ctx context.Context, r runs.Options, s store.Store, p campaign.Plan, m campaign.Manifest,
	again string) error {
	if err := workPlan(ctx, r, s, p, m, again); err != nil {
		return err
	}
	return reportRun(ctx, r, s, p, m)
}

// workPlan runs what is left of a recorded plan, and labels it if its file says so.
func workPlan(ctx context.Context, r runs.Options, s store.Store, p campaign.Plan, m campaign.Manifest,
	again string) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	if _, local := r.LocalLake(); local { // what is in a bucket would be fetched and paid for
		go pages.KeepRead(reading, s, p.Campaign.Name)
	}
	if ahead, err := campaigns.KeepAhead(ctx, s, p, &m); err != nil {
		return err
	} else if ahead > 0 {
		fmt.Fprintf(engine.Notices(r.Options),
			"until.ahead stays %d (the file has %d): the campaign needs no further cell, and with another ahead it "+
				"would run some that its answer has no use for\n", m.Until.Ahead, ahead)
	}
	if !r.Retry && campaigns.IsSealed(ctx, s, p) && campaigns.NeedsNothing(ctx, s, p, m) &&
		campaigns.IsLabelled(ctx, s, m) {
		if err := errors.Join(campaigns.RecordFile(ctx, s, m), campaigns.RepairCard(ctx, s, p.Campaign.Name),
			r.SendEnd(ctx, s, p, m)); err != nil {
			return err
		}
		fmt.Fprintln(engine.Notices(r.Options), runs.DoneText(p.Campaign.Name, p.Campaign.Size()))
	} else if status, err := r.Work(ctx, s, p, m, again); err != nil {
		return err
	} else if m.Labels != nil && !status.Cancelled && r.Until == 0 && !campaigns.IsLabelled(ctx, s, m) {
		l := labelling.Options{Options: r.Options, NoCache: r.NoCache}
		return l.Work(ctx, s, p.Campaign.Name, *m.Labels)
	}
	return nil
}

// reportRun prints the campaign's tables and where everything is.
func reportRun(ctx context.Context, r runs.Options, s store.Store, p campaign.Plan, m campaign.Manifest) error {
	name := p.Campaign.Name
	found, err := analyze.Print(ctx, r.Stdout(), s, name, r.JSON)
	if err != nil {
		return err
	}
	markers, err := lake.Committed(ctx, s, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	cells, ended := p.Campaign.Size(), len(markers)
	bad, unneeded := 0, 0
	for _, m := range markers {
		switch {
		case m.Reason == task.Answered:
			unneeded++
		case m.Status != task.Succeeded:
			bad++
		}
	}
	if !r.JSON {
		tables := "lake"
		if ended < cells { // the last rows are not compacted yet
			tables = "raw"
		}
		fmt.Printf("\nTables:  %s/%s/<table>/campaign=%s/\nAnswers: %s/answers/campaign=%s/\n", r.LakeName(), tables,
			name, r.LakeName(), name)
		if m.Labels != nil && campaigns.IsLabelled(ctx, s, m) {
			fmt.Printf("Labels:  by %s · roundtable analyze %s --table dialogue-acts\n", m.Labels.ID(), name)
		}
		if unneeded > 0 {
			fmt.Printf("Stopped: answered: %d of %s were not needed · roundtable analyze %s --table answer\n", unneeded,
				wording.Count(cells, "collaboration"), name)
		}
		fmt.Printf("Next:    roundtable analyze %s · roundtable query · roundtable show COLLABORATION · roundtable "+
			"verify %s\n", name, name)
		for _, warning := range found.Warnings {
			fmt.Println("\nWARNING: " + warning)
		}
	}
	switch {
	case ended < cells:
		return cli.IncompleteError(fmt.Errorf("not finished: %d of %s; the same command resumes them", cells-ended,
			wording.Count(cells, "collaboration")))
	case bad > 0:
		return cli.IncompleteError(fmt.Errorf("without success: %d of %s; `roundtable report %s -o report.html` "+
			"says why, `run --retry-failed` runs them again", bad, wording.Count(cells, "collaboration"), name))
	}
	return nil
}

// launch is a run that was left to itself, and how to look after it.
type launch struct {
	Campaign string `json:"campaign"`
	PID      int    `json:"pid"`
	Log      string `json:"log"` // what it says and, at its end, prints
	Status   string `json:"status_command"`
	Stop     string `json:"stop_command"`
}

// earlyEnd is how long a launch is watched: what is wrong with keys, locks or the lake
// shows by then.
const earlyEnd = 3 * time.Second

// detach starts the same command once more, without a terminal, and leaves it to itself. What is
// wrong with the file is said here, and so is an end in the first seconds.
func detach(ctx context.Context, o *cli.Options, path string, flags planning.Flags) error {
	s, made, err := o.CreateLake()
	if err != nil {
		return err
	}
	p, _, _, err := flags.Read(ctx, o.Plugins, path, s, true)
	made.Discard()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	name := p.Campaign.Name
	l := launch{Campaign: name, Log: filepath.Join(o.State, name+".log"),
		Status: "roundtable status " + name + o.Places(),
		Stop:   "roundtable pause " + name + o.Places()}
	if err := os.MkdirAll(o.State, 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(l.Log, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	before, err := log.Stat()
	if err != nil {
		return err
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]),
		func(a string) bool { return strings.HasPrefix(a, "--detach") })
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal's end is its own
	if err := cmd.Start(); err != nil {
		return err
	}
	l.PID = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			said, _ := io.ReadAll(io.NewSectionReader(log, before.Size(), 1<<20))
			return cli.WithCode(failed.ExitCode(),
				fmt.Errorf("the run ended at once:\n%s", strings.TrimSpace(string(said))))
		} else if err != nil {
			return err
		}
	case <-time.After(earlyEnd):
	case <-ctx.Done():
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), l)
	}
	fmt.Fprintf(o.Stdout(), "%s runs as process %d and continues when this terminal is closed.\nLog:     "+
		"%s\nProgress: %s\nStop:    %s; the same command continues\n", name, l.PID, l.Log, l.Status, l.Stop)
	return nil
}
