package collaboration

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// picturesKept bounds the memory for collaborations under way.
const picturesKept = 1024

// Live keeps the collaborations under way in memory.
type Live struct {
	store    store.Store
	answers  *answers.Answers
	plans    *setup.Plans
	pictures *lru.Cache[task.Ref, *Collaboration]
}

// NewLive returns an empty Live.
func NewLive(s store.Store, a *answers.Answers, plans *setup.Plans) *Live {
	pictures, err := lru.New[task.Ref, *Collaboration](picturesKept)
	if err != nil {
		panic("collaboration: " + err.Error()) // only a size below 1 is an error
	}
	return &Live{store: s, answers: a, plans: plans, pictures: pictures}
}

// Remove removes a collaboration from memory.
func (l *Live) Remove(ref task.Ref) {
	l.pictures.Remove(ref)
	if camp := l.plans.LookUp(ref.Revision); camp != nil {
		l.answers.End(runOf(camp, ref))
	}
}

// Open returns a collaboration: the one in memory, or else one loaded from the store.
func (l *Live) Open(ctx context.Context, ref task.Ref) (*Collaboration, error) {
	if c, ok := l.pictures.Get(ref); ok {
		return c, nil
	}
	c, err := l.Load(ctx, ref)
	if err != nil {
		return nil, err
	}
	if earlier, ok, _ := l.pictures.PeekOrAdd(ref, c); ok {
		return earlier, nil
	}
	return c, nil
}

// OpenAt is Open for a caller that knows the acts of all entries before entry. If the collaboration
// in memory lacks some of them, since other workers took these turns, it is loaded again.
func (l *Live) OpenAt(ctx context.Context, ref task.Ref, entry int) (*Collaboration, error) {
	c, err := l.Open(ctx, ref)
	if err != nil || !c.isBehind(entry) {
		return c, err
	}
	l.Remove(ref)
	return l.Open(ctx, ref)
}

// Load reads and plays the stored turns of a collaboration. If the error is failure.Unplayable, it
// also returns what could be read.
func (l *Live) Load(ctx context.Context, ref task.Ref) (*Collaboration, error) {
	c, err := l.loadWith(ctx, ref, l.answers.Load)
	if errors.As(err, new(failure.Unplayable)) { // or only not listed yet
		return l.loadWith(ctx, ref, l.answers.LoadByName)
	}
	return c, err
}

// LoadEnded is Load for a collaboration that is known to have an outcome: answers that a list of
// the store lacks are read by their keys.
func (l *Live) LoadEnded(ctx context.Context, ref task.Ref) (*Collaboration, error) {
	c, err := l.Load(ctx, ref)
	if err == nil && c.Session.Outcome() == nil {
		return l.loadWith(ctx, ref, l.answers.LoadByName)
	}
	return c, err
}

func (l *Live) loadWith(ctx context.Context, ref task.Ref,
	load func(context.Context, answers.RunKey) (answers.Stored, error)) (*Collaboration, error) {
	camp, err := l.plans.Load(ctx, ref.Campaign, ref.Revision)
	if err != nil {
		return nil, err
	}
	run := runOf(camp, ref)
	c, unbegun := Begin(camp, ref, run)
	if failure.IsUnasked(unbegun) {
		return nil, unbegun
	}
	stored, err := load(ctx, run)
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return nil, err
	}
	l.answers.Begin(run, stored)
	broken := c.replay(stored, unbegun)
	if broken == nil && c.Session.InPrefix() {
		taken := l.takePrefix(ctx, c)
		if broken = failure.Final(taken); broken == nil && taken != nil {
			return nil, taken
		}
	}
	if err = cmp.Or(err, broken); err != nil {
		return c, failure.Unplayable{Err: err}
	}
	return c, nil
}

func runOf(camp *setup.Campaign, ref task.Ref) answers.RunKey {
	return answers.RunKey{Campaign: ref.Campaign, Collaboration: camp.CollaborationID(ref), Generation: ref.Generation}
}

