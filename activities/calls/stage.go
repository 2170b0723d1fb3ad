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
)

// Stage is what one turn waits for now, or the turns of an activity or of a whole
// process. It is safe for concurrent use.
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

// WithStage returns a context whose work says what it waits for, and where it says
// so. Until Leave is called, the stage is a part of that of ctx.
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

// Context returns a context whose work, and the stages of its parts, are told to s.
func (s *Stage) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, stageKey{}, s)
}

// MarkAnswered records, before Leave, that the call was answered and did not fail.
func (s *Stage) MarkAnswered() { s.done = true }

// Leave ends the stage of a work that is done.
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

// Expect says how many parts the work of a context is about to have, of which none has
// begun.
func Expect(ctx context.Context, parts int) {
	if s, ok := ctx.Value(stageKey{}).(*Stage); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expected, s.answered = parts, 0
	}
}

// Describe returns in a line how far a work is, for people, and Waits.
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

// Set sets what the work waits for; nil is nothing.
func (s *Stage) Set(what func() Wait) {
	if what == nil {
		s.say.Store(nil)
		return
	}
	s.say.Store(&what)
}

// Waits counts turns by what they wait for, in the order of that; none if none waits.
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
