package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.temporal.io/api/serviceerror"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Pause pauses a running campaign and then prints its name and said, such as "is paused"; nothing if said is
// "".
func Pause(ctx context.Context, o *cli.Options, name, said string) error {
	const reason = "paused by hand"
	return holdAndSignal(ctx, o, name, reason, workflows.SignalPause, workflows.Pause{Reason: reason}, said)
}

// RequestCancel cancels a running campaign and then prints its name and said; nothing if said is "".
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
			fmt.Fprintf(os.Stderr, "campaign %s: its calls cannot be held back, since its lake cannot be written; "+
				"they begin until its workflow has heard of the command: %v\n", name, err)
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
			return fmt.Errorf("campaign %q: %s, and %s, which runs it, does not answer; give the command again",
				name, held, who)
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

// Resume records the limits in m and resumes the campaign if it is running and paused; otherwise the error
// wraps campaigns.ErrNotRunning. said is as for Signal.
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

// Tuned is the JSON output of tune.
type Tuned struct {
	Campaign string             `json:"campaign"`
	Running  bool               `json:"running"` // the new limits apply at once
	Changed  []campaigns.Change `json:"changed"`
}

// ErrNothingTuned says that the new limits are the old ones.
var ErrNothingTuned = errors.New("no limit changes")

// Tune records the limits in m, which before were those in before; a running campaign uses them at once. If
// nothing changes the error wraps ErrNothingTuned.
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

// Tuning holds a flag per limit; limits whose flag is not given stay.
type Tuning struct {
	calls, collaborations, requests, tokensPerMinute int
	costUSD                                          string
	tokens                                           int64
	model, timeout                                   string
}

// Flags defines the flags.
func (t *Tuning) Flags(f *pflag.FlagSet) {
	f.IntVar(&t.calls, "calls", 0, "live calls at once (limits.calls); with --model, of that model")
	f.IntVar(&t.collaborations, "collaborations", 0, "collaborations at once")
	f.StringVar(&t.costUSD, "cost-usd", "", "US dollars in all; none takes the cap away")
	f.Int64Var(&t.tokens, "tokens", 0, "tokens in all; 0 takes the cap away")
	f.StringVar(&t.model, "model", "", "the model (provider/model) that the flags below and --calls are for")
	f.IntVar(&t.requests, "requests-per-minute", 0, "calls a minute of --model; 0 means no limit")
	f.IntVar(&t.tokensPerMinute, "tokens-per-minute", 0, "tokens a minute of --model; 0 means no limit")
	f.StringVar(&t.timeout, "timeout", "", "deadline of one call of --model, as 90s or 10m")
}

// Apply sets in l the limits whose flags were given.
func (t *Tuning) Apply(f *pflag.FlagSet, l *plan.Limits) error {
	given := f.Changed
	if given("collaborations") {
		l.Collaborations = t.collaborations
	}
	if given("tokens") {
		l.Tokens = t.tokens
	}
	if given("cost-usd") {
		if err := setCost(l, t.costUSD); err != nil {
			return cli.UsageError(err)
		}
	}
	if given("calls") && t.model == "" {
		l.Calls = t.calls
	}
	if t.model != "" {
		t.applyModel(given, l)
	} else if given("requests-per-minute") || given("tokens-per-minute") || given("timeout") {
		return cli.UsageError(errors.New("limits a minute and deadlines are a model's: name it with --model " +
			"provider/model"))
	}
	errs := l.Check()
	for _, key := range slices.Sorted(maps.Keys(errs)) {
		return cli.UsageError(fmt.Errorf("limits.%s %w", key, errs[key]))
	}
	return nil
}

func setCost(l *plan.Limits, text string) error {
	if text == "none" {
		l.CostUSD = nil
		return nil
	}
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil {
		return fmt.Errorf("limits.cost_usd is %q; expected a number of US dollars or none", text)
	}
	l.CostUSD = &usd
	return nil
}

func (t *Tuning) applyModel(given func(string) bool, l *plan.Limits) {
	models := maps.Clone(l.Models)
	if models == nil {
		models = map[string]plan.ModelLimits{}
	}
	m := models[t.model]
	if given("calls") {
		m.Calls = t.calls
	}
	if given("requests-per-minute") {
		m.RequestsPerMinute = t.requests
	}
	if given("tokens-per-minute") {
		m.TokensPerMinute = t.tokensPerMinute
	}
	if given("timeout") {
		m.Timeout = t.timeout
	}
	models[t.model] = m
	l.Models = models
}
