package activities_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities"
	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// till is a service that bills: what it has billed never passes what was
// allowed at that moment.
type till struct {
	t       *testing.T
	allowed atomic.Int64 // nano-dollars
	billed  atomic.Int64
	calls   atomic.Int64
}

// usage varies with the call, and sometimes is all that was reserved.
func (b *till) usage(r model.Request) model.Usage {
	n := b.calls.Add(1)
	u := model.Usage{Input: 100 + n%50, Output: n % 200}
	if n%7 == 0 {
		u = model.Usage{Input: 0, Output: int64(r.Parameters.MaxTokens)}
	}
	return u
}

func (b *till) model() *fake {
	return &fake{answer: func(r model.Request) (model.Response, error) {
		a := response(polite(r))
		a.Usage = b.usage(r)
		nano := a.Usage.Input*1000 + a.Usage.Output*2000 // $1 and $2 for a million tokens
		if sum := b.billed.Add(nano); sum > b.allowed.Load() {
			b.t.Errorf("billed $%.6f of $%.6f", float64(sum)/1e9, float64(b.allowed.Load())/1e9)
		}
		if b.calls.Load()%11 == 0 { // it was billed, and nobody will know
			return model.Response{}, &model.Error{Class: model.Retry, Code: "connection_error"}
		}
		return a, nil
	}}
}

func dollars(usd float64) *float64 { return &usd }

// 64 collaborations at once never spend more than the cap, whatever fails; a
// new process knows what the dead one has spent; a raised cap is used up too.
func TestBudgetHolds(t *testing.T) {
	t.Parallel()
	const cells = 64
	s := newLake(t)
	p := recordPlan(t, s, yaml("budget", 3, 10, fmt.Sprint("replicates: ", cells), "generate: {max_tokens: 200}"))
	service := &till{t: t}
	spend := func(cap float64, a *activities.Activities) (paused int64) {
		limit(t, s, p, plan.Limits{CostUSD: dollars(cap)})
		service.allowed.Store(int64(cap * 1e9))
		var held atomic.Int64
		inParallel(cells, func(i int) {
			for entry := 0; ; entry++ {
				_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, i), Entry: entry})
				if err == nil {
					continue
				}
				switch app := application(t, err); app.Type() {
				case task.ErrPause:
					if !strings.Contains(app.Message(), "budget reached") || !strings.Contains(app.Message(), "--cost-usd") {
						t.Errorf("it is paused because %s", app.Message())
					}
					held.Add(1)
					return
				case "retry":
					entry--
				default: // the decision of a round is not asked
					if !strings.Contains(app.Message(), "not pending") && app.Type() != task.ErrFail {
						t.Error(app)
					}
					return
				}
			}
		})
		return held.Load()
	}
	alone := func(c *activities.Config, _ *model.Provider) { c.Alone = true }
	first := newActivities(s, service.model(), noCache, alone)
	if spend(0.02, first) == 0 {
		t.Error("nobody was paused by a budget of two cents")
	}
	spent := service.billed.Load()
	charged := int64(0) // calls of unknown outcome at what they have cost at most
	for i := range cells {
		charged += stored(t, s, p, ref(p, i)).Charge().NanoUSD
	}
	if charged < 16_000_000 || charged > 20_000_000 {
		t.Errorf("$%.4f of $0.02 were charged", float64(charged)/1e9)
	}
	// The first process is gone without a word.
	second := newActivities(s, service.model(), noCache, alone)
	spend(0.02, second)
	spend(0.05, second)
	if service.billed.Load() <= spent {
		t.Error("the raised budget is not used")
	}
}

