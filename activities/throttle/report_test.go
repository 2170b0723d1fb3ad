package throttle

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/model"
)

func overloaded(after time.Duration) error {
	return &model.Error{Fault: model.Busy, Status: 429, RetryAfter: after, Unbilled: true}
}

func TestWaiting(t *testing.T) {
	for name, c := range map[string]struct {
		account Ceiling
		own     int
		before  func(*testing.T, *Throttle)
		want    Wait
		until   time.Duration // from the start, at least
	}{
		"requests":       {account: Ceiling{Requests: 6}, want: Wait{For: Requests, Limit: 6, InFlight: 1}, until: 10 * time.Second},
		"tokens":         {account: Ceiling{Tokens: 1024}, want: Wait{For: Tokens, Limit: 1024, InFlight: 1}, until: time.Minute},
		"own concurrent": {own: 1, want: Wait{For: Concurrency, Limit: 1, InFlight: 1}},
		"retry-after": {before: func(t *testing.T, th *Throttle) { enter(t, th, "other").Failed(overloaded(30 * time.Second)) },
			want: Wait{For: Provider, Told: true, Limit: 16}, until: 30 * time.Second},
		"learnt": {before: func(t *testing.T, th *Throttle) {
			enter(t, th, "other").Answered(model.Usage{}, model.Limits{Requests: model.Allowance{Limit: 60, Remaining: 0}})
		}, want: Wait{For: Requests, Limit: 60}, until: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, th := time.Now(), New(c.account)
				th.SetCampaignCeiling("c", c.own)
				if c.before != nil {
					c.before(t, th)
				}
				for range 2 {
					go func() {
						if p, err := th.Enter(t.Context(), nil, Call{Campaign: "c"}); err == nil {
							defer p.Leave()
							<-t.Context().Done()
						}
					}()
				}
				synctest.Wait()
				got := th.Waiting("c")
				if d := got.Until.Sub(begun); c.until > 0 && (d < c.until-100*time.Millisecond || d > c.until*6/5+100*time.Millisecond) || c.until == 0 && !got.Until.IsZero() {
					t.Errorf("until %v, wanted %v", d, c.until)
				}
				if c.want.Told != got.Since.Equal(begun) {
					t.Errorf("since %v", got.Since)
				}
				c.want.Waiting, got.Since, got.Until = 2-c.want.InFlight, time.Time{}, time.Time{}
				if got != c.want {
					t.Errorf("got  %+v\nwant %+v", got, c.want)
				}
				if th.Waiting("unknown") != (Wait{}) {
					t.Error("an unknown campaign waits")
				}
			})
		})
	}
}

// A Retry-After holds every call of the account; then one goes first.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th, begun := New(Ceiling{}), time.Now()
		enter(t, th, "a").Failed(overloaded(20 * time.Second))
		entered := make(chan *Pass, 50)
		for range 50 {
			go func() {
				if p, err := th.Enter(t.Context(), nil, Call{Campaign: "b"}); err == nil {
					entered <- p
				}
			}()
		}
		first := <-entered
		if d := time.Since(begun); d < 20*time.Second || d > 23*time.Second {
			t.Errorf("the gate opened after %v, wanted 20 to 23 s", d)
		}
		synctest.Wait()
		if len(entered) != 0 {
			t.Errorf("%d calls went with the first", len(entered))
		}
		first.Failed(overloaded(5 * time.Second))
		again := time.Now()
		first = <-entered
		if d := time.Since(again); d < 5*time.Second {
			t.Errorf("the gate opened again after %v, wanted 5 s", d)
		}
		first.Answered(model.Usage{}, model.Limits{})
		time.Sleep(time.Minute)
		if len(entered) < 10 {
			t.Errorf("only %d calls followed", len(entered))
		}
		for th.Waiting("b") != (Wait{}) {
			(<-entered).Answered(model.Usage{}, model.Limits{})
			synctest.Wait()
		}
	})
}

// Only refusals for too many calls slow the account down, and only if they are many.
func TestOverload(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		many bool
	}{
		"429":              {&model.Error{Fault: model.Busy, Status: 429}, true},
		"timeout":          {&model.Error{Fault: model.Silent, Code: "timeout"}, true},
		"503":              {&model.Error{Fault: model.Down, Status: 503, Code: "unavailable"}, true},
		"529":              {&model.Error{Fault: model.Busy, Status: 529}, true},
		"in a stream":      {&model.Error{Fault: model.Busy, Status: 200, Code: "overloaded_error"}, true},
		"quota":            {&model.Error{Fault: model.Unpaid, Class: model.Pause, Status: 429, Code: "insufficient_quota"}, false},
		"500":              {&model.Error{Fault: model.Broken, Status: 500}, false},
		"no connection":    {&model.Error{Fault: model.Down}, false},
		"not a provider's": {errors.New("disk"), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				th := New(Ceiling{})
				enter(t, th, "c").Answered(model.Usage{}, model.Limits{})
				var passes []*Pass
				for range 12 {
					passes = append(passes, enter(t, th, "c"))
				}
				passes[0].Failed(c.err)
				if th.window.cuts > 0 {
					t.Error("overload after one")
				}
				for _, p := range passes[1:] {
					p.Failed(c.err)
				}
				if got := th.window.cuts > 0; got != c.many {
					t.Errorf("overload after twelve %v, wanted %v", got, c.many)
				}
			})
		})
	}
}

