package throttle

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"roundtable/activities/model"
)

// service is a provider that allows so much and refuses the rest.
type service struct {
	Requests, Tokens float64       // a minute; 0: no limit
	Burst            time.Duration // of both: how much of a minute is kept; a second if zero
	Fixed            bool          // both count from each full minute
	AtOnce           int           // 0: no limit
	Slots            int           // calls that are worked on at once; the others queue; 0: all
	Shared           bool          // all are worked on at once, each the slower the more there are
	Deadline         time.Duration // after which callers give up; 0: never
	Latency          time.Duration // 1 s if zero
	Spread           float64       // of the latency: sigma of its logarithm
	Output           func() int64  // tokens of an answer; 100 if nil
	Refuses          time.Duration // how long a refusal takes; 50 ms if zero
	RetryAfter       bool
	Busy             float64 // share of calls refused with 503, whatever we do
	Stray            float64 // share of calls refused with 429, whatever we do
	Headers          bool
	Down             func(time.Duration) bool      // refuses all, at that time of the run,
	Pause            time.Duration                 // and asks for this; a second if zero
	Change           func(*service, time.Duration) // of the limits, at that time of the run
	Seed             uint64

	mu                 sync.Mutex
	draws              *rand.Rand
	begun, at          time.Time
	requests, tokens   float64
	inFlight, most     int
	queue              chan struct{} // a place for each slot that is taken
	givenUp            int
	givenUpLate        int // of those, sent after the first minute
	answered, refused  int
	used               float64
	sentAt, answeredAt []time.Duration // since begun
	refusedAt          []time.Duration
}

const promptTokens = 100

// again returns the same service before its first call.
func (s *service) again() *service {
	return &service{
		Requests: s.Requests, Tokens: s.Tokens, Burst: s.Burst, Fixed: s.Fixed, AtOnce: s.AtOnce, Latency: s.Latency, Spread: s.Spread,
		Output: s.Output, RetryAfter: s.RetryAfter, Busy: s.Busy, Stray: s.Stray, Headers: s.Headers,
		Slots: s.Slots, Shared: s.Shared, Deadline: s.Deadline, Down: s.Down, Pause: s.Pause,
	}
}

func (s *service) refill(now time.Time) {
	burst := s.Burst
	if burst == 0 {
		burst = time.Second
	}
	if s.begun.IsZero() {
		s.begun, s.requests, s.tokens = now, math.Inf(1), math.Inf(1)
		s.at = now
	}
	if s.Fixed {
		if now.Truncate(time.Minute) != s.at.Truncate(time.Minute) || now == s.begun {
			s.requests, s.tokens = s.Requests, s.Tokens
		}
	} else {
		for b, limit := range map[*float64]float64{&s.requests: s.Requests, &s.tokens: s.Tokens} {
			*b = min(max(1, limit*burst.Minutes()), *b+limit*now.Sub(s.at).Minutes())
		}
	}
	s.at = now
}

// refusal is how long to wait until the service would take another call; 0: it takes it.
func (s *service) refusal(now time.Time) time.Duration {
	until := func(missing, limit float64) time.Duration {
		if s.Fixed {
			return now.Truncate(time.Minute).Add(time.Minute).Sub(now)
		}
		return time.Duration(missing / limit * float64(time.Minute))
	}
	switch {
	case s.Down != nil && s.Down(now.Sub(s.begun)):
		return cmp.Or(s.Pause, time.Second)
	case s.Requests > 0 && s.requests < 1-1e-9:
		return until(1-s.requests, s.Requests)
	case s.Tokens > 0 && s.tokens < 1:
		return until(1-s.tokens, s.Tokens)
	case s.AtOnce > 0 && s.inFlight >= s.AtOnce:
		return time.Second
	}
	return 0
}

func (s *service) limits() (l model.Limits) {
	if s.Headers && s.Requests > 0 {
		l.Requests = model.Allowance{Limit: int64(s.Requests), Remaining: int64(max(0, s.requests))}
	}
	if s.Headers && s.Tokens > 0 {
		l.Tokens = model.Allowance{Limit: int64(s.Tokens), Remaining: int64(max(0, s.tokens))}
	}
	return l
}

func (s *service) call(ctx context.Context) (model.Usage, model.Limits, *model.Error) {
	s.mu.Lock()
	if s.draws == nil {
		s.draws = rand.New(rand.NewPCG(s.Seed, 0))
	}
	now := time.Now()
	s.refill(now)
	if s.Change != nil {
		s.Change(s, now.Sub(s.begun))
	}
	s.sentAt = append(s.sentAt, now.Sub(s.begun))
	wait, status := s.refusal(now), 429
	if s.draws.Float64() < s.Busy {
		wait, status = time.Second, 503
	}
	if s.draws.Float64() < s.Stray {
		wait = time.Second / 2
	}
	if wait > 0 {
		s.refused++
		s.refusedAt = append(s.refusedAt, now.Sub(s.begun))
		e := &model.Error{Fault: model.Busy, Status: status, Limits: s.limits(), Unbilled: true}
		if s.RetryAfter {
			e.RetryAfter = wait.Truncate(time.Second) + time.Second // whole seconds, as headers say it
		}
		s.mu.Unlock()
		time.Sleep(cmp.Or(s.Refuses, 50*time.Millisecond))
		return model.Usage{}, model.Limits{}, e
	}
	out := int64(100)
	if s.Output != nil {
		out = s.Output()
	}
	s.requests--
	s.tokens -= float64(promptTokens + out)
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	limits := s.limits()
	took := s.Latency
	if took == 0 {
		took = time.Second
	}
	took = time.Duration(float64(took) * math.Exp(s.draws.NormFloat64()*s.Spread))
	if s.Shared {
		took *= time.Duration(s.inFlight)
	}
	if s.Slots > 0 && s.queue == nil {
		s.queue = make(chan struct{}, s.Slots)
	}
	queue, late := s.queue, make(<-chan time.Time)
	if s.Deadline > 0 {
		late = time.After(s.Deadline)
	}
	s.mu.Unlock()
	answered := s.work(queue, took, late)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	if !answered {
		s.givenUp++
		if now.Sub(s.begun) > time.Minute {
			s.givenUpLate++
		}
		return model.Usage{}, model.Limits{}, &model.Error{Fault: model.Silent, Code: "timeout"}
	}
	s.answered++
	s.answeredAt = append(s.answeredAt, time.Since(s.begun))
	s.used += float64(promptTokens + out)
	return model.Usage{Input: promptTokens, Output: out}, limits, nil
}

// work takes a call's time, in its place of a queue if there is one; false if it is given up before.
func (s *service) work(queue chan struct{}, took time.Duration, late <-chan time.Time) bool {
	if queue != nil {
		select {
		case queue <- struct{}{}:
			defer func() { <-queue }()
		case <-late:
			return false
		}
	}
	select {
	case <-time.After(took):
		return true
	case <-late:
		return false
	}
}

// ask makes calls until the context ends.
func (s *service) ask(ctx context.Context, t *Throttle, campaign string) {
	for {
		p, err := t.Enter(ctx, nil, Call{Campaign: campaign, Bytes: 4 * promptTokens, MaxOutput: 1000, Deadline: s.Deadline})
		if err != nil {
			return
		}
		u, l, failed := s.call(ctx)
		if failed != nil {
			p.Failed(failed)
		} else {
			p.Answered(u, l)
		}
	}
}

// run lets n callers ask a service for so long of virtual time.
func (s *service) run(t *testing.T, th *Throttle, callers int, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() { s.ask(ctx, th, "c") })
	}
	all.Wait()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error("callers ended early")
	}
}
