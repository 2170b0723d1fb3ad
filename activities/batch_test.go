package activities_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/workflows/catalogue"
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

func TestBatchIsOneObject(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("batch", 2, 3, "rule: plurality"))
	r := ref(p, 0)
	m := saying(polite)
	acts, err := do[[]task.Act](t, newActivities(s, m, instant), task.TakeMany, task.Turn{Ref: r})
	noError(t, err)
	same(t, len(acts), 18)
	same(t, m.count(), 18)
	same(t, len(s.holds("answers/")), 1)
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
	first, err := a.TakeMany(ctx, task.Turn{Ref: r})
	noError(t, err)
	for _, again := range []func() ([]task.Act, error){
		func() ([]task.Act, error) { return a.TakeMany(ctx, task.Turn{Ref: r}) },
		func() ([]task.Act, error) { return newActivities(s, m, instant).TakeMany(ctx, task.Turn{Ref: r}) },
	} {
		acts, err := again()
		noError(t, err)
		same(t, acts, first)
	}
	later, err := a.TakeMany(ctx, task.Turn{Ref: r, Entry: 7})
	noError(t, err)
	same(t, later, first[6:]) // entry 6 is a decision
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
	if _, err := a.TakeMany(ctx, task.Turn{Ref: r}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Fatalf("a batch that was not stored was reported: %v", err)
	}
	same(t, len(s.holds("answers/")), 0)
	s.refuse = nil
	acts, err := a.TakeMany(ctx, task.Turn{Ref: r})
	noError(t, err)
	if m.count() < 12+len(acts)-2 { // all was played again, but for decisions; a slow machine ends a batch early
		t.Errorf("%d questions were asked for %d acts", m.count(), len(acts))
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
		if r.Scene.Entry == 5 && other == nil {
			var err error
			other, err = newActivities(s, m, instant).TakeMany(ctx, task.Turn{Ref: ref(p, 0)})
			noError(t, err)
		}
		return polite(r)
	})
	acts, err := newActivities(s, slow, instant).TakeMany(ctx, task.Turn{Ref: r})
	noError(t, err)
	same(t, len(acts), 12)
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
	known, err := do[task.Recalled](t, a, task.Recall, r)
	noError(t, err)
	same(t, len(known.Acts), 3)
	same(t, known.Instant, true)
	_, err = do[[]task.Act](t, a, task.TakeMany, task.Turn{Ref: r, Entry: 3})
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
	session := must(p.Campaign.Conditions[0].Session(catalogue.Builtin(), 2, p.Campaign.TreatmentSeed(r.Cell)))
	batches := 0
	for ; session.Outcome() == nil; batches++ {
		acts, err := a.TakeMany(ctx, task.Turn{Ref: r, Entry: session.Pending()[0].Entry})
		noError(t, err)
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

// One whose model takes no time is over when its workflow asks what is known.
func TestRecallPlaysAndCommits(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("recall", 3, 2, "rule: plurality"))
	r := ref(p, 0)
	known, err := do[task.Recalled](t, newActivities(s, trader(0), instant), task.Recall, r)
	noError(t, err)
	same(t, known.Committed.Status, task.Succeeded)
	same(t, known.Committed.Calls, 18)
	silent := saying(func(model.Request) string { t.Error("a collaboration that has ended was played again"); return "" })
	again, err := do[task.Recalled](t, newActivities(s, silent, instant), task.Recall, r)
	noError(t, err)
	same(t, again.Committed, known.Committed)
}

// A live one goes on from its stored turns.
func TestRecallOfLiveTurns(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("live", 2, 2, "rule: plurality"))
	r := ref(p, 0)
	a := newActivities(s, saying(polite))
	want := []task.Act{{Entry: 0, Act: take(t, a, r, 0)}, {Entry: 1, Act: take(t, a, r, 1)}, {Entry: 3, Act: take(t, a, r, 3)}}
	for name, a := range map[string]func() (task.Recalled, error){
		"in memory": func() (task.Recalled, error) { return do[task.Recalled](t, a, task.Recall, r) },
		"again":     func() (task.Recalled, error) { return do[task.Recalled](t, newActivities(s, nil), task.Recall, r) },
	} {
		known, err := a()
		noError(t, err)
		same(t, known.Acts, want)
		same(t, fmt.Sprint(name, known.Committed == nil, known.Instant, known.Agents, known.Seed == p.Campaign.TreatmentSeed(r.Cell)), name+"true false 2 true")
		same(t, known.Condition.Protocol, p.Campaign.Conditions[0].Protocol)
	}
}
