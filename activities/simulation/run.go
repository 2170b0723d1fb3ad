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
	"roundtable/workflows/task"
)

const modelName = "scripted/trader"

var prices = map[string]money.Price{modelName: price}

// Outcome is what came of a run.
type Outcome struct {
	Trace  uint64 // hash of all that happened, in its order
	Awaits int    // points at which a process could have been killed
	Calls  int    // that the service has billed
	Took   time.Duration
	Broken []string // invariants
}

// Run runs a scenario and the same campaign without faults, and compares what they
// left behind. What happens is written to log unless it is nil. It wants a bubble of
// testing/synctest.
func Run(s Scenario, log io.Writer) (Outcome, error) {
	without := newWorld(s.without(), nil)
	if err := without.play(0); err != nil {
		return Outcome{}, fmt.Errorf("without faults: %w", err)
	}
	without.check(context.Background())
	if len(without.broken) > 0 {
		return Outcome{Broken: without.broken}, errors.New("without faults an invariant is broken: " + strings.Join(without.broken, "; "))
	}
	w := newWorld(s, log)
	if err := w.play(float64(without.service.billed.NanoUSD) / 1e9 * s.Cap); err != nil {
		w.violate("I5", "%v", err)
	} else {
		w.check(context.Background())
		w.compare(without)
	}
	return Outcome{Trace: w.trace.Sum64(), Awaits: w.awaits, Calls: len(w.service.calls), Took: time.Since(w.began), Broken: w.broken}, nil
}

// play runs the campaign under a cap in dollars; 0 is none.
func (w *world) play(cap float64) (err error) {
	if w.plan, err = laketest.Record(context.Background(), w.disk, w.file()); err != nil {
		return err
	}
	e := &engine{world: w, cap: cap}
	if err := e.setCap(); err != nil {
		return err
	}
	ctx, end := context.WithTimeout(context.Background(), calm+patience)
	reading := w.read(ctx)
	err = e.run(ctx)
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
	w.service.allowed = money.Amount{NanoUSD: int64(math.Round(usd * 1e9)), Tokens: math.MaxInt64}
}

// compare breaks I3 if cells have other rows than without faults. Of one that fails, the
// turns that were under way beside the one that failed may be there or not.
func (w *world) compare(without *world) {
	theirs := map[string]string{}
	for _, m := range without.committed() {
		theirs[m.Collaboration] = resultOf(m)
	}
	for _, m := range w.committed() {
		if mine := resultOf(m); mine != theirs[m.Collaboration] {
			w.violate("I3", "%s is %s, and without faults %s", m.Collaboration, mine, theirs[m.Collaboration])
		}
	}
}

func resultOf(m lake.Marker) string {
	if m.Status == task.Failed {
		return m.Status
	}
	return m.Status + " " + m.Digest
}

func (w *world) committed() []lake.Marker {
	markers, err := lake.Committed(context.Background(), w.disk, campaign)
	if err != nil {
		w.violate("I8", "the markers cannot be read: %v", err)
	}
	return markers
}
