package activities_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs"
	"roundtable/workflows/task"
)

// brittle is an environment with faults: it cannot read what begins with an
// opening brace, or cannot value anything.
type brittle struct {
	envs.Environment
	unread bool
}

func (b brittle) Instance(seed uint64, n int) (envs.Instance, error) {
	i, err := b.Environment.Instance(seed, n)
	return brittleInstance{i, b.unread}, err
}

type brittleInstance struct {
	envs.Instance
	unread bool
}

func (b brittleInstance) Parse(proposal []byte) (envs.Proposal, error) {
	if b.unread {
		panic("no such good")
	}
	return b.Instance.Parse(proposal)
}

func (brittleInstance) Utility(int, envs.Proposal) float64 { panic("worthless") }
func (brittleInstance) Score(envs.Proposal) envs.Score     { panic("worthless") }

// An answer that the environment panics on was paid for: it is stored before
// its collaboration ends.
func TestPanicKeepsTheAnswer(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	r := ref(p, 0)
	a := newActivities(s, saying(polite))
	activities.ChangeEnv(a, r, func(e envs.Environment) envs.Environment { return brittle{e, true} })
	take(t, a, r, 0)
	take(t, a, r, 1)
	_, err := do[any](t, a, task.TakeTurn, task.Turn{Ref: r, Entry: 2})
	same(t, application(t, err).Type(), task.ErrFail)
	same(t, strings.Contains(err.Error(), "panic: no such good"), true)
	commit(t, a, r, task.Failed)
	same(t, len(rows(t, s, p, r).Calls), 3)
}

// What cannot be valued ends as failed, with all its rows but their values.
func TestPanicInAScore(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	r := ref(p, 0)
	a := newActivities(s, saying(polite))
	activities.ChangeEnv(a, r, func(e envs.Environment) envs.Environment { return brittle{e, false} })
	same(t, playWhole(t, a, p, r).Status, task.Failed)
	all := rows(t, s, p, r)
	same(t, len(all.Turns) > 5, true)
	whole := all.Collaborations[0]
	same(t, *whole.Failure, "its rows: a bug in the program: panic: worthless")
	same(t, whole.Score == nil && whole.DecisionJSON != nil, true)
	same(t, whole.Calls, int32(6))
}

// faulty is an environment in which some methods panic, or some instance is none.
type faulty struct {
	envs.Environment
	missing error
	panics  string
}

func (f faulty) Instance(seed uint64, n int) (envs.Instance, error) {
	if f.panics == "Instance" {
		panic("no such instance")
	}
	i, err := f.Environment.Instance(seed, n)
	return faultyInstance{i, f.panics}, errors.Join(err, f.missing)
}

type faultyInstance struct {
	envs.Instance
	panics string
}

func (f faultyInstance) Agents() []envs.Agent {
	if f.panics == "Agents" {
		panic("nobody")
	}
	return f.Instance.Agents()
}

func (f faultyInstance) Score(p envs.Proposal) envs.Score {
	s := f.Instance.Score(p)
	if f.panics == "NaN" {
		s.Value = math.NaN()
	}
	return s
}

// A cell that cannot be begun, or of which no rows but its own can be made, has
// an end on record, with what was paid for it; it can be run again.
func TestFaultyCellsEndWithARow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faulty
		failure string
	}{
		"an instance that is none": {faulty{missing: errors.New("line 3 of the data is cut off")}, "instance 0 of the environment exchange: line 3 of the data is cut off"},
		"a panic in Instance":      {faulty{panics: "Instance"}, "a bug in the program: panic: no such instance"},
		"a panic in Agents":        {faulty{panics: "Agents"}, "a bug in the program: panic: nobody"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLake(t)
			p := six(t, s)
			r := ref(p, 0)
			take(t, newActivities(s, saying(polite)), r, 0) // of a time when it could be begun
			a := newActivities(s, saying(polite))
			activities.ChangeEnv(a, r, func(e envs.Environment) envs.Environment { c.Environment = e; return c.faulty })
			if name != "a panic in Agents" {
				_, err := do[task.RoundResult](t, a, task.PlayRound, task.Round{Ref: r})
				same(t, application(t, err).Type(), task.ErrFail)
			}
			result := commit(t, a, r, task.Failed)
			same(t, []string{result.Status, result.Failure}, []string{task.Failed, c.failure})
			all := rows(t, s, p, r)
			same(t, []int{len(all.Collaborations), len(all.Rounds), len(all.Turns), len(all.Ballots), len(all.Calls)}, []int{1, 0, 0, 0, 1})
			row := all.Collaborations[0]
			same(t, []string{row.Status, *row.Failure, row.InstanceID, row.Rule}, []string{task.Failed, c.failure, "", "plurality"})
			same(t, []int32{row.Instance, row.Replicate, row.Agents, row.RoundsPlanned, row.Calls}, []int32{0, 0, 2, 1, 1})
			same(t, *row.CostUSD, costOfCall)
			same(t, row.ConditionID, p.Campaign.Conditions[0].ID())

			same(t, commit(t, a, r, task.Failed), result) // a second end finds the same
			report := must(lake.Verify(ctx, s, "six"))
			same(t, []any{report.OK(), report.Commits}, []any{true, 1})
			noError(t, campaign.RequestRerun(ctx, s, "six"))
			same(t, survey(t, a, page(p, 0, 1)).Cells, []task.Outstanding{outstanding(p, 0, 1)})
		})
	}
}

// The cells of a cancelled campaign that cannot even be begun have rows as well.
func TestForgoneFaultyCells(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	r := ref(p, 0)
	a := newActivities(s, saying(polite))
	activities.ChangeEnv(a, r, func(e envs.Environment) envs.Environment { return faulty{e, nil, "Instance"} })
	_, err := do[struct{}](t, a, task.StopUnstarted, []task.Ref{r})
	noError(t, err)
	same(t, rows(t, s, p, r).Collaborations[0].Status, task.Failed)
}

// A score that is not a number ends its collaboration; without values, the tables hold it.
func TestScoreThatIsNoNumber(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	r := ref(p, 0)
	a := newActivities(s, saying(polite))
	activities.ChangeEnv(a, r, func(e envs.Environment) envs.Environment { return faulty{e, nil, "NaN"} })
	same(t, playWhole(t, a, p, r).Status, task.Failed)
	all := rows(t, s, p, r)
	same(t, len(all.Turns) > 5 && len(all.Rounds) == 1, true)
	same(t, strings.HasSuffix(*all.Collaborations[0].Failure, "column score: NaN is not a number that tables can hold"), true)
}
