package collaboration

import (
	"context"
	"errors"
	"fmt"

	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// rowLevel is how much of a collaboration makes rows: less where a plug-in fails on them.
type rowLevel int

const (
	bare     rowLevel = iota // that it was and what it paid: nothing that is plugged in is asked
	unvalued                 // all but scores and utilities
	complete
)

// CommitRows makes the rows of an ended collaboration and commits them: the most
// that can be made, which it returns. If that is not all, end says so.
func CommitRows(ctx context.Context, store store.Store, c *Collaboration, end *task.Ending) (commits.Marker,
	commits.Rows, error) {
	end.Failure = campaign.HidePaths(store, end.Ref.Campaign, end.Failure)
	level := complete
	if c.Session == nil {
		level = bare
	}
	for {
		rows, err := rowsOf(c, *end, level)
		if err == nil {
			var marker commits.Marker
			if marker, err = commits.Commit(ctx, store, rows); !errors.Is(err, commits.ErrUnfit) {
				return marker, rows, err
			}
		}
		if failure.IsUnasked(err) {
			return commits.Marker{}, rows, err
		}
		if level == bare {
			return commits.Marker{}, rows, failure.Fail(err)
		}
		MarkFailed(ctx, end, fmt.Errorf("its rows: %w", err))
		level--
	}
}

// MarkFailed makes a failure of an end.
func MarkFailed(ctx context.Context, end *task.Ending, err error) {
	if panicked, ok := errors.AsType[*failure.Panic](err); ok {
		panicked.Log(ctx)
	}
	end.Status, end.Failure = task.Failed, failure.Text(err)
}
