package activities

import (
	"context"
	"errors"
	"fmt"

	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/workflows/task"
)

// rowLevel is how much of a collaboration makes rows: less where a plug-in fails on them.
type rowLevel int

const (
	bare     rowLevel = iota // that it was and what it paid: nothing that is plugged in is asked
	unvalued                 // all but scores and utilities
	complete
)

// Record commits the rows of an ended collaboration. They are made from the
// store alone, so that whoever makes them makes the same. What cannot be begun,
// played, counted or valued has ended, too: as failed, with the rows that can be made.
func (a *Activities) Record(ctx context.Context, end task.Ending) (task.Result, error) {
	c, err := a.load(ctx, end.Ref)
	var broken failure.Unplayable
	switch {
	case errors.As(err, &broken):
		markFailed(ctx, &end, err)
	case err != nil:
		return task.Result{}, err
	}
	marker, err := a.commit(ctx, c, &end)
	a.live.Remove(end.Ref)
	if errors.Is(err, commits.ErrConflict) {
		err = failure.Fail(err)
	}
	result := ResultOf(marker)
	result.Failure = end.Failure
	return result, err
}

// commit makes the rows and commits them: the most that can be made.
func (a *Activities) commit(ctx context.Context, c *collaboration, end *task.Ending) (commits.Marker, error) {
	extent := complete
	if c.session == nil {
		extent = bare
	}
	for {
		rows, err := rowsOf(c, *end, extent)
		if err == nil {
			var marker commits.Marker
			if marker, err = commits.Commit(ctx, a.config.Store, rows); !errors.Is(err, commits.ErrUnfit) {
				return marker, err
			}
		}
		if extent == bare {
			return commits.Marker{}, failure.Fail(err)
		}
		markFailed(ctx, end, fmt.Errorf("its rows: %w", err))
		extent--
	}
}

// markFailed makes a failure of an end.
func markFailed(ctx context.Context, end *task.Ending, err error) {
	if fault, ok := errors.AsType[*failure.Panic](err); ok {
		fault.Log(ctx)
	}
	end.Status, end.Failure = task.Failed, failure.Text(err)
}
