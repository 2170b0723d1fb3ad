package throttle

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/model"
)

var long = flag.Bool("long", false, "run the long tests as well")

// TestRate runs ten virtual minutes of 300 callers against services that allow
// so much, nine times with -long, else three times: the middle one counts. Useful is
// the answered part of that (a service that keeps a full minute gives 1.1), refused the
// share of calls that got a 429. Where answers vary, a bound is five standard
// deviations away from what is usual.
func TestRate(t *testing.T) {
	varied := func() int64 { return 20 + rand.Int64N(400) }
	for name, c := range map[string]struct {
		s               *service
		useful, refused float64       // at least, at most
		settle          time.Duration // not measured
	}{
		"requests/headers":         {s: &service{Requests: 600, Headers: true}, useful: 0.98, refused: 0.005},
		"requests/retry-after":     {s: &service{Requests: 600, RetryAfter: true}, useful: 0.95, refused: 0.01},
		"requests/nothing said":    {s: &service{Requests: 600}, useful: 0.95, refused: 0.01},
		"requests/minute kept":     {s: &service{Requests: 600, Burst: time.Minute, RetryAfter: true}, useful: 0.95, refused: 0.06},
		"requests/calendar minute": {s: &service{Requests: 600, Fixed: true, RetryAfter: true}, useful: 0.93, refused: 0.04},
		"requests/uneven answers":  {s: &service{Requests: 600, Spread: 0.8}, useful: 0.85, refused: 0.02},
		"requests/slow answers":    {s: &service{Requests: 600, Latency: 20 * time.Second, Spread: 0.5}, useful: 0.85, refused: 0.03, settle: 5 * time.Minute},
		"requests/fast answers":    {s: &service{Requests: 6000, Latency: 100 * time.Millisecond}, useful: 0.95, refused: 0.01},
		"requests/one a second":    {s: &service{Requests: 60, RetryAfter: true}, useful: 0.93, refused: 0.06},
		"requests/ten a minute":    {s: &service{Requests: 10, RetryAfter: true}, useful: 0.8, refused: 0.2},
		"requests/ten, headers":    {s: &service{Requests: 10, Headers: true}, useful: 0.95, refused: 0.03},
		"tokens/headers":           {s: &service{Tokens: 200_000, Output: varied, Headers: true}, useful: 0.92, refused: 0.005},
		"tokens/retry-after":       {s: &service{Tokens: 200_000, Output: varied, RetryAfter: true}, useful: 0.9, refused: 0.035},
		"tokens/nothing said":      {s: &service{Tokens: 200_000, Output: varied}, useful: 0.9, refused: 0.035},
		"at once/ten":              {s: &service{AtOnce: 10}, useful: 0.93, refused: 0.02},
		"at once/ten, retry-after": {s: &service{AtOnce: 10, RetryAfter: true}, useful: 0.9, refused: 0.01},
		"at once/uneven answers":   {s: &service{AtOnce: 50, Spread: 0.8}, useful: 0.88, refused: 0.01},
		"at once/slow answers":     {s: &service{AtOnce: 50, Latency: 20 * time.Second, Spread: 0.5}, useful: 0.82, refused: 0.05},
		"at once/three":            {s: &service{AtOnce: 3, Latency: 5 * time.Second}, useful: 0.9, refused: 0.1},
		"busy/one in 25":           {s: &service{AtOnce: 300, Busy: 0.04}, useful: 0.9, refused: 0.05},
		"busy/retry-after":         {s: &service{AtOnce: 300, Busy: 0.04, RetryAfter: true}, useful: 0.9, refused: 0.05},
		"busy/one in 100":          {s: &service{AtOnce: 300, Busy: 0.01}, useful: 0.9, refused: 0.02},
		"stray/one in 25":          {s: &service{AtOnce: 300, Stray: 0.04}, useful: 0.9, refused: 0.06},
		"stray/one in ten":         {s: &service{AtOnce: 300, Stray: 0.1}, useful: 0.6, refused: 0.13},
		"stray/retry-after":        {s: &service{AtOnce: 300, Stray: 0.04, RetryAfter: true}, useful: 0.9, refused: 0.06},
		"stray/at once/fifty":      {s: &service{AtOnce: 50, Stray: 0.04}, useful: 0.6, refused: 0.08},
		"stray/requests":           {s: &service{Requests: 600, Stray: 0.04}, useful: 0.7, refused: 0.12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var useful, refused []float64
			runs := 9 // one in ten finds stray refusals late
			if !*long {
				runs = 3
				if strings.HasPrefix(name, "stray") || strings.HasPrefix(name, "busy") || c.s.Requests > 1000 {
					t.Skip("-long")
				}
			}
			if testing.Short() {
				runs = 1 // which the race detector takes ten times as long for
			}
			for range runs {
				synctest.Test(t, func(t *testing.T) {
					s := c.s.again()
					s.run(t, New(Ceiling{}), 300, 10*time.Minute)
					useful, refused = append(useful, s.useful(c.settle)), append(refused, float64(s.refused)/float64(len(s.sentAt)))
				})
			}
			slices.Sort(useful)
			slices.Sort(refused)
			t.Logf("useful %.3f, refused %.4f", useful, refused)
			if runs == 1 { // says nothing of the others
				return
			}
			if useful[runs/2] < c.useful || useful[runs-1] > 1.12 || refused[runs/2] > c.refused {
				t.Errorf("useful %.3f, wanted %.3f to 1.12; refused %.4f, wanted at most %.4f", useful, c.useful, refused, c.refused)
			}
		})
	}
}

