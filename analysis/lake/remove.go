package lake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Superfluous returns the objects that readers of a campaign do not need while it does not run:
// compacted are raw files whose rows are in parts, interrupted are files of unfinished commits and
// batches. It first verifies the campaign, whose damage is ErrCorrupt, since parts are compared
// with raw files.
func Superfluous(ctx context.Context, s store.Store, campaign string) (compacted,
	interrupted []store.Object, err error) {
	r, err := Verify(ctx, s, campaign)
	if err != nil {
		return nil, nil, err
	}
	if n := len(r.Findings); n > 0 {
		return nil, nil, fmt.Errorf("%w: %s is damaged (%d findings, such as %s), so nothing of it may be deleted; "+
			"roundtable verify %s lists all", store.ErrCorrupt, campaign, n, r.Findings[0].Object, campaign)
	}
	held, err := heldRuns(ctx, s, campaign)
	if err != nil {
		return nil, nil, err
	}
	unnamed := map[string]bool{}
	for _, key := range r.Uncommitted {
		unnamed[key] = true
	}
	for _, table := range slices.Concat(record.Tables[:], record.Annotations[:]) {
		for _, folder := range []string{"raw", "lake"} {
			objects, err := List(ctx, s, fmt.Sprintf("%s/%s/campaign=%s/", folder, table, campaign))
			if err != nil {
				return nil, nil, err
			}
			for _, o := range objects {
				run, ok := ParseRun(strings.TrimSuffix(o.Key[strings.LastIndexByte(o.Key, '/')+1:], ".parquet"))
				switch {
				case unnamed[o.Key]:
					if ok { // a store may list late what names it
						_, err := s.Head(ctx, run.MarkerKey(campaign))
						if err == nil {
							continue
						}
						if err = store.IgnoreMissing(err); err != nil {
							return nil, nil, err
						}
					}
					interrupted = append(interrupted, o)
				case ok && held[run] && folder == "raw" && slices.Contains(record.Tables[:], table):
					compacted = append(compacted, o)
				}
			}
		}
	}
	return compacted, interrupted, nil
}

// DeleteAll deletes objects, some at once, and returns the first error.
func DeleteAll(ctx context.Context, s store.Store, objects []store.Object) error {
	return Each(ctx, len(objects), func(ctx context.Context, i int) error { return s.Delete(ctx, objects[i].Key) })
}

// Remove deletes everything that a campaign has stored, last the objects that show that the
// campaign exists, so that an interrupted removal can be repeated.
func Remove(ctx context.Context, s store.Store, campaign string) error {
	folders, err := foldersOf(ctx, s, campaign)
	if err != nil {
		return err
	}
	for _, folder := range slices.Backward(folders) { // the first one is about it
		if local, ok := store.As[*store.Local](s); ok {
			err = local.RemoveFolder(ctx, folder)
		} else if objects, unlisted := s.List(ctx, folder); unlisted == nil {
			err = DeleteAll(ctx, s, objects)
		} else {
			err = unlisted
		}
		if err != nil {
			return err
		}
	}
	return nil
}
