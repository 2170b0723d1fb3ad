package activities_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/workflows/task"
)

func play(t testing.TB, a *activities.Activities, in task.Playing, options ...func(*testsuite.TestActivityEnvironment)) ([]task.Act, error) {
	t.Helper()
	return do[[]task.Act](t, a, task.Play, in, options...)
}

func isType(err error, kind string) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.Type() == kind
}

// One activity plays a whole collaboration that is answered fast, and reports what
// turns taken one by one would have.
func TestPlay(t *testing.T) {
	t.Parallel()
	s, other := newLake(t), newLake(t)
	p := recordPlan(t, s, yaml("played", 3, 2))
	r := ref(p, 0)
	m := saying(polite)
	acts, err := play(t, newActivities(s, m), task.Playing{Ref: r})
	noError(t, err)
	recordPlan(t, other, yaml("played", 3, 2))
	apart := newActivities(other, saying(polite))
	for _, act := range acts {
		if act.Act.Decision == nil {
			same(t, act.Act, take(t, apart, r, act.Entry))
		}
	}
	same(t, len(stored(t, s, p, r).Turns), m.count())
	again, err := play(t, newActivities(s, m), task.Playing{Ref: r, Entry: acts[4].Entry})
	noError(t, err)
	same(t, again, acts[4:])
	same(t, m.count(), len(stored(t, s, p, r).Turns))
}

// A call that fails is made again by itself; one that is refused for good neither
// repeats nor loses the others' answers.
func TestPlayKeepsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		class model.Class
		times int64
		ends  string // type of the error
		calls int
	}{
		{"tried again", model.Retry, 2, "", 8},
		{"refused", model.Fail, 1, task.ErrFail, 3},
		{"paused", model.Pause, 1, task.ErrPause, 3},
	} {
		s := newLake(t)
		p := debating(t, s, "kept", "protocol: {name: debate, rounds: 1}")
		r := ref(p, 0)
		var failed atomic.Int64
		var asked sync.WaitGroup // a pause keeps those from asking that have not begun
		asked.Add(2)
		m := &fake{answer: func(r model.Request) (model.Response, error) {
			if r.Scene.Entry != 1 && r.Scene.Entry < 3 {
				asked.Done()
			}
			if r.Scene.Entry == 1 && failed.Add(1) <= c.times {
				asked.Wait()
				return model.Response{}, &model.Error{Class: c.class, Provider: "test", Status: 500, Code: c.what, Unbilled: true}
			}
			return response(`{"answer": "A"}`), nil
		}}
		_, err := play(t, newActivities(s, m, withPuzzles, noCache), task.Playing{Ref: r})
		if (err == nil) != (c.ends == "") || err != nil && !isType(err, c.ends) {
			t.Errorf("%s: ends with %v", c.what, err)
		}
		if m.count() != c.calls {
			t.Errorf("%s: %d calls, want %d", c.what, m.count(), c.calls)
		}
		want := m.count() - int(c.times)
		if got := len(stored(t, s, p, r).Turns); got != want {
			t.Errorf("%s: %d answers are stored, want %d", c.what, got, want)
		}
	}
}

// An interruption lets the calls under way come in and begins no other; what it cut
// short is played on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := debating(t, s, "interrupted", "protocol: {name: debate, rounds: 1}")
	r := ref(p, 0)
	var under sync.WaitGroup
	under.Add(3)
	answer := make(chan struct{})
	m := &fake{answer: func(model.Request) (model.Response, error) {
		under.Done()
		<-answer
		return response(`{"answer": "A"}`), nil
	}}
	a := newActivities(s, m, withPuzzles, noCache)
	go func() {
		under.Wait()
		_ = must(a.Interrupt(ctx, r))
		close(answer)
	}()
	acts, err := play(t, a, task.Playing{Ref: r})
	noError(t, err)
	same(t, len(stored(t, s, p, r).Turns), 3)
	same(t, m.count(), 3)

	under.Add(3)
	_ = must(a.Interrupt(ctx, r)) // before it begins
	none, err := play(t, a, task.Playing{Ref: r, Entry: len(acts) + 1})
	noError(t, err)
	same(t, len(none), 0)
	same(t, m.count(), 3)
	_, err = play(t, a, task.Playing{Ref: r})
	noError(t, err)
	same(t, m.count(), 6)
}

// A turn that waits for its next try leaves when it is interrupted, and when its
// worker stops.
func TestPlayStopsTryingAgain(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"interrupt", "stop"} {
		s := newLake(t)
		p := debating(t, s, "trying", "protocol: {name: debate, rounds: 1}")
		r := ref(p, 0)
		m := &fake{answer: func(model.Request) (model.Response, error) {
			return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 500, RetryAfter: time.Hour, Unbilled: true}
		}}
		a := newActivities(s, m, withPuzzles, noCache)
		stopping := make(chan struct{})
		go func() {
			for tries := 0; tries < 3; time.Sleep(time.Millisecond) {
				tries = 0
				for waits, n := range a.Waits() {
					if strings.HasPrefix(waits, calls.TriesAgain) {
						tries += n
					}
				}
			}
			if how == "interrupt" {
				_ = must(a.Interrupt(ctx, r))
			} else {
				close(stopping)
			}
		}()
		_, err := play(t, a, task.Playing{Ref: r}, func(env *testsuite.TestActivityEnvironment) { env.SetWorkerStopChannel(stopping) })
		if how == "interrupt" != (err == nil) {
			t.Errorf("%s: ends with %v", how, err)
		}
		same(t, m.count(), 3)
		same(t, len(a.Waits()), 0)
	}
}

// Speakers whose turns are taken elsewhere are left out, and waited for by the caller.
func TestPlayLeavesOthersTurns(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := debating(t, s, "elsewhere", "protocol: {name: debate, rounds: 1}")
	r := ref(p, 0)
	m := saying(func(model.Request) string { return `{"answer": "A"}` })
	a := newActivities(s, m, withPuzzles, noCache)
	acts, err := play(t, a, task.Playing{Ref: r, Elsewhere: []string{"1"}})
	noError(t, err)
	same(t, []int{acts[0].Entry, acts[1].Entry, m.count()}, []int{0, 2, 2})
	take(t, a, r, 1)
	acts, err = play(t, a, task.Playing{Ref: r, Entry: 1, Elsewhere: []string{"1"}})
	noError(t, err)
	same(t, acts[0].Entry, 1)
	same(t, m.count(), 5)
}
