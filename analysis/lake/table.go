package lake

import (
	"context"
	"fmt"
	"iter"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// ReadTable returns the rows of one table, in the order of the markers and then of
// the table's key. Every file is checked against its marker before a row of it
// is seen; the first error ends the sequence.
func ReadTable[T record.Row](ctx context.Context, store store.Store, markers []Marker) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		yieldRows(markers, func(m Marker) ([]T, error) { return ReadRows[T](ctx, store, m) }, yield)
	}
}

// ReadAll returns all rows of ReadTable as a slice.
func ReadAll[T record.Row](ctx context.Context, store store.Store, markers []Marker) ([]T, error) {
	var all []T
	for r, err := range ReadTable[T](ctx, store, markers) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// ReadRows returns one table's rows of the collaboration that m commits.
func ReadRows[T record.Row](ctx context.Context, store store.Store, m Marker) ([]T, error) {
	data, err := FetchRows[T](ctx, store, m)
	if err != nil {
		return nil, err
	}
	return DecodeRows[T](m, data)
}

// FetchRows returns the file with one table's rows of the collaboration that m commits; nil if
// there are none.
func FetchRows[T record.Row](ctx context.Context, store store.Store, m Marker) ([]byte, error) {
	var zero T
	f, ok := m.Files[zero.Table()]
	if !ok {
		return nil, nil
	}
	return fetchFile(ctx, store, f, "its marker")
}

// DecodeRows decodes a file that FetchRows returned for m.
func DecodeRows[T record.Row](m Marker, data []byte) ([]T, error) {
	var zero T
	f, ok := m.Files[zero.Table()]
	if !ok {
		return nil, nil
	}
	rows, err := Decode[T](data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %w", f.Key, store.ErrCorrupt, err)
	case len(rows) != f.Rows:
		return nil, fmt.Errorf("%s: %w: it has %d rows, its marker says %d", f.Key, store.ErrCorrupt, len(rows), f.Rows)
	}
	for _, r := range rows {
		k := r.Identity()
		if k.CampaignID != m.Campaign || k.ConditionID != m.Condition || k.CollaborationID != m.Collaboration ||
			int(k.Generation) != m.Generation {
			return nil, fmt.Errorf("%s: %w: it holds a row of collaboration %s.%d", f.Key, store.ErrCorrupt,
				k.CollaborationID, k.Generation)
		}
	}
	return rows, nil
}