// An hour of a service that allows few calls: what finding its limit costs is in it.
func TestHour(t *testing.T) {
	for name, c := range map[string]struct {
		s               *service
		useful, refused float64 // at least, at most
	}{
		"60/retry-after":         {&service{Requests: 60, RetryAfter: true}, 0.95, 0.01},
		"60/nothing said":        {&service{Requests: 60}, 0.95, 0.01},
		"10/retry-after":         {&service{Requests: 10, RetryAfter: true}, 0.9, 0.03},
		"10/nothing said":        {&service{Requests: 10}, 0.88, 0.1},
		"60/slow answers":        {&service{Requests: 60, Latency: 20 * time.Second}, 0.85, 0.02},
		"60/calendar minute":     {&service{Requests: 60, Fixed: true, RetryAfter: true}, 0.9, 0.025},
		"600/calendar minute":    {&service{Requests: 600, Fixed: true, RetryAfter: true}, 0.93, 0.015},
		"600/calendar, not told": {&service{Requests: 600, Fixed: true}, 0.95, 0.07},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c.s.run(t, New(Ceiling{}), 300, time.Hour)
				useful := float64(c.s.answered) / 60 / c.s.Requests
				start, refused := c.s.between(c.s.refusedAt, 0, time.Minute), c.s.share()
				t.Logf("useful %.3f, refused %.4f, %d of %d in the first minute", useful, refused, start, c.s.refused)
				if useful < c.useful || refused > c.refused {
					t.Errorf("useful %.3f, wanted %.2f; refused %.4f, wanted at most %.2f", useful, c.useful, refused, c.refused)
				}
			})
		})
	}
}

// A pause that the service asks for in an outage says nothing of its limit.
func TestLongPause(t *testing.T) {
	for _, requests := range []float64{60, 600} {
		for _, pause := range []time.Duration{10 * time.Second, 50 * time.Second, 10 * time.Minute} {
			t.Run(fmt.Sprint(requests, " a minute, ", pause), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := &service{Requests: requests, Fixed: true, RetryAfter: true, Pause: pause,
						Down: func(at time.Duration) bool { return at > 10*time.Minute && at < 20*time.Minute }}
					s.run(t, New(Ceiling{}), 300, 50*time.Minute)
					for from := 30 * time.Minute; from < 50*time.Minute; from += 10 * time.Minute {
						if useful := float64(s.between(s.answeredAt, from, from+10*time.Minute)) / 10 / requests; useful < 0.8 {
							t.Errorf("useful %.3f ten minutes from minute %.0f on", useful, from.Minutes())
						}
					}
				})
			})
		}
	}
}

// A service that refuses nothing has all calls within seconds of its first answer; one that refuses some is found out by few more.
func TestOpens(t *testing.T) {
	for name, c := range map[string]struct {
		s                *service
		callers, refused int
		within           time.Duration // until as many are under way as the service takes
	}{
		"1 s":               {&service{}, 300, 0, 3 * time.Second},
		"10 s":              {&service{Latency: 10 * time.Second}, 200, 0, 12 * time.Second},
		"60 s":              {&service{Latency: time.Minute}, 200, 0, 62 * time.Second},
		"30 s, 3,000":       {&service{Latency: 30 * time.Second}, 3000, 0, 33 * time.Second},
		"10 s, room for 40": {&service{Latency: 10 * time.Second, AtOnce: 40}, 200, 40, 5 * time.Second},
		"refuses late":      {&service{Latency: 10 * time.Second, AtOnce: 40, Refuses: 5 * time.Second}, 200, 175, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				room := c.callers
				if c.s.AtOnce > 0 {
					room = c.s.AtOnce
				}
				var full time.Duration
				c.s.Change = func(s *service, at time.Duration) {
					if full == 0 && s.inFlight >= room-1 {
						full = at
					}
				}
				c.s.run(t, New(Ceiling{}), c.callers, 2*time.Minute)
				t.Logf("full after %v, %d of %d calls refused", full, c.s.refused, len(c.s.sentAt))
				if full == 0 || full > c.within || c.s.refused > c.refused {
					t.Errorf("full after %v, wanted %v; %d calls refused, wanted at most %d", full, c.within, c.s.refused, c.refused)
				}
			})
		})
	}
}

