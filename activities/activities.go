// Package activities is everything that a collaboration does to the world: it
// asks models, keeps their answers and commits rows. An answer is stored
// durably before the workflow hears of it, and a stored answer is never asked
// for again. No provider's SDK is known here.
package activities

import (
	"context"
	"io/fs"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"golang.org/x/sync/singleflight"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/throttle"
	"roundtable/analysis/storage"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Models builds one of the models that a condition asks.
type Models func(plan.Choice, plan.Condition, envs.Environment) (Provider, error)

// Provider is a model with what must be known about it.
type Provider struct {
	model.Model
	Name      string // provider/model, as the campaign names it
	Endpoint  string // who answers: models of one name at two endpoints are two
	Account   string // whose limits a call uses up: an endpoint, the name of a key, and a model
	Simulated bool   // not a language model
	Instant   bool   // takes no time and costs nothing: asked in batches
}

// Config is what the host of the activities decides.
type Config struct {
	Store   storage.Store
	Models  Models
	Data    func(path string) (fs.FS, error) // opens a data set's folder
	Alone   bool                             // no other process works for the campaigns of the store
	NoCache bool                             // do not take answers from other turns; resuming is not affected
	Client  client.Client                    // to await collaborations of an earlier run
}

// Activities are registered with a worker. They share an in-memory picture of
// the collaborations under way, which is rebuilt from the store when missing.
type Activities struct {
	config  Config
	answers *answers.Answers
	taking  singleflight.Group // turns under way, by collaboration and entry
	meter   Meter
	trials  trials

	throttles throttle.Registry                // of accounts
	talks     *lru.Cache[task.LabelRef, *talk] // whose messages are being labelled

	mu        sync.Mutex
	plans     map[string]*campaign                 // by revision
	manifests map[string]running                   // by campaign
	accounts  map[string]*money.Account            // by campaign, of those with a budget
	live      *lru.Cache[task.Ref, *collaboration] // those under way
}

// picturesKept bounds the memory for collaborations under way.
const picturesKept = 1024

// New makes the activities.
func New(c Config) *Activities {
	live, err := lru.New[task.Ref, *collaboration](picturesKept)
	if err != nil {
		panic("activities: " + err.Error()) // only a size below 1 is an error
	}
	talks, err := lru.New[task.LabelRef, *talk](picturesKept)
	if err != nil {
		panic("activities: " + err.Error())
	}
	return &Activities{
		config: c, answers: answers.NewAnswers(c.Store), live: live, talks: talks, plans: map[string]*campaign{},
		manifests: map[string]running{}, accounts: map[string]*money.Account{},
	}
}

// Register gives the activities their names.
func (a *Activities) Register(w worker.ActivityRegistry) {
	register(w, task.Recall, a.Recall)
	register(w, task.TakeTurn, a.TakeTurn)
	register(w, task.TakeMany, a.TakeMany)
	register(w, task.TakeGiven, a.TakeGiven)
	register(w, task.Record, a.Record)
	register(w, task.Survey, a.Survey)
	register(w, task.Await, a.Await)
	register(w, task.StopUnstarted, a.StopUnstarted)
	register(w, task.Seal, a.Seal)
	register(w, task.Compact, a.Compact)
	register(w, task.SurveyLabels, a.SurveyLabels)
	register(w, task.LabelMessage, a.LabelMessage)
	register(w, task.LabelTalk, a.LabelTalk)
	register(w, task.RecordLabels, a.RecordLabels)
}

// RegisterTurns is Register for the queue of one model.
func (a *Activities) RegisterTurns(w worker.ActivityRegistry) {
	register(w, task.TakeTurn, a.TakeTurn)
	register(w, task.LabelMessage, a.LabelMessage)
}

// register wraps an activity: it heartbeats while it runs, so that its death is
// noticed within seconds, and its errors are made fit for history.
func register[In, Out any](w worker.ActivityRegistry, name string, do func(context.Context, In) (Out, error)) {
	w.RegisterActivityWithOptions(func(ctx context.Context, in In) (Out, error) {
		now := &stage{}
		ctx = context.WithValue(ctx, stageKey{}, now)
		defer heartbeat(ctx, now)()
		out, err := guarded(ctx, in, do)
		return out, failure.ForHistory(ctx, err)
	}, activity.RegisterOptions{Name: name})
}

func guarded[In, Out any](ctx context.Context, in In, do func(context.Context, In) (Out, error)) (out Out, err error) {
	defer failure.Recover(&err)
	return do(ctx, in)
}

// heartbeat until the returned function is called, telling the stage.
func heartbeat(ctx context.Context, now *stage) func() {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx, now.String())
			}
		}
	}()
	return func() { close(done) }
}
