package activities_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

func TestLiveTurnStoresBeforeItReports(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("order", 2, 1))
	r := ref(p, 0)
	s.notes = nil
	m := saying(func(r model.Request) string {
		s.note("call")
		if held := s.holds("answers/"); len(held) != 1 || short(held[0]) != "000000.0.intent-0.json" {
			t.Errorf("while the model is asked the store holds %v", held)
		}
		return polite(r)
	})
	act := take(t, newActivities(s, m), r, 0)
	s.notes = slices.DeleteFunc(s.notes, func(n string) bool { return strings.HasPrefix(n, "put 0000000") }) // of the budget
	same(t, s.notes, []string{"put 000000.0.intent-0.json", "call", "put 000000.0.json", "put cache"})
	known, _ := stored(t, s, p, r).Turn(0)
	same(t, known.Act, act)
	same(t, m.asked[0].IdempotencyKey, callPermit(p, r).String()+"/0/0")
}

// An answer that cannot be stored is not reported: the turn is taken again, and
// the first call is listed as of unknown cost.
func TestAnswerThatCannotBeStoredIsNotReported(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("disk", 2, 1))
	r := ref(p, 0)
	m := saying(polite)
	s.refuse = refusing("000000.0.json", 1000)
	synctest.Test(t, func(t *testing.T) { // the store is given some time
		_, err := newActivities(s, m).TakeTurn(ctx, task.Turn{Ref: r})
		if err == nil || !strings.Contains(err.Error(), "no answer from the store") {
			t.Errorf("it was reported: %v", err)
		}
	})
	s.refuse = nil
	take(t, newActivities(s, m), r, 0)
	same(t, m.count(), 2)
	commit(t, newActivities(s, m), r, task.Failed)
	same(t, statuses(rows(t, s, p, r).Calls), "0.0.0 unknown, 0.0.1 answered")
}

// A store that fails for a moment costs nothing.
func TestAnswerIsStoredOnceTheStoreCan(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("moment", 2, 1))
	r := ref(p, 0)
	m := saying(polite)
	s.refuse = refusing("000000.0.json", 3)
	synctest.Test(t, func(t *testing.T) {
		a := newActivities(s, m)
		take(t, a, r, 0)
		same(t, a.Meter().Retries, 3)
		same(t, a.Meter().Trouble == nil, true) // it has passed
	})
	same(t, m.count(), 1)
	same(t, len(stored(t, s, p, r).Unknown), 0)
}

// refusing lets the first puts of an object fail.
func refusing(name string, times int) func(string) error {
	return func(key string) error {
		if short(key) != name || times == 0 {
			return nil
		}
		times--
		return errors.New("no answer from the store")
	}
}

func TestIntentIsTakenBackOnlyIfNothingWasBilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		unbilled bool
		calls    string
	}{{true, "0.0.0 answered"}, {false, "0.0.0 unknown, 0.0.1 answered"}} {
		t.Run(fmt.Sprint("unbilled ", c.unbilled), func(t *testing.T) {
			s := newLake(t)
			p := recordPlan(t, s, yaml("intents", 2, 1))
			r := ref(p, 0)
			broken := true
			m := &fake{answer: func(r model.Request) (model.Response, error) {
				if broken {
					return model.Response{}, &model.Error{Class: model.Retry, Status: 500, Unbilled: c.unbilled}
				}
				return response(polite(r)), nil
			}}
			a := newActivities(s, m)
			if _, err := a.TakeTurn(ctx, task.Turn{Ref: r}); err == nil {
				t.Fatal("the call failed and the turn did not")
			}
			same(t, len(stored(t, s, p, r).Unknown) == 0, c.unbilled)
			broken = false
			take(t, a, r, 0)
			result := commit(t, a, r, task.Failed)
			all := rows(t, s, p, r)
			same(t, statuses(all.Calls), c.calls)
			// Nothing bounds what a call of unknown outcome has cost: no max_tokens is set.
			same(t, result.Unpriced, !c.unbilled)
			same(t, all.Collaborations[0].WorstUSD == nil, !c.unbilled)
			same(t, all.Collaborations[0].CostUSD != nil, true)
			same(t, result.Calls, int64(len(all.Calls)))
			same(t, a.Meter().Retries, 1)
		})
	}
}

func TestStoredAnswerIsNeverAskedAgain(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("again", 2, 1))
	r := ref(p, 0)
	m := saying(polite)
	a := newActivities(s, m)
	first := take(t, a, r, 0)
	same(t, take(t, a, r, 0), first)
	silent := saying(func(model.Request) string { t.Error("a stored answer was asked for again"); return "" })
	same(t, take(t, newActivities(s, silent, noCache), r, 0), first)
	same(t, m.count(), 1)
}

// An earlier worker stored what it received and died before it looked at it.
func TestStoredAnswerIsParsedLater(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw    string
		status transcript.Status
		asks   int // of the model, after the crash
	}{
		"good":      {`{"target": ["Blake"], "message": "hello"}`, transcript.Said, 0},
		"malformed": {"hello", transcript.Said, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLake(t)
			p := recordPlan(t, s, yaml("crash", 2, 1))
			r := ref(p, 0)
			crashed := answers.Turn{Asks: []answers.Answer{{Raw: []byte(c.raw), Provider: "test/model"}}}
			must(answers.NewAnswers(s).Put(ctx, callPermit(p, r), crashed))
			m := saying(polite)
			act := take(t, newActivities(s, m), r, 0)
			same(t, act.Status, c.status)
			same(t, m.count(), c.asks)
			again := take(t, newActivities(s, m), r, 0)
			same(t, again, act)
			known, _ := stored(t, s, p, r).Turn(0)
			same(t, known.Done, true)
			same(t, len(known.Asks), c.asks+1)
			same(t, string(known.Asks[0].Raw), c.raw)
			if c.asks == 1 && !strings.Contains(m.asked[0].Messages[1].Content, "holds no JSON object") {
				t.Errorf("the fault of the stored answer is not told: %q", m.asked[0].Messages[1].Content)
			}
		})
	}
}

