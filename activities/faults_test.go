package activities_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// asker returns a function that takes an entry of a campaign and says how that ended; empty
// if it was answered.
func asker(t *testing.T, a *activities.Activities, p campaign.Plan) func(cell, entry int) (kind, text string) {
	return func(cell, entry int) (string, string) {
		_, err := do[transcript.Act](t, a, task.TakeTurn, task.Turn{Ref: ref(p, cell), Entry: entry})
		if err == nil {
			return "", ""
		}
		app := application(t, err)
		return app.Type(), app.Message()
	}
}

func refusal(model.Request) error {
	return &model.Error{Class: model.Fail, Fault: model.Refused, Status: 400, Code: "no_db_connection", Message: "No connected db.", Unbilled: true}
}

// failingWhere is a model that fails where is says so, and answers the rest.
func failingWhere(fails func(model.Request) bool, failure func(model.Request) error) *fake {
	return &fake{answer: func(r model.Request) (model.Response, error) {
		if fails(r) {
			return model.Response{}, failure(r)
		}
		if r.Scene == nil { // the check
			return response("yes"), nil
		}
		return response(polite(r)), nil
	}}
}

// The first calls of a model that all fail alike say that it cannot be asked,
// whatever the status: the campaign pauses, and no cell is lost.
func TestFirstCallsThatFailAlikePause(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("trial", 2, 1))
	ask := asker(t, newActivities(s, failingWhere(func(model.Request) bool { return true }, refusal)), p)
	for range 2 {
		if kind, _ := ask(0, 0); kind != "retry" {
			t.Fatalf("a first call that fails ends as %s", kind)
		}
	}
	kind, text := ask(0, 1)
	if kind != task.ErrPause || !strings.Contains(text, "No connected db") || !strings.Contains(text, "first 3 calls") {
		t.Errorf("the third first call that fails ends as %s: %s", kind, text)
	}
}

// A prompt that is refused again and again, while others are answered, fails its collaboration,
// with the service's words. If nothing is answered any more, the campaign pauses.
func TestWhoseFault(t *testing.T) {
	t.Parallel()
	broken := func(model.Request) error {
		return &model.Error{Class: model.Retry, Fault: model.Broken, Status: 500, Code: "peg", Message: "no format", Unbilled: true}
	}
	useless := func(model.Request) error {
		return &model.Error{Class: model.Retry, Fault: model.Useless, Status: 200, Code: "no_choices", Message: "no choices"}
	}
	unpaid := func(model.Request) error {
		return &model.Error{Class: model.Pause, Fault: model.Unpaid, Status: 500, Code: "x", Message: "no credit", Unbilled: true}
	}
	for name, c := range map[string]struct {
		failure func(model.Request) error
		all     bool // prompts fail, also the check's
		want    string
		after   int // tries of the prompt
		text    string
	}{
		"one prompt is refused":    {refusal, false, task.ErrFail, 3, "other prompts were answered"},
		"all are refused":          {refusal, true, task.ErrPause, 3, "no other prompt is answered"},
		"one prompt breaks it":     {broken, false, task.ErrFail, 6, "other prompts were answered"},
		"it is broken":             {broken, true, "retry", 9, "no format"},
		"one prompt has no answer": {useless, false, task.ErrFail, 4, "other prompts were answered"},
		"nothing has an answer":    {useless, true, task.ErrPause, 4, "no other prompt is answered"},
		"one prompt is not paid":   {unpaid, false, task.ErrPause, 1, "no credit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLake(t)
			p := recordPlan(t, s, yaml("fault", 2, 1))
			fails := false
			m := failingWhere(func(r model.Request) bool { return fails && (c.all || r.Scene != nil && r.Scene.Entry == 1) }, c.failure)
			ask := asker(t, newActivities(s, m), p)
			if kind, _ := ask(0, 0); kind != "" {
				t.Fatalf("the first call ends as %s", kind)
			}
			fails = true
			for try := 1; try <= c.after; try++ {
				kind, text := ask(0, 1)
				if want := map[bool]string{true: c.want, false: "retry"}[try == c.after]; kind != want || try == c.after && !strings.Contains(text, c.text) {
					t.Fatalf("try %d ends as %s, want %s: %s", try, kind, want, text)
				}
			}
		})
	}
}