// useful is what was answered after a time, as a part of what the service allows.
func (s *service) useful(after time.Duration) float64 {
	answered, d := float64(s.between(s.answeredAt, after, 10*time.Minute)), 10*time.Minute-after
	switch {
	case s.Requests > 0:
		return answered / s.Requests / d.Minutes()
	case s.Tokens > 0:
		return s.used / s.Tokens / 10
	}
	latency := max(s.Latency, time.Second).Seconds() * math.Exp(s.Spread*s.Spread/2) // mean of the lognormal
	return answered * latency / d.Seconds() / float64(s.AtOnce)
}

func (s *service) between(when []time.Duration, from, to time.Duration) (n int) {
	for _, at := range when {
		if at >= from && at < to {
			n++
		}
	}
	return n
}

// A limit that changes is found again, with and without headers.
func TestRateChanges(t *testing.T) {
	for name, s := range map[string]*service{
		"headers": {Headers: true}, "retry-after": {RetryAfter: true}, "nothing said": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s.Requests = 600
				s.Change = func(s *service, at time.Duration) {
					s.Requests = 600
					if at >= 5*time.Minute && at < 10*time.Minute {
						s.Requests = 200
					}
				}
				s.run(t, New(Ceiling{}), 300, 20*time.Minute)
				down := float64(s.between(s.answeredAt, 5*time.Minute, 10*time.Minute)) / 1000
				up := float64(s.between(s.answeredAt, 13*time.Minute, 20*time.Minute)) / 4200
				t.Logf("useful %.3f after the fall, %.3f three minutes after the rise, refused %.4f", down, up, float64(s.refused)/float64(len(s.sentAt)))
				if down < 0.88 || up < 0.88 || s.refused > len(s.sentAt)/40 {
					t.Errorf("useful %.3f and %.3f, wanted 0.88; refused %d of %d, wanted a fortieth", down, up, s.refused, len(s.sentAt))
				}
			})
		})
	}
}

// An outage costs a call in four seconds, and the pace is back within five seconds of its
// end, however long it was.
func TestOutage(t *testing.T) {
	for _, stray := range []float64{0, 0.04} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{Requests: 600, Stray: stray, Down: func(at time.Duration) bool { return at > 3*time.Minute && at < 13*time.Minute }}
			s.run(t, New(Ceiling{}), 300, 16*time.Minute)
			tried := s.between(s.sentAt, 3*time.Minute+2*time.Second, 13*time.Minute)
			back := float64(s.between(s.answeredAt, 13*time.Minute+5*time.Second, 14*time.Minute)) / 550
			t.Logf("%d calls in ten minutes of outage, useful %.3f in the minute after it", tried, back)
			if tried > 240 || back < 0.7 {
				t.Errorf("%d calls in the outage, wanted at most 240; useful %.3f after it, wanted 0.7", tried, back)
			}
		})
	}
}

// A service that takes few calls at once is used again as soon as an hour of outage ends.
func TestOutageOfASlowService(t *testing.T) {
	for _, s := range []*service{
		{AtOnce: 3, Latency: 30 * time.Second}, {AtOnce: 1, Latency: 10 * time.Second}, {AtOnce: 8, Latency: time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			s.Down = func(at time.Duration) bool { return at > 10*time.Minute && at < 70*time.Minute }
			s.run(t, New(Ceiling{}), 20, 90*time.Minute)
			possible := 15 * 60 / s.Latency.Seconds() * float64(s.AtOnce)
			if back := float64(s.between(s.answeredAt, 75*time.Minute, 90*time.Minute)) / possible; back < 0.5 {
				t.Errorf("%d at once: useful %.3f after it, wanted 0.5", s.AtOnce, back)
			}
		})
	}
}

// A call that is refused late does not close an account of which others have passed since.
func TestLateRefusalClosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := New(Ceiling{})
		late := enter(t, th, "c")
		for range 100 {
			enter(t, th, "c").Answered(model.Usage{}, model.Limits{})
		}
		late.Failed(&model.Error{Class: model.Retry, Fault: model.Busy, Status: 429, RetryAfter: time.Minute})
		began := time.Now()
		if enter(t, th, "c").Leave(); time.Since(began) > time.Second {
			t.Errorf("the account was closed for %v", time.Since(began))
		}
	})
}

