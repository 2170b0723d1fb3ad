package sql

import "roundtable/analysis/lake/record"

// Function is a table function of SQL: FROM name('argument').
type Function struct {
	Name string
	// Table names a view with what the function gives for each campaign; "" for none.
	Table   string
	Columns []record.Column
	// Open returns what gives one row after another for an argument, each with a value
	// of every column's type, as Table has them, or nil; io.EOF after the last.
	// Another error ends the statement.
	Open func(argument string) (next func() ([]any, error))
}
