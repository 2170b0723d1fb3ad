package commits

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// CommitAnnotations does as Commit does with what m.By, a labeller or an embedder, says of
// the messages of a collaboration; there may be none. The marker brings the
// names and what it has cost.
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
