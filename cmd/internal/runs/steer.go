package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/plan"
)

// Pause pauses a running campaign and tells what is said; nothing if that is empty.
func Pause(ctx context.Context, o *cli.Options, name, said string) error {
	return Signal(ctx, o, name, workflows.SignalPause, workflows.Pause{Reason: "paused by hand"}, said)
}

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
	if err != nil || halt == nil || halt.Holds { // the workflow ends what it holds back
		return err
	}
	return campaign.ClearHalt(ctx, s, m.Campaign) // last: a campaign that nothing resumed stays paused
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
		text = fmt.Sprintf("%s is not running here; the next resume uses the new limits: %s", t.Campaign, strings.Join(parts, ", "))
	}
	return text
}
