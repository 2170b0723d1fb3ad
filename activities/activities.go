// Package activities is everything that a collaboration does to the world, and package
// hosting registers it as Temporal's activities. Package task says what each promises; its
// names and JSON are part of recorded histories. The packages below do the work: turns, calls,
// rows, labels. This package imports no provider's SDK.
package activities

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"roundtable/activities/answers"
	"roundtable/activities/asking"
	"roundtable/activities/batch"
	"roundtable/activities/calls"
	"roundtable/activities/collaboration"
	"roundtable/activities/failure"
	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/activities/programs"
	"roundtable/activities/scoring"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// Config is what the host of the activities decides.
type Config struct {
	Store   store.Store
	Plugins catalogue.Catalogue // that campaigns can name
	Models  setup.Models
	Data    func(path string) (fs.FS, error) // opens a data set's folder
	Alone   bool                             // no other process works on campaigns of this store
	NoCache bool                             // do not take answers from other turns; resuming is not affected

	Pace func(plan.Limits) batch.Pace // of batches; batch.NewPace if it is nil

	Listeners calls.Listeners // told of calls, compactions and ended collaborations
	// Noticed is called with a notice of a campaign's pause, end or budget before it is sent, and
	// again with the error if it could not be sent; may be nil.
	Noticed  func(n programs.Notice, unsent error)
	LakeName string // where the store is, for people
}

// Activities are registered with a worker. Each owner of a picture in memory has
// its own mutex: Plans, Manifests, the budgets of Caller, and each collaboration.
// The order is stated in docs/decisions/README.md.
type Activities struct {
	config  Config
	plans   *setup.Plans
	caller  *calls.Caller
	taker   *calls.Taker
	live    *collaboration.Live
	scores  *scoring.Scores
	judges  *scoring.Judging
	ran     *programs.Programs
	asking  *asking.Reader
	notices *programs.Sender
	budgets budgetWatch
	waits   calls.Stage // of all activities of this process
	running sync.Map    // of Attempt
	retries sync.Map    // of Attempt without its number: what it waits for (calls.Wait) until it is made again

	recording  *semaphore.Weighted // see atOnce
	compacting *semaphore.Weighted // one at a time: each takes hundreds of megabytes
	labels     *labels.Labels
}

// atOnce is how many collaborations commit their rows at once. That is the processor's
// work, of which a thousand that end together would leave none for anything else:
// requests to the server would run out of time.
const atOnce = 16

// New makes the activities.
func New(c Config) *Activities {
	a := answers.NewAnswers(c.Store)
	ran := programs.New(c.Store)
	plans := setup.NewPlans(c.Store, c.Plugins,
		setup.Sources{Data: c.Data, Lake: c.Store, Programs: ran.Recording}, c.Models)
	caller := calls.NewCaller(c.Store, a, plans, setup.NewManifests(c.Store, setup.ManifestAge), c.Alone)
	caller.Meter.Listeners = c.Listeners
	if c.Pace != nil {
		caller.Pace = c.Pace
	}
	taker := calls.NewTaker(a, caller, c.NoCache)
	made := &Activities{
		notices: programs.NewSender(c.Store, c.LakeName), budgets: budgetWatch{known: map[string]string{}},
		config: c, plans: plans, caller: caller, taker: taker, live: collaboration.NewLive(c.Store, a, plans),
		scores: scoring.NewScores(c.Store), judges: scoring.NewJudging(a, caller, taker), ran: ran,
		asking:    asking.NewReader(c.Store),
		recording: semaphore.NewWeighted(atOnce), compacting: semaphore.NewWeighted(1),
		labels: labels.NewLabels(c.Store, a, caller, taker, c.Models),
	}
	caller.Charged = made.watchBudget
	return made
}

// Meter returns counts of what this process has done so far.
func (a *Activities) Meter() calls.Reading { return a.caller.Meter.Read() }

// Close returns what this process has reserved of budgets and ends the programs that it runs.
func (a *Activities) Close(ctx context.Context) error {
	a.ran.Close()
	a.budgets.sending.Wait()
	return a.caller.Close(ctx)
}

// Check asks model p once as the campaign asks it; see Caller.Check.
func (a *Activities) Check(ctx context.Context, campaign string, p model.Provider,
	o calls.CheckOptions) (answers.Answer, error) {
	return a.caller.Check(ctx, campaign, p, o)
}

// Embeddings returns a source whose requests the campaign pays for; see Caller.Embeddings.
func (a *Activities) Embeddings(ctx context.Context, e calls.Embedding) (calls.EmbeddingSource, error) {
	return a.caller.Embeddings(ctx, e)
}

// UnderWay returns how much of a campaign's unfinished collaborations in this process is done, in
// collaborations: two that are half done count 1.
func (a *Activities) UnderWay(campaign string) float64 { return a.live.UnderWay(campaign) }

// Waits counts the turns under way in this process by what they wait for.
func (a *Activities) Waits() calls.Waits {
	all := a.waits.Waits()
	a.retries.Range(func(_, of any) bool {
		if w := of.(calls.Wait); time.Until(w.Until) > 0 {
			all = all.Add(w)
		}
		return true
	})
	return all
}

// noteRetry keeps why and when an activity that failed here is tried again.
func (a *Activities) noteRetry(of failure.Attempt, err error) {
	f, ok := errors.AsType[*failure.Failure](err)
	if ok && !f.Final && f.Delay >= time.Second && !failure.IsHeld(err) {
		now := time.Now().Truncate(time.Second)
		a.retries.Store(of, calls.Wait{For: calls.TriesAgain + strings.Join(strings.Fields(f.Message), " "),
			Turns: 1, Since: now, Until: now.Add(f.Delay), Ends: calls.ResumeTries})
	}
}

// IsRunning reports whether this process is working on the attempt.
func (a *Activities) IsRunning(at failure.Attempt) bool {
	_, is := a.running.Load(at)
	return is
}

// Stage returns a context whose waits count among those of this process.
func (a *Activities) Stage(ctx context.Context) context.Context { return a.waits.Context(ctx) }

// Make makes the attempt of ctx at an activity of a; its error is one of failure.ForHistory.
func Make[In, Out any](ctx context.Context, a *Activities, in In,
	do func(context.Context, In) (Out, error)) (Out, error) {
	host, _ := failure.HostOf(ctx)
	of := failure.Attempt{RunID: host.RunID, ActivityID: host.ActivityID}
	a.running.Store(host.Attempt, true)
	a.retries.Delete(of)
	defer a.running.Delete(host.Attempt)
	out, err := recoverPanics(ctx, in, do)
	err = failure.ForHistory(ctx, err, host.Number)
	a.noteRetry(of, err)
	if failure.IsOfMachine(err) {
		a.caller.Meter.NoteFailure(err)
	}
	return out, err
}

func recoverPanics[In, Out any](ctx context.Context, in In,
	do func(context.Context, In) (Out, error)) (out Out, err error) {
	defer failure.Recover(&err)
	return do(ctx, in)
}
