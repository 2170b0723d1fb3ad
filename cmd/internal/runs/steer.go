package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Pause pauses a running campaign and tells what is said; nothing if that is empty.
func Pause(ctx context.Context, o *cli.Options, name, said string) error {
	const reason = "paused by hand"
	return holdAndSignal(ctx, o, name, reason, workflows.SignalPause, workflows.Pause{Reason: reason}, said)
}

// RequestCancel cancels a running campaign and tells what is said; nothing if that is empty.
func RequestCancel(ctx context.Context, o *cli.Options, name, said string) error {
	return holdAndSignal(ctx, o, name, task.Cancelled, workflows.SignalCancel, nil, said)
}

// enginePatience is how long an engine that has the campaign may take to be reached.
const enginePatience = time.Minute

// holdAndSignal holds the calls of a campaign back in the lake, where callers look before each call,
// and signals its workflow, which may hear of it much later. An engine that starts, or is too busy to
// answer, is asked again.
func holdAndSignal(ctx context.Context, o *cli.Options, name, reason, signal string, arg any, said string) error {
	s, err := o.OpenLake()
	if err != nil {
		return err
	}
	if isUnknown(ctx, o, s, name) { // a halt would make a campaign of a name that is misspelt
		return Signal(ctx, o, name, signal, arg, said)
	}
	before, err := campaign.ReadHalt(ctx, s, name)
	if err != nil {
		return err
	}
	halt := campaign.Halt{Reason: reason, At: time.Now().UTC(), Holds: true, ByHand: true}
	held := "no call begins any more"
	if before == nil || !before.Holds || reason == task.Cancelled {
		if err := campaign.WriteHalt(ctx, s, name, halt); err != nil {
			if ctx.Err() != nil {
				return err
			}
			held = "its calls are not held back"
			fmt.Fprintf(os.Stderr, "campaign %s: its calls cannot be held back, since its lake cannot be written; they begin until its workflow has heard of the command: %v\n", name, err)
		}
	}
	for began := time.Now(); ; {
		err = Signal(ctx, o, name, signal, arg, said)
		if !errors.Is(err, campaigns.ErrNotRunning) {
			break
		}
		who := o.CampaignHolder(name)
		if who == "" {
			break
		}
		if time.Since(began) > enginePatience {
			return fmt.Errorf("campaign %q: %s, and %s, which runs it, does not answer; give the command again", name, held, who)
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), restoreHalt(ctx, s, name, halt, before))
		case <-time.After(engineAgain):
		}
	}
	if err == nil || campaigns.IsLate(err) { // it may have arrived
		return err
	}
	return errors.Join(err, restoreHalt(ctx, s, name, halt, before))
}

// isUnknown reports whether the lake has no such campaign, and nobody runs it.
func isUnknown(ctx context.Context, o *cli.Options, s store.Store, name string) bool {
	if _, err := campaign.ReadManifest(ctx, s, name); !errors.Is(err, fs.ErrNotExist) || o.CampaignHolder(name) != "" {
		return false
	}
	c, err := campaigns.Connect(ctx, o, name)
	if err != nil {
		return errors.Is(err, campaigns.ErrNotRunning)
	}
	defer c.Close()
	_, err = c.DescribeWorkflowExecution(ctx, workflows.CampaignID(name), "")
	_, missing := errors.AsType[*serviceerror.NotFound](err)
	return missing
}

// restorePatience is how long the lake may take to restore a halt, also for who is interrupted.
const restorePatience = 10 * time.Second

// restoreHalt puts the halt of before, or none, in the place of one that reached no workflow, which
// nobody would lift. One that was written since stays.
func restoreHalt(ctx context.Context, s store.Store, name string, halt campaign.Halt, before *campaign.Halt) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), restorePatience)
	defer end()
	if known, err := campaign.ReadHalt(ctx, s, name); err != nil || known == nil || !known.At.Equal(halt.At) {
		return err
	}
	if before == nil {
		return campaign.ClearHalt(ctx, s, name)
	}
	return campaign.WriteHalt(ctx, s, name, *before)
}

// engineAgain is how long it takes until an engine that does not answer is asked again.
const engineAgain = 300 * time.Millisecond

// Resume records the limits of a campaign and lets it go on if it runs and is paused;
// otherwise the error is campaigns.ErrNotRunning.
func Resume(ctx context.Context, o *cli.Options, s store.Store, m campaign.Manifest, said string) error {
	if err := campaign.WriteManifest(ctx, s, m); err != nil {
		return err
	}
	if err := Signal(ctx, o, m.Campaign, workflows.SignalTune, m.Limits, ""); err != nil {
		return err
	}
	if err := Signal(ctx, o, m.Campaign, workflows.SignalResume, nil, said); err != nil {
		return err
	}
	halt, err := campaign.ReadHalt(ctx, s, m.Campaign)
	// the workflow ends what it holds back
	if err != nil || halt == nil || halt.Holds && !halt.ByHand {
		return err
	}
	if halt.Holds && halt.Reason == task.Cancelled {
		if cancelled, err := isCancelled(ctx, o, m.Campaign); err != nil || cancelled {
			return err
		}
	}
	return campaign.ClearSameHalt(ctx, s, m.Campaign, halt) // last: a campaign that nothing resumed stays paused
}

// isCancelled reports whether the workflow of a campaign that runs has heard of a cancel.
func isCancelled(ctx context.Context, o *cli.Options, name string) (bool, error) {
	c, err := campaigns.Connect(ctx, o, name)
	if err != nil {
		return false, err
	}
	defer c.Close()
	status, err := campaigns.SettledStatus[workflows.Status](ctx, c, workflows.CampaignID(name))
	return status.Cancelled, campaigns.NameLate("state of the campaign", err)
}

// Tuned is the JSON of tune.
type Tuned struct {
	Campaign string             `json:"campaign"`
	Running  bool               `json:"running"` // the new limits apply at once
	Changed  []campaigns.Change `json:"changed"`
}

// ErrNothingTuned says that all limits stay as they are.
var ErrNothingTuned = errors.New("no limit changes")

// Tune records the limits of a campaign, which were others before; a running one uses them at once.
func Tune(ctx context.Context, o *cli.Options, s store.Store, m campaign.Manifest, before plan.Limits) (Tuned, error) {
	tuned := Tuned{Campaign: m.Campaign, Changed: campaigns.ChangedLimits(before, m.Limits)}
	if len(tuned.Changed) == 0 {
		return tuned, cli.UsageError(ErrNothingTuned)
	}
	if err := campaign.WriteManifest(ctx, s, m); err != nil {
		return tuned, err
	}
	err := Signal(ctx, o, m.Campaign, workflows.SignalTune, m.Limits, "")
	if tuned.Running = err == nil; errors.Is(err, campaigns.ErrNotRunning) {
		err = nil
	}
	return tuned, err
}

func (t Tuned) String() string {
	parts := make([]string, len(t.Changed))
	for i, c := range t.Changed {
		parts[i] = fmt.Sprintf("%s %s → %s", c.Limit, c.Old, c.New)
	}
	text := fmt.Sprintf("%s: new limits applied: %s", t.Campaign, strings.Join(parts, ", "))
	if !t.Running {
		text = fmt.Sprintf("%s is not running here; the next resume uses the new limits: %s", t.Campaign,
			strings.Join(parts, ", "))
	}
	return text
}
