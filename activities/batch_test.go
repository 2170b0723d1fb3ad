package activities_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// changing answers as polite does, but proposes something else at every ask.
func changing() *fake {
	var n atomic.Int64
	return saying(func(r model.Request) string {
		if r.Scene.Format == transcript.FormatProposal {
			return proposing(allocation(r, 0, int(n.Add(1))))
		}
		return polite(r)
	})
}

// playBatch plays as many rounds of instantaneous turns as fit into a batch.
func playBatch(t *testing.T, a *activities.Activities, r task.Ref, from int) []task.Act {
	t.Helper()
	played, err := do[task.RoundResult](t, a, task.PlayRound, task.Round{Ref: r, From: from})
	noError(t, err)
	return played.Acts
}

func TestBatchIsOneObject(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("batch", 2, 3, "rule: plurality"))
	r := ref(p, 0)
	m := saying(polite)
	a := newActivities(s, m, instant)
	acts, batches := playBatch(t, a, r, 0), 1
	for ; len(acts) < 18; batches++ { // a slow machine ends a batch early
		acts = playBatch(t, a, r, 0)
	}
	same(t, m.count(), 18)
	same(t, len(s.holds("answers/")), batches)
	for i, turn := range stored(t, s, p, r).Turns {
		same(t, task.Act{Entry: turn.Entry, Act: turn.Act}, acts[i])
		same(t, turn.Done, true)
	}
}

// The worker stored a batch and died before it could say so.
func TestBatchThatWasNotReportedIsNotPlayedAgain(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("unreported", 2, 2, "rule: plurality"))
	r := ref(p, 0)
	m := changing()
	a := newActivities(s, m, instant)
	first := playBatch(t, a, r, 0)
	for len(first) < 12 { // a slow machine ends a batch early
		first = playBatch(t, a, r, 0)
	}
	same(t, playBatch(t, a, r, 0), first)
	same(t, playBatch(t, newActivities(s, m, instant), r, 0), first)
	same(t, playBatch(t, a, r, 7), first[6:]) // entry 6 is a decision
	same(t, m.count(), 12)
}

// Turns that could not be stored never happened.
func TestBatchThatCannotBeStoredIsForgotten(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("forgotten", 2, 2, "rule: plurality"))
	r := ref(p, 0)
	s.refuse = func(key string) error {
		if strings.HasSuffix(key, ".batch.json") {
			return errors.New("no space left on device")
		}
		return nil
	}
	m := changing()
	a := newActivities(s, m, instant)
	if _, err := a.PlayRound(ctx, task.Round{Ref: r}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Fatalf("a batch that was not stored was reported: %v", err)
	}
	same(t, len(s.holds("answers/")), 0)
	s.refuse = nil
	asked := m.count() // a slow machine ends a batch early
	acts := playBatch(t, a, r, 0)
	if again := m.count() - asked; again < len(acts)-2 { // all was played again, but for decisions
		t.Errorf("%d questions were asked again for %d acts", again, len(acts))
	}
	for i, turn := range stored(t, s, p, r).Turns {
		same(t, task.Act{Entry: turn.Entry, Act: turn.Act}, acts[i])
	}
}

// Two workers play the same turns at once: the first stored batch wins on both.
func TestTwoWorkersReportOneBatch(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("batches", 2, 2, "rule: plurality"))
	r := ref(p, 0)
	m := changing()
	var other []task.Act
	slow := saying(func(r model.Request) string {
		for again := r.Scene.Entry == 5 && other == nil; again; again = len(other) < 12 { // a slow machine ends a batch early
			other = playBatch(t, newActivities(s, m, instant), ref(p, 0), 0)
		}
		return polite(r)
	})
	a := newActivities(s, slow, instant)
	acts := playBatch(t, a, r, 0)
	for len(acts) < 12 {
		acts = playBatch(t, a, r, 0)
	}
	same(t, acts, other)
}

