package activities_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"roundtable/activities"
	"roundtable/activities/model"
	"roundtable/workflows/task"
)

// The log-probabilities of answers weigh votes: one sure agent outvotes two unsure ones. They are
// stored with the answers, so that another process makes the same rows and asks nobody.
func TestLogprobsWeighVotes(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, "name: weighed\nenv: {name: exchange, agents: 3}\nprotocol: {name: debate, rounds: 0}\n"+
		"rule: weighted\nmodel: test/model\ngenerate: {logprobs: true}\n")
	means := []float64{math.Log(0.4), math.Log(0.9), math.Log(0.45)}
	first := &fake{answer: func(r model.Request) (model.Response, error) {
		me := r.Scene.Situation.Agent
		a := response("I think so.\n" + allocation(r, me%2, 60))
		if r.Parameters.Logprobs {
			a.Logprob = &model.Logprob{Mean: means[me], Tokens: int64(10 + me)}
		}
		return a, nil
	}}
	r := ref(p, 0)
	playRounds(t, p, r, func(int) *activities.Activities { return newActivities(s, first) })
	later := &fake{answer: func(model.Request) (model.Response, error) { return model.Response{}, errors.New("asked again") }}
	commit(t, newActivities(s, later), r, task.Succeeded)
	all := rows(t, s, p, r)
	for i, mean := range means {
		turn := all.Turns[i]
		if turn.MeanLogprob == nil || *turn.MeanLogprob != mean || *turn.LogprobTokens != int64(10+i) {
			t.Errorf("turn %d has %v of %v tokens, want %v of %d", i, turn.MeanLogprob, turn.LogprobTokens, mean, 10+i)
		}
	}
	if got := *all.Collaborations[0].DecisionKey; got != *all.Turns[1].ProposalKey || got == *all.Turns[0].ProposalKey {
		t.Errorf("decided for %s, want the proposal of the surest agent: %s", got, fmt.Sprint(all.Turns[1].ProposalKey))
	}
}