// Two workers take the same turn at once: the first stored answer wins on both.
func TestTwoWorkersReportOneAct(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("race", 2, 1))
	r := ref(p, 0)
	var both sync.WaitGroup
	both.Add(2)
	answer := func(text string) *fake {
		return saying(func(model.Request) string { both.Done(); both.Wait(); return text })
	}
	models := []*fake{answer(`{"target": [], "message": "one"}`), answer(`{"target": ["Blake"], "message": "two"}`)}
	acts := make([]transcript.Act, 2)
	inParallel(2, func(i int) {
		var err error
		if acts[i], err = newActivities(s, models[i]).TakeTurn(ctx, task.Turn{Ref: r}); err != nil {
			t.Error(err)
		}
	})
	same(t, acts[0], acts[1])
	all := stored(t, s, p, r)
	same(t, all.Turns[0].Act, acts[0])
	same(t, len(all.Turns[0].Asks), 1)
	same(t, len(all.Unknown), 1) // the other one was paid too
}

// An attempt that was given up for dead is still waiting for its answer: the next one joins it.
func TestTwoAttemptsAskOnce(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("attempts", 2, 1))
	r := ref(p, 0)
	synctest.Test(t, func(t *testing.T) {
		m := saying(func(r model.Request) string { time.Sleep(time.Minute); return polite(r) })
		a := newActivities(s, m)
		inParallel(4, func(int) {
			if act, err := a.TakeTurn(ctx, task.Turn{Ref: r}); err != nil || act.Status != transcript.Said {
				t.Errorf("%+v %v", act, err)
			}
		})
		same(t, m.count(), 1)
	})
	same(t, len(stored(t, s, p, r).Unknown), 0)
}

// A worker whose picture is behind reads what others stored.
func TestWorkerCatchesUp(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("behind", 2, 1))
	r := ref(p, 0)
	behind, ahead := newActivities(s, saying(polite)), newActivities(s, saying(polite))
	take(t, behind, r, 0)
	take(t, ahead, r, 0)
	take(t, ahead, r, 1)
	same(t, take(t, behind, r, 2).Status, transcript.Said)
	_, err := do[transcript.Act](t, behind, task.TakeTurn, task.Turn{Ref: r, Entry: 9})
	if app := application(t, err); app.Type() != task.ErrFail || !strings.Contains(app.Message(), "entry 9") {
		t.Fatalf("a turn out of order gave %v", err)
	}
}

func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	const bound, cells = 3, 12
	s := newLake(t)
	p := recordPlan(t, s, yaml("bound", 2, 1, fmt.Sprint("replicates: ", cells)))
	var underWay, most atomic.Int64
	var first sync.WaitGroup // as many as may be under way wait for each other
	first.Add(bound)
	var begun atomic.Int64
	m := saying(func(r model.Request) string {
		n := underWay.Add(1)
		defer underWay.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if begun.Add(1) <= bound {
			first.Done()
			first.Wait()
		}
		time.Sleep(time.Millisecond)
		return polite(r)
	})
	limit(t, s, p, plan.Limits{Calls: bound})
	a := newActivities(s, m)
	inParallel(cells, func(i int) {
		if _, err := a.TakeTurn(ctx, task.Turn{Ref: ref(p, i)}); err != nil {
			t.Error(err)
		}
	})
	same(t, most.Load(), int64(bound))
	same(t, a.Meter().Calls, int64(cells))
	same(t, a.Meter().UnderWay, 0)
}

// A cancelled turn keeps the answer it has paid for and asks nothing more.
func TestCancelledTurnKeepsItsAnswer(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("cancelled", 2, 1, "replicates: 10"))
	for i := range 10 {
		cancelled, cancel := context.WithCancel(ctx)
		m := saying(func(model.Request) string { cancel(); return "no JSON" })
		a := newActivities(s, m, noCache)
		if _, err := a.TakeTurn(cancelled, task.Turn{Ref: ref(p, i)}); !errors.Is(err, context.Canceled) {
			t.Fatalf("a cancelled turn ended with %v", err)
		}
		same(t, m.count(), 1)
		turn, _ := stored(t, s, p, ref(p, i)).Turn(0)
		same(t, len(turn.Asks), 1)
	}
}

func TestCancelledTurnAsksNothing(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("before", 2, 1))
	m := saying(polite)
	a := newActivities(s, m, noCache)
	take(t, a, ref(p, 0), 0)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for range 10 {
		if _, err := a.TakeTurn(cancelled, task.Turn{Ref: ref(p, 0), Entry: 1}); err == nil {
			t.Fatal("a cancelled turn was taken")
		}
	}
	same(t, m.count(), 1)
	same(t, len(s.holds("intent")), 1)
}

// corrupt changes a byte in the middle of an object.
func corrupt(t testing.TB, s store.Store, key string) {
	t.Helper()
	data := slices.Clone(must(s.Get(ctx, key)))
	data[len(data)/2] ^= 1
	noError(t, s.Replace(ctx, key, data, ""))
}
