package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/plan"
)

// looks is how often an analyst looks at a campaign that is running.
const looks = 10

// read reads the rows now and then until ctx ends, as an analyst does: what is seen is
// whole (I8), and no row is seen twice (I2).
func (w *world) read(ctx context.Context) *sync.WaitGroup {
	var reading sync.WaitGroup
	reading.Go(func() {
		for n := 0; n < looks && ctx.Err() == nil; n++ {
			w.checkRows(context.WithoutCancel(ctx))
			select {
			case <-time.After(w.between(time.Second, 2*time.Minute, "reader", n)):
			case <-ctx.Done():
			}
		}
	})
	return &reading
}

func (w *world) checkRows(ctx context.Context) {
	d, err := lake.ReadDataset(ctx, w.disk, campaign)
	if err != nil {
		w.violate("I8", "the data set cannot be read: %v", err)
		return
	}
	seen := map[string]bool{}
	for row, err := range lake.Scan[record.Turn](ctx, w.disk, d) {
		if err != nil {
			w.violate("I8", "turns cannot be read: %v", err)
			return
		}
		key := fmt.Sprintf("%s/%d", row.CollaborationID, row.Entry)
		if seen[key] {
			w.violate("I2", "two rows of %s", key)
		}
		seen[key] = true
	}
}

// check checks the invariants after the end, from the store and the service's own count.
func (w *world) check(ctx context.Context) {
	w.checkRows(ctx)
	report, err := lake.Verify(ctx, w.disk, campaign)
	if err != nil {
		w.violate("I8", "the lake cannot be verified: %v", err)
		return
	}
	for _, f := range report.Findings {
		w.violate("I8", "%s: %s", f.Object, f.Problem)
	}
	if n := w.plan.Campaign.Size(); len(w.committed()) != n && w.Cancelled == 0 {
		w.violate("I2", "%d of %d cells have ended", len(w.committed()), n)
	}
	success, err := lake.ReadSuccess(ctx, w.disk, campaign)
	if digest := lake.Digest(w.committed()); w.Cancelled == 0 && (err != nil || success.Digest != digest) {
		w.violate("I8", "the seal says digest %s, the rows have %s (%v)", success.Digest, digest, err)
	}
	w.checkRead(ctx)
	w.checkMoney(ctx)
	w.checkBatches(ctx)
}

// checkStored breaks I1 if an entry is reported whose answer is not stored. Entries that
// nobody was asked for have none.
func (w *world) checkStored(collaboration string, entry int) {
	question := fmt.Sprintf("%s/%s/%d/0", campaign, collaboration, entry)
	w.mu.Lock()
	asked := w.times["call "+strings.TrimPrefix(question, campaign+"/")] > 0
	w.mu.Unlock()
	if _, err := w.disk.Head(context.Background(), answerKey(question)); asked && err != nil {
		w.violate("I1", "entry %d of %s is reported before its answer is stored", entry, collaboration)
	}
}

// checkRead breaks I1 if an answer was read to its end, by a process that lived on, and
// is not stored: the store was never out of order for so long.
func (w *world) checkRead(ctx context.Context) {
	for _, r := range w.service.read {
		lived := !r.by.isDead() || r.by.diedAt.Sub(r.at) > 10*time.Minute
		if _, err := w.disk.Head(ctx, answerKey(r.question)); lived && err != nil {
			w.violate("I1", "%s has read the answer to %s and not stored it: %v", r.by.name, r.question, err)
		}
	}
}

// checkMoney compares the ledger with what the service has billed (I4).
func (w *world) checkMoney(ctx context.Context) {
	store := answers.NewAnswers(w.disk)
	runs, err := store.Runs(ctx, campaign)
	if err != nil {
		w.violate("I4", "%v", err)
		return
	}
	var charged, answered money.Amount
	kept := map[string]bool{}   // request ids of stored answers
	unknown := map[string]int{} // by question
	for _, run := range runs {
		s, err := store.Load(ctx, run)
		if err != nil {
			w.violate("I1", "the answers of %s: %v", run, err)
			return
		}
		for _, a := range s.Unannounced {
			w.violate("I4", "ask %d of entry %d of %s has an answer and no intent", a.Ask, a.Entry, run)
		}
		charge := s.Charge()
		charged = charged.Add(money.Amount{NanoUSD: charge.NanoUSD, Tokens: charge.Tokens})
		for _, i := range s.Unknown {
			unknown[fmt.Sprintf("%s/%d/%d", run, i.Entry, i.Ask)]++
		}
		for _, t := range s.Turns {
			for _, a := range t.Asks {
				if !a.Cached {
					w.checkAnswer(kept, a)
					answered = answered.Add(money.Charge(price.In(plan.Tier(a.Tier)), a.Usage))
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.service.calls)) {
		call := w.service.calls[id]
		if kept[id] {
			continue
		}
		if unknown[call.question]--; unknown[call.question] < 0 {
			w.violate("I4", "%s was billed %s, and the ledger knows nothing of it", id, call.billed)
		}
	}
	spent, err := ledger.ReadSpent(ctx, w.disk, campaign)
	// An activity that was given up while it works may announce a call after its collaboration
	// has ended, by its marker, elsewhere, and the answer that a process was storing when it
	// died may come then: the ledger does not look there again.
	known := spent == charged || w.Faults.Doubled > 0 || w.Rivals.Awake > 0 && spent.NanoUSD < charged.NanoUSD || w.lateAnswers && spent.NanoUSD > charged.NanoUSD
	if err != nil || !known {
		w.violate("I4", "the ledger says %s, its answers and intents come to %s (%v)", spent, charged, err)
	}
	if log, err := money.ReadLog(ctx, w.disk, campaign); err != nil || log.Most.NanoUSD < answered.NanoUSD {
		w.violate("I4", "the budget's log says that at most %s were spent, the answers come to %s (%v)", log.Most, answered, err)
	}
	if charged.NanoUSD < w.service.billed.NanoUSD {
		w.violate("I4", "answers and intents come to %s, and %s were billed", charged, w.service.billed)
	}
}

func (w *world) checkAnswer(kept map[string]bool, a answers.Answer) {
	call, ok := w.service.calls[a.RequestID]
	if !ok {
		w.violate("I4", "an answer is stored as %s, which was never billed", a.RequestID)
		return
	}
	kept[a.RequestID] = true
	if told := a.WorstTokens == 0; told && money.Charge(price.In(plan.Tier(a.Tier)), a.Usage) != call.billed {
		w.violate("I4", "%s was billed %s, and is stored as %+v", a.RequestID, call.billed, a.Usage)
	}
}
