package activities_test

import (
	"errors"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

const plane = "name: plane\nenv: robots\nprotocol: {name: consensus, rounds: 3}\nmodel: test/model\n"

// robot is a scripted agent that averages.
func robot() model.Model {
	env := must(plan.Condition{Env: plan.Choice{Name: "robots"}}.BuildEnv(catalogue.Builtin(), catalogue.Needs{}))
	return must(scripted.New(scripted.Params{}, must(env.Policy("average", func(any) error { return nil }))))
}

// What the environment gives is not stored and found again: the rows are the same
// played by one worker, by workers in turn, and at once.
func TestGiven(t *testing.T) {
	t.Parallel()
	digests := map[string]string{}
	for _, name := range []string{"one", "in turn", "at once"} {
		s := newLake(t)
		p := recordPlan(t, s, plane)
		r := ref(p, 0)
		workers := []*activities.Activities{newActivities(s, robot(), simulated), newActivities(s, robot(), simulated)}
		switch name {
		case "one":
			playRounds(t, p, r, func(int) *activities.Activities { return workers[0] })
			same(t, len(stored(t, s, p, r).Turns), 9)
		case "in turn":
			playRounds(t, p, r, func(round int) *activities.Activities { return workers[round%2] })
		case "at once":
			playAtOnce(t, newActivities(s, robot(), simulated, instant), r)
		}
		commit(t, workers[1], r, task.Succeeded)
		digests[name] = marker(t, s, p, r).Digest
	}
	for name, digest := range digests {
		same(t, name+" "+digest, name+" "+digests["one"])
	}
}

// stone is a world in which nothing moves.
type stone struct{ envs.World }

func (stone) Move(int, envs.State, envs.Proposal) (envs.State, error) {
	return envs.State{}, errors.New("it is a stone")
}

// What the environment cannot give ends the collaboration with a reason; the
// answers that it should have moved by are stored.
func TestStuck(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, plane)
	r := ref(p, 0)
	a := newActivities(s, robot())
	activities.Change(a, r, func(i envs.Instance) envs.Instance { return stone{i.(envs.World)} })
	_, err := a.PlayRound(ctx, task.Round{Ref: r})
	if err == nil || !strings.Contains(err.Error(), "entry 6: it is a stone") {
		t.Fatal(err)
	}
	same(t, len(stored(t, s, p, r).Turns), 3)
	if failure.Final(err) == nil {
		t.Errorf("it is tried again: %v", err)
	}
}
