package simulation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"roundtable/activities/failure"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// engine stands for Temporal's server and the campaign's workflows: it remembers what
// is to be done, whoever dies.
type engine struct {
	*world
	mu   sync.Mutex
	live []*process
	cap  float64 // in dollars; 0 is none

	holding   chan struct{} // full while calls are held back
	cancelled chan struct{} // closed when the campaign is cancelled
}

// errGone is what became of an activity whose process died.
var errGone = errors.New("its process has died")

// errGivenUp is the end of an activity that is done elsewhere meanwhile.
var errGivenUp = errors.New("it was given up for dead")

// run runs the campaign to its end.
func (e *engine) run(ctx context.Context) error {
	ref := e.ref(task.Ref{})
	heard := make(chan struct{}) // closed when the batches of a cancelled campaign are cancelled
	if e.Cancelled > 0 {
		e.background.Go(func() { defer close(heard); e.cancel(ctx) })
	}
	for sweep := 0; ; sweep++ {
		found, err := execute(ctx, e, "survey", func(ctx context.Context, p *process) (task.Surveyed, error) {
			return p.activities.Survey(ctx, task.Page{Campaign: ref.Campaign, Revision: ref.Revision, Limit: 100})
		})
		if err != nil {
			return err
		}
		e.playAll(ctx, found.Cells)
		if e.isCancelled() {
			<-heard
			return ctx.Err()
		}
		sealed, err := execute(ctx, e, "seal", func(ctx context.Context, p *process) (task.Surveyed, error) {
			return p.activities.Seal(ctx, task.Sealing{Campaign: ref.Campaign, Revision: ref.Revision})
		})
		if err != nil {
			return err
		}
		ended := 0
		for _, n := range sealed.Count {
			ended += n
		}
		if ended == sealed.Total {
			return nil
		}
		if sweep > 3 {
			return fmt.Errorf("%d of %d cells have ended after %d sweeps", ended, sealed.Total, sweep)
		}
	}
}

func (e *engine) ref(r task.Ref) task.Ref {
	r.Campaign, r.Revision = campaign, e.plan.Campaign.Revision()
	return r
}

// keepAlive starts a process, and another one when it dies.
func (e *engine) keepAlive(ctx context.Context, number int) {
	p := e.start(number)
	e.mu.Lock()
	e.live = append(e.live, p)
	e.mu.Unlock()
	e.background.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-p.died:
		}
		e.mu.Lock()
		for i, other := range e.live {
			if other == p {
				e.live = append(e.live[:i:i], e.live[i+1:]...)
				break
			}
		}
		e.mu.Unlock()
		time.Sleep(e.between(50*time.Millisecond, 5*time.Second, p.name, "starts again"))
		if ctx.Err() == nil {
			e.keepAlive(ctx, number)
		}
	})
}

// any returns a process that lives.
func (e *engine) any(ctx context.Context, what string) *process {
	for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		e.mu.Lock()
		if n := len(e.live); n > 0 {
			p := e.live[int(e.chance(what, e.nth(what), "process")*float64(n))]
			e.mu.Unlock()
			return p
		}
		e.mu.Unlock()
	}
	return nil
}

// outcome is what an activity ends with.
type outcome[T any] struct {
	value T
	err   error
}

// attempt does an activity once. If its process dies it is gone; what it still does
// is not waited for.
func attempt[T any](ctx context.Context, e *engine, what string, do func(context.Context, *process) (T, error)) outcome[T] {
	p := e.any(ctx, what)
	if p == nil {
		return outcome[T]{err: ctx.Err()}
	}
	ended := make(chan outcome[T], 1)
	e.background.Go(func() {
		value, err := do(p.ctx, p)
		ended <- outcome[T]{value, err}
	})
	var givenUp <-chan time.Time
	if e.happens(e.Faults.Doubled, what, e.nth(what+" doubled")) {
		givenUp = time.After(e.between(0, 20*time.Second, what, e.nth(what+" given up")))
	}
	select {
	case o := <-ended:
		return o
	case <-p.died:
		return outcome[T]{err: errGone}
	case <-givenUp:
		return outcome[T]{err: errGivenUp}
	case <-ctx.Done():
		return outcome[T]{err: ctx.Err()}
	}
}

// execute does an activity until it succeeds or fails for good, as Temporal does.
func execute[T any](ctx context.Context, e *engine, what string, do func(context.Context, *process) (T, error)) (T, error) {
	for tries := int32(1); ; tries++ {
		o := attempt(ctx, e, what, do)
		if o.err == nil || ctx.Err() != nil {
			return o.value, o.err
		}
		pause := time.Duration(0)
		if e.isCancelled() && strings.HasPrefix(what, "play ") {
			return o.value, o.err
		}
		switch o.err = failure.ForHistory(e.jittered(ctx), o.err, tries); {
		case errors.Is(o.err, errGone), errors.Is(o.err, errGivenUp):
			tries = 0
		case isType(o.err, task.ErrPause):
			e.operate(o.err)
		case isType(o.err, task.ErrFail):
			e.note("%s fails: %v", what, o.err)
			return o.value, o.err
		default:
			if app, ok := errors.AsType[*failure.Failure](o.err); ok {
				pause = app.Delay
			}
		}
		e.note("%s: %v", what, o.err)
		time.Sleep(pause + e.between(time.Millisecond, 200*time.Millisecond, what, e.nth(what+" again")))
	}
}

func isType(err error, kind string) bool {
	app, ok := errors.AsType[*failure.Failure](err)
	return ok && app.Type == kind
}

