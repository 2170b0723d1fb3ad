package activities_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"roundtable/activities"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// failing takes a turn with a model that fails and returns how the activity ended.
func failing(t *testing.T, failure error) *temporal.ApplicationError {
	t.Helper()
	s := newLake(t)
	p := recordPlan(t, s, yaml("errors", 2, 1))
	m := &fake{answer: func(model.Request) (model.Response, error) { return model.Response{}, failure }}
	_, err := do[transcript.Act](t, newActivities(s, m), task.TakeTurn, task.Turn{Ref: ref(p, 0)})
	return application(t, err)
}

func TestErrorsSayWhatIsToBeDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err         error
		kind        string
		final       bool
		least, most time.Duration // until the next try
	}{
		"retry":            {&model.Error{Class: model.Retry, Status: 503}, "retry", false, 50 * time.Millisecond, 550 * time.Millisecond},
		"retry after":      {&model.Error{Class: model.Retry, Status: 429, RetryAfter: 90 * time.Second}, "retry", false, 90 * time.Second, 100 * time.Second},
		"retry after soon": {&model.Error{Class: model.Retry, RetryAfter: time.Millisecond}, "retry", false, time.Millisecond, 1002 * time.Millisecond},
		"unbilled":         {&model.Error{Class: model.Retry, RetryAfter: time.Minute, Unbilled: true}, "retry", false, time.Minute, 67 * time.Second},
		"wrapped":          {fmt.Errorf("asking: %w", &model.Error{Class: model.Pause}), task.ErrPause, true, 0, 0},
		"pause":            {&model.Error{Class: model.Pause, Status: 401}, task.ErrPause, true, 0, 0},
		"fail":             {&model.Error{Class: model.Fail, Status: 400, Code: "content_filter"}, task.ErrFail, true, 0, 0},
		"no class":         {&model.Error{Status: 999}, "retry", false, 50 * time.Millisecond, 550 * time.Millisecond},
		"unknown":          {errors.New("connection reset"), "io", false, 50 * time.Millisecond, 550 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := failing(t, c.err)
			same(t, app.Type(), c.kind)
			same(t, app.NonRetryable(), c.final)
			if d := app.NextRetryDelay(); d < c.least || d > c.most {
				t.Errorf("the next try is in %v, not in %v to %v", d, c.least, c.most)
			}
			// What a provider does to us is not an alarm of ours.
			same(t, app.Category() == temporal.ApplicationErrorCategoryBenign, c.kind != "io")
		})
	}
}

func TestErrorTextsFitIntoHistory(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\xff\x00\x1b[31mz", 10<<20/7)
	for name, err := range map[string]error{
		"a model's":  &model.Error{Class: model.Fail, Provider: "p\xff", Code: long, Message: long},
		"any":        errors.New(long),
		"both":       errors.Join(&model.Error{Class: model.Pause, Message: long}, errors.New(long)),
		"white only": errors.New(strings.Repeat("\n", 10<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := failing(t, err)
			text := app.Message()
			if len(text) > 3*2048 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b") {
				t.Errorf("the error has %d bytes, valid: %v", len(text), utf8.ValidString(text))
			}
			if cause := errors.Unwrap(app); cause != nil {
				t.Errorf("a cause is written to history too: %.60q", cause)
			}
		})
	}
}

func TestCorruptAnswerEndsTheCollaboration(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("corrupt", 2, 1))
	r := ref(p, 0)
	m := saying(polite)
	a := newActivities(s, m)
	take(t, a, r, 0)
	take(t, a, r, 1)
	key := s.holds("000000.0.json")[0]
	corrupt(t, s, key)
	for name, in := range map[string]any{task.TakeTurn: task.Turn{Ref: r}, task.PlayRound: task.Round{Ref: r}} {
		_, err := do[any](t, newActivities(s, m), name, in)
		app := application(t, err)
		if app.Type() != task.ErrFail || !app.NonRetryable() || !strings.Contains(app.Message(), key) || !strings.Contains(app.Message(), "corrupt") {
			t.Errorf("%s: %s %v", name, app.Type(), app)
		}
	}
	same(t, m.count(), 2) // it is never taken for a missing one
	// What can be read still makes rows, and they say what could not.
	result := commit(t, newActivities(s, m), r, task.Succeeded)
	same(t, result.Status, task.Failed)
	all := rows(t, s, p, r)
	same(t, []int{len(all.Turns), len(all.Calls)}, []int{1, 2})
	same(t, statuses(all.Calls), "0.0.0 unknown, 1.0.0 answered")
	if failure := deref(all.Collaborations[0].Failure); !strings.Contains(failure, key) {
		t.Errorf("the row says %q", failure)
	}
}

func TestMissingPlanIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := planned(t, yaml("missing", 2, 1))
	_, err := do[task.RoundResult](t, newActivities(s, saying(polite)), task.PlayRound, task.Round{Ref: ref(p, 0)})
	app := application(t, err)
	same(t, app.NonRetryable(), false)
	if !strings.Contains(app.Message(), campaign.PlanKey("missing", p.Campaign.Revision())) {
		t.Errorf("%v", app)
	}
}

