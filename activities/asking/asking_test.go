package asking_test

import (
	"fmt"
	"testing"

	"roundtable/activities/asking"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/until"
)

const replicates = 30

// winner is a campaign of rules a and b with a question.
func winner() (plan.Campaign, until.Question) {
	c := plan.Campaign{Name: "made-up", Replicates: replicates, Instances: []int{1, 1}, Conditions: []plan.Condition{{Rule: plan.Choice{Name: "a"}}, {Rule: plan.Choice{Name: "b"}}}}
	q := until.Question{Compare: "rule", Measure: until.Score, Method: until.Betting, High: 1, Level: .05, Ahead: 4}
	for _, condition := range c.Conditions {
		q.Levels = append(q.Levels, until.Level{Name: condition.Rule.Name, Members: []until.Member{{Condition: condition.ID(), Env: condition.EnvKey()}}})
	}
	return c, q
}

// end commits how the cells of both rules ended: a has won in those that succeeded.
func end(t *testing.T, s store.Store, c plan.Campaign, status func(condition, replicate int) string) {
	t.Helper()
	for i, condition := range c.Conditions {
		for r := range replicates {
			m := lake.Marker{Campaign: c.Name, Condition: condition.ID(), Collaboration: c.CollaborationID(plan.Cell{Condition: i, Replicate: r}), Status: status(i, r)}
			m.Files = map[string]lake.File{record.Collaborations: lake.FileOf(m.FileKey(record.Collaborations), 1, nil)}
			if m.Status == task.Succeeded {
				m.Measured = &lake.Measured{Outcome: new(float64(1 - i)), Decided: true, Rounds: 1}
			}
			data, err := lake.Seal(m.Key(), m)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.PutIfAbsent(t.Context(), m.Key(), data); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// requested is a lake whose runs without success are requested again.
func requested(t *testing.T, c plan.Campaign, q until.Question, status func(condition, replicate int) string) (before, after asking.State) {
	t.Helper()
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	end(t, s, c, status)
	if before, err = asking.NewReader(s).Read(t.Context(), c, q, nil); err != nil {
		t.Fatal(err)
	}
	if err := campaign.RequestRerun(t.Context(), s, c.Name); err != nil {
		t.Fatal(err)
	}
	if after, err = asking.NewReader(s).Read(t.Context(), c, q, nil); err != nil {
		t.Fatal(err)
	}
	return before, after
}

// Of an answered question the failed cells run again, and no others: what cancel has
// stopped is stopped once more, as another generation.
func TestRetryOfAnAnsweredQuestion(t *testing.T) {
	c, q := winner()
	before, after := requested(t, c, q, func(condition, replicate int) string {
		switch {
		case replicate < 20:
			return task.Succeeded
		case replicate == 25 && condition == 1:
			return task.Failed
		}
		return task.Stopped
	})
	if !before.Course.IsAnswered() || before.Course.Units() > 16 || !before.IsDone() || len(before.Stopped) > 0 || len(before.Ended) != 2*replicates {
		t.Fatalf("before: %v", before.Summary())
	}
	if len(after.Needs) != 1 || after.Needs[0].Cell != (plan.Cell{Condition: 1, Replicate: 25}) || after.Needs[0].Run.Generation != 1 {
		t.Errorf("needed: %v", after.Needs)
	}
	if len(after.Stopped) != 19 || after.Stopped[0].Run.Generation != 1 {
		t.Errorf("stopped: %v", after.Stopped)
	}
}

// Of an open question it is as if cancel had stopped nothing.
func TestRetryOfAnOpenQuestion(t *testing.T) {
	c, q := winner()
	before, after := requested(t, c, q, func(_, replicate int) string {
		if replicate < 3 {
			return task.Succeeded
		}
		return task.Stopped
	})
	if before.Course.Units() != 3 || before.Cancelled != 2*q.Ahead || before.IsDone() {
		t.Errorf("before: %v", before.Summary())
	}
	want := ""
	for r := range q.Ahead {
		for condition := range 2 {
			want += fmt.Sprint(plan.Cell{Condition: condition, Replicate: 3 + r}, 1)
		}
	}
	got := ""
	for _, n := range after.Needs {
		got += fmt.Sprint(n.Cell, n.Run.Generation)
	}
	if got != want || after.Cancelled != 0 || len(after.Stopped) != 2*(replicates-3-q.Ahead) {
		t.Errorf("needed %s, want %s; %d are stopped", got, want, len(after.Stopped))
	}
}
