package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/temporal"

	"roundtable/activities/collaboration"
	"roundtable/activities/failure"
	"roundtable/activities/judging"
	"roundtable/envs"
	"roundtable/workflows/task"
)

// Judge has the final decision of a collaboration scored, where a judge scores, and
// stores the judgement. Record finds it.
func (a *Activities) Judge(ctx context.Context, ref task.Ref) (struct{}, error) {
	_, err := a.scored(ctx, &task.Ending{Ref: ref, Status: task.Succeeded})
	return struct{}{}, err
}

// judged returns the judge's score of a final decision, trying again while that can
// help. An interruption of the collaboration lets a call under way come in and no
// other begin.
func (a *Activities) judged(ctx context.Context, ref task.Ref, c *collaboration.Collaboration, final envs.Proposal) (*float64, error) {
	instance, ok := c.Instance.(envs.Judged)
	if !ok {
		return nil, errors.New("the environment has nothing to show to a judge")
	}
	d := judging.Decision{Campaign: ref.Campaign, Generation: ref.Generation, Key: string(final), Judge: c.Condition.Judge, Case: instance.JudgeCase(final)}
	playing, end := a.live.Begin(ctx, ref)
	defer end()
	var unusable failure.Unusable
	score, err := patiently(playing, playing, d, func(ctx context.Context, d judging.Decision) (*float64, error) {
		score, err := a.judges.Score(ctx, d)
		if errors.As(err, &unusable) {
			return nil, nil
		}
		return score, err
	})
	switch {
	case unusable.Err != nil:
		return nil, unusable
	case temporal.IsCanceledError(err) && ctx.Err() == nil:
		return nil, errInterrupted
	}
	return score, err
}

// errInterrupted is a judgement that a pause kept from being asked for. It is not
// tried again, but the collaboration is played on if the pause ends.
var errInterrupted = errors.New("interrupted before a judge was asked")