// Refusals of different prompts that are alike, with no answer between them, make one look
// whether anything is answered still: no cell has failed by then.
func TestFewRefusalsAlikePause(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("alike", 2, 8))
	fails := false
	ask := asker(t, newActivities(s, failingWhere(func(model.Request) bool { return fails }, refusal)), p)
	if kind, _ := ask(0, 0); kind != "" {
		t.Fatalf("the first call ends as %s", kind)
	}
	fails = true
	var kinds []string
	for cell := 1; cell <= 5; cell++ {
		kind, _ := ask(cell, 0)
		kinds = append(kinds, kind)
	}
	same(t, kinds, []string{"retry", "retry", "retry", "retry", task.ErrPause})
}

// A request that no prompt fits into, as by max_tokens near the model's context, loses few cells: the
// campaign pauses with the service's words, whether the check is answered or not. Where the model has
// answered a prompt, too long ones fail alone, however many.
func TestFewRejectionsAlikePause(t *testing.T) {
	t.Parallel()
	tooLong := func(model.Request) error {
		return &model.Error{Class: model.Fail, Fault: model.Rejected, Status: 400, Code: "context_length_exceeded",
			Message: "at most 8192 tokens", Unbilled: true}
	}
	for name, c := range map[string]struct {
		answered, checks bool // the first prompt; checks
		last             string
		text             string
	}{
		"no prompt, no check":       {false, false, task.ErrPause, "no other prompt is answered"},
		"no prompt":                 {false, true, task.ErrPause, "max_tokens"},
		"no prompt after the first": {true, false, task.ErrPause, "no other prompt is answered"},
		"some prompts":              {true, true, task.ErrFail, "8192"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLake(t)
			p := recordPlan(t, s, yaml("long", 2, 8))
			fails := !c.answered
			m := failingWhere(func(r model.Request) bool { return fails && (!c.checks || r.Scene != nil) }, tooLong)
			ask := asker(t, newActivities(s, m), p)
			if c.answered {
				if kind, _ := ask(0, 0); kind != "" {
					t.Fatalf("the first call ends as %s", kind)
				}
				fails = true
			}
			for cell := 1; cell <= 5; cell++ {
				kind, text := ask(cell, 0)
				want := map[bool]string{true: c.last, false: task.ErrFail}[cell == 5]
				if kind != want || !strings.Contains(text, "at most 8192 tokens") || cell == 5 && !strings.Contains(text, c.text) {
					t.Errorf("rejection %d ends as %s: %s", cell, kind, text)
				}
			}
		})
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

// listing is a model that is unknown to a service that says which it has.
type listing struct{ names []string }

func (l listing) Complete(context.Context, model.Request) (model.Response, error) {
	return model.Response{}, &model.Error{Class: model.Pause, Fault: model.Missing, Status: 404, Code: "model_not_found", Message: "The model x does not exist", Unbilled: true}
}

func (l listing) Models(context.Context) ([]string, error) { return l.names, nil }

// The check of an unknown model shows which there are.
func TestCheckListsModels(t *testing.T) {
	t.Parallel()
	many := make([]string, 25)
	for i := range many {
		many[i] = fmt.Sprintf("m%02d", i)
	}
	for want, names := range map[string][]string{
		"does not exist. The service has llama3, qwen3:8b": {"qwen3:8b", "llama3"},
		"m18, m19 and 5 more":                              many,
		"The model x does not exist":                       nil,
	} {
		s := newLake(t)
		p := recordPlan(t, s, yaml("listed", 2, 1))
		a := newActivities(s, saying(polite))
		_, err := a.Check(ctx, p.Campaign.Name, model.Provider{Model: listing{names}, Name: "openai/x", Account: "x"}, calls.CheckOptions{})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want …%s", err, want)
		}
	}
}
