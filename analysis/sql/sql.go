// Package sql answers SQL statements over the tables of a lake, with DuckDB.
//
// Each table (collaborations, rounds, turns, ballots, calls, and labels and
// features, which were added later) is a view over exactly the files that hold
// committed rows, of the latest generation of each collaboration; its columns are those of analysis/lake/record, also where a file
// lacks some and where there is no file at all. A campaign may be running:
// what was committed when the database was opened is seen.
//
// Statements read and nothing else. They cannot reach files next to the lake's,
// the network, extensions or settings, and cannot write to a file; see DB.
//
// DuckDB is linked into a program that is built with cgo. Without cgo it is a process
// beside it: Python's module duckdb or DuckDB's own command line, whichever is
// found; where there is neither, Open is an error that wraps ErrNoDuckDB. What needs no SQL
// (Table, WriteCSV, WriteJSONL, Split and so on) works all the same.
package sql

import (
	"errors"
	"iter"
	"roundtable/analysis/lake/store"
)

// ErrNoDuckDB says that DuckDB is neither linked into the program nor found beside it.
var ErrNoDuckDB = errors.New("SQL needs DuckDB, which is not in this build and was not found: pip install duckdb " +
	"(for the python3 " +
	"beside roundtable or on the PATH), or put DuckDB's command line on the PATH, or build with CGO_ENABLED=1 and a " +
	"C compiler; roundtable export needs none of these (docs/guides/sql.md)")

// Refused is the error for a statement of which nothing has run: it is not valid SQL, names something that
// does not exist, is of a kind that is not allowed, or is more than one statement.
type Refused struct{ error }

// Source says what a database is opened over.
type Source struct {
	Store     store.Store
	Location  string       // of the store, as lake.Open takes it
	Campaigns []string     // none are all
	Cache     string       // folder for copies of what is not in a local directory; "" is the user's cache
	CacheSize int64        // bytes that copies which nobody uses may take; 0 is 10 GiB
	Tell      func(string) // what takes long, in words; may be nil
	Functions []Function
}

// Result is the answer to a statement. Rows can be ranged over once, and are read meanwhile; the first error
// ends them. A value is nil, bool, a number of any kind, string, time.Time, json.Number (decimals and large
// integers), []any or map[string]any.
type Result struct {
	Columns []string
	Plan    bool // it is the answer to EXPLAIN: texts of several lines
	Rows    iter.Seq2[[]any, error]
}
