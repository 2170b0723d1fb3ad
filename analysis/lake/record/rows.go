package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Rows is everything about one generation of one collaboration.
type Rows struct {
	Collaborations []Collaboration // exactly one
	Rounds         []Round
	Turns          []Turn
	Ballots        []Ballot
	Calls          []Call
}

// Names of the tables.
const (
	Collaborations = "collaborations"
	Rounds         = "rounds"
	Turns          = "turns"
	Ballots        = "ballots"
	Calls          = "calls"
)

// Tables names the tables of Rows, in their order.
var Tables = [...]string{Collaborations, Rounds, Turns, Ballots, Calls}

// Row is a row of one of the tables.
type Row interface {
	Identity() Key
	// Table is the table's name.
	Table() string
	// place sorts the rows of a collaboration and tells them apart.
	sortKey() [3]int64
}

// Identity returns the columns that every row has.
func (k Key) Identity() Key { return k }

func (Collaboration) Table() string { return Collaborations }
func (Round) Table() string         { return Rounds }
func (Turn) Table() string          { return Turns }
func (Ballot) Table() string        { return Ballots }
func (Call) Table() string          { return Calls }

func (Collaboration) sortKey() [3]int64 { return [3]int64{} }
func (r Round) sortKey() [3]int64       { return [3]int64{int64(r.Round)} }
func (t Turn) sortKey() [3]int64        { return [3]int64{int64(t.Entry)} }
func (c Call) sortKey() [3]int64        { return [3]int64{int64(c.Entry), int64(c.Ask), int64(c.Attempt)} }

func (b Ballot) sortKey() [3]int64 {
	candidate := int64(-1)
	if b.Candidate != nil {
		candidate = int64(*b.Candidate)
	}
	return [3]int64{int64(b.Round), int64(b.Entry), candidate} // a round may have several votes
}

// Sorted returns a copy of the rows, each table in the order of its key. It fails if
// a row is there twice or the rows are not those of one generation of one collaboration.
func (r Rows) Sorted() (Rows, error) {
	if len(r.Collaborations) != 1 {
		return Rows{}, fmt.Errorf("expected 1 row in collaborations, got %d", len(r.Collaborations))
	}
	key := r.Collaborations[0].Key
	if key.SchemaVersion < 1 || key.SchemaVersion > SchemaVersion {
		return Rows{}, fmt.Errorf("collaboration %s: rows of schema version %d; this program knows versions up to %d", key.CollaborationID, key.SchemaVersion, SchemaVersion)
	}
	var s Rows
	var errs [len(Tables)]error
	s.Collaborations, errs[0] = sortRows(key, r.Collaborations)
	s.Rounds, errs[1] = sortRows(key, r.Rounds)
	s.Turns, errs[2] = sortRows(key, r.Turns)
	s.Ballots, errs[3] = sortRows(key, r.Ballots)
	s.Calls, errs[4] = sortRows(key, r.Calls)
	for _, err := range errs {
		if err != nil {
			return Rows{}, err
		}
	}
	return s, nil
}

func sortRows[T Row](key Key, rows []T) ([]T, error) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b T) int {
		x, y := a.sortKey(), b.sortKey()
		return slices.Compare(x[:], y[:])
	})
	for i, r := range rows {
		if r.Identity() != key {
			return nil, fmt.Errorf("table %s: a row of %+v among those of %+v", r.Table(), r.Identity(), key)
		}
		if i > 0 && r.sortKey() == rows[i-1].sortKey() {
			return nil, fmt.Errorf("table %s: collaboration %s has two rows with the key %v", r.Table(), key.CollaborationID, r.sortKey())
		}
	}
	return rows, nil
}

// Compare orders rows of several collaborations: by condition, collaboration,
// generation, and then as within one collaboration.
func Compare[T Row](a, b T) int {
	j, k := a.Identity(), b.Identity()
	x, y := a.sortKey(), b.sortKey()
	return cmp.Or(cmp.Compare(j.ConditionID, k.ConditionID), cmp.Compare(j.CollaborationID, k.CollaborationID),
		cmp.Compare(j.Generation, k.Generation), slices.Compare(x[:], y[:]))
}

// ConditionOf returns the condition of a collaboration's id: what is before its instance.
func ConditionOf(collaborationID string) string {
	return collaborationID[:max(strings.LastIndex(collaborationID, "-i"), 0)]
}

// mostEntries bounds what one row can make TurnsByEntry allocate.
const mostEntries = 1 << 20

// TurnsByEntry returns turns, which are in the order of entries, by their entry. A phase of
// which a turn failed may have later turns that were taken: entries without one are zero.
// It returns an error if turns are out of order, or if turns of another phase follow a gap.
func TurnsByEntry(turns []Turn) ([]Turn, error) {
	entries := make([]Turn, 0, len(turns))
	gap := -1 // row that follows the first gap
	for i, t := range turns {
		missing := int(t.Entry) - len(entries)
		if missing < 0 || t.Entry >= mostEntries {
			return nil, fmt.Errorf("entry %d is out of order in the table turns, at row %d", t.Entry, i+1)
		}
		if missing > 0 && gap < 0 {
			gap = i
		}
		if gap >= 0 && (t.Round != turns[gap].Round || t.Phase != turns[gap].Phase) {
			return nil, fmt.Errorf("entry %d is in the table turns, and an entry before %d, of an earlier phase, is missing", t.Entry, turns[gap].Entry)
		}
		entries = append(append(entries, make([]Turn, missing)...), t)
	}
	return entries, nil
}
