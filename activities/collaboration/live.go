package collaboration

import (
	"cmp"
	"context"
	"errors"

	lru "github.com/hashicorp/golang-lru/v2"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// picturesKept bounds the memory for collaborations under way.
const picturesKept = 1024

// Live keeps the pictures of the collaborations under way in memory.
type Live struct {
	store    store.Store
	answers  *answers.Answers
	plans    *setup.Plans
	pictures *lru.Cache[task.Ref, *Collaboration]
}

// NewLive returns a Live without any picture.
func NewLive(s store.Store, a *answers.Answers, plans *setup.Plans) *Live {
	pictures, err := lru.New[task.Ref, *Collaboration](picturesKept)
	if err != nil {
		panic("collaboration: " + err.Error()) // only a size below 1 is an error
	}
	return &Live{store: s, answers: a, plans: plans, pictures: pictures}
}

// Remove forgets the picture of a collaboration.
func (l *Live) Remove(ref task.Ref) {
	l.pictures.Remove(ref)
	if camp := l.plans.Built(ref.Revision); camp != nil {
		l.answers.End(runOf(camp, ref))
	}
}

// Open returns the picture of a collaboration: the one in memory, or a new one from the store.
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

// OpenAt is Open for who knows the acts of all entries before one. A picture that lacks some
// of them, since other workers took these turns, is replaced by a new one.
func (l *Live) OpenAt(ctx context.Context, ref task.Ref, entry int) (*Collaboration, error) {
	c, err := l.Open(ctx, ref)
	if err != nil || !c.isBehind(entry) {
		return c, err
	}
	l.Remove(ref)
	return l.Open(ctx, ref)
}

// Load plays the stored turns. With an unplayable error comes what could be read.
func (l *Live) Load(ctx context.Context, ref task.Ref) (*Collaboration, error) {
	c, err := l.loadWith(ctx, ref, l.answers.Load)
	if errors.As(err, new(failure.Unplayable)) { // or only not listed yet
		return l.loadWith(ctx, ref, l.answers.LoadByName)
	}
	return c, err
}

// LoadEnded is Load of a collaboration that has come to its outcome.
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

// RetryWithFreshState takes entries; if they are not pending, since another worker
// took turns before them, it reloads the collaboration and retries once.
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

// UnderWay returns how much is done of a campaign's collaborations that this
// process takes part in, in collaborations: two that are half done are 1.
func (l *Live) UnderWay(campaign string) (sum float64) {
	for _, c := range l.pictures.Values() {
		if c.Ref.Campaign == campaign {
			sum += ledger.ShareDone(int(c.taken.Load()), c.Condition.Most())
		}
	}
	return sum
}
