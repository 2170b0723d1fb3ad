// Package commits writes the rows of finished collaborations (Commit), merges
// their files (Compact) and describes the data set they make up (WriteCard).
// Rows become visible at once or not at all, and the first ones stay.
package commits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Rows is everything about one generation of one collaboration.
type Rows = record.Rows

// Marker says that a collaboration is committed.
type Marker = lake.Marker

// ErrConflict says that other rows are committed already. That is a defect: the same collaboration
// must give the same rows.
var ErrConflict = errors.New("other rows are committed")

// ErrUnfit says that no table can hold the rows: a number is NaN or infinite, a text is not UTF-8,
// or a row comes twice. Made again they would be the same.
var ErrUnfit = errors.New("rows that no table can hold")

// commitTries bounds repairs of one file that other writers keep changing.
const commitTries = 5

// Commit writes the rows' files and then the marker that makes them visible,
// which it returns. It may be called again, by several processes and after any
// interruption: rows of the same digest are a success and the first ones stay,
// a torn file is repaired, other rows are ErrConflict (with the stored marker,
// if there is one), impossible ones ErrUnfit. Rows need not be sorted.
func Commit(ctx context.Context, store store.Store, rows Rows) (Marker, error) {
	rows, digest, err := checkRows(rows)
	if err != nil {
		return Marker{}, fmt.Errorf("commit: %w: %w", ErrUnfit, err)
	}
	c := rows.Collaborations[0]
	m := Marker{
		Campaign: c.CampaignID, Condition: c.ConditionID, Collaboration: c.CollaborationID,
		Generation:    int(c.Generation),
		SchemaVersion: record.SchemaVersion, Status: c.Status, Calls: int64(c.Calls), Cached: cachedOf(rows.Calls),
		InputTokens: c.InputTokens, OutputTokens: c.OutputTokens, CostUSD: c.CostUSD, WorstUSD: c.WorstUSD,
		Charged: lake.ChargeOf(rows.Calls), Digest: digest, Files: map[string]lake.File{},
	}
	if c.Status == record.Succeeded {
		m.Measured = new(lake.MeasuredOf(c))
	} else if c.Failure != nil && *c.Failure == record.Answered {
		m.Reason = record.Answered
	}
	switch stored, err := lake.ReadMarker(ctx, store, m.Key()); {
	case err == nil:
		return stored, checkSame(stored, m)
	case !errors.Is(err, fs.ErrNotExist):
		return Marker{}, err
	}
	w := writer{ctx, store, m}
	for _, write := range []func() error{
		func() error { return putTable(w, rows.Collaborations) },
		func() error { return putTable(w, rows.Rounds) },
		func() error { return putTable(w, rows.Turns) },
		func() error { return putTable(w, rows.Ballots) },
		func() error { return putTable(w, rows.Calls) },
	} {
		if err := write(); err != nil {
			return Marker{}, fmt.Errorf("commit of collaboration %s: %w", c.CollaborationID, err)
		}
	}
	return writeMarker(ctx, store, m)
}

// checkRows returns the rows in order, with their digest.
func checkRows(r Rows) (Rows, string, error) {
	r, err := r.Sorted()
	if err != nil {
		return r, "", err
	}
	err = errors.Join(record.Check(r.Collaborations), record.Check(r.Rounds), record.Check(r.Turns),
		record.Check(r.Ballots), record.Check(r.Calls))
	if err != nil {
		return r, "", err
	}
	digest, err := record.Digest(r)
	return r, digest, err
}

// writeMarker writes the marker, or finds that another process was faster.
func writeMarker(ctx context.Context, s store.Store, m Marker) (Marker, error) {
	if err := m.Check(); err != nil {
		return Marker{}, fmt.Errorf("%s: %w", m.Key(), err)
	}
	data, err := lake.Seal(m.Key(), m)
	if err != nil {
		return Marker{}, fmt.Errorf("%s: %w", m.Key(), err)
	}
	err = s.PutIfAbsent(ctx, m.Key(), data)
	if !errors.Is(err, store.ErrExists) {
		return m, err
	}
	stored, err := lake.ReadMarker(ctx, s, m.Key())
	if err != nil {
		return Marker{}, err
	}
	return stored, checkSame(stored, m)
}

func checkSame(stored, m Marker) error {
	if stored.Digest == m.Digest {
		return nil
	}
	return fmt.Errorf("%s: %w: the stored rows have digest %s, these have %s", m.Key(), ErrConflict,
		stored.Digest, m.Digest)
}

// writer writes the files of one commit.
type writer struct {
	ctx    context.Context
	store  store.Store
	marker Marker // Files grows
}

// putTable writes one table's file, unless the table is empty, and notes what is stored.
func putTable[T record.Row](w writer, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	table := rows[0].Table()
	file, err := putFile(w, w.marker.FileKey(table), rows)
	if errors.Is(err, ErrConflict) && w.marker.Status != record.Succeeded {
		// Nobody has seen what is there. A collaboration that fails may have more turns at
		// each try: those that were under way beside the one that failed.
		file, err = putFile(w, w.marker.OtherFileKey(table), rows)
	}
	if err == nil {
		w.marker.Files[table] = file
	}
	return err
}

