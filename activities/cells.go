package activities

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/recorded"
	"roundtable/activities/setup"
	"roundtable/analysis/lake"
	"roundtable/workflows/task"
)

// ended returns how a cell's generation ended; nil if it has not.
func (a *Activities) ended(ctx context.Context, c *setup.Campaign, ref task.Ref) (*task.Result, error) {
	cell := c.Campaign
	key := lake.Marker{Campaign: cell.Name, Collaboration: c.CollaborationID(ref), Generation: ref.Generation}.Key()
	if _, err := a.config.Store.Head(ctx, key); err != nil {
		return nil, failure.IgnoreMissing(err)
	}
	marker, err := lake.ReadMarker(ctx, a.config.Store, key)
	if err != nil {
		return nil, err
	}
	result := ledger.ResultOf(marker)
	return &result, nil
}

// StopUnstarted ends cells that were never started: their row says so.
func (a *Activities) StopUnstarted(ctx context.Context, refs []task.Ref) (struct{}, error) {
	for _, ref := range refs {
		end := task.Ending{Ref: ref, Status: task.Stopped, Failure: "cancelled before it began"}
		if _, err := a.Record(ctx, end); err != nil {
			return struct{}{}, err
		}
	}
	return struct{}{}, nil
}

// Survey finds the next cells that have not ended, and sums up those passed over.
func (a *Activities) Survey(ctx context.Context, p task.Page) (task.Surveyed, error) {
	camp, err := a.plans.Load(ctx, p.Campaign, p.Revision)
	if err != nil {
		return task.Surveyed{}, err
	}
	markers, err := lake.Committed(ctx, a.config.Store, p.Campaign)
	if err != nil {
		return task.Surveyed{}, err
	}
	again, err := recorded.ReadRerun(ctx, a.config.Store, p.Campaign)
	if err != nil {
		return task.Surveyed{}, err
	}
	latest := make(map[string]lake.Marker, len(markers))
	for _, m := range markers {
		latest[m.Collaboration] = m
	}
	found := task.Surveyed{Next: p.From, Total: camp.Campaign.Size()}
	if p.Until > 0 {
		found.Total = min(found.Total, p.Until)
	}
	order := camp.Campaign.Order()
	for ; found.Next < found.Total && len(found.Cells) < p.Limit; found.Next++ {
		cell := order.Cell(found.Next)
		id := camp.Campaign.CollaborationID(cell)
		m, ended := latest[id]
		generation := 0
		if ended && !again[m.Run()] {
			found.Add(ledger.ResultOf(m))
			continue
		}
		if ended {
			generation = m.Generation + 1
		}
		found.Cells = append(found.Cells, task.Outstanding{
			ID: fmt.Sprintf("%s.%d", id, generation), Cell: cell, Generation: generation,
			Instant: camp.Conditions[cell.Condition].IsInstant(),
		})
	}
	return found, nil
}

// Await waits for a collaboration that an earlier run of its campaign started.
func (a *Activities) Await(ctx context.Context, workflowID string) (task.Result, error) {
	var result task.Result
	err := a.config.Client.GetWorkflow(ctx, workflowID, "").Get(ctx, &result)
	var ended *temporal.WorkflowExecutionError
	var missing *serviceerror.NotFound
	if errors.As(err, &ended) || errors.As(err, &missing) { // anything else is a lost connection
		err = failure.Fail(err)
	}
	return result, err
}

// Compact merges what is committed into batches of full size, and describes
// what is there.
func (a *Activities) Compact(ctx context.Context, campaign string) (struct{}, error) {
	return struct{}{}, a.compact(ctx, campaign, false)
}

// compact makes all batches there are; a final one may be small.
func (a *Activities) compact(ctx context.Context, campaign string, final bool) error {
	n, err := commits.CompactAll(ctx, a.config.Store, campaign, final)
	if err == nil && (n > 0 || final) {
		err = commits.WriteCard(ctx, a.config.Store, campaign)
	}
	if errors.Is(err, commits.ErrConflict) {
		err = failure.Fail(err)
	}
	return err
}

// Seal counts how all cells ended and, if none is left, compacts the rest and
// says so with a _SUCCESS object that names the revision and the digest of its rows.
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
	success := lake.Success{Revision: s.Revision, Digest: lake.Digest(markers)}
	return all, a.config.Store.Replace(ctx, lake.SuccessKey(s.Campaign), success.Bytes(), "")
}