// A cell's rows and its marker say what counts against the budget.
func TestChargeOfACommit(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("charge", 2, 1, "generate: {max_tokens: 200}"))
	limit(t, s, p, plan.Limits{Tokens: 1 << 40})
	broken := true
	m := &fake{answer: func(r model.Request) (model.Response, error) {
		if broken {
			return model.Response{}, &model.Error{Class: model.Retry, Code: "timeout"}
		}
		return response(polite(r)), nil
	}}
	a := newActivities(s, m)
	if _, err := a.TakeTurn(ctx, task.Turn{Ref: ref(p, 0)}); err == nil {
		t.Fatal("the call failed and the turn did not")
	}
	broken = false
	take(t, a, ref(p, 0), 0)
	before := stored(t, s, p, ref(p, 0)).Charge()
	result := commit(t, a, ref(p, 0), task.Stopped)
	calls := rows(t, s, p, ref(p, 0)).Calls
	same(t, statuses(calls), "0.0.0 unknown, 0.0.1 answered")
	same(t, calls[0].WorstUSD != nil && *calls[0].WorstUSD > 200*2e-6 && *calls[0].WorstTokens > 200, true)
	same(t, result.Unpriced, false)
	same(t, result.WorstUSD, *calls[0].WorstUSD)
	markers, err := lake.Commits(ctx, s, "charge")
	noError(t, err)
	same(t, markers[0].Charged, before)
	same(t, before.Tokens, *calls[0].WorstTokens+*calls[1].InputTokens+*calls[1].OutputTokens)
}

// A dollar budget without a price, or answers without a bound, could not hold.
func TestBudgetThatCouldNotHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ model, more, says string }{
		"no price": {"other/model", "generate: {max_tokens: 200}", "the price of a model that it asks is not known"},
		"no bound": {"test/model", "reasks: 2", "max_tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLake(t)
			p := recordPlan(t, s, yaml("unbounded", 2, 1, c.more))
			limit(t, s, p, plan.Limits{CostUSD: dollars(1)})
			m := saying(polite)
			a := newActivities(s, m, func(_ *activities.Config, p *model.Provider) { p.Name = c.model })
			_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, 0)})
			app := application(t, err)
			same(t, app.Type(), task.ErrPause)
			if !strings.Contains(app.Message(), c.says) {
				t.Errorf("it says %s", app.Message())
			}
			same(t, m.count(), 0)
		})
	}
}

// A service that does not say what it has used, or says what cannot be, is taken for
// the most that its calls can cost: taken for nothing, no budget would ever end.
func TestBudgetOfAServiceThatCountsWrongly(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]model.Usage{
		"nothing":         {},
		"no output":       {Input: 300},
		"less than none":  {Input: 300, Output: -40},
		"far too much":    {Input: 300, Output: 9e15},
		"too much cached": {Input: 300, CachedInput: 400, Output: 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLake(t)
			p := recordPlan(t, s, yaml("uncounted", 2, 1, "replicates: 64", "generate: {max_tokens: 1000}"))
			limit(t, s, p, plan.Limits{CostUSD: dollars(0.05)})
			m := &fake{answer: func(r model.Request) (model.Response, error) {
				a := response(polite(r))
				a.Usage = told
				return a, nil
			}}
			a := newActivities(s, m, noCache)
			for i := range 64 {
				if _, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, i)}); err != nil {
					same(t, application(t, err).Type(), task.ErrPause)
					break
				}
			}
			if n := m.count(); n < 5 || n > 25 { // an answer alone can cost $0.002
				t.Errorf("%d calls were made with a budget for 25", n)
			}
			result := commit(t, a, ref(p, 0), task.Stopped)
			call := rows(t, s, p, ref(p, 0)).Calls[0]
			same(t, call.CostUSD == nil, true)
			same(t, *call.InputTokens+*call.OutputTokens, 0)
			same(t, call.WorstUSD != nil && *call.WorstUSD == result.WorstUSD && *call.WorstTokens > 1000, true)
			same(t, stored(t, s, p, ref(p, 0)).Charge().Tokens, *call.WorstTokens)
			kept := stored(t, s, p, ref(p, 0)).Turns[0].Asks[0].Told
			same(t, kept == nil && told == model.Usage{} || kept != nil && *kept == told, true)
		})
	}
}

