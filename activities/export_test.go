package activities

import (
	"context"

	"roundtable/activities/answers"
	"roundtable/envs"
	"roundtable/workflows/task"
)

// Keep is keep, for tests.
func (a *Activities) Keep(ctx context.Context, place answers.RunKey, t answers.Turn) (answers.Turn, error) {
	return a.caller.StoreTurn(ctx, place, t, "")
}

// AgeManifests makes a worker's copies of manifests older than it uses them.
func AgeManifests(a *Activities) { a.caller.Manifests.Expire() }

// ChangeEnv puts another environment in place of a collaboration's.
func ChangeEnv(a *Activities, ref task.Ref, change func(envs.Environment) envs.Environment) {
	c, err := a.plans.Load(context.Background(), ref.Campaign, ref.Revision)
	if err != nil {
		panic(err)
	}
	cond := c.Conditions[ref.Cell.Condition]
	cond.Environment = change(cond.Environment)
}

// Change puts another instance in place of a collaboration's.
func Change(a *Activities, ref task.Ref, change func(envs.Instance) envs.Instance) {
	c, err := a.live.Open(context.Background(), ref)
	if err != nil {
		panic(err)
	}
	c.Instance = change(c.Instance)
}
