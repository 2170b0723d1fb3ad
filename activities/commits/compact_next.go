package commits

import (
	"context"
	"errors"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// A batch ends before the raw files of one part (a table of a condition) have
// more bytes than partBytes, or the batch more members than batchMembers; a
// single commit may be larger. A part is a little smaller than its raw files,
// and while it is made it is held in memory.
const (
	partBytes    = 32 << 20
	batchMembers = 5000
)

// NextBatch returns the batch to compact next; nil if there is none. One that was
// begun and not finished comes first, no matter which process began it. A new one is written
// down before it is handed out: the first to do so decides, also where several
// do it at once, so no commit gets into two batches, and what remains in the
// lake when everything else is lost is enough to go on.
//
// While a campaign runs, a batch is made when there is enough for one; if no
// more commits are to come (final), of what is left.
func NextBatch(ctx context.Context, store store.Store, campaign string, final bool) (*Batch, error) {
	d, err := lake.ReadDataset(ctx, store, campaign)
	if err != nil {
		return nil, err
	}
	if len(d.Open) > 0 {
		return &d.Open[0], nil
	}
	if d, err = d.Generations(ctx, store); err != nil { // raw files may be deleted once all is compacted
		return nil, err
	}
	commits := chooseCommits(d.Uncompacted(), final, partBytes, batchMembers)
	if len(commits) == 0 {
		return nil, nil
	}
	b := d.Next(commits)
	b, err = putSealed(ctx, store, b.IntentKey(), b, lake.ReadIntent)
	if err != nil {
		return nil, err
	}
	return &b, nil
}

// CompactAll compacts batch after batch until there is none, and says how many it made.
func CompactAll(ctx context.Context, store store.Store, campaign string, final bool) (batches int, err error) {
	for {
		b, err := NextBatch(ctx, store, campaign, final)
		if b == nil || err != nil {
			return batches, err
		}
		if _, err := Compact(ctx, store, *b); err != nil {
			return batches, err
		}
		batches++
	}
}

// chooseCommits takes commits in their order until a batch is full; none if all of
// them do not fill one and more are to come.
func chooseCommits(commits []lake.Marker, final bool, bytes int64, members int) []lake.Marker {
	type part struct{ condition, table string }
	size, largest := map[part]int64{}, int64(0)
	for i, m := range commits {
		for table, f := range m.Files {
			p := part{m.Condition, table}
			size[p] += f.Size
			largest = max(largest, size[p])
		}
		if i == members || i > 0 && largest > bytes {
			return commits[:i]
		}
	}
	if final || largest >= bytes || len(commits) >= members {
		return commits
	}
	return nil
}

// putSealed stores a body unless there is one already, and returns what is
// stored. A torn one is replaced.
func putSealed[T any](ctx context.Context, s store.Store, key string, body T,
	read func(context.Context, store.Store, string) (T, error)) (T, error) {
	data, err := lake.Seal(key, body)
	if err != nil {
		return body, err
	}
	err = s.PutIfAbsent(ctx, key, data)
	for try := 0; try < commitTries && (errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrChanged)); try++ {
		there, e := s.Head(ctx, key)
		if e != nil {
			return body, e
		}
		stored, e := read(ctx, s, key)
		if e == nil {
			return stored, nil
		}
		if torn, _ := lake.Torn(ctx, s, key); !torn {
			return body, e
		}
		err = s.Replace(ctx, key, data, there.ETag)
	}
	return body, err
}
