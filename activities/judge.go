package activities

import (
	"context"
	"errors"

	"roundtable/activities/collaboration"
	"roundtable/activities/scoring"
	"roundtable/envs"
	"roundtable/workflows/task"
)

// judge has the final decision of a collaboration scored by its judge, and stores the
// judgement. Record finds it.
func (a *Activities) judge(ctx context.Context, ref task.Ref) error {
	playing, stop, err := a.untilHeld(ctx, ref)
	if err != nil {
		return err
	}
	defer stop()
	_, err = a.scoreDecision(playing, &task.Ending{Ref: ref, Status: task.Succeeded})
	return a.orHeld(playing, err)
}

// judgedScore returns the judge's score of a final decision.
func (a *Activities) judgedScore(ctx context.Context, ref task.Ref, c *collaboration.Collaboration,
	final envs.Proposal) (*float64, error) {
	instance, ok := c.Instance.(envs.Judged)
	if !ok {
		return nil, errors.New("the environment has nothing to show to a judge")
	}
	return a.judges.Score(ctx, scoring.Decision{
		Campaign: ref.Campaign, Generation: ref.Generation, Key: string(final), Judge: c.Condition.Judge,
		Case: instance.JudgeCase(final),
	})
}
