package activities_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

func play(t testing.TB, a *activities.Activities, in task.Round, options ...func(*testsuite.TestActivityEnvironment)) (task.RoundResult, error) {
	t.Helper()
	return do[task.RoundResult](t, a, task.PlayRound, in, options...)
}

func isType(err error, kind string) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.Type() == kind
}

// Each activity plays one round and reports what turns taken one by one would have; who
// knows nothing yet is told what to expect as well.
func TestPlayRound(t *testing.T) {
	t.Parallel()
	s, other := newLake(t), newLake(t)
	p := recordPlan(t, s, yaml("played", 3, 2))
	r := ref(p, 0)
	m := saying(polite)
	a := newActivities(s, m)
	first, err := play(t, a, task.Round{Ref: r})
	noError(t, err)
	same(t, m.count(), 9)
	same(t, []any{first.Committed, first.Setting.Agents, first.Setting.Seed}, []any{nil, 3, p.Campaign.TreatmentSeed(r.Cell)})
	same(t, first.Setting.Condition.Protocol, p.Campaign.Conditions[0].Protocol)
	second, err := play(t, a, task.Round{Ref: r, From: len(first.Acts) + 1}) // the decision is an entry, too
	noError(t, err)
	same(t, []any{m.count(), second.Setting}, []any{18, nil})
	recordPlan(t, other, yaml("played", 3, 2))
	apart := newActivities(other, saying(polite))
	for _, act := range append(first.Acts, second.Acts...) {
		same(t, act.Act, take(t, apart, r, act.Entry))
	}
	again, err := play(t, newActivities(s, m), task.Round{Ref: r}) // as another process
	noError(t, err)
	same(t, again.Acts, append(first.Acts, second.Acts...))
	same(t, m.count(), 18)
}

// A round asks only what is not stored, whether or not this process knows of it.
func TestPlayRoundGoesOn(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("goeson", 2, 2, "rule: plurality", "replicates: 2"))
	a := newActivities(s, saying(polite))
	for cell, again := range []*activities.Activities{a, nil} {
		r, m := ref(p, cell), saying(polite)
		want := []task.Act{{Entry: 0, Act: take(t, a, r, 0)}, {Entry: 1, Act: take(t, a, r, 1)}, {Entry: 3, Act: take(t, a, r, 3)}}
		if again == nil {
			again = newActivities(s, m, noCache)
		}
		known, err := play(t, again, task.Round{Ref: r})
		noError(t, err)
		same(t, len(known.Acts), 6)
		same(t, []task.Act{known.Acts[0], known.Acts[1], known.Acts[3]}, want)
		same(t, m.count(), 3*cell)
	}
}

// failingAt is a model whose calls for some entries fail, once all calls have begun and the
// others' answers have come.
func failingAt(others int, failures map[int]error) *fake {
	var begun, answered sync.WaitGroup
	begun.Add(others + len(failures))
	answered.Add(others)
	return &fake{answer: func(r model.Request) (model.Response, error) {
		begun.Done()
		if err := failures[r.Scene.Entry]; err != nil {
			begun.Wait() // a failure that lasts would keep those from beginning that have not
			answered.Wait()
			return model.Response{}, err
		}
		answered.Done()
		return response(`{"answer": "A"}`), nil
	}}
}

// A call that fails lets its siblings come in, and the next attempt asks only what is
// missing. Of several failures the one counts that lasts longest.
func TestPlayRoundKeepsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	soon := &model.Error{Class: model.Retry, Provider: "test", Status: 500, Code: "soon", Unbilled: true}
	later := &model.Error{Class: model.Retry, Provider: "test", Status: 429, Code: "later", RetryAfter: 90 * time.Second, Unbilled: true}
	refused := &model.Error{Class: model.Fail, Provider: "test", Status: 400, Code: "refused", Unbilled: true}
	paused := &model.Error{Class: model.Pause, Provider: "test", Status: 401, Code: "paused", Unbilled: true}
	for name, c := range map[string]struct {
		failures    map[int]error
		kind, words string
		least, most time.Duration // until the next attempt
	}{
		"soon":              {map[int]error{1: soon}, "retry", "soon", 50 * time.Millisecond, 550 * time.Millisecond},
		"after Retry-After": {map[int]error{0: soon, 1: later}, "retry", "later", 90 * time.Second, 100 * time.Second},
		"never":             {map[int]error{0: later, 1: refused}, task.ErrFail, "refused", 0, 0},
		"when resumed":      {map[int]error{0: refused, 1: paused, 2: later}, task.ErrPause, "paused", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLake(t)
			p := debating(t, s, "kept", "protocol: {name: debate, rounds: 1}")
			r := ref(p, 0)
			m := failingAt(3-len(c.failures), c.failures)
			_, err := play(t, newActivities(s, m, withPuzzles, noCache), task.Round{Ref: r})
			app := application(t, err)
			if app.Type() != c.kind || !strings.Contains(app.Message(), c.words) {
				t.Errorf("ends with %s: %v", app.Type(), err)
			}
			if wait := app.NextRetryDelay(); wait < c.least || wait > c.most {
				t.Errorf("the next attempt is in %v, not in %v to %v", wait, c.least, c.most)
			}
			same(t, m.count(), 3)
			same(t, len(stored(t, s, p, r).Turns), 3-len(c.failures))

			well := saying(func(model.Request) string { return `{"answer": "A"}` })
			played, err := play(t, newActivities(s, well, withPuzzles, noCache), task.Round{Ref: r})
			noError(t, err)
			same(t, len(played.Acts)-well.count(), 3-len(c.failures))
		})
	}
}

