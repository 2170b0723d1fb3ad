package calls

import (
	"context"
	"errors"
	"sync"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/throttle"
)

// Permit is the right to make a call: a pass of the model's account, and one of
// the campaign, whose limits.calls is for all its models together.
type Permit struct {
	account, campaign *throttle.Pass
	given             time.Time // before the store is asked for the answer
}

// Answered ends the call with what the service answered.
func (p Permit) Answered(u model.Usage, l model.Limits) {
	p.account.Answered(u, l)
	p.campaign.Answered(model.Usage{}, model.Limits{})
}

// Failed ends the call with its error. The campaign's throttle is not told: what one service cannot
// take, others can.
func (p Permit) Failed(err error) {
	p.account.Failed(err)
	p.campaign.Leave()
}

// Leave gives the permit back if no call was made with it; else it does nothing.
func (p Permit) Leave() {
	p.account.Leave()
	p.campaign.Leave()
}

// Permit waits until the account, its service and the campaign allow q's call, and returns the
// right to make it. It ends early if the turn is cancelled or the worker is stopping.
func (c *Caller) Permit(ctx context.Context, q Order) (p Permit, err error) {
	m, err := c.Manifest(ctx, q.Run.Campaign, false) // it sets the ceilings
	if err != nil {
		return p, err
	}
	stopping, waiting := WorkerStops(ctx), ctx
	if siblings, ok := ctx.Value(patienceKey{}).(patience); ok {
		waiting = siblings.permits
	}
	defer setIdle(ctx)
	enter := func(t *throttle.Throttle, call throttle.Call) (*throttle.Pass, error) {
		setWaitingFor(ctx, func() Wait { return gateWait(t.Waiting(q.Run.Campaign)) })
		pass, err := t.Enter(waiting, stopping, call)
		if errors.Is(err, context.Canceled) && errors.Is(context.Cause(waiting), errSibling) {
			err = errSibling
		}
		return pass, err
	}
	p.account, err = enter(c.throttles.Account(q.Provider.Account), throttle.Call{
		Campaign: q.Run.Campaign, Bytes: ByteSize(q.Messages), MaxOutput: q.Longest,
		Deadline: callTimeout(m, q.Provider),
	})
	if err != nil {
		return p, err
	}
	if p.campaign, err = enter(c.throttles.Campaign(q.Run.Campaign),
		throttle.Call{Campaign: q.Run.Campaign}); err != nil {
		p.account.Leave()
	}
	p.given = time.Now()
	return p, err
}

// Await waits until m, a model whose answers take any time (a person), can answer r, unless the
// turn is cancelled or the worker is stopping.
func (c *Caller) Await(ctx context.Context, m model.Awaited, r model.Request) error {
	setWaiting(ctx, Wait{For: WaitsPerson, Ends: "roundtable answer NAME answers"})
	defer setIdle(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	siblings, _ := ctx.Value(patienceKey{}).(patience)
	go func() {
		select {
		case <-WorkerStops(ctx):
			cancel(throttle.ErrStopping)
		case <-siblings.people:
			cancel(errSibling)
		case <-ctx.Done():
		}
	}()
	return m.Await(ctx, r)
}

type patienceKey struct{}

// patience is how long the calls of a phase are waited for that have not begun.
type patience struct {
	people  <-chan struct{}
	permits context.Context
}

// errSibling ends the waiting for a person or a permit whose sibling's call has failed:
// they are asked for again together. It is due sooner than any failure, so the sibling's
// is told.
var errSibling = &failure.Failure{Type: "sibling", Message: "another call of the round has failed",
	Delay: time.Millisecond, Benign: true}

// longPause is how long a failed call waits until its siblings no longer wait for permits
// meanwhile: the round is tried again as a whole, and says why.
const longPause = 10 * time.Second

// WithPatience returns a context under which a turn stops to wait once a sibling has failed: for
// people, who may take days, at once, and for permits if pause, the time until the sibling is made
// again, is long. Call failed on a failure, and end when the turns are done.
func WithPatience(ctx context.Context) (_ context.Context, failed func(pause time.Duration), end func()) {
	people := make(chan struct{})
	fail := sync.OnceFunc(func() { close(people) })
	permits, cancel := context.WithCancelCause(ctx)
	ctx = context.WithValue(ctx, patienceKey{}, patience{people, permits})
	return ctx, func(pause time.Duration) {
		fail()
		if pause > longPause {
			cancel(errSibling)
		}
	}, func() { cancel(nil) }
}

// WorkerStops returns the channel that is closed when the activity's worker stops; nil if
// ctx is not that of an activity.
func WorkerStops(ctx context.Context) <-chan struct{} {
	host, _ := failure.HostOf(ctx)
	return host.Stops
}
