// Package activities registers everything that a collaboration does to the world
// as Temporal activities. Their names and the JSON of their inputs and results are
// part of recorded histories and never change. What they do is in the packages
// below: turns, calls, rows, labels. No provider's SDK is known here.
package activities

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"golang.org/x/sync/semaphore"

	"roundtable/activities/answers"
	"roundtable/activities/asking"
	"roundtable/activities/calls"
	"roundtable/activities/collaboration"
	"roundtable/activities/embed"
	"roundtable/activities/events"
	"roundtable/activities/failure"
	"roundtable/activities/judging"
	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/activities/notices"
	"roundtable/activities/programs"
	"roundtable/activities/scores"
	"roundtable/activities/setup"
	"roundtable/activities/turn"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/catalogue"
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

	Listeners events.Listeners // who hears what is done
	// Noticed hears of a campaign's pauses, end and budget, before word of it is sent, and
	// once more with an error if that could not be sent; may be nil.
	Noticed  func(n notices.Notice, unsent error)
	LakeName string // where the store is, for people

	PlayTime time.Duration // how long one activity plays a collaboration on; if zero 5 s, or a minute alone
}

// Activities are registered with a worker. Each owner of a picture in memory has
// its own mutex: Plans, Manifests, the budgets of Caller, and each collaboration.
// The order is stated in docs/architecture.md.
type Activities struct {
	config  Config
	plans   *setup.Plans
	caller  *calls.Caller
	taker   *turn.Taker
	live    *collaboration.Live
	scores  *scores.Scores
	judges  *judging.Judging
	ran     *programs.Programs
	asking  *asking.Reader
	notices *notices.Sender
	budgets budgetWatch
	waits   calls.Stage // of all activities of this process
	doing   sync.Map    // of Doing

	recording  *semaphore.Weighted // see atOnce
	compacting *semaphore.Weighted // one at a time: each takes hundreds of megabytes
	*labels.Labels
}

// atOnce is how many collaborations commit their rows at once. That is the processor's
// work, of which a thousand that end together would leave none for anything else:
// requests to the server would run out of time.
const atOnce = 16

// New makes the activities.
func New(c Config) *Activities {
	a := answers.NewAnswers(c.Store)
	ran := programs.New(c.Store)
	plans := setup.NewPlans(c.Store, c.Plugins, setup.Sources{Data: c.Data, Programs: ran.Recording}, c.Models)
	caller := calls.NewCaller(c.Store, a, plans, setup.NewManifests(c.Store, setup.ManifestAge), c.Alone)
	caller.Meter.Listeners = c.Listeners
	taker := turn.NewTaker(a, caller, c.NoCache)
	made := &Activities{
		notices: notices.NewSender(c.Store, c.LakeName), budgets: budgetWatch{known: map[string]string{}},
		config: c, plans: plans, caller: caller, taker: taker, live: collaboration.NewLive(c.Store, a, plans), scores: scores.NewScores(c.Store), judges: judging.NewJudging(a, caller, taker), ran: ran, asking: asking.NewReader(c.Store),
		recording: semaphore.NewWeighted(atOnce), compacting: semaphore.NewWeighted(1),
		Labels: labels.NewLabels(c.Store, a, caller, taker, c.Models),
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

// Check asks a model once with the parameters of a campaign (Caller.Check).
func (a *Activities) Check(ctx context.Context, campaign string, p model.Provider, params model.Parameters) (answers.Answer, error) {
	return a.caller.Check(ctx, campaign, p, params)
}

// Embeddings returns a source whose requests a campaign pays for (Caller.Embeddings).
func (a *Activities) Embeddings(ctx context.Context, e calls.Embedding) (embed.Source, error) {
	return a.caller.Embeddings(ctx, e)
}

// UnderWay returns how much is done of a campaign's collaborations that this
// process takes part in, in collaborations: two that are half done are 1.
func (a *Activities) UnderWay(campaign string) float64 { return a.live.UnderWay(campaign) }

// Waits counts the turns under way in this process by what they wait for.
func (a *Activities) Waits() map[string]int { return a.waits.Waits() }

// Doing is one attempt at an activity of one run of a workflow.
type Doing struct {
	RunID, ActivityID string
	Attempt           int32
}

// IsDoing reports whether this process works on an attempt.
func (a *Activities) IsDoing(d Doing) bool {
	_, is := a.doing.Load(d)
	return is
}

// Register gives the activities their names.
func (a *Activities) Register(w worker.ActivityRegistry) {
	register(a, w, task.PlayOn, a.PlayOn)
	register(a, w, task.Interrupt, a.Interrupt)
	register(a, w, task.PlayThrough, a.PlayThrough)
	register(a, w, task.TakeTurn, a.TakeTurn)
	register(a, w, task.Judge, a.Judge)
	register(a, w, task.Record, a.Record)
	register(a, w, task.Survey, a.Survey)
	register(a, w, task.Await, a.Await)
	register(a, w, task.StopUnstarted, a.StopUnstarted)
	register(a, w, task.Ask, a.Ask)
	register(a, w, task.StopAnswered, a.StopAnswered)
	register(a, w, task.Seal, a.Seal)
	register(a, w, task.Compact, a.Compact)
	register(a, w, task.Notify, a.Notify)
	register(a, w, task.Recall, a.Recall)
	register(a, w, task.Play, a.Play)
	register(a, w, task.TakeMany, a.TakeMany)
	register(a, w, task.TakeGiven, a.TakeGiven)
	register(a, w, task.SurveyLabels, a.SurveyLabels)
	register(a, w, task.LabelMessage, a.LabelMessage)
	register(a, w, task.LabelTalk, a.LabelTalk)
	register(a, w, task.RecordLabels, a.RecordLabels)
}

// RegisterTurns registers the activities for the queue of one model.
func (a *Activities) RegisterTurns(w worker.ActivityRegistry) {
	register(a, w, task.TakeTurn, a.TakeTurn)
	register(a, w, task.LabelMessage, a.LabelMessage)
	register(a, w, task.Judge, a.Judge)
}

// register wraps an activity: it heartbeats while it runs, if its workflow wants
// to hear of its death, and its errors are made fit for history.
func register[In, Out any](a *Activities, w worker.ActivityRegistry, name string, do func(context.Context, In) (Out, error)) {
	w.RegisterActivityWithOptions(func(ctx context.Context, in In) (Out, error) {
		info := activity.GetInfo(ctx)
		doing := Doing{info.WorkflowExecution.RunID, info.ActivityID, info.Attempt}
		a.doing.Store(doing, true)
		defer a.doing.Delete(doing)
		ctx, stage := calls.WithStage(a.waits.Context(ctx))
		defer stage.Leave()
		defer heartbeat(ctx, stage)()
		out, err := guarded(ctx, in, do)
		return out, failure.ForHistory(ctx, err, info.Attempt)
	}, activity.RegisterOptions{Name: name})
}

func guarded[In, Out any](ctx context.Context, in In, do func(context.Context, In) (Out, error)) (out Out, err error) {
	defer failure.Recover(&err)
	return do(ctx, in)
}

// heartbeat five times within the time after which silence is taken for death, until
// the returned function is called, telling what is waited for.
func heartbeat(ctx context.Context, now *calls.Stage) func() {
	silence := activity.GetInfo(ctx).HeartbeatTimeout
	if silence == 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(silence / 5)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx, now.Waits())
			}
		}
	}()
	return func() { close(done) }
}
