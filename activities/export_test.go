package activities

import (
	"context"

	"roundtable/activities/answers"
	"roundtable/envs"
	"roundtable/workflows/task"
)

// Keep is keep, for tests.
func (a *Activities) Keep(ctx context.Context, place answers.RunKey, t answers.Turn) (answers.Turn, error) {
	return a.storeTurn(ctx, place, t)
}

// AgeManifests makes a worker's copies of manifests older than it goes by.
func AgeManifests(a *Activities) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for campaign, known := range a.manifests {
		known.read = known.read.Add(-manifestAge)
		a.manifests[campaign] = known
	}
}

// ChangeEnv puts another environment in the place of a collaboration's.
func ChangeEnv(a *Activities, ref task.Ref, change func(envs.Environment) envs.Environment) {
	c, err := a.campaign(context.Background(), ref.Campaign, ref.Revision)
	if err != nil {
		panic(err)
	}
	cond := c.conditions[ref.Cell.Condition]
	cond.env = change(cond.env)
}

// Change puts another instance in the place of a collaboration's.
func Change(a *Activities, ref task.Ref, change func(envs.Instance) envs.Instance) {
	c, err := a.open(context.Background(), ref)
	if err != nil {
		panic(err)
	}
	c.instance = change(c.instance)
}
