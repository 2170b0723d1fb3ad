package calls

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roundtable/activities/throttle"
	"roundtable/envs/wording"
)

// Stage records what a turn waits for, or the turns of an activity or of the process. It is safe
// for concurrent use.
type Stage struct {
	say    atomic.Pointer[func() Wait]
	parent *Stage

	mu       sync.Mutex
	parts    map[*Stage]bool
	expected int // parts that there will be; 0 if that is not known
	answered int // parts that left after MarkAnswered
	done     bool
}

type stageKey struct{}

// WithStage returns a context and its Stage: work under that context records there what it waits
// for. Until Leave is called, the stage is a part of that of ctx.
func WithStage(ctx context.Context) (context.Context, *Stage) {
	s := &Stage{}
	if s.parent, _ = ctx.Value(stageKey{}).(*Stage); s.parent != nil {
		s.parent.mu.Lock()
		defer s.parent.mu.Unlock()
		if s.parent.parts == nil {
			s.parent.parts = map[*Stage]bool{}
		}
		s.parent.parts[s] = true
	}
	return s.Context(ctx), s
}

// Context returns a context under which work, and the stages below it, report to s.
func (s *Stage) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, stageKey{}, s)
}

// MarkAnswered records, before Leave, that the call was answered and did not fail.
func (s *Stage) MarkAnswered() { s.done = true }

// Leave removes the stage from that of its parent, when its work is done.
func (s *Stage) Leave() {
	if s.parent != nil {
		s.parent.mu.Lock()
		defer s.parent.mu.Unlock()
		delete(s.parent.parts, s)
		if s.done {
			s.parent.answered++
		}
	}
}

// Expect tells the Stage of ctx that its work is about to have this many parts, none of which has
// begun.
func Expect(ctx context.Context, parts int) {
	if s, ok := ctx.Value(stageKey{}).(*Stage); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expected, s.answered = parts, 0
	}
}

// Describe returns one line for people on how far the work is, and what its turns wait for.
func (s *Stage) Describe() (text string, waits Waits) {
	waits = s.Waits()
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	if s.expected > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d calls answered", s.answered, s.expected))
	}
	for _, w := range waits {
		w.Since = time.Time{} // what is said anew is sent anew
		parts = append(parts, fmt.Sprintf("%d waiting for %s", w.Turns, w))
	}
	return strings.Join(parts, "; "), waits
}

// Set sets a function that returns what the work waits for; nil if it waits for nothing.
func (s *Stage) Set(what func() Wait) {
	if what == nil {
		s.say.Store(nil)
		return
	}
	s.say.Store(&what)
}

// Waits returns how many turns wait for what, sorted by what they wait for; nil if none waits.
func (s *Stage) Waits() Waits {
	var all Waits
	s.addTo(&all)
	slices.SortFunc(all, func(a, b Wait) int { return cmp.Or(cmp.Compare(a.For, b.For), cmp.Compare(a.Ends, b.Ends)) })
	return all
}

func (s *Stage) addTo(all *Waits) {
	if what := s.say.Load(); what != nil {
		w := (*what)()
		w.Turns = 1
		*all = all.Add(w)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for part := range s.parts {
		part.addTo(all)
	}
}

// setWaiting sets what the work of a context waits for from now on.
func setWaiting(ctx context.Context, w Wait) {
	setWaitingFor(ctx, func() Wait { return w })
}

// setWaitingFor is setWaiting for what changes while it waits, which says since when.
func setWaitingFor(ctx context.Context, what func() Wait) {
	began := time.Now()
	set(ctx, func() Wait {
		w := what()
		w.Since = earlierOf(w.Since, began)
		return w
	})
}

// setIdle sets that the work of a context waits for nothing.
func setIdle(ctx context.Context) { set(ctx, nil) }

func set(ctx context.Context, what func() Wait) {
	if s, ok := ctx.Value(stageKey{}).(*Stage); ok {
		s.Set(what)
	}
}

// Values of Wait.For, besides the reasons of package throttle.
const (
	WaitsAnswer = "answer"            // a call is under way
	WaitsPerson = "a person's answer" // a person is to take the turn
	WaitsBudget = "budget"            // others' calls hold the rest of it
	// TriesAgain begins what a round or turn waits for whose last call failed; the error follows.
	TriesAgain = "provider: trying again after "
)

// ResumeTries tells the operator how to end a wait for a service.
const ResumeTries = "roundtable resume NAME tries at once"

// Wait is what turns wait for, and how many of them.
type Wait struct {
	For   string    `json:"for"` // provider, budget, calls at once, workers, requests per minute, …; answer if nothing binds
	Turns int       `json:"turns"`
	Since time.Time `json:"since,omitzero"` // when the longest wait began
	Until time.Time `json:"until,omitzero"` // when the next call may start; zero if that depends on others
	Ends  string    `json:"ends,omitempty"` // what ends it, in words
}

// String describes the wait for people, without the number of turns: for what, since when, until
// when and what ends it.
func (w Wait) String() string {
	const clock = "15:04:05"
	var when []string
	if !w.Since.IsZero() {
		when = append(when, "since "+w.Since.UTC().Format(clock))
	}
	if !w.Until.IsZero() {
		when = append(when, "until "+w.Until.UTC().Format(clock))
	}
	text := w.For
	if len(when) > 0 {
		text += ", " + strings.Join(when, ", ") + " UTC"
	}
	if w.Ends != "" {
		text += "; " + w.Ends
	}
	return text
}

// DescribeTurns returns String and the number of waiting turns.
func (w Wait) DescribeTurns() string {
	turns := wording.Count(int64(w.Turns), "turn") + " waits for "
	if w.Turns != 1 {
		turns = strings.Replace(turns, "waits", "wait", 1)
	}
	return turns + w.String()
}

// Waits are what the turns of an activity or of a process wait for.
type Waits []Wait

// Of returns how many turns wait for what.
func (all Waits) Of(what string) (turns int) {
	for _, w := range all {
		if w.For == what {
			turns += w.Turns
		}
	}
	return turns
}

// Add returns all with w added; turns that wait for the same are summed.
func (all Waits) Add(w Wait) Waits {
	for i := range all {
		one := &all[i]
		if one.For != w.For || one.Ends != w.Ends {
			continue
		}
		one.Turns += w.Turns
		one.Since, one.Until = earlierOf(one.Since, w.Since), earlierOf(one.Until, w.Until)
		return all
	}
	return append(all, w)
}

func earlierOf(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// gateWait describes why calls are queued before the gate of an account or of a campaign.
func gateWait(w throttle.Wait) Wait {
	is := Wait{For: string(w.For), Since: w.Since}
	if w.Limit > 0 {
		is.For = fmt.Sprintf("%s (%d)", w.For, w.Limit)
	}
	switch {
	case w.Told:
		is.Until, is.Ends = w.Until, "the service has asked for this pause; "+ResumeTries
	case !w.Since.IsZero():
		is.Until, is.Ends = w.Until, "the service refused every call; "+ResumeTries
	case w.For == throttle.Requests || w.For == throttle.Tokens:
		is.Ends = "the minute's limit frees it"
	case w.For == throttle.Concurrency:
		is.Ends = "the next answer frees a place"
	case w.For == throttle.Provider:
		is.Ends = "it grows with the answers"
	}
	return is
}
