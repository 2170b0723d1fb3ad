package activities_test

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

func TestReasks(t *testing.T) {
	t.Parallel()
	const bad, good = "no JSON at all", `{"target": [], "message": "hello"}`
	for name, c := range map[string]struct {
		reasks  int
		answers []string
		finish  string
		status  transcript.Status
		reason  string
	}{
		"malformed, then good":     {2, []string{bad, good}, "stop", transcript.Said, ""},
		"twice malformed":          {2, []string{bad, bad, good}, "stop", transcript.Said, ""},
		"malformed until the end":  {2, []string{bad, bad, bad}, "stop", transcript.Invalid, "it holds no JSON object"},
		"no re-asks":               {0, []string{bad}, "stop", transcript.Invalid, "it holds no JSON object"},
		"refusal":                  {2, []string{"I will not."}, "refusal", transcript.Invalid, "refusal"},
		"content filter":           {2, []string{""}, "content_filter", transcript.Invalid, "content_filter"},
		"cut short is asked again": {1, []string{good[:20], good[:20]}, "length", transcript.Invalid, "it was cut off after 10 tokens; answer more briefly"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLake(t)
			p := recordPlan(t, s, yaml("reasks", 2, 1, fmt.Sprint("reasks: ", c.reasks)))
			r := ref(p, 0)
			m := &fake{answer: func(r model.Request) (model.Response, error) {
				a := response(c.answers[r.Scene.Ask])
				a.FinishReason = c.finish
				return a, nil
			}}
			a := newActivities(s, m)
			same(t, take(t, a, r, 0).Status, c.status)
			same(t, take(t, newActivities(s, m), r, 0).Status, c.status)
			same(t, m.count(), len(c.answers))
			for i, asked := range m.asked {
				same(t, len(asked.Messages), 2)
				fault, first := asked.Messages[1].Content, m.asked[0].Messages[1].Content
				if !strings.HasPrefix(fault, first) || (i > 0) != strings.Contains(fault, "could not be used") || i > 0 && !strings.Contains(fault, `{"target": [`) {
					t.Errorf("ask %d does not say what was wrong, with the form filled in: %q", i, fault)
				}
				same(t, asked.IdempotencyKey, fmt.Sprintf("%s/0/%d", callPermit(p, r), i))
			}
			commit(t, a, r, task.Failed)
			all := rows(t, s, p, r)
			row := all.Turns[0]
			same(t, row.Asks, int32(len(c.answers)))
			same(t, row.Status, string(c.status))
			same(t, deref(row.InvalidReason), c.reason)
			same(t, len(all.Calls), len(c.answers))
			same(t, all.Collaborations[0].Asks, int32(len(c.answers)))
			same(t, all.Collaborations[0].InvalidTurns == 1, c.status == transcript.Invalid)
			same(t, row.AnswerHash, stored(t, s, p, r).Turns[0].Asks[len(c.answers)-1].SHA256)
		})
	}
}

// The turns and the money of a collaboration that fails between two asks are not lost.
func TestUnfinishedTurnIsCounted(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("between", 2, 1))
	r := ref(p, 0)
	m := &fake{answer: func(r model.Request) (model.Response, error) {
		if r.Scene.Ask == 1 {
			return model.Response{}, &model.Error{Class: model.Fail, Status: 400, Unbilled: true}
		}
		return response("no JSON"), nil
	}}
	a := newActivities(s, m)
	if _, err := a.TakeTurn(ctx, task.Turn{Ref: r}); err == nil {
		t.Fatal("the second ask failed and the turn did not")
	}
	result := commit(t, a, r, task.Failed)
	all := rows(t, s, p, r)
	same(t, len(all.Turns), 0) // it did not end
	same(t, statuses(all.Calls), "0.0.0 answered")
	same(t, result.Calls, 1)
	same(t, *all.Collaborations[0].CostUSD, costOfCall)
	same(t, result.CostUSD, costOfCall)
}
