package lake

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Scan returns one table's rows of d's members, by condition, collaboration and then the table's
// key, the same before and after compaction. Files are checked against their hashes before a row of
// them is returned; the first error ends the sequence.
//
// In memory are the compressed parts that the present member lies within, from the first to the last member
// that is asked of each, and some decoded rows.
func Scan[T record.Row](ctx context.Context, store store.Store, d Dataset) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		w := newTableWalk[T](ctx, store, d)
		defer w.close()
		yieldRows(d.Members, w.rowsOf, yield)
	}
}

// yieldRows yields the rows of each, up to the first error.
func yieldRows[M, T any](each []M, rowsOf func(M) ([]T, error), yield func(T, error) bool) {
	var zero T
	for _, m := range each {
		rows, err := rowsOf(m)
		if err != nil {
			yield(zero, err)
			return
		}
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Collaborations returns the rows of d's members, one collaboration after the other, by condition
// and collaboration. Only these tables are read; all if none is given.
func Collaborations(ctx context.Context, store store.Store, d Dataset, tables ...string) iter.Seq2[record.Rows, error] {
	return func(yield func(record.Rows, error) bool) {
		w := newWalks(ctx, store, d, tables)
		defer w.close()
		for _, m := range d.Members {
			rows, err := w.rowsOf(m)
			if !yield(rows, err) || err != nil {
				return
			}
		}
	}
}

// walks go through several tables side by side.
type walks struct {
	collaborations *tableWalk[record.Collaboration]
	rounds         *tableWalk[record.Round]
	turns          *tableWalk[record.Turn]
	ballots        *tableWalk[record.Ballot]
	calls          *tableWalk[record.Call]
}

func newWalks(ctx context.Context, store store.Store, d Dataset, tables []string) walks {
	return walks{
		collaborations: walkIfChosen[record.Collaboration](ctx, store, d, tables),
		rounds:         walkIfChosen[record.Round](ctx, store, d, tables),
		turns:          walkIfChosen[record.Turn](ctx, store, d, tables),
		ballots:        walkIfChosen[record.Ballot](ctx, store, d, tables),
		calls:          walkIfChosen[record.Call](ctx, store, d, tables),
	}
}

// walkIfChosen returns nil, which has no rows, if the table is not asked for.
func walkIfChosen[T record.Row](ctx context.Context, store store.Store, d Dataset, tables []string) *tableWalk[T] {
	var zero T
	if len(tables) > 0 && !slices.Contains(tables, zero.Table()) {
		return nil
	}
	return newTableWalk[T](ctx, store, d)
}

func (w walks) rowsOf(m Member) (record.Rows, error) {
	var r record.Rows
	var errs [len(record.Tables)]error
	r.Collaborations, errs[0] = w.collaborations.rowsOf(m)
	r.Rounds, errs[1] = w.rounds.rowsOf(m)
	r.Turns, errs[2] = w.turns.rowsOf(m)
	r.Ballots, errs[3] = w.ballots.rowsOf(m)
	r.Calls, errs[4] = w.calls.rowsOf(m)
	return r, errors.Join(errs[:]...)
}

func (w walks) close() {
	w.collaborations.close()
	w.rounds.close()
	w.turns.close()
	w.ballots.close()
	w.calls.close()
}

// tableWalk goes through a table member by member. Parts are in the order of the
// members too, so each is read once, from its beginning to its end, and let go after the last
// member that is asked of it.
type tableWalk[T record.Row] struct {
	ctx   context.Context
	store store.Store
	d     Dataset
	table string
	left  map[partOf]int      // members that are still to come
	parts map[string]*part[T] // that are open, by key
}

// partOf says which part of a table it is.
type partOf struct {
	batch     int // -1 for files outside of batches
	condition string
}

// part is a file that is read from its beginning to its end.
type part[T record.Row] struct {
	*Reader[T]
	ahead []Member // of its batch, by condition: those whose rows are not behind yet
}

// skipTo passes over the rows of members before m, which nobody asked for.
func (p *part[T]) skipTo(m Member, table string) error {
	n := 0
	for len(p.ahead) > 0 && compareMembers(p.ahead[0], m) < 0 {
		n, p.ahead = n+p.ahead[0].Rows[table], p.ahead[1:]
	}
	if len(p.ahead) > 0 && p.ahead[0].Run == m.Run {
		p.ahead = p.ahead[1:]
	}
	return p.skipRows(max(0, n-1)) // the last of them is looked at: a wrong count must not hide a row of m
}

func newTableWalk[T record.Row](ctx context.Context, store store.Store, d Dataset) *tableWalk[T] {
	var zero T
	left := map[partOf]int{}
	for _, m := range d.Members {
		left[partOf{d.batchOf(m), m.Condition}]++
	}
	return &tableWalk[T]{ctx, store, d, zero.Table(), left, map[string]*part[T]{}}
}

func (w *tableWalk[T]) close() {
	if w == nil {
		return
	}
	for _, c := range w.parts {
		c.Close()
	}
	clear(w.parts)
}

// closePart closes a part, if it is open.
func (w *tableWalk[T]) closePart(key string) {
	if p, open := w.parts[key]; open {
		p.Close()
		delete(w.parts, key)
	}
}

// rowsOf of a member, which comes after all that were asked for before.
func (w *tableWalk[T]) rowsOf(m Member) ([]T, error) {
	if w == nil {
		return nil, nil
	}
	in := partOf{w.d.batchOf(m), m.Condition}
	w.left[in]--
	if raw, ok := w.d.raw[m.Run]; ok {
		return ReadRows[T](w.ctx, w.store, raw)
	}
	f, naming, ok := w.d.locateRows(m, w.table)
	if w.left[in] == 0 {
		defer w.closePart(f.Key)
	}
	if !ok {
		return nil, nil
	}
	p, open := w.parts[f.Key]
	if !open {
		data, err := fetchFile(w.ctx, w.store, f, naming)
		if err != nil {
			return nil, err
		}
		r, err := NewReader[T](data, w.d.unread[w.table]...)
		if err == nil && r.total != int64(f.Rows) {
			err = fmt.Errorf("it has %d rows, %s says %d", r.total, naming, f.Rows)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", f.Key, store.ErrCorrupt, err)
		}
		p = &part[T]{r, w.d.membersFrom(m)}
		w.parts[f.Key] = p
	}
	rows, err := p.takeRows(w.d.Campaign, w.table, m)
	if err == nil && len(rows) != m.Rows[w.table] {
		err = fmt.Errorf("it has %d rows of collaboration %s, %s says %d", len(rows), m.Run, naming, m.Rows[w.table])
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", f.Key, store.ErrCorrupt, err)
	}
	return rows, nil
}

// takeRows returns the member's rows; those of members before it, which nobody asked for, are
// passed over.
func (p *part[T]) takeRows(campaign, table string, m Member) (rows []T, err error) {
	if err := p.skipTo(m, table); err != nil {
		return nil, err
	}
	for r := p.Reader; len(r.chunk) > 0 || r.left > 0; {
		if len(r.chunk) == 0 {
			if err := r.fillRows(); err != nil {
				return nil, err
			}
		}
		from, to := 0, 0 // those of the member
		for ; to < len(r.chunk); to++ {
			k := r.chunk[to].Identity()
			if k.CampaignID != campaign {
				return nil, fmt.Errorf("it holds a row of campaign %s", k.CampaignID)
			}
			of := Member{Run: Run{k.CollaborationID, int(k.Generation)}, Condition: k.ConditionID}
			order := compareMembers(of, m)
			if order > 0 {
				break
			}
			if order < 0 {
				from = to + 1
			}
		}
		found := r.chunk[from:to:to]
		if r.chunk = r.chunk[to:]; rows == nil {
			rows = found
		} else {
			rows = append(rows, found...)
		}
		if len(r.chunk) > 0 {
			break // of a later member
		}
	}
	return rows, nil
}
