package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"roundtable/activities"
	"roundtable/activities/batch"
	"roundtable/activities/failure"
	"roundtable/activities/laketest"
	"roundtable/activities/model"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// process is a program that works for the campaign until it is killed.
type process struct {
	*world
	name       string
	number     int
	ctx        context.Context
	end        context.CancelFunc
	died       chan struct{}
	diedAt     time.Time
	looked     map[string]time.Time // when a key of the store was last read to its end
	activities *activities.Activities
}

// start starts the process of a number.
func (w *world) start(number int) *process {
	p := &process{world: w, number: number, name: fmt.Sprintf("p%d.%d", number, w.nth(fmt.Sprint("start ", number))), died: make(chan struct{}), looked: map[string]time.Time{}}
	p.ctx, p.end = context.WithCancel(w.jittered(context.Background()))
	p.activities = activities.New(activities.Config{
		Store: view{p}, Plugins: catalogue.Builtin(), Alone: w.Alone, NoCache: !w.Cache, Pace: func(plan.Limits) batch.Pace { return pace },
		Models: func(m plan.Choice, c plan.Condition, env envs.Environment) (model.Provider, error) {
			scripted, err := laketest.Policy(m, c, env)
			asked := client{p, scripted.Model}
			if w.Batched {
				return model.Provider{Model: batcher{asked}, Name: m.Name, Endpoint: "https://simulated", Account: "simulated"}, err
			}
			return model.Provider{Model: asked, Name: m.Name, Endpoint: "https://simulated", Account: "simulated"}, err
		},
	})
	w.note("%s starts", p.name)
	return p
}

// jittered returns a context whose pauses follow from the seed.
func (w *world) jittered(ctx context.Context) context.Context {
	return failure.WithJitter(ctx, func(limit time.Duration) time.Duration {
		return w.between(0, limit, "jitter", w.nth("jitter")) // never the same twice: what comes at once comes in any order
	})
}

// await lets time pass, at the end of which the process may be killed.
func (p *process) await(ctx context.Context, d time.Duration, what string) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.died:
	case <-ctx.Done():
	}
	p.sleep()
	if p.isDead() {
		return errDead
	}
	if p.isFatal() {
		p.note("%s is killed at: %s", p.name, what)
		p.diedAt = time.Now()
		close(p.died)
		p.end()
		p.background.Go(func() { _ = p.activities.Close(context.Background()) }) // nothing in it waits any more
		return errDead
	}
	return ctx.Err()
}

func (p *process) isDead() bool {
	select {
	case <-p.died:
		return true
	default:
		return false
	}
}

// isFatal reports whether this await is one at which a process is killed.
func (w *world) isFatal() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.awaits++
	return slices.Contains(w.Kills, w.awaits)
}