func TestLearn(t *testing.T) {
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		a    model.Allowance
		want int64
	}{
		"a minute":                    {model.Allowance{Limit: 500, Remaining: 499, Reset: time.Second}, 500},
		"a minute, nothing left":      {model.Allowance{Limit: 500, Reset: time.Minute}, 500},
		"a day, much left":            {model.Allowance{Limit: 14400, Remaining: 14370, Reset: 3 * time.Minute}, 14400},
		"a day, nothing left":         {model.Allowance{Limit: 14400, Reset: day}, 10},
		"a day of few, nothing left":  {model.Allowance{Limit: 100, Reset: day}, 1},
		"nothing left, reset unknown": {model.Allowance{Limit: 60}, 60},
	} {
		if got := perMinute(c.a); got != c.want {
			t.Errorf("%s: %d a minute, wanted %d", name, got, c.want)
		}
	}
}

func TestEstimate(t *testing.T) {
	c := New(Ceiling{}).campaignNamed("c")
	for _, step := range []struct {
		call Call
		want float64
	}{
		{Call{Bytes: 400}, 100 + unknownOutput},
		{Call{Bytes: 400, MaxOutput: 50}, 150},
	} {
		if got := c.estimateTokens(step.call); got != step.want {
			t.Errorf("%+v: %v tokens, wanted %v", step.call, got, step.want)
		}
	}
	c.perByte.add(0.5)
	c.output.add(300)
	for call, want := range map[Call]float64{{Bytes: 400}: 500, {Bytes: 400, MaxOutput: 50}: 250, {Bytes: 400, MaxOutput: 1000}: 500} {
		if got := c.estimateTokens(call); got != want {
			t.Errorf("%+v: %v tokens, wanted %v", call, got, want)
		}
	}
}

func TestRegistry(t *testing.T) {
	var r Registry
	if first := r.Account("a"); first != r.Account("a") || first == r.Account("b") {
		t.Error("wanted one throttle an account")
	}
}

// The calls that were refused together are one overload.
func TestOneCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := New(Ceiling{})
		first := enter(t, th, "c")
		time.Sleep(time.Second)
		first.Answered(model.Usage{}, model.Limits{})
		var burst []*Pass
		for range 10 {
			burst = append(burst, enter(t, th, "c"))
		}
		for _, p := range burst {
			p.Failed(overloaded(0))
		}
		if want := kept * (1 - 4./6) * firstWindow; th.window.cuts != 1 || math.Abs(th.window.limit-want) > 1e-9 {
			t.Errorf("%d cuts, to %v; wanted 1, to %v", th.window.cuts, th.window.limit, want)
		}
		first = enter(t, th, "c")
		for range 5 { // after the cut
			enter(t, th, "c").Failed(overloaded(0))
		}
		first.Leave()
		if th.window.cuts != 2 {
			t.Errorf("%d cuts, wanted 2", th.window.cuts)
		}
	})
}

// A service that answers at once and then refuses is asked again within a minute or so.
func TestNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := New(Ceiling{})
		for range 50 {
			enter(t, th, "c").Answered(model.Usage{}, model.Limits{})
			enter(t, th, "c").Failed(overloaded(0))
			begun := time.Now()
			enter(t, th, "c").Leave()
			if d := time.Since(begun); d > 70*time.Second {
				t.Fatalf("waited %v", d)
			}
		}
	})
}

// A bucket never gives more in a minute than its limit, its burst included.
func TestBucket(t *testing.T) {
	for _, limit := range []int64{1, 7, 60, 600, 6000, 100_000} {
		var b bucket
		begun := time.Unix(0, 0)
		b.perMinute(limit, begun)
		now, n := begun.Add(time.Hour), int64(0)
		for end := now.Add(time.Minute); ; n++ {
			for at := b.waitFor(1, now); !at.IsZero(); at = b.waitFor(1, now) {
				now = at
			}
			if !now.Before(end) {
				break
			}
			b.level--
		}
		if n > limit || n < limit-limit/100 {
			t.Errorf("%d in a minute, wanted %d", n, limit)
		}
	}
}

// A service that has asked for ten minutes is tried at once if the operator says so: by one
// call first. Refused again it is closed as before.
func TestReopen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := New(Ceiling{})
		enter(t, th, "c").Failed(overloaded(10 * time.Minute))
		th.Reopen()
		first := enter(t, th, "c")
		let := make(chan struct{})
		go func() {
			if p, err := th.Enter(t.Context(), nil, Call{Campaign: "c"}); err == nil {
				close(let)
				p.Leave()
			}
		}()
		synctest.Wait()
		select {
		case <-let:
			t.Error("a second call goes with the first")
		default:
		}
		first.Failed(overloaded(10 * time.Minute))
		time.Sleep(time.Minute)
		if w := th.Waiting("c"); w.For != Provider || !w.Told || time.Until(w.Until) < 8*time.Minute {
			t.Errorf("after another refusal: %+v", w)
		}
		th.Reopen()
		synctest.Wait()
		<-let
	})
}
