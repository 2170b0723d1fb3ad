package commits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Batch is a set of commits that are compacted together; Manifest says that they are.
type (
	Batch    = lake.Batch
	Manifest = lake.Manifest
)

// readAhead is how many raw files wait to be merged.
const readAhead = 32

// Compact merges the files of a batch's commits into one file for each table
// and condition, and then writes the manifest that makes readers use them. The
// raw files stay. It may be called again, by several processes and after any
// interruption: the same batch gives the same rows, the first files stay, torn
// ones are repaired, and a part or a manifest with other rows is ErrConflict.
// The batch is one of NextBatch.
//
// Rows come in the order of condition, collaboration, generation and the
// table's key. A batch lists its members so, and a raw file holds one member
// sorted: one file after the other is the merge. In memory are one part,
// compressed, and some raw files.
func Compact(ctx context.Context, s store.Store, b Batch) (Manifest, error) {
	if err := b.Check(); err != nil {
		return Manifest{}, fmt.Errorf("compaction of batch %d: %w", b.Number, err)
	}
	switch stored, err := lake.ReadManifest(ctx, s, b.Key()); {
	case err == nil:
		return stored, sameBatch(stored.Batch, b)
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrCorrupt):
		return Manifest{}, err
	}
	c := compaction{ctx: ctx, store: s, manifest: Manifest{Batch: b, SchemaVersion: record.SchemaVersion,
		Files: map[string][]lake.Part{}}}
	for _, step := range []func() error{
		c.openMembers,
		func() error { return mergeTable[record.Collaboration](&c) },
		func() error { return mergeTable[record.Round](&c) },
		func() error { return mergeTable[record.Turn](&c) },
		func() error { return mergeTable[record.Ballot](&c) },
		func() error { return mergeTable[record.Call](&c) },
		func() error { return c.manifest.Check() },
	} {
		if err := step(); err != nil {
			return Manifest{}, fmt.Errorf("compaction of batch %d: %w", b.Number, err)
		}
	}
	m, err := putSealed(ctx, s, b.Key(), c.manifest, lake.ReadManifest)
	if err != nil {
		return Manifest{}, err
	}
	return m, sameBatch(m.Batch, b)
}

func sameBatch(stored, b Batch) error {
	if reflect.DeepEqual(stored, b) {
		return nil
	}
	return fmt.Errorf("%s: %w: it has %d members, not the same as the %d to be compacted", b.Key(), ErrConflict,
		len(stored.Members), len(b.Members))
}

// compaction is one batch on its way.
type compaction struct {
	ctx        context.Context
	store      store.Store
	manifest   Manifest // Files grows
	conditions [][]lake.Marker
}

// openMembers reads the members' markers, by condition.
func (c *compaction) openMembers() error {
	members := c.manifest.Members
	markers := make([]lake.Marker, len(members))
	err := lake.Each(c.ctx, len(members), func(ctx context.Context, i int) error {
		m, err := lake.ReadMarker(ctx, c.store, members[i].MarkerKey(c.manifest.Campaign))
		if err == nil && !reflect.DeepEqual(lake.MemberOf(m), members[i]) {
			err = fmt.Errorf("%s: %w: the batch has other rows of it (digest %s, not %s)", m.Key(), ErrConflict,
				members[i].Digest, m.Digest)
		}
		markers[i] = m
		return err
	})
	if err != nil {
		return err
	}
	for i, m := range markers {
		if i == 0 || m.Condition != markers[i-1].Condition {
			c.conditions = append(c.conditions, nil)
		}
		last := len(c.conditions) - 1
		c.conditions[last] = append(c.conditions[last], m)
	}
	return nil
}

// mergeTable writes one table's part of each condition that has rows.
func mergeTable[T record.Row](c *compaction) error {
	var zero T
	table := zero.Table()
	want := c.manifest.Rows(table)
	for _, markers := range c.conditions {
		condition := markers[0].Condition
		if want[condition] == 0 {
			continue
		}
		key := c.manifest.PartKey(table, condition)
		data, err := concatenateRows[T](c, markers)
		if err == nil {
			data, err = putPart[T](c, key, data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		c.manifest.Files[table] = append(c.manifest.Files[table],
			lake.Part{Condition: condition, File: lake.FileOf(key, want[condition], data)})
	}
	return nil
}

// concatenateRows encodes the rows of the commits, in their order. Their files are
// decoded, not copied, so that those of an earlier schema version fit.
func concatenateRows[T record.Row](c *compaction, markers []lake.Marker) ([]byte, error) {
	var zero T
	size := int64(0)
	for _, m := range markers {
		size += m.Files[zero.Table()].Size
	}
	b := bytes.NewBuffer(make([]byte, 0, size)) // together they take less
	w := lake.NewWriter[T](b)
	ahead := make([][]byte, readAhead)
	for len(markers) > 0 {
		n := min(readAhead, len(markers))
		err := lake.Each(c.ctx, n, func(ctx context.Context, i int) (err error) {
			ahead[i], err = lake.FetchRows[T](ctx, c.store, markers[i])
			return err
		})
		if err != nil {
			return nil, err
		}
		for i, data := range ahead[:n] { // one at a time: a decoder takes far more memory than its file
			rows, err := lake.DecodeRows[T](markers[i], data)
			if err == nil {
				_, err = w.Write(rows)
			}
			if err != nil {
				return nil, err
			}
		}
		markers = markers[n:]
	}
	err := w.Close()
	return b.Bytes(), err
}

// putPart stores a part and returns what is stored: an earlier one with the
// same rows stays, a torn one is replaced.
func putPart[T record.Row](c *compaction, key string, data []byte) ([]byte, error) {
	err := c.store.PutIfAbsent(c.ctx, key, data)
	for try := 0; try < commitTries && (errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrChanged)); try++ {
		there, e := c.store.Head(c.ctx, key)
		if e != nil {
			return nil, e
		}
		file, e := c.store.Get(c.ctx, key)
		if e != nil {
			return nil, e
		}
		switch equal, e := equalRows[T](file, data); {
		case e != nil:
			err = c.store.Replace(c.ctx, key, data, there.ETag)
		case equal:
			return file, nil
		default:
			return nil, fmt.Errorf("%w: it was compacted from other commits", ErrConflict)
		}
	}
	return data, err
}

// equalRows compares two files; the error says that the first one is none.
func equalRows[T record.Row](file, data []byte) (bool, error) {
	if bytes.Equal(file, data) {
		return true, nil
	}
	a, err := lake.NewReader[T](file)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := lake.NewReader[T](data)
	if err != nil {
		return false, err
	}
	defer b.Close()
	for {
		x, errA := a.Next()
		y, errB := b.Next()
		switch {
		case errA != nil && !errors.Is(errA, io.EOF):
			return false, errA
		case errA != nil || errB != nil:
			return errors.Is(errA, io.EOF) && errors.Is(errB, io.EOF), nil
		case !reflect.DeepEqual(x, y):
			return false, nil
		}
	}
}

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

// CompactAll compacts batch after batch until NextBatch returns none, and returns how many it
// compacted.
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
