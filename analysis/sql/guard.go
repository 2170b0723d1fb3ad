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

	"roundtable/envs/wording"
)

// accepted is what a DB answers, in words.
const accepted = "the lake is only read: SELECT (also WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE), EXPLAIN of it, " +
	"and CREATE and DROP of views, tables and macros that last as long as the session"

// explained is what is explained; ANALYZE runs it.
var explained = regexp.MustCompile(`(?is)^\s*EXPLAIN\s+(?:ANALYZE\s+)?(.*)$`)

// forbidden are functions that a SELECT could call and that change settings, run a
// text as SQL, or read memory at an address.
var forbidden = []string{
	"arrow_scan", "arrow_scan_dumb", "checkpoint", "force_checkpoint", "json_execute_serialized_sql", "query",
	"read_duckdb",
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

// errorKind finds the kind of an error, as DuckDB's messages begin.
var errorKind = regexp.MustCompile(`^[A-Z][A-Za-z ]* Error`)

// isSuspicious reports whether damaged files may have led to an error.
func isSuspicious(text string) bool {
	kind := errorKind.FindString(text)
	return kind == "" || slices.Contains(suspicious, strings.ToLower(strings.TrimSuffix(kind, " Error")))
}

var suspicious = []string{"io", "invalid input", "internal", "fatal", "serialization", "invalid", "out of range",
	"out of memory"}

// errSeveral is about what looks like one statement and is not.
var errSeveral = errors.New("DuckDB takes this for several statements; end each with a semicolon, and say PIVOT … ON " +
	"column IN (…) with the values")

// checkText refuses what DuckDB would not read as it is written, and forbidden functions.
func checkText(text string) error {
	if strings.ContainsRune(text, 0) { // where DuckDB would stop reading
		return Refused{errors.New("the statement has a NUL character; write chr(0)")}
	}
	if end, _ := scanStatement(text + "\n;"); end != len(text)+1 {
		return Refused{errors.New("a quote or a comment is not closed, or there are several statements")}
	}
	if name := forbiddenCall(text); name != "" {
		return Refused{fmt.Errorf("the function %s does more than read; %s", name, accepted)}
	}
	return nil
}

// explainError returns an error in words for people: DuckDB's message with the place in the
// statement, without what could steer a terminal, and with the files that are
// not what was written if that may be the cause.
func (db *DB) explainError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", ctx.Err())
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "multi-statement"):
		return errSeveral
	case strings.HasPrefix(text, "Permission Error"):
		text += "\n" + accepted
	case isSuspicious(text):
		if damage := db.files.checkAll(true); damage != nil {
			return fmt.Errorf("%w\n%s", damage, db.cleanText(text))
		}
	}
	return errors.New(db.cleanText(text))
}

// cleanText names files by their keys and drops what could steer a terminal.
func (db *DB) cleanText(text string) string {
	return strings.TrimSpace(wording.SafeLines(strings.ReplaceAll(text,
		db.files.folder+string(filepath.Separator), "")))
}
