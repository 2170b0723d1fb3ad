package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"roundtable/activities/laketest"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/workflows/task"
)

const modelName = "scripted/trader"

var prices = map[string]recorded.Price{modelName: price}

// Outcome is what came of a run.
type Outcome struct {
	Trace  uint64 // of all that happened, each at its instant
	Awaits int    // points at which a process could have been killed
	Calls  int    // that the service has billed
	Took   time.Duration
	Broken []string // invariants
}

// Runner runs scenarios. It remembers what campaigns come to without faults.
type Runner struct{ known map[string]faultless }

// faultless is what a campaign comes to where nothing fails.
type faultless struct {
	results map[string]string // by collaboration
	billed  money.Amount
}

// NewRunner returns a Runner. All its runs belong into one bubble of testing/synctest.
func NewRunner() *Runner { return &Runner{known: map[string]faultless{}} }

// Run runs a scenario and compares what it has left behind with that of the same
// campaign without faults. What happens is written to log unless it is nil.
func (r *Runner) Run(s Scenario, log io.Writer) (Outcome, error) {
	without, err := r.without(s.without())
	if err != nil {
		return Outcome{}, fmt.Errorf("without faults: %w", err)
	}
	w := newWorld(s, log)
	if err := w.play(float64(without.billed.NanoUSD) / 1e9 * s.Cap); err != nil {
		w.violate("I5", "%v", err)
	} else {
		w.check(context.Background())
		w.compare(without.results)
	}
	return Outcome{Trace: w.trace, Awaits: w.awaits, Calls: len(w.service.calls), Took: time.Since(w.began), Broken: w.broken}, nil
}

func (r *Runner) without(s Scenario) (faultless, error) {
	name := fmt.Sprint(s)
	if known, ok := r.known[name]; ok {
		return known, nil
	}
	w := newWorld(s, nil)
	if err := w.play(0); err != nil {
		return faultless{}, err
	}
	w.check(context.Background())
	if len(w.broken) > 0 {
		return faultless{}, errors.New(strings.Join(w.broken, "; "))
	}
	known := faultless{results: w.results(), billed: w.service.billed}
	r.known[name] = known
	return known, nil
}

// play runs the campaign under a cap in dollars; 0 is none.
func (w *world) play(cap float64) (err error) {
	if w.plan, err = laketest.Record(context.Background(), w.disk, w.file()); err != nil {
		return err
	}
	e := &engine{world: w, cap: cap, holding: make(chan struct{}, 1), cancelled: make(chan struct{})}
	if err := e.setCap(); err != nil {
		return err
	}
	ctx, end := context.WithTimeout(context.Background(), calm+patience)
	reading := w.read(ctx)
	if w.Rivals.Awake > 0 {
		err = w.compete(ctx, cap)
	} else {
		for n := range e.Processes {
			e.keepAlive(ctx, n)
		}
		err = e.run(ctx)
	}
	if err == nil {
		for _, p := range e.live {
			if err := p.activities.Close(p.ctx); err != nil {
				w.note("%s: %v", p.name, err)
			}
		}
	}
	took := time.Since(w.began)
	end()
	for _, p := range e.live {
		p.end()
	}
	reading.Wait()
	w.background.Wait() // late calls and writes
	if err != nil {
		return fmt.Errorf("the campaign has not ended after %s: %w", took, err)
	}
	return nil
}

// allow lets the service bill up to a cap.
func (w *world) allow(usd float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	most := max(w.service.allowed.NanoUSD, int64(math.Round(usd*1e9)))
	w.service.allowed = money.Amount{NanoUSD: most, Tokens: math.MaxInt64}
}

// compare breaks I3 if cells have other rows than without faults. Of one that fails, the
// turns that were under way beside the one that failed may be there or not.
func (w *world) compare(without map[string]string) {
	for id, mine := range w.results() {
		if mine != without[id] && !(w.Cancelled > 0 && strings.HasPrefix(mine, task.Stopped)) {
			w.violate("I3", "%s is %s, and without faults %s", id, mine, without[id])
		}
	}
}

// results returns how each collaboration ended, with its digest if it has succeeded.
func (w *world) results() map[string]string {
	results := map[string]string{}
	for _, m := range w.committed() {
		results[m.Collaboration] = m.Status
		if m.Status != task.Failed {
			results[m.Collaboration] += " " + m.Digest
		}
	}
	return results
}

func (w *world) committed() []lake.Marker {
	markers, err := lake.Committed(context.Background(), w.disk, campaign)
	if err != nil {
		w.violate("I8", "the markers cannot be read: %v", err)
	}
	return markers
}