// operate is what a person does about a pause: looks later, and raises a cap that is spent.
func (e *engine) operate(err error) {
	n := e.nth("pause")
	time.Sleep(e.between(time.Second, time.Minute, n, "operator"))
	if e.Cap == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cap *= 1.3
	if werr := e.setCap(); werr != nil {
		panic(werr)
	}
	e.note("the operator raises the cap to $%.6f: %v", e.cap, err)
}

// setCap lets the campaign spend up to a cap.
func (e *engine) setCap() error {
	m := recorded.Manifest{Campaign: campaign, Revision: e.plan.Campaign.Revision(), Prices: prices}
	m.Limits.Models = map[string]plan.ModelLimits{modelName: {Timeout: "2m"}}
	if e.Batched {
		m.Limits.Tier = plan.Batch
	}
	if e.cap > 0 {
		m.Limits.CostUSD = &e.cap
		e.world.allow(e.cap)
	}
	return recorded.WriteManifest(context.Background(), e.disk, m)
}

// playAll plays cells to their end, some at once.
func (e *engine) playAll(ctx context.Context, cells []task.Outstanding) {
	var all sync.WaitGroup
	places := make(chan struct{}, e.AtOnce)
	for _, cell := range cells {
		if e.isCancelled() {
			break
		}
		time.Sleep(e.between(time.Millisecond, 20*time.Millisecond, cell.ID, "starts"))
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			e.play(ctx, cell)
			if e.chance(cell.ID, "compacts") < 0.3 {
				_, _ = execute(ctx, e, "compact", func(ctx context.Context, p *process) (struct{}, error) {
					return p.activities.Compact(ctx, campaign)
				})
			}
		})
	}
	all.Wait()
}

// play plays one cell to its end, as its workflow does: round after round, and then its rows.
func (e *engine) play(ctx context.Context, cell task.Outstanding) {
	ref := task.Batch{Campaign: campaign, Revision: e.plan.Campaign.Revision()}.Ref(cell)
	in, said := task.Round{Ref: ref}, map[int]string{}
	var session *protocol.Session
	ending := task.Ending{Ref: ref, Status: task.Succeeded}
	for ctx.Err() == nil && (session == nil || session.Outcome() == nil) {
		known, err := execute(ctx, e, "play "+cell.ID, func(ctx context.Context, p *process) (task.RoundResult, error) {
			if e.happens(e.Faults.Interrupted, cell.ID, e.nth(cell.ID+" interrupted")) {
				e.background.Go(func() { e.hold(cell.ID) })
			}
			playing, stop := context.WithCancel(ctx)
			defer stop()
			e.background.Go(func() {
				select {
				case <-e.cancelled:
					stop()
				case <-playing.Done():
				}
			})
			return p.activities.PlayRound(playing, in)
		})
		if err == nil && known.Setting != nil {
			session, err = known.Setting.Condition.Session(catalogue.Builtin(), known.Setting.Agents, known.Setting.Seed)
		}
		switch {
		case ctx.Err() != nil:
			return
		case known.Committed != nil:
			e.note("%s has ended: %s", cell.ID, known.Committed.Status)
			return
		}
		for _, act := range known.Acts {
			text := fmt.Sprintf("%+v", act.Act)
			if earlier, ok := said[act.Entry]; ok && earlier != text {
				e.violate("I1", "entry %d of %s was reported as %s, and is %s", act.Entry, cell.ID, earlier, text)
			}
			e.checkStored(cell.ID, act.Entry)
			said[act.Entry], in.From = text, max(in.From, act.Entry+1)
			if err == nil && !session.HasAct(act.Entry) {
				err = session.Record(act.Entry, act.Act)
			}
		}
		if err != nil && e.isCancelled() {
			ending.Status, ending.Failure = task.Stopped, "cancelled"
			break
		}
		if err != nil {
			ending.Status, ending.Failure = task.Failed, messageOf(err)
			break
		}
	}
	result, err := execute(ctx, e, "record "+cell.ID, func(ctx context.Context, p *process) (task.Result, error) {
		return p.activities.Record(ctx, ending)
	})
	if err == nil {
		e.note("%s has ended: %s", cell.ID, result.Status)
	}
}

// cancel cancels the campaign: its calls are held back, its batches are cancelled, and its
// activities.
func (e *engine) cancel(ctx context.Context) {
	select {
	case <-time.After(e.Cancelled):
	case <-ctx.Done():
		return
	}
	e.note("the campaign is cancelled")
	close(e.cancelled)
	_, _ = execute(ctx, e, "cancel", func(ctx context.Context, p *process) (struct{}, error) {
		return p.activities.Hold(ctx, task.Holding{Campaign: campaign, Reason: task.Cancelled})
	})
}

func (e *engine) isCancelled() bool {
	select {
	case <-e.cancelled:
		return true
	default:
		return false
	}
}

// hold has calls held back for a while, as a pause does.
func (e *engine) hold(id string) {
	n := e.nth(id + " held")
	time.Sleep(e.between(0, 20*time.Second, id, n, "hold"))
	e.holding <- struct{}{} // one pause at a time
	defer func() { <-e.holding }()
	if err := recorded.WriteHalt(context.Background(), e.disk, campaign, recorded.Halt{Reason: "made up", Holds: true}); err != nil {
		panic(err)
	}
	e.note("calls are held back")
	e.world.held.Store(time.Now().UnixNano())
	time.Sleep(e.between(0, 10*time.Second, id, n, "held"))
	e.world.held.Store(0)
	if err := recorded.ClearHalt(context.Background(), e.disk, campaign); err != nil {
		panic(err)
	}
	e.note("calls may begin again")
}

func messageOf(err error) string {
	if app, ok := errors.AsType[*failure.Failure](err); ok {
		return app.Message
	}
	return err.Error()
}
