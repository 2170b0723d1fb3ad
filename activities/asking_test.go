package activities_test

import (
	"fmt"
	"testing"

	"roundtable/activities/asking"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
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

// The line says whether the question is answered, by how many units, and what came of the cells it did not need.
func TestSummarySays(t *testing.T) {
	decided, open := until.Comparison{Verdict: "a"}, until.Comparison{Verdict: until.Open}
	for want, s := range map[string]asking.Summary{
		"the question is open: 0 of 0 comparisons decided after 0 of 1 unit":                                                                             {Of: 1},
		"the question is open: 1 of 2 comparisons decided after 3 of 4 units":                                                                            {Units: 3, Of: 4, Comparisons: []until.Comparison{decided, open}},
		"the question is answered: 1 of 1 comparison decided after 4 of 4 units; stopped: answered: 1 collaboration":                                     {Answered: true, Units: 4, Of: 4, Unneeded: 1, Comparisons: []until.Comparison{decided}},
		"the question is not answered by the whole plan: 0 of 1 comparison decided after 4 of 4 units":                                                   {Units: 4, Of: 4, Comparisons: []until.Comparison{open}},
		"the question is open: 0 of 0 comparisons decided after 1 of 2 units; cancelled: 1 collaboration that it needs, which `run --retry-failed` runs": {Units: 1, Of: 2, Cancelled: 1},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What has ended is complete, and no more; what was lost counts as ended only where it is named, and the numbers
// are those of the state.
func TestCompleteUnits(t *testing.T) {
	c, q := winner()
	s := storetest.NewMemory(map[string]string{})
	end(t, s, c, func(condition, replicate int) string {
		switch {
		case replicate < 3 || replicate == 3 && condition == 0:
			return task.Succeeded
		case replicate == 4:
			return task.Failed
		}
		return task.Stopped
	})
	r := asking.NewReader(s)
	for range 2 { // the second look is at what is remembered
		units, err := r.Complete(t.Context(), c, q)
		if err != nil || len(units) != 4 { // three, and the one whose cells have failed
			t.Errorf("%d units, %v", len(units), err)
		}
	}
	before, err := r.Read(t.Context(), c, q, nil)
	if err != nil {
		t.Fatal(err)
	}
	lost := before.Needs[0].Run
	if lost.Generation != 1 || before.Needs[0].Cell != (plan.Cell{Condition: 1, Replicate: 3}) {
		t.Fatalf("needed first: %+v", before.Needs[0])
	}
	after, err := r.Read(t.Context(), c, q, []string{lost.String()})
	if err != nil || after.Course.Units() <= before.Course.Units() || len(after.Needs) == 0 || after.Needs[0].Run == lost {
		t.Errorf("%v, then %v; %v", before.Summary(), after.Summary(), err)
	}
	if sum := before.Summary(); sum.Of != replicates || sum.Units != before.Course.Units() || sum.Answered || sum.Cancelled == 0 || sum.Unneeded != 0 {
		t.Errorf("%+v", sum)
	}
}
