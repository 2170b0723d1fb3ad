package throttle

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestBesideAIMD lets 300 callers ask the services of the storm cases for ten virtual minutes,
// through a throttle and through a plain adaptive limiter.
func TestBesideAIMD(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	for _, c := range []struct {
		name string
		s    *service
	}{
		{"600 a minute", &service{Requests: 600}},
		{"600 a minute, Retry-After", &service{Requests: 600, RetryAfter: true}},
		{"50 at once", &service{AtOnce: 50, Spread: 0.3}},
		{"no limit", &service{Spread: 0.3}},
		{"0.5 % stray", &service{Spread: 0.3, Stray: 0.005}},
		{"2 % stray", &service{Spread: 0.3, Stray: 0.02}},
		{"5 % stray", &service{Spread: 0.3, Stray: 0.05}},
		{"one slot, a queue", &service{Slots: 1, Deadline: time.Minute}},
		{"5 of 10 minutes of outage", &service{Requests: 600,
			Down: func(at time.Duration) bool { return at > 2*time.Minute && at < 7*time.Minute }}},
	} {
		synctest.Test(t, func(t *testing.T) {
			own, other := c.s.again(), c.s.again()
			own.run(t, New(Ceiling{}), 300, 10*time.Minute)
			other.runAIMD(t, &aimd{limit: 20}, 300, 10*time.Minute)
			t.Logf("%s: %.0f answers a minute, %.1f %% refused, %d given up; the plain limiter %.0f, %.1f %%, %d", c.name,
				float64(own.answered)/10, 100*own.share(), own.givenUp, float64(other.answered)/10, 100*other.share(), other.givenUp)
			if float64(own.answered) < 0.9*float64(other.answered) {
				t.Errorf("%s: %d calls answered, %d with the plain limiter", c.name, own.answered, other.answered)
			}
		})
	}
}

func (s *service) share() float64 { return float64(s.refused) / float64(len(s.sentAt)) }

// aimd limits calls at once as inspect_ai documents its adaptive connections (docs/models-concurrency.qmd):
// doubled in each round without a refusal until the first, then 5 % more; 20 % fewer at a refusal, at
// most once in 15 seconds or until Retry-After. Its bound of 100 is raised to 300, or callers would wait.
type aimd struct {
	mu         sync.Mutex
	limit      float64
	clean      int
	wasRefused bool
	quietUntil time.Time
	inFlight   int
	line       []chan struct{}
}

func (a *aimd) enter(ctx context.Context) error {
	turn := make(chan struct{})
	a.mu.Lock()
	a.line = append(a.line, turn)
	a.serve()
	a.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *aimd) serve() {
	for ; len(a.line) > 0 && a.inFlight < int(a.limit); a.line = a.line[1:] {
		a.inFlight++
		close(a.line[0])
	}
}

// leave ends a call: refused, answered at once, or after another try, which says nothing.
func (a *aimd) leave(refused, first bool, retryAfter time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inFlight--
	switch now := time.Now(); {
	case refused && now.After(a.quietUntil):
		a.limit, a.clean, a.wasRefused = max(4, 0.8*a.limit), 0, true
		a.quietUntil = now.Add(max(15*time.Second, retryAfter))
	case refused:
		a.clean = 0
	case first:
		if a.clean++; a.clean >= int(a.limit) {
			more := 2.
			if a.wasRefused {
				more = 1.05
			}
			a.limit, a.clean = min(300, max(a.limit+1, more*a.limit)), 0
		}
	}
	a.serve()
}

// runAIMD lets callers ask through a plain limiter; a refused call waits 3 s, then twice as long each
// time, up to half an hour, or for Retry-After.
func (s *service) runAIMD(t *testing.T, a *aimd, callers int, d time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for tries := 0; a.enter(ctx) == nil; {
				_, _, failed := s.call(ctx)
				if failed == nil {
					a.leave(false, tries == 0, 0)
					tries = 0
					continue
				}
				a.leave(failed.Status == 429, false, failed.RetryAfter)
				wait := time.Duration(min(1800, 3*math.Exp2(float64(tries))+rand.Float64()) * float64(time.Second))
				tries++
				select {
				case <-time.After(max(wait, failed.RetryAfter)):
				case <-ctx.Done():
				}
			}
		})
	}
	all.Wait()
}