// What a service bills beside tokens is reserved once it was billed, also by a process that finds
// it in the lake: of calls that are made at once, all but the first stay within the cap.
func TestBudgetWithFees(t *testing.T) {
	t.Parallel()
	const fee, cap = 0.02, 0.2
	s := newLake(t)
	p := recordPlan(t, s, yaml("fees", 2, 1, "replicates: 64", "generate: {max_tokens: 200}"))
	limit(t, s, p, plan.Limits{CostUSD: dollars(cap)})
	var billed atomic.Int64 // nano-dollars
	service := &fake{answer: func(r model.Request) (model.Response, error) {
		time.Sleep(20 * time.Millisecond)
		a := response(polite(r))
		a.BilledUSD = fee
		billed.Add(fee * 1e9)
		return a, nil
	}}
	alone := func(c *activities.Config, _ *model.Provider) { c.Alone = true }
	if _, err := do[transcript.Act](t, newActivities(s, service, noCache, alone), task.TakeTurn,
		task.Turn{Ref: ref(p, 0)}); err != nil {
		t.Fatal(err)
	}
	after := newActivities(s, service, noCache, alone)
	inParallel(63, func(i int) {
		_, _ = do[transcript.Act](t, after, task.TakeTurn, task.Turn{Ref: ref(p, i+1)})
	})
	if sum := float64(billed.Load()) / 1e9; sum > cap || sum < cap/2 {
		t.Errorf("$%.2f of $%.2f were billed", sum, cap)
	}
}

// slowIntents is a lake in which the first call is not announced until it is let go.
type slowIntents struct {
	store.Store
	announcing, goOn chan struct{}
	first            atomic.Bool
}

func (s *slowIntents) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if strings.Contains(key, ".intent-") && s.first.CompareAndSwap(false, true) {
		close(s.announcing)
		<-s.goOn
	}
	return s.Store.PutIfAbsent(ctx, key, data)
}

// A cap that comes while calls are under way counts them at their worst,
// announced or not.
func TestCapComesWhileCallsAreUnderWay(t *testing.T) {
	t.Parallel()
	s := &slowIntents{Store: newLake(t), announcing: make(chan struct{}), goOn: make(chan struct{})}
	p := recordPlan(t, s, yaml("late-cap", 2, 1, "replicates: 2", "generate: {max_tokens: 1000}"))
	m := saying(polite)
	a := newActivities(s, m, noCache)
	turn := func(i int) error {
		_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, i)})
		return err
	}
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- turn(0) }()
	<-s.announcing
	limit(t, s, p, plan.Limits{CostUSD: dollars(0.005)}) // enough for one call, which can cost $0.003 to $0.004
	activities.AgeManifests(a)
	go func() { second <- turn(1) }()
	select {
	case err := <-second:
		t.Errorf("a second call was made beside the first: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	same(t, m.count(), 0)
	close(s.goOn)
	noError(t, <-first)
	noError(t, <-second) // the first has cost little
}

// slowCount is a lake in which counting the ledger takes until it is let go.
type slowCount struct {
	store.Store
	counting, goOn chan struct{}
	once           sync.Once
}

func (s *slowCount) List(ctx context.Context, prefix string) ([]store.Object, error) {
	if strings.HasPrefix(prefix, "raw/_commits/") {
		s.once.Do(func() { close(s.counting); <-s.goOn })
	}
	return s.Store.List(ctx, prefix)
}

// Limits that change while the ledger is being counted are those of the budget.
func TestTunedWhileTheLedgerIsCounted(t *testing.T) {
	t.Parallel()
	s := &slowCount{Store: newLake(t), counting: make(chan struct{}), goOn: make(chan struct{})}
	p := recordPlan(t, s, yaml("tuned", 2, 1, "replicates: 2", "generate: {max_tokens: 1000}"))
	limit(t, s, p, plan.Limits{CostUSD: dollars(0.0001)}) // too little for any call
	a := newActivities(s, saying(polite), noCache)
	turn := func(i int) error {
		_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, i)})
		return err
	}
	first := make(chan error)
	go func() { first <- turn(0) }()
	<-s.counting
	limit(t, s, p, plan.Limits{CostUSD: dollars(1)})
	activities.AgeManifests(a)
	second := make(chan error)
	go func() { second <- turn(1) }()
	time.Sleep(100 * time.Millisecond)
	close(s.goOn)
	noError(t, <-first)
	noError(t, <-second)
}
