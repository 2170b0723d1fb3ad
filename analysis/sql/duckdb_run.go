//go:build cgo

package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/duckdb/duckdb-go/v2"
)

// Run answers a statement. DuckDB holds the whole result in memory.
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

// Stream returns Run for large results: those of a SELECT are kept in DuckDB's
// temporary storage and come out page by page. Only the last one is kept.
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
		rows, err := db.conn.QueryContext(ctx, fmt.Sprintf("SELECT * FROM temp.streamed WHERE rowid >= %d AND rowid < %d ORDER BY rowid", at, at+pageRows), nil)
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

// Parquet writes what a SELECT answers as a Parquet file, and says how many
// rows it has.
func (db *DB) Parquet(ctx context.Context, s Statement, w io.Writer) (rows int64, err error) {
	if err := db.checkSelect(ctx, s); err != nil {
		return 0, err
	}
	path := filepath.Join(db.tempFolder(), "result.parquet")
	defer os.Remove(path)
	if _, err := db.conn.ExecContext(ctx, fmt.Sprintf("COPY (%s\n) TO %s (FORMAT parquet, COMPRESSION zstd)", s.withLinesBefore(), quoteLiteral(path)), nil); err != nil {
		return 0, db.explainError(ctx, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := io.Copy(w, f); err != nil {
		return 0, err
	}
	count, err := db.conn.QueryContext(ctx, "SELECT num_rows FROM parquet_file_metadata("+quoteLiteral(path)+")", nil)
	if err != nil {
		return 0, err
	}
	defer count.Close()
	n := make([]driver.Value, 1)
	if err := count.Next(n); err != nil {
		return 0, err
	}
	rows, _ = n[0].(int64)
	return rows, nil
}

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