// Calls that are held back by any process do not begin: those under way come in, those
// that wait leave. Afterwards the round goes on.
func TestHold(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := debating(t, s, "held", "protocol: {name: debate, rounds: 1}")
	limit(t, s, p, plan.Limits{Calls: 2})
	r := ref(p, 0)
	answer := make(chan struct{})
	m := &fake{answer: func(model.Request) (model.Response, error) {
		<-answer
		return response(`{"answer": "A"}`), nil
	}}
	a, other := newActivities(s, m, withPuzzles, noCache), newActivities(s, m, withPuzzles)
	waitFor := func(asked, waiting int) {
		for waits := a.Waits(); waits.Of(calls.WaitsAnswer) != asked || len(waits) != waiting; waits = a.Waits() {
			time.Sleep(time.Millisecond)
		}
	}
	go func() {
		waitFor(2, 2) // two are asked, and one waits for its turn
		began := time.Now()
		_ = must(other.Hold(ctx, task.Holding{Campaign: "held", Reason: "a pause"}))
		waitFor(2, 1)
		if took := time.Since(began); took > 5*time.Second { // 2 s where nothing else runs
			t.Errorf("a call that waits left after %v", took)
		}
		close(answer)
	}()
	held := func(err error, asked int) {
		t.Helper()
		app := application(t, err)
		same(t, []any{app.Type(), app.Message(), app.NextRetryDelay(), app.NonRetryable()}, []any{"held", "no call begins: a pause", time.Second, false})
		same(t, m.count(), asked)
		same(t, len(stored(t, s, p, r).Turns), asked)
	}
	_, err := play(t, a, task.Round{Ref: r})
	held(err, 2)
	_, err = play(t, a, task.Round{Ref: r}) // before it begins
	held(err, 2)
	missing := 0 + 1 + 2
	for _, turn := range stored(t, s, p, r).Turns {
		missing -= turn.Entry
	}
	_, err = do[any](t, a, task.TakeTurn, task.Turn{Ref: r, Entry: missing})
	held(err, 2)
	same(t, len(a.Waits()), 0)
	_ = must(a.Hold(ctx, task.Holding{Campaign: "held"}))
	played, err := play(t, a, task.Round{Ref: r})
	noError(t, err)
	same(t, m.count(), len(played.Acts))
}

// A word that the lake refuses is tried again soon, for as long as it takes: nobody would hear
// that its campaign may go on.
func TestHoldIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	recordPlan(t, s, yaml("locked", 2, 1))
	_, err := do[struct{}](t, newActivities(locked{s}, saying(polite)), task.Hold, task.Holding{Campaign: "locked"})
	if app := application(t, err); app.NonRetryable() || app.NextRetryDelay() > 5*time.Second {
		t.Errorf("%v is tried again in %v, never: %v", app, app.NextRetryDelay(), app.NonRetryable())
	}
}

// locked is a store that deletes nothing.
type locked struct{ store.Store }

func (locked) Delete(context.Context, string) error { return fs.ErrPermission }

// awaited is a model of people: nobody answers for the first agent.
type awaited struct{ *fake }

func (a awaited) Await(ctx context.Context, r model.Request) error {
	if r.Scene.Entry != 0 {
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// A person may take days: neither a call that failed nor a worker that stops waits for them.
func TestPlayRoundWaitsForPeople(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]bool{"another call failed": true, "the worker is stopping": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLake(t)
			p := debating(t, s, "people", "protocol: {name: debate, rounds: 1}")
			m := &fake{answer: func(r model.Request) (model.Response, error) {
				if fails && r.Scene.Entry == 1 {
					return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 503, Code: name, Unbilled: true}
				}
				return response(`{"answer": "A"}`), nil
			}}
			a := newActivities(s, nil, withPuzzles, noCache, func(_ *activities.Config, p *model.Provider) { p.Model = awaited{m} })
			stopping := make(chan struct{})
			go func() {
				for m.count() < 2 || a.Waits().Of(calls.WaitsPerson) != 1 || len(a.Waits()) != 1 {
					if fails {
						return
					}
					time.Sleep(time.Millisecond)
				}
				close(stopping)
			}()
			_, err := play(t, a, task.Round{Ref: ref(p, 0)}, func(env *testsuite.TestActivityEnvironment) { env.SetWorkerStopChannel(stopping) })
			if app := application(t, err); app.NonRetryable() || !strings.Contains(app.Message(), name) { // not that of the person's turn
				t.Errorf("ends with %v", err)
			}
			same(t, m.count(), 2)
			same(t, len(a.Waits()), 0)
		})
	}
}

