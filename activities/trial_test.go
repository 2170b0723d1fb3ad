package activities_test

import (
	"strings"
	"testing"

	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// The first calls of a model that all fail alike say that it cannot be asked,
// whatever the status: the campaign pauses, and no cell is lost.
func TestFirstCallsThatFailAlikePause(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("trial", 2, 1))
	answers := false
	m := &fake{answer: func(r model.Request) (model.Response, error) {
		if answers {
			return response(polite(r)), nil
		}
		return model.Response{}, &model.Error{Class: model.Fail, Status: 400, Code: "no_db_connection", Message: "No connected db.", Unbilled: true}
	}}
	a := newActivities(s, m)
	ask := func(entry int) (kind, text string) {
		_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, 0), Entry: entry})
		if err == nil {
			return "", ""
		}
		app := application(t, err)
		return app.Type(), app.Message()
	}
	for range 2 {
		if kind, _ := ask(0); kind != "retry" {
			t.Fatalf("a first call that fails ends as %s", kind)
		}
	}
	kind, text := ask(1)
	if kind != task.ErrPause || !strings.Contains(text, "No connected db") || !strings.Contains(text, "first 3 calls") {
		t.Errorf("the third first call that fails ends as %s: %s", kind, text)
	}
	answers = true
	if kind, _ := ask(0); kind != "" {
		t.Fatalf("a model that answers ends as %s", kind)
	}
	answers = false
	if kind, _ := ask(1); kind != task.ErrFail {
		t.Errorf("a refusal of a model that has answered ends as %s", kind)
	}
}

// The meter counts as retries what is made again, counts answers of the cache,
// and forgets what went wrong once a call succeeds.
func TestMeter(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	first, second := recordPlan(t, s, yaml("first", 2, 1, shares)), recordPlan(t, s, yaml("second", 2, 1, shares))
	var failure error
	m := &fake{answer: func(r model.Request) (model.Response, error) {
		if failure != nil {
			return model.Response{}, failure
		}
		return response(polite(r)), nil
	}}
	a := newActivities(s, m)
	turn := func(in task.Turn) calls.Reading {
		_, _ = do[transcript.Act](t, a, task.TakeTurn, in)
		return a.Meter()
	}
	failure = &model.Error{Class: model.Retry, Status: 503}
	if got := turn(task.Turn{Ref: ref(first, 0)}); got.Retries != 1 || got.Trouble == nil {
		t.Errorf("a call that is made again: %+v", got)
	}
	failure = nil
	if got := turn(task.Turn{Ref: ref(first, 0)}); got.Calls != 1 || got.Trouble != nil {
		t.Errorf("after a success: %+v", got)
	}
	failure = &model.Error{Class: model.Fail, Status: 400, Code: "context_length_exceeded"}
	if got := turn(task.Turn{Ref: ref(first, 0), Entry: 1}); got.Retries != 1 || got.Failures != 1 || got.Trouble != nil {
		t.Errorf("a call that is not made again: %+v", got)
	}
	failure = nil
	if got := turn(task.Turn{Ref: ref(second, 0)}); got.Cached != 1 || got.Calls != 1 {
		t.Errorf("an answer from the cache: %+v", got)
	}
}
