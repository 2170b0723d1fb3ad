//go:build cgo

package sql

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/duckdb/duckdb-go/v2"

	"roundtable/analysis/lake/safetext"
)

// accepted is what a DB answers, in words.
const accepted = "the lake is only read: SELECT (also WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE), EXPLAIN of it, and CREATE and DROP of views, tables and macros that last as long as the session"

// explained is what is explained; ANALYZE runs it.
var explained = regexp.MustCompile(`(?is)^\s*EXPLAIN\s+(?:ANALYZE\s+)?(.*)$`)

// prepareStatement makes a statement ready to run, or says why it is refused. DuckDB
// itself says what kind it is of, and that it is only one: nothing has run
// until then. This is needed in addition to the settings, which let the lake's files be
// written where they let them be read (COPY … TO).
func (db *DB) prepareStatement(ctx context.Context, s Statement) (*duckdb.Stmt, duckdb.StmtType, error) {
	if strings.ContainsRune(s.Text, 0) { // where DuckDB would stop reading
		return nil, 0, Refused{errors.New("the statement has a NUL character; write chr(0)")}
	}
	if name := forbiddenCall(s.Text); name != "" {
		return nil, 0, Refused{fmt.Errorf("the function %s does more than read; %s", name, accepted)}
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, db.explainError(ctx, err)
	}
	prepared, err := db.conn.Prepare(s.withLinesBefore())
	if err != nil {
		told := db.explainError(ctx, err)
		if d, ok := errors.AsType[*duckdb.Error](err); ctx.Err() == nil && (!ok || !suspicious[d.Type]) {
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

// forbidden are functions that a SELECT could call and that change settings, run a
// text as SQL, or read memory at an address.
var forbidden = []string{
	"arrow_scan", "arrow_scan_dumb", "checkpoint", "force_checkpoint", "json_execute_serialized_sql", "query", "read_duckdb",
	"enable_logging", "disable_logging", "truncate_duckdb_logs", "write_log",
	"enable_profiling", "disable_profiling", "enable_peg_parser", "disable_peg_parser",
}

// forbiddenCall returns the first forbidden function that a statement calls, also in a
// macro that it defines; "" if there is none.
func forbiddenCall(text string) string {
	name := ""
	for i := 0; i < len(text); {
		n, word := tokenLength(text, i)
		switch {
		case n > 0 && word:
			name = strings.ToLower(strings.Trim(text[i:i+n], `"`))
		case n > 0, unicode.IsSpace(rune(text[i])): // may stand before the parenthesis
		case text[i] == '(' && slices.Contains(forbidden, name):
			return name
		default:
			name = ""
		}
		i += max(n, 1)
	}
	return ""
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

// suspicious are the kinds of errors that damaged files lead to; others come
// from the statement alone.
var suspicious = map[duckdb.ErrorType]bool{
	duckdb.ErrorTypeIO: true, duckdb.ErrorTypeInvalidInput: true, duckdb.ErrorTypeInternal: true, duckdb.ErrorTypeFatal: true,
	duckdb.ErrorTypeSerialization: true, duckdb.ErrorTypeInvalid: true, duckdb.ErrorTypeOutOfRange: true, duckdb.ErrorTypeOutOfMemory: true,
}

// explainError returns an error in words for people: DuckDB's message with the place in the
// statement, without what could steer a terminal, and with the files that are
// not what was written if that may be the cause.
func (db *DB) explainError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", ctx.Err())
	}
	text := err.Error()
	d, ok := errors.AsType[*duckdb.Error](err)
	switch {
	case strings.Contains(text, "multi-statement"):
		return errors.New("DuckDB takes this for several statements; end each with a semicolon, and say PIVOT … ON column IN (…) with the values")
	case ok && d.Type == duckdb.ErrorTypePermission:
		text += "\n" + accepted
	case ok && suspicious[d.Type]:
		if damage := db.files.checkAll(true); damage != nil {
			return fmt.Errorf("%w\n%s", damage, db.cleanText(text))
		}
	}
	return errors.New(db.cleanText(text))
}

// cleanText names files by their keys and drops what could steer a terminal.
func (db *DB) cleanText(text string) string {
	return strings.TrimSpace(safetext.Lines(strings.ReplaceAll(text, db.files.folder+string(filepath.Separator), "")))
}