// Calls that are perhaps billed and bring nothing are not tried for ever: each prompt is
// counted for itself, however often the round failed for others. At the eighth failure in a row
// the model is asked the question of the check, which it does not answer either.
func TestEighthUnansweredAttemptPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // waits between attempts take no time
		s := newLake(t)
		p := debating(t, s, "eighth", "protocol: {name: debate, rounds: 1}")
		var others atomic.Int64
		m := &fake{answer: func(r model.Request) (model.Response, error) {
			if r.Scene == nil || r.Scene.Entry == 1 || r.Scene.Entry == 0 && others.Add(1) <= 5 {
				return model.Response{}, &model.Error{Class: model.Retry, Fault: model.Silent, Provider: "test", Code: "timeout"}
			}
			return response(`{"answer": "A"}`), nil
		}}
		a := newActivities(s, m, withPuzzles, noCache)
		for attempt := 1; attempt <= 8; attempt++ {
			_, err := play(t, a, task.Round{Ref: ref(p, 0)})
			if want := map[bool]string{true: task.ErrPause, false: "retry"}[attempt == 8]; !isType(err, want) {
				t.Errorf("attempt %d: %v, want %s", attempt, err, want)
			}
		}
		same(t, m.count(), 8+6+1+1)
	})
}

// Speakers whose turns are taken elsewhere are left out, and waited for by the caller.
func TestPlayRoundLeavesOthersTurns(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := debating(t, s, "elsewhere", "protocol: {name: debate, rounds: 1}")
	r := ref(p, 0)
	m := saying(func(model.Request) string { return `{"answer": "A"}` })
	a := newActivities(s, m, withPuzzles, noCache)
	played, err := play(t, a, task.Round{Ref: r, Elsewhere: []string{"1"}})
	noError(t, err)
	same(t, []int{played.Acts[0].Entry, played.Acts[1].Entry, m.count()}, []int{0, 2, 2})
	take(t, a, r, 1)
	played, err = play(t, a, task.Round{Ref: r, From: 1, Elsewhere: []string{"1"}})
	noError(t, err)
	same(t, played.Acts[0].Entry, 1)
	same(t, m.count(), 5)
}

// One with turns that are taken elsewhere is not played before its workflow knows whose.
func TestPlayRoundSaysWhoIsElsewhere(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := debating(t, s, "queues", "protocol: {name: debate, rounds: 1}")
	limit(t, s, p, plan.Limits{Models: map[string]plan.ModelLimits{"test/model": {RequestsPerMinute: 600}}})
	m := saying(func(model.Request) string { return `{"answer": "A"}` })
	opened, err := play(t, newActivities(s, m, withPuzzles, noCache), task.Round{Ref: ref(p, 0)})
	noError(t, err)
	same(t, []int{len(opened.Setting.Queues), len(opened.Acts), m.count()}, []int{3, 0, 0})
}

// A worker whose picture is of earlier rounds, since others took the turns after them, plays
// the round that it is asked for.
func TestPlayRoundAfterOthers(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("others", 3, 4))
	r, m := ref(p, 0), saying(polite)
	one, other := newActivities(s, m), newActivities(s, m)
	first := must(play(t, one, task.Round{Ref: r})).Acts
	from := len(first) + 1 // the decision is an entry, too
	second := must(play(t, other, task.Round{Ref: r, From: from})).Acts
	from += len(second) + 1
	same(t, m.count(), 18)
	third := must(play(t, one, task.Round{Ref: r, From: from})).Acts
	same(t, []int{m.count(), len(third), third[0].Entry}, []int{27, 9, from})
}

// Turns that other workers took from a queue do not keep a worker from playing what follows.
func TestPlayRoundAfterTurnsElsewhere(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("elsewhere", 2, 2, "rule: plurality"))
	r, m := ref(p, 0), saying(polite)
	one, other := newActivities(s, m), newActivities(s, m)
	in := task.Round{Ref: r, Elsewhere: []string{"0"}}
	same(t, len(must(play(t, one, in)).Acts), 1)
	take(t, other, r, 0)
	in.From = 2
	acts := must(play(t, one, in)).Acts
	same(t, []int{len(acts), acts[0].Entry}, []int{1, 3})
}
