package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/setup"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// endedResult returns how a cell's generation ended; nil if it has not.
func (a *Activities) endedResult(ctx context.Context, c *setup.Campaign, ref task.Ref) (*task.Result, error) {
	cell := c.Campaign
	key := lake.Marker{Campaign: cell.Name, Collaboration: c.CollaborationID(ref), Generation: ref.Generation}.Key()
	if _, err := a.config.Store.Head(ctx, key); err != nil {
		return nil, store.IgnoreMissing(err)
	}
	marker, err := lake.ReadMarker(ctx, a.config.Store, key)
	if err != nil {
		return nil, err
	}
	result := ledger.ResultOf(marker.Outcome())
	return &result, nil
}

// StopUnstarted ends cells that were never started, with a row that says so.
func (a *Activities) StopUnstarted(ctx context.Context, refs []task.Ref) (struct{}, error) {
	for _, ref := range refs {
		end := task.Ending{Ref: ref, Status: task.Stopped, Failure: "cancelled before it began"}
		if _, err := a.Record(ctx, end); err != nil {
			return struct{}{}, err
		}
	}
	return struct{}{}, nil
}

// Compact merges a campaign's committed rows into full batches, then writes the card of its data
// set.
func (a *Activities) Compact(ctx context.Context, campaign string) (struct{}, error) {
	return struct{}{}, a.compact(ctx, campaign, false)
}

// compact makes all batches there are; a final one may be small.
func (a *Activities) compact(ctx context.Context, campaign string, final bool) error {
	if err := a.compacting.Acquire(ctx, 1); err != nil {
		return err
	}
	defer a.compacting.Release(1)
	if err := commits.SumUp(ctx, a.config.Store, campaign); err != nil {
		return err
	}
	began := time.Now()
	n, err := commits.CompactAll(ctx, a.config.Store, campaign, final)
	if err == nil && (n > 0 || final) {
		err = commits.WriteCard(ctx, a.config.Store, campaign)
		a.config.Listeners.Compacted(campaign, n, time.Since(began))
	}
	if errors.Is(err, commits.ErrConflict) {
		err = failure.Fail(err)
	}
	return err
}

// Seal counts how all cells ended. If all have, it compacts the remaining rows and writes the
// _SUCCESS object with the revision and the digest of the rows.
func (a *Activities) Seal(ctx context.Context, s task.Sealing) (task.Surveyed, error) {
	all, err := a.Survey(ctx, task.Page{Campaign: s.Campaign, Revision: s.Revision, Limit: 1 << 30})
	if err != nil || len(all.Cells) > 0 {
		all.Cells = nil
		return all, err
	}
	if err := a.compact(ctx, s.Campaign, true); err != nil {
		return all, err
	}
	markers, err := lake.Committed(ctx, a.config.Store, s.Campaign)
	if err != nil {
		return all, err
	}
	if len(markers) < all.Total { // each was read by its name
		return all, fmt.Errorf("the lake lists %d of %d collaborations of %s that have ended; it is asked again",
			len(markers), all.Total, s.Campaign)
	}
	success := lake.Success{Revision: s.Revision, Digest: lake.Digest(markers)}
	return all, a.config.Store.Replace(ctx, lake.SuccessKey(s.Campaign), success.Bytes(), "")
}