// An instant model that fails has its earlier turns kept; the error comes with the next batch.
func TestBatchUpToAnError(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("upto", 2, 2, "rule: plurality"))
	r := ref(p, 0)
	m := &fake{answer: func(r model.Request) (model.Response, error) {
		if r.Scene.Entry == 3 {
			return model.Response{}, &model.Error{Class: model.Fail, Message: "no such recording"}
		}
		return response(polite(r)), nil
	}}
	a := newActivities(s, m, instant)
	same(t, len(playBatch(t, a, r, 0)), 3)
	_, err := do[task.RoundResult](t, a, task.PlayRound, task.Round{Ref: r, From: 3})
	if app := application(t, err); app.Type() != task.ErrFail || !strings.Contains(app.Message(), "no such recording") {
		t.Fatal(err)
	}
	commit(t, a, r, task.Failed)
	same(t, len(rows(t, s, p, r).Turns), 3)
}

// Long collaborations come in several batches, so that none keeps a cancellation waiting.
func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("long", 2, 60, "rule: plurality"))
	r := ref(p, 0)
	a := newActivities(s, saying(func(r model.Request) string { time.Sleep(time.Millisecond); return polite(r) }), instant)
	session := sessionOf(p, r)
	batches := 0
	for ; session.Outcome() == nil; batches++ {
		acts := playBatch(t, a, r, session.Pending()[0].Entry)
		if len(acts) == 0 {
			t.Fatal("an empty batch")
		}
		for _, act := range acts {
			noError(t, session.Record(act.Entry, act.Act))
		}
	}
	same(t, len(s.holds("batch.json")), batches)
	if batches < 2 {
		t.Fatalf("%d batches", batches)
	}
}

// One whose model takes no time is played and committed without a workflow; one that
// has ended is not played again, however it is asked for.
func TestPlayThroughCommits(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("through", 3, 2, "rule: plurality"))
	r := ref(p, 0)
	ended := playAtOnce(t, newActivities(s, trader(0), instant), r)
	same(t, ended.Status, task.Succeeded)
	same(t, ended.Calls, 18)
	silent := saying(func(model.Request) string { t.Error("a collaboration that has ended was played again"); return "" })
	known, err := do[task.RoundResult](t, newActivities(s, silent, instant), task.PlayRound, task.Round{Ref: r})
	noError(t, err)
	same(t, *known.Committed, ended)
	same(t, playAtOnce(t, newActivities(s, silent, instant), r), ended)
}

// One that cannot be played to its end is left to a workflow of its own, and keeps
// none of the others waiting.
func TestPlayThroughLeavesWhatFails(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("leaves", 2, 1, "rule: plurality", "replicates: 2"))
	m := &fake{answer: func(r model.Request) (model.Response, error) {
		if r.Scene.Turn.Replicate == 0 {
			return model.Response{}, &model.Error{Class: model.Fail, Message: "no such recording"}
		}
		return response(polite(r)), nil
	}}
	batch := task.Batch{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision()}
	for cell := range 2 {
		o := outstanding(p, cell, 0)
		o.Instant = true
		batch.Cells = append(batch.Cells, o)
	}
	played, err := do[task.Played](t, newActivities(s, m, instant), task.PlayThrough, batch)
	noError(t, err)
	same(t, played.Count, []int{1})
	same(t, played.Ended[0].Status, task.Succeeded)
	same(t, played.Left, []task.Outstanding{outstanding(p, 0, 0)}) // not Instant any more
}

// A limit of tokens holds for models that take no time, too: their collaborations are
// played as all others, call by call.
func TestTokensOfInstantModelsAreCapped(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("capped", 3, 2, "rule: plurality"))
	limit(t, s, p, plan.Limits{Tokens: 3000})
	free := func(_ *activities.Config, p *model.Provider) { p.Endpoint = "" }
	a, r := newActivities(s, trader(0), instant, free), ref(p, 0)
	left := outstanding(p, 0, 0)
	left.Instant = true
	played, err := do[task.Played](t, a, task.PlayThrough, task.Batch{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision(), Cells: []task.Outstanding{left}})
	noError(t, err)
	same(t, played.Left, []task.Outstanding{outstanding(p, 0, 0)})
	for range 18 {
		if _, err = a.PlayRound(t.Context(), task.Round{Ref: r}); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "budget reached: ") || !strings.Contains(err.Error(), "`roundtable resume capped --tokens N` continues") {
		t.Errorf("PlayRound says %v", err)
	}
	spent, err := ledger.ReadSpent(t.Context(), s, p.Campaign.Name)
	noError(t, err)
	if spent.Tokens == 0 || spent.Tokens > 3000 {
		t.Errorf("%d tokens spent", spent.Tokens)
	}
}