// RetryWithFreshState calls take. If it fails because entries are not pending, since another worker
// took turns before them, it reloads the collaboration and calls take once more.
func RetryWithFreshState[T any](l *Live, ref task.Ref, take func() (T, error)) (T, error) {
	taken, err := take()
	if errors.Is(err, errNotPending) {
		l.Remove(ref)
		taken, err = take()
	}
	if errors.Is(err, errNotPending) {
		err = failure.Fail(err)
	}
	return taken, err
}

// UnderWay returns how much of a campaign's unfinished collaborations in this process is done, in
// collaborations: two that are half done count 1.
func (l *Live) UnderWay(campaign string) (sum float64) {
	for _, c := range l.pictures.Values() {
		if c.Ref.Campaign == campaign {
			sum += ledger.ShareDone(int(c.taken.Load()), c.Condition.Most())
		}
	}
	return sum
}

// Bounds of one batch of instantaneous turns: it must not keep a cancellation
// waiting, nor make a result too large for history.
const (
	batchTime  = 250 * time.Millisecond
	batchTurns = 2000
)

// TakeMany plays a collaboration whose models take no time from in's entry on, whole rounds at
// once, stores the turns as one object and returns their acts.
func (l *Live) TakeMany(ctx context.Context, in task.Turn, meter *calls.Meter) ([]task.Act, error) {
	c, err := l.Open(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock() // after the turns are stored: nobody may hear of others
	turns, err := c.play(ctx, meter)
	if len(turns) > 0 {
		stored, failed := l.answers.PutBatch(ctx, c.Run, turns)
		if failed != nil {
			l.Remove(in.Ref) // it knows turns that are not stored
			return nil, failed
		}
		if !slices.EqualFunc(stored, turns, isSameAnswer) { // another worker was first
			l.Remove(in.Ref)
			return l.TakeMany(ctx, in, meter)
		}
	}
	if err != nil && len(turns) == 0 {
		return nil, err
	}
	return c.actsFrom(in.Entry), nil // an error comes again at the next batch, which it will begin
}

// isSameAnswer reports whether two turns came from the same last answer.
func isSameAnswer(a, b answers.Turn) bool {
	return len(a.Asks) > 0 && len(b.Asks) > 0 && string(a.Asks[len(a.Asks)-1].Raw) == string(b.Asks[len(b.Asks)-1].Raw)
}

// play takes instantaneous turns until the collaboration ends or the batch is full.
// The caller holds mu.
func (c *Collaboration) play(ctx context.Context, meter *calls.Meter) ([]answers.Turn, error) {
	var turns []answers.Turn
	for began := time.Now(); c.Session.Outcome() == nil && len(turns) < batchTurns && time.Since(began) < batchTime; {
		for _, pending := range c.Session.Pending() {
			_, t, err := c.playTurn(ctx, pending, meter)
			if err != nil {
				return turns, err
			}
			turns = append(turns, t)
			if err := c.Record(withoutRawAnswers(t)); err != nil {
				return turns, failure.Fail(err)
			}
		}
	}
	return turns, nil
}

// playTurn takes turn p in memory. If it panics, the turns before it can still be stored.
func (c *Collaboration) playTurn(ctx context.Context, p protocol.Pending, meter *calls.Meter) (q calls.Question,
	t answers.Turn, err error) {
	defer failure.Recover(&err)
	if p.Kind == transcript.Env {
		return q, t, c.missingEntry(p.Entry)
	}
	if q, err = c.renderQuestion(p.Entry, p.Step); err != nil {
		return q, t, err
	}
	t, err = calls.Instant(ctx, q, meter)
	return q, t, err
}

// withoutRawAnswers returns a turn without its raw answers and thinking, which only its rows need.
func withoutRawAnswers(t answers.Turn) answers.Turn {
	t.Asks, t.Thinking = nil, ""
	return t
}
