package throttle

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"roundtable/activities/model"
)

// No minute has more calls than a ceiling, and never are there more at once.
func TestCeilings(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		account := Ceiling{Requests: rapid.Int64Range(1, 300).Draw(r, "account")}
		own := rapid.IntRange(1, 20).Draw(r, "own at once")
		latency := time.Duration(rapid.IntRange(1, 3000).Draw(r, "latency")) * time.Millisecond
		callers := rapid.IntRange(1, 40).Draw(r, "callers")
		synctest.Test(t, func(t *testing.T) {
			s, th := &service{Latency: latency, Spread: 0.5}, New(account)
			th.SetCampaignCeiling("c", own)
			s.run(t, th, callers, 150*time.Second)
			most := int(account.Requests)
			for i := range s.sentAt {
				if j := i + most; j < len(s.sentAt) && s.sentAt[j]-s.sentAt[i] < time.Minute {
					r.Fatalf("%d calls in %v, allowed are %d a minute", most+1, s.sentAt[j]-s.sentAt[i], most)
				}
			}
			if s.most > own {
				r.Fatalf("%d calls at once, allowed are %d", s.most, own)
			}
			if w := th.Waiting("c"); w.InFlight != 0 || w.Waiting != 0 || th.account.inFlight != 0 {
				r.Fatalf("left over: %+v, %d in flight", w, th.account.inFlight)
			}
			if len(s.sentAt) == 0 {
				r.Fatal("no calls")
			}
		})
	})
}

// Tokens stay within the ceiling but for one call, though no estimate is right.
func TestTokenCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ceiling, most = 60_000, promptTokens + 900
		s := &service{Output: func() int64 { return rand.Int64N(900) }}
		s.run(t, New(Ceiling{Tokens: ceiling}), 50, 10*time.Minute)
		if used := s.used / 10; used > ceiling+most || used < 0.95*ceiling {
			t.Errorf("%.0f tokens a minute, wanted %d", used, ceiling)
		}
	})
}

// Campaigns get equal shares, whatever the number of their calls.
func TestFairness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		th, many, few := New(Ceiling{Requests: 300}), &service{}, &service{}
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() { many.ask(ctx, th, "many") })
		}
		for range 10 {
			all.Go(func() { few.ask(ctx, th, "few") })
		}
		all.Wait()
		t.Logf("%d and %d calls", many.answered, few.answered)
		if d := many.answered - few.answered; d < -15 || d > 15 {
			t.Errorf("%d and %d calls, wanted as many", many.answered, few.answered)
		}
	})
}

// The calls of one campaign are served in the order of arrival, also when some leave.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := New(Ceiling{})
		th.SetCampaignCeiling("c", 1)
		first := enter(t, th, "c")
		var got []int
		var all sync.WaitGroup
		for i := range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			all.Go(func() {
				p, err := th.Enter(ctx, nil, Call{Campaign: "c"})
				if (err != nil) != (i%3 == 0) {
					t.Errorf("call %d: %v", i, err)
				}
				if err == nil {
					got = append(got, i)
					p.Leave()
				}
			})
			synctest.Wait()
			if i%3 == 0 {
				cancel()
			}
		}
		synctest.Wait()
		first.Leave()
		all.Wait()
		for i := range len(got) - 1 {
			if got[i] > got[i+1] {
				t.Errorf("order %v", got)
			}
		}
		if len(got) != 13 {
			t.Errorf("%d calls, wanted 13", len(got))
		}
	})
}

func enter(t *testing.T, th *Throttle, campaign string) *Pass {
	t.Helper()
	p, err := th.Enter(t.Context(), nil, Call{Campaign: campaign})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Waiting calls leave when the worker stops, and a free place is then not taken.
func TestStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th, stopping := New(Ceiling{}), make(chan struct{})
		th.SetCampaignCeiling("c", 1)
		p := enter(t, th, "c")
		var left atomic.Int64
		for range 100 {
			go func() {
				if _, err := th.Enter(t.Context(), stopping, Call{Campaign: "c"}); errors.Is(err, ErrStopping) {
					left.Add(1)
				}
			}()
		}
		synctest.Wait()
		close(stopping)
		synctest.Wait()
		if left.Load() != 100 || th.Waiting("c").Waiting != 0 {
			t.Errorf("%d of 100 left, %+v", left.Load(), th.Waiting("c"))
		}
		p.Leave()
		if _, err := th.Enter(t.Context(), stopping, Call{Campaign: "c"}); !errors.Is(err, ErrStopping) {
			t.Errorf("entered while stopping: %v", err)
		}
	})
}

// In real time, with calls that leave at any moment: no place is lost, none is given twice.
func TestRace(t *testing.T) {
	th := New(Ceiling{})
	var inFlight, most, entered atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			campaign := string(rune('a' + i%3))
			for k := range 50 {
				ctx, cancel := context.WithCancel(t.Context())
				if rand.N(3) == 0 {
					go cancel()
				}
				th.SetCampaignCeiling(campaign, 1+k%4)
				p, err := th.Enter(ctx, nil, Call{Campaign: campaign, Bytes: 100})
				if err == nil {
					entered.Add(1)
					most.Store(max(most.Load(), inFlight.Add(1)))
					th.Waiting(campaign)
					inFlight.Add(-1)
					if rand.N(2) == 0 {
						p.Answered(model.Usage{Input: 10, Output: 10}, model.Limits{})
					}
					p.Leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if most.Load() > 12 || entered.Load() < 200 {
		t.Errorf("%d at once, wanted at most 12; %d entered", most.Load(), entered.Load())
	}
	if th.account.inFlight != 0 || len(th.turns) != 0 {
		t.Errorf("left over: %d in flight, %d campaigns", th.account.inFlight, len(th.turns))
	}
}

// An error that the operator must fix turns away the waiting calls of its
// campaign, not those of others, and not those that come later.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th, trouble := New(Ceiling{}), &model.Error{Class: model.Pause, Code: "insufficient_quota"}
		th.SetCampaignCeiling("c", 2)
		p, other := enter(t, th, "c"), enter(t, th, "c")
		var turned, served atomic.Int64
		wait := func(ctx context.Context, campaign string) {
			p, err := th.Enter(ctx, nil, Call{Campaign: campaign})
			if errors.Is(err, trouble) {
				turned.Add(1)
				return
			}
			served.Add(1)
			p.Leave()
		}
		for range 100 {
			go wait(t.Context(), "c")
		}
		go wait(t.Context(), "d")
		synctest.Wait()
		p.Failed(trouble)
		time.Sleep(time.Second)
		if turned.Load() != 100 || served.Load() != 1 {
			t.Errorf("%d of 100 are turned away, %d of the other campaign served", turned.Load(), served.Load())
		}
		other.Leave()
		enter(t, th, "c").Leave()
		if th.account.inFlight != 0 || len(th.turns) != 0 {
			t.Errorf("left over: %d in flight, %d campaigns", th.account.inFlight, len(th.turns))
		}
	})
}
