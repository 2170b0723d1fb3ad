package activities_test

import (
	"context"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// takenBack lists the intent of a call that is taken back before it is read.
type takenBack struct{ store.Store }

func (r takenBack) List(ctx context.Context, prefix string) ([]store.Object, error) {
	objects, err := r.Store.List(ctx, prefix)
	if err == nil && len(objects) > 0 && prefix == "answers/campaign=six/" {
		objects = append(objects, store.Object{Key: prefix + "gone.0/000001.0.intent-0.json"})
	}
	return objects, err
}

// verify works during a running campaign, in which calls are taken back.
func TestVerifyBesideARun(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	a := newActivities(s, saying(polite))
	take(t, a, ref(p, 0), 0)
	commit(t, a, ref(p, 0), task.Stopped)
	report, err := lake.Verify(ctx, takenBack{s}, "six")
	noError(t, err)
	same(t, report.Answers > 0, true)
	same(t, len(report.Findings), 0)
}