// What passes while nobody waits is not taken for what the service allows.
func TestQuietTimeIsNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := New(Ceiling{})
		enter(t, th, "c").Failed(overloaded(5 * time.Second))
		for range 10 {
			time.Sleep(time.Minute)
			p := enter(t, th, "c")
			time.Sleep(time.Second)
			p.Answered(model.Usage{}, model.Limits{})
		}
		for th.window.isOpen() {
			enter(t, th, "c").Failed(overloaded(5 * time.Second))
		}
		if th.window.limit < 4 {
			t.Errorf("%v calls at once, wanted 4", th.window.limit)
		}
	})
}

// What a service answers to the call that is tried opens the account, whatever it is.
func TestUselessAnswerOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := New(Ceiling{})
		enter(t, th, "c").Failed(&model.Error{Class: model.Retry, Fault: model.Busy, Status: 429})
		enter(t, th, "c").Failed(&model.Error{Class: model.Retry, Fault: model.Useless})
		if w := &th.window; !w.isOpen() {
			t.Errorf("%+v", w.gate)
		}
	})
}

// A service that refuses nothing and only queues is found out: of the calls that are sent
// after a minute none is given up, and it is never without work.
func TestQueue(t *testing.T) {
	for name, s := range map[string]*service{
		"one slot":              {Slots: 1, Deadline: time.Minute},
		"one slot, long wait":   {Slots: 1, Deadline: 10 * time.Minute},
		"one slot, uneven":      {Slots: 1, Spread: 0.5, Deadline: time.Minute},
		"one slot, 5 s":         {Slots: 1, Latency: 5 * time.Second, Deadline: 2 * time.Minute},
		"four slots":            {Slots: 4, Deadline: time.Minute},
		"four slots, 10 s":      {Slots: 4, Latency: 10 * time.Second, Deadline: 2 * time.Minute},
		"shared":                {Shared: true, Latency: 300 * time.Millisecond, Deadline: time.Minute},
		"sixteen slots, uneven": {Slots: 16, Spread: 0.5, Deadline: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s.run(t, New(Ceiling{}), 200, 10*time.Minute)
				latency := max(s.Latency, time.Second).Seconds() * math.Exp(s.Spread*s.Spread/2)
				if s.Shared {
					latency = s.Latency.Seconds()
				}
				useful := float64(s.answered) * latency / float64(max(s.Slots, 1)) / 600
				t.Logf("at most %d at once, %d given up, %d of them sent after a minute, useful %.3f", s.most, s.givenUp, s.givenUpLate, useful)
				if s.givenUp > firstTrial || s.givenUpLate > 0 || useful < 0.95 {
					t.Errorf("%d given up, wanted at most %d, %d of them sent after a minute, wanted none; useful %.3f, wanted 0.95", s.givenUp, firstTrial, s.givenUpLate, useful)
				}
			})
		})
	}
}

// Refusals by chance cost the calls that are refused, and nobody else. The caller with
// most of them ends last, so the middle one of nine runs counts.
func TestStray(t *testing.T) {
	makespan := func(t *testing.T, s *service) (took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			th, begun := New(Ceiling{}), time.Now()
			var all sync.WaitGroup
			for range 200 {
				all.Go(func() {
					for left := 30; left > 0; {
						p, err := th.Enter(t.Context(), nil, Call{Campaign: "c"})
						if err != nil {
							t.Error(err)
							return
						}
						u, l, failed := s.call(t.Context())
						if failed == nil {
							p.Answered(u, l)
							left--
							continue
						}
						p.Failed(failed)
						time.Sleep(max(failed.RetryAfter, 250*time.Millisecond))
					}
				})
			}
			all.Wait()
			took = time.Since(begun)
		})
		return took
	}
	none := makespan(t, &service{Spread: 0.3})
	for _, stray := range []float64{0.005, 0.02, 0.05} {
		for _, told := range []bool{false, true} {
			var runs [9]time.Duration
			for i := range runs {
				runs[i] = makespan(t, &service{Spread: 0.3, Stray: stray, RetryAfter: told})
			}
			slices.Sort(runs[:])
			took := runs[len(runs)/2]
			t.Logf("%.1f %%, Retry-After %v: %v, without any %v", 100*stray, told, took, none)
			if took > none*13/10 {
				t.Errorf("%.1f %% of calls refused, Retry-After %v: %v, wanted 1.3 times %v", 100*stray, told, took, none)
			}
		}
	}
}