// A worker without the data set or a key cannot go on until it is provided.
func TestConditionThatCannotBeBuiltPauses(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := planned(t, yaml("data", 2, 1))
	p.Files = map[string]string{"nowhere": "a hash"}
	noError(t, campaign.WritePlan(ctx, s, p))
	a := newActivities(s, saying(polite), func(c *activities.Config, _ *model.Provider) {
		c.Data = func(path string) (fs.FS, error) { return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist) }
	})
	_, err := do[task.RoundResult](t, a, task.PlayRound, task.Round{Ref: ref(p, 0)})
	app := application(t, err)
	same(t, app.Type(), task.ErrPause)
	same(t, app.NonRetryable(), true)
	if !strings.Contains(app.Message(), "nowhere") {
		t.Errorf("%v", app)
	}
}

func TestCancelledActivityIsCancelled(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("cancelled", 2, 1))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := do[transcript.Act](t, newActivities(s, saying(polite)), task.TakeTurn, task.Turn{Ref: ref(p, 0)},
		func(env *testsuite.TestActivityEnvironment) {
			env.SetWorkerOptions(worker.Options{BackgroundActivityContext: cancelled})
		})
	if !temporal.IsCanceledError(err) {
		t.Fatalf("a cancelled activity ended with %T %v", err, err)
	}
}

// A worker that stops begins no call.
func TestStoppingWorkerAsksNothing(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("stopping", 2, 1))
	m := saying(polite)
	stopped := make(chan struct{})
	close(stopped)
	for range 5 {
		_, err := do[transcript.Act](t, newActivities(s, m), task.TakeTurn, task.Turn{Ref: ref(p, 0)},
			func(env *testsuite.TestActivityEnvironment) { env.SetWorkerStopChannel(stopped) })
		same(t, application(t, err).NonRetryable(), false)
	}
	same(t, m.count(), 0)
	same(t, len(s.holds("answers/")), 0)
}

// tight is a lake on a disk that has so much room, and none for the answers that come.
type tight struct {
	*spy
	free     atomic.Int64
	reserved atomic.Int64
}

func (f *tight) Free() (int64, error)      { return f.free.Load(), nil }
func (f *tight) Reserve(bytes int64) error { f.reserved.Store(bytes); return nil }
func (f *tight) Unreserve() error          { f.reserved.Store(0); return nil }

func (f *tight) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if f.free.Load() < 1<<20 && f.reserved.Load() > 0 && strings.HasPrefix(key, "answers/") {
		return &fs.PathError{Op: "write", Path: "lake", Err: syscall.ENOSPC}
	}
	return f.spy.PutIfAbsent(ctx, key, data)
}

// On a full disk nothing is asked; it goes on by itself when there is room.
func TestFullDiskIsWaitedOut(t *testing.T) {
	t.Parallel()
	s := &tight{spy: newLake(t)}
	p := recordPlan(t, s, yaml("full", 2, 1))
	m := saying(polite)
	a := newActivities(s, m)
	s.free.Store(2 << 20)
	taken := make(chan error, 1)
	go func() {
		_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, 0)})
		taken <- err
	}()
	for !strings.Contains(fmt.Sprint(a.Waits()), "the disk of the lake has room for 2 MB; 64 MB are needed") {
		time.Sleep(time.Millisecond)
	}
	same(t, m.count(), 0)
	same(t, len(s.holds("answers/")), 0)
	s.free.Store(1 << 30)
	noError(t, <-taken)
	same(t, m.count(), 1)
	same(t, s.reserved.Load() > 0, true)
	noError(t, a.Close(ctx))
	same(t, s.reserved.Load(), 0)
}

// An answer that comes when the disk has filled up is stored in what was set aside.
func TestAnswerInHandHasRoom(t *testing.T) {
	t.Parallel()
	s := &tight{spy: newLake(t)}
	s.free.Store(1 << 30)
	p := recordPlan(t, s, yaml("filling", 2, 1))
	m := saying(func(r model.Request) string {
		s.free.Store(0)
		return polite(r)
	})
	take(t, newActivities(s, m), ref(p, 0), 0)
	same(t, m.count(), 1)
	same(t, s.reserved.Load(), 0)
	same(t, len(stored(t, s, p, ref(p, 0)).Turns), 1)
}

// A quota that nobody can see is tried again: nothing is asked meanwhile.
func TestStoreWithoutRoomTriesAgain(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("quota", 2, 1))
	m := saying(polite)
	s.refuse = func(key string) error {
		if strings.Contains(key, "intent") {
			return &fs.PathError{Op: "write", Path: "lake", Err: syscall.EDQUOT}
		}
		return nil
	}
	_, err := do[transcript.Act](t, newActivities(s, m), task.TakeTurn, task.Turn{Ref: ref(p, 0)})
	same(t, application(t, err).NonRetryable(), false)
	same(t, m.count(), 0)
}
