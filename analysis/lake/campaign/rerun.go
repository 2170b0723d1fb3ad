package campaign

import (
	"context"
	"errors"
	"io/fs"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// RerunRequest holds the runs that did not succeed and are to be run again, each as a new
// generation. It is in the lake, so that any process that resumes the campaign runs them.
type RerunRequest map[lake.Run]bool

// RerunKey returns the key of a campaign's RerunRequest.
func RerunKey(campaign string) string { return lake.AboutKey(campaign, "again.json") }

// Left returns how many of the runs have no later generation yet.
func (a RerunRequest) Left(latest []lake.Outcome) int {
	n := 0
	for _, o := range latest {
		if a[o.Run] {
			n++
		}
	}
	return n
}

// ReadRerun returns the runs that are requested again; none if there is no request.
func ReadRerun(ctx context.Context, s store.Store, campaign string) (RerunRequest, error) {
	data, err := s.Get(ctx, RerunKey(campaign))
	if err != nil {
		return nil, store.IgnoreMissing(err)
	}
	var runs []lake.Run
	if err := lake.Unseal(RerunKey(campaign), data, &runs); err != nil {
		return nil, err
	}
	a := make(RerunRequest, len(runs))
	for _, r := range runs {
		a[r] = true
	}
	return a, nil
}

// RequestRerun requests that every run that did not succeed, except unneeded ones, is run again. An
// earlier request that is not fulfilled yet stays instead.
func RequestRerun(ctx context.Context, s store.Store, campaign string) error {
	latest, err := lake.LatestProgress(ctx, s, campaign)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if earlier, err := ReadRerun(ctx, s, campaign); err != nil || earlier.Left(latest) > 0 {
		return err
	}
	runs := []lake.Run{}
	for _, o := range latest {
		if o.Status != task.Succeeded && o.Reason != record.Answered {
			runs = append(runs, o.Run)
		}
	}
	data, err := lake.Seal(RerunKey(campaign), runs)
	if err != nil {
		return err
	}
	return s.Replace(ctx, RerunKey(campaign), data, "")
}
