//go:build cgo

package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/duckdb/duckdb-go/v2"
)

// prepareStatement makes a statement ready to run, or says why it is refused. DuckDB
// itself says what kind it is of, and that it is only one: nothing has run
// until then. This is needed in addition to the settings, which let the lake's files be
// written where they let them be read (COPY … TO).
func (db *DB) prepareStatement(ctx context.Context, s Statement) (*duckdb.Stmt, duckdb.StmtType, error) {
	if err := checkText(s.Text); err != nil {
		return nil, 0, err
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, db.explainError(ctx, err)
	}
	prepared, err := db.conn.Prepare(s.withLinesBefore())
	if err != nil {
		told := db.explainError(ctx, err)
		if ctx.Err() == nil && !isSuspicious(err.Error()) {
			told = Refused{told}
		}
		return nil, 0, told
	}
	stmt := prepared.(*duckdb.Stmt)
	kind, err := stmt.StatementType()
	if err == nil {
		err = db.checkKind(ctx, s, kind)
	}
	if err != nil {
		_ = stmt.Close()
		return nil, 0, Refused{err}
	}
	return stmt, kind, nil
}

func (db *DB) checkKind(ctx context.Context, s Statement, kind duckdb.StmtType) error {
	switch kind {
	case duckdb.STATEMENT_TYPE_SELECT, duckdb.STATEMENT_TYPE_CREATE, duckdb.STATEMENT_TYPE_DROP:
		return nil
	case duckdb.STATEMENT_TYPE_EXPLAIN:
		inner := explained.FindStringSubmatch(trimComments(s.Text))
		if inner != nil && db.checkSelect(ctx, Statement{Text: inner[1]}) == nil {
			return nil
		}
		return fmt.Errorf("EXPLAIN and EXPLAIN ANALYZE are followed by a SELECT here, without anything between; %s", accepted)
	}
	return fmt.Errorf("this kind of statement is refused; %s", accepted)
}

// Run runs a statement. DuckDB holds the whole result in memory.
func (db *DB) Run(ctx context.Context, s Statement) (Result, error) {
	prepared, kind, err := db.prepareStatement(ctx, s)
	if err != nil {
		return Result{}, err
	}
	rows, err := prepared.QueryContext(ctx, nil)
	if err != nil {
		_ = prepared.Close()
		return Result{}, db.explainError(ctx, err)
	}
	r := Result{Columns: rows.Columns(), Plan: kind == duckdb.STATEMENT_TYPE_EXPLAIN}
	if kind == duckdb.STATEMENT_TYPE_CREATE || kind == duckdb.STATEMENT_TYPE_DROP {
		r.Columns = nil
	}
	r.Rows = func(yield func([]any, error) bool) {
		defer prepared.Close()
		defer rows.Close()
		if len(r.Columns) > 0 {
			db.eachRow(ctx, rows, yield)
		}
	}
	return r, nil
}

// pageRows is how many rows Stream has in memory.
const pageRows = 20_000

// Stream is Run for large results: DuckDB keeps the result of a SELECT in temporary storage and returns it
// page by page. The next call of Stream drops it.
func (db *DB) Stream(ctx context.Context, s Statement) (Result, error) {
	if db.checkSelect(ctx, s) != nil {
		return db.Run(ctx, s)
	}
	keep, err := db.conn.Prepare(fmt.Sprintf("CREATE OR REPLACE TEMP TABLE streamed AS (%s\n)", s.withLinesBefore()))
	if err != nil {
		return db.Run(ctx, s) // DESCRIBE and SHOW, which cannot be kept, are small
	}
	defer keep.Close()
	if _, err := keep.(*duckdb.Stmt).ExecContext(ctx, nil); err != nil {
		return Result{}, db.explainError(ctx, err)
	}
	page := func(at int) (driver.Rows, error) {
		rows, err := db.conn.QueryContext(ctx,
			fmt.Sprintf("SELECT * FROM temp.streamed WHERE rowid >= %d AND rowid < %d ORDER BY rowid", at,
				at+pageRows), nil)
		if err != nil {
			return nil, db.explainError(ctx, err)
		}
		return rows, nil
	}
	rows, err := page(0)
	if err != nil {
		return Result{}, err
	}
	r := Result{Columns: rows.Columns()}
	r.Rows = func(yield func([]any, error) bool) {
		for at := 0; ; {
			n, more := db.eachRow(ctx, rows, yield)
			rows.Close()
			if at += n; !more || n < pageRows {
				return
			}
			if rows, err = page(at); err != nil {
				yield(nil, err)
				return
			}
		}
	}
	return r, nil
}

func (db *DB) prepareSelect(ctx context.Context, s Statement) error { return db.checkSelect(ctx, s) }

// checkSelect refuses what is not exactly one SELECT.
func (db *DB) checkSelect(ctx context.Context, s Statement) error {
	prepared, kind, err := db.prepareStatement(ctx, s)
	if err != nil {
		return err
	}
	defer prepared.Close()
	if kind != duckdb.STATEMENT_TYPE_SELECT {
		return Refused{errors.New("the statement has no rows to store; use a SELECT")}
	}
	return nil
}

// countRows returns how many rows a Parquet file has.
func (db *DB) countRows(ctx context.Context, path string) (int64, error) {
	count, err := db.conn.QueryContext(ctx, selectRowCount(path), nil)
	if err != nil {
		return 0, err
	}
	defer count.Close()
	n := make([]driver.Value, 1)
	if err := count.Next(n); err != nil {
		return 0, err
	}
	rows, _ := n[0].(int64)
	return rows, nil
}

// eachRow hands out the rows of a result: how many, and whether the reader takes more.
func (db *DB) eachRow(ctx context.Context, rows driver.Rows, yield func([]any, error) bool) (n int, more bool) {
	types := rows.(driver.RowsColumnTypeDatabaseTypeName)
	raw := make([]driver.Value, len(rows.Columns()))
	for ; ; n++ {
		err := ctx.Err()
		if err == nil {
			err = rows.Next(raw)
		}
		if errors.Is(err, io.EOF) {
			return n, true
		}
		if err != nil {
			yield(nil, db.explainError(ctx, err))
			return n, false
		}
		row := make([]any, len(raw))
		for i, v := range raw {
			row[i] = plainValue(v, types.ColumnTypeDatabaseTypeName(i))
		}
		if !yield(row, nil) {
			return n, false
		}
	}
}