// putFile writes rows under a key, unless they are there.
func putFile[T record.Row](w writer, key string, rows []T) (lake.File, error) {
	data, err := encodeRows(rows)
	if err != nil {
		return lake.File{}, fmt.Errorf("%s: %w", key, err)
	}
	count := len(rows)
	err = w.store.PutIfAbsent(w.ctx, key, data)
	for try := 0; try < commitTries && (errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrChanged)); try++ {
		var stored []T
		var file []byte
		if stored, file, err = settleFile(w, key, data, rows); stored != nil {
			count, data = len(stored), file
		}
	}
	return lake.FileOf(key, count, data), err
}

// settleFile decides what to do with a file that is there already: if it holds the
// same rows it stays and is returned. It is replaced if it is torn.
func settleFile[T record.Row](w writer, key string, data []byte, rows []T) (stored []T, file []byte, err error) {
	there, err := w.store.Head(w.ctx, key)
	if err != nil {
		return nil, nil, err
	}
	file, err = w.store.Get(w.ctx, key)
	if err != nil {
		return nil, nil, err
	}
	if bytes.Equal(file, data) {
		return rows, file, nil
	}
	stored, err = lake.Decode[T](file)
	if err != nil {
		return nil, nil, w.store.Replace(w.ctx, key, data, there.ETag)
	}
	return stored, file, sameRows(key, stored, rows)
}

// sameRows compares rows but for operational columns. Of calls, which are
// operational as a whole, only the owner is compared: the first writer knew
// of some attempts, we of others, and no reader has seen either yet.
func sameRows[T record.Row](key string, found, rows []T) error {
	if len(found) == 0 || found[0].Identity() != rows[0].Identity() {
		return fmt.Errorf("%s: %w: the file holds rows of another collaboration", key, ErrConflict)
	}
	if rows[0].Table() == record.Calls {
		return nil
	}
	a, err := record.TableDigest(found)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", key, ErrConflict, err)
	}
	b, err := record.TableDigest(rows)
	if err != nil {
		return err
	}
	if a != b {
		return fmt.Errorf("%s: %w: the file's rows have digest %s, these have %s", key, ErrConflict, a, b)
	}
	return nil
}

// cachedOf counts the answers that came from the cache.
func cachedOf(calls []record.Call) int64 {
	n := int64(0)
	for _, c := range calls {
		if c.Cached {
			n++
		}
	}
	return n
}

// CommitAnnotations is Commit for the rows that m.By, a labeller or an embedder, adds about the
// messages of a collaboration; there may be none. The caller fills in m's names and costs.
func CommitAnnotations[T record.Row](ctx context.Context, store store.Store, m Marker, rows []T) (Marker, error) {
	var zero T
	table := zero.Table()
	rows, err := record.SortedAnnotations(rows)
	if err == nil {
		err = record.Check(rows)
	}
	if err == nil {
		m.Digest, err = record.TableDigest(rows)
	}
	if err == nil && m.By == "" {
		err = errors.New("annotations need an author (By)")
	}
	if err != nil {
		return Marker{}, fmt.Errorf("commit of %s: %w", table, err)
	}
	m.Table, m.SchemaVersion, m.Files = table, record.SchemaVersion, map[string]lake.File{}
	switch stored, err := lake.ReadMarker(ctx, store, m.Key()); {
	case err == nil:
		return stored, checkSame(stored, m)
	case !errors.Is(err, fs.ErrNotExist):
		return Marker{}, err
	}
	if err := putTable(writer{ctx, store, m}, rows); err != nil {
		return Marker{}, fmt.Errorf("commit of %s of collaboration %s: %w", table, m.Collaboration, err)
	}
	return writeMarker(ctx, store, m)
}

// SumUp writes full lake.Outcomes objects for runs that none of them holds yet. Several processes
// may do so at once: the first object of a number stays.
func SumUp(ctx context.Context, s store.Store, campaign string) error {
	runs, next, err := lake.Unsummed(ctx, s, campaign)
	for ; err == nil && len(runs) >= lake.OutcomesEach; next++ {
		var markers []Marker
		if markers, err = lake.ReadMarkers(ctx, s, campaign, runs[:lake.OutcomesEach]); err != nil {
			return err
		}
		o := lake.Outcomes{Campaign: campaign, Number: next, Runs: lake.OutcomesOf(markers)}
		var data []byte
		if data, err = o.Seal(); err == nil {
			err = s.PutIfAbsent(ctx, o.Key(), data)
		}
		runs = runs[lake.OutcomesEach:]
	}
	if errors.Is(err, store.ErrExists) { // another process sums up
		return nil
	}
	return err
}

// encodeRows writes rows, in their order, as a Parquet file.
func encodeRows[T record.Row](rows []T) (data []byte, err error) {
	var b bytes.Buffer
	w := lake.NewWriter[T](&b)
	if _, err = w.Write(rows); err != nil {
		return nil, err
	}
	if err = w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
