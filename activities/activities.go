// Package activities registers everything that a collaboration does to the world
// as Temporal activities: what each promises says package task, whose names and JSON
// are part of recorded histories. What they do is in the packages below: turns, calls,
// rows, labels. No provider's SDK is known here.
package activities

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
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
	"roundtable/workflows/task"
)

// Config is what the host of the activities decides.
type Config struct {
	Store   store.Store
	Plugins catalogue.Catalogue // that campaigns can name
	Models  setup.Models
	Data    func(path string) (fs.FS, error) // opens a data set's folder
	Alone   bool                             // no other process works for the campaigns of the store
	NoCache bool                             // do not take answers from other turns; resuming is not affected
	Client  client.Client                    // to await collaborations of an earlier run

	Pace func(plan.Limits) batch.Pace // of batches; batch.NewPace if it is nil

	Listeners calls.Listeners // who hears what is done
	// Noticed hears of a campaign's pauses, end and budget, before word of it is sent, and
	// once more with an error if that could not be sent; may be nil.
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

// Meter returns what this process did so far.
func (a *Activities) Meter() calls.Reading { return a.caller.Meter.Read() }

// Close gives back what this process has reserved of budgets, and ends the programs
// that it runs.
func (a *Activities) Close(ctx context.Context) error {
	a.ran.Close()
	a.budgets.sending.Wait()
	return a.caller.Close(ctx)
}

// Check asks a model once in the way in which a campaign asks it (Caller.Check).
func (a *Activities) Check(ctx context.Context, campaign string, p model.Provider,
	o calls.CheckOptions) (answers.Answer, error) {
	return a.caller.Check(ctx, campaign, p, o)
}

// Embeddings returns a source whose requests a campaign pays for (Caller.Embeddings).
func (a *Activities) Embeddings(ctx context.Context, e calls.Embedding) (calls.EmbeddingSource, error) {
	return a.caller.Embeddings(ctx, e)
}

// UnderWay returns how much is done of a campaign's collaborations that this
// process takes part in, in collaborations: two that are half done are 1.
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
func (a *Activities) noteRetry(of Attempt, err error) {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if ok && !app.NonRetryable() && app.NextRetryDelay() >= time.Second && !failure.IsHeld(err) {
		now := time.Now().Truncate(time.Second)
		a.retries.Store(of, calls.Wait{For: calls.TriesAgain + strings.Join(strings.Fields(app.Message()), " "),
			Turns: 1, Since: now, Until: now.Add(app.NextRetryDelay()), Ends: calls.ResumeTries})
	}
}

// Attempt is one attempt at an activity of one run of a workflow.
type Attempt struct {
	RunID, ActivityID string
	Number            int32 // from 1
}

// IsRunning reports whether this process works on an attempt.
func (a *Activities) IsRunning(attempt Attempt) bool {
	_, is := a.running.Load(attempt)
	return is
}

// Register gives the activities their names.
func (a *Activities) Register(w worker.ActivityRegistry) {
	registerActivity(a, w, task.PlayRound, a.PlayRound)
	registerActivity(a, w, task.PlayThrough, a.PlayThrough)
	registerActivity(a, w, task.Record, a.Record)
	registerActivity(a, w, task.Survey, a.Survey)
	registerActivity(a, w, task.Ask, a.Ask)
	registerActivity(a, w, task.StopAnswered, a.StopAnswered)
	registerActivity(a, w, task.StopUnstarted, a.StopUnstarted)
	registerActivity(a, w, task.Await, a.Await)
	registerActivity(a, w, task.Hold, a.Hold)
	registerActivity(a, w, task.Compact, a.Compact)
	registerActivity(a, w, task.Seal, a.Seal)
	registerActivity(a, w, task.Notify, a.Notify)
	a.RegisterTurns(w)
}

// RegisterTurns registers the activity for the queue of one model.
func (a *Activities) RegisterTurns(w worker.ActivityRegistry) {
	registerActivity(a, w, task.TakeTurn, a.TakeTurn)
}

// registerActivity wraps an activity: it heartbeats while it runs, if its workflow wants
// to hear of its death, and its errors are made fit for history.
func registerActivity[In, Out any](a *Activities, w worker.ActivityRegistry, name string,
	do func(context.Context, In) (Out, error)) {
	w.RegisterActivityWithOptions(func(ctx context.Context, in In) (Out, error) {
		info := activity.GetInfo(ctx)
		attempt := Attempt{info.WorkflowExecution.RunID, info.ActivityID, info.Attempt}
		a.running.Store(attempt, true)
		a.retries.Delete(Attempt{RunID: attempt.RunID, ActivityID: attempt.ActivityID})
		defer a.running.Delete(attempt)
		ctx, stage := calls.WithStage(a.waits.Context(ctx))
		defer stage.Leave()
		defer startHeartbeat(ctx, stage)()
		out, err := recoverPanics(ctx, in, do)
		err = failure.ForHistory(ctx, err, info.Attempt)
		a.noteRetry(Attempt{RunID: attempt.RunID, ActivityID: attempt.ActivityID}, err)
		if failure.IsOfMachine(err) {
			a.caller.Meter.NoteFailure(err)
		}
		return out, err
	}, activity.RegisterOptions{Name: name})
}

func recoverPanics[In, Out any](ctx context.Context, in In,
	do func(context.Context, In) (Out, error)) (out Out, err error) {
	defer failure.Recover(&err)
	return do(ctx, in)
}

// Heartbeats go out as often as keeps the activity alive, and what they say at least
// this often if it has changed.
const heartbeatEvery = 10 * time.Second

// startHeartbeat tells the server that the activity lives, and what its calls wait for, until
// the returned function is called.
func startHeartbeat(ctx context.Context, stage *calls.Stage) func() {
	silence := activity.GetInfo(ctx).HeartbeatTimeout
	if silence == 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		said, last := "", time.Now() // a short round says nothing
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			text, waits := stage.Describe()
			since := time.Since(last)
			if since >= silence/5 || since >= heartbeatEvery && text != said {
				activity.RecordHeartbeat(ctx, text, waits)
				said, last = text, time.Now()
			}
		}
	}()
	return func() { close(done) }
}
