//go:build !cgo

package sql

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Run answers a statement.
func (db *DB) Run(ctx context.Context, s Statement) (Result, error) {
	err := db.restart(ctx)
	kind := selects
	if err == nil {
		kind, err = db.checkKind(ctx, s)
	}
	if err == nil {
		err = db.readMentioned(ctx, s.Text)
	}
	if err != nil {
		return Result{}, err
	}
	switch kind {
	case explains:
		text, err := db.ask(ctx, "\n"+s.withLinesBefore())
		return Result{Columns: []string{"plan"}, Plan: true, Rows: func(yield func([]any, error) bool) {
			yield([]any{strings.Trim(text, "\n")}, nil)
		}}, db.explainRefusal(ctx, err)
	case changes:
		err := db.exec(ctx, "\n"+s.withLinesBefore())
		return Result{Rows: func(func([]any, error) bool) {}}, db.explainRefusal(ctx, err)
	}
	query := s.asSubquery()
	if describes.MatchString(trimComments(s.Text)) {
		query = "FROM (" + query + "\n)"
	}
	if err := db.exec(ctx, "CREATE OR REPLACE TEMP TABLE streamed AS (\n"+query+"\n)"); err != nil {
		return Result{}, db.explainRefusal(ctx, err)
	}
	return db.readKept(ctx)
}

// Stream answers as Run does, which keeps no rows in memory here.
func (db *DB) Stream(ctx context.Context, s Statement) (Result, error) { return db.Run(ctx, s) }

// describes finds the statements that are only a table in parentheses.
var describes = regexp.MustCompile(`(?i)^(DESCRIBE|DESC|SHOW|SUMMARIZE)\b`)

// Kinds of statements.
const (
	selects = iota
	explains
	changes
)

// The forms of CREATE and DROP. What comes last in a form of CREATE is checked as a SELECT is.
var (
	creates = regexp.MustCompile(`(?is)^CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?` +
		`(VIEW|TABLE|MACRO|FUNCTION)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[\w.]+|"[^";]*")\s*(?:\([^();]*\))?\s*AS\b\s*(TABLE\b)?(.*)$`)
	drops = regexp.MustCompile(`(?is)^DROP\s+(?:VIEW|TABLE|MACRO|MACRO\s+TABLE|FUNCTION)\s+(?:IF\s+EXISTS\s+)?(?:[\w.]+|"[^";]*")\s*$`)
)

// pivots finds a PIVOT, which without its values is several statements.
var pivots = regexp.MustCompile(`(?i)^\s*PIVOT\b`)

// checkKind says of what kind a statement is, or why it is refused. That something is exactly one
// SELECT, DuckDB says, which is given it as a text and so runs nothing.
func (db *DB) checkKind(ctx context.Context, s Statement) (int, error) {
	if err := checkText(s.Text); err != nil {
		return 0, err
	}
	text := trimComments(s.Text)
	if m := explained.FindStringSubmatch(text); m != nil && !strings.Contains(text, ";") {
		if db.checkSelect(ctx, Statement{Text: m[1]}) == nil {
			return explains, nil
		}
		return 0, Refused{fmt.Errorf("EXPLAIN and EXPLAIN ANALYZE are followed by a SELECT here, without anything "+
			"between; %s", accepted)}
	}
	if m := creates.FindStringSubmatch(text); m != nil && !strings.Contains(text, ";") {
		last := Statement{Text: m[3]}
		if !strings.EqualFold(m[1], "VIEW") && !strings.EqualFold(m[1], "TABLE") && m[2] == "" {
			last.Text = "SELECT (" + last.Text + "\n)"
		}
		return changes, db.checkSelect(ctx, last)
	}
	if drops.MatchString(text) {
		return changes, nil
	}
	return selects, db.checkSelect(ctx, s)
}

// prepareSelect refuses what is not exactly one SELECT, and reads what it needs.
func (db *DB) prepareSelect(ctx context.Context, s Statement) error {
	err := cmp.Or(db.restart(ctx), checkText(s.Text))
	if err == nil {
		err = db.checkSelect(ctx, s)
	}
	if err == nil {
		err = db.readMentioned(ctx, s.Text)
	}
	return err
}

// checkSelect refuses what is not exactly one SELECT.
func (db *DB) checkSelect(ctx context.Context, s Statement) error {
	rows, err := db.rows(ctx, "SELECT ["+"json_serialize_sql("+encodeText(s.Text)+")::VARCHAR] AS v")
	if err != nil {
		return db.explainError(ctx, err)
	}
	var parsed struct {
		Error      bool
		Type       string `json:"error_type"`
		Message    string `json:"error_message"`
		Position   string
		Statements []json.RawMessage
	}
	values, err := rows.next()
	if err == nil {
		err = json.Unmarshal([]byte(*values[0]), &parsed)
	}
	rows.Close()
	switch {
	case err != nil:
		return err
	case parsed.Type == "parser":
		at, _ := strconv.Atoi(parsed.Position)
		at = min(at, len(s.Text))
		before := strings.LastIndex(s.Text[:at], "\n") + 1
		line, _, _ := strings.Cut(s.Text[before:], "\n")
		mark := fmt.Sprintf("LINE %d: ", max(1, s.Line)+strings.Count(s.Text[:at], "\n"))
		return Refused{errors.New(db.cleanText(fmt.Sprintf("Parser Error: %s\n\n%s%s\n%*s^", parsed.Message, mark, line,
			len(mark)+at-before, "")))}
	case len(parsed.Statements) > 1, parsed.Error && pivots.MatchString(s.Text):
		return Refused{errSeveral}
	case parsed.Error, len(parsed.Statements) == 0:
		return Refused{fmt.Errorf("this kind of statement is refused; %s", accepted)}
	}
	return nil
}

// lineOf is the line in DuckDB's messages.
var lineOf = regexp.MustCompile(`(?m)^LINE (\d+):`)

// explainRefusal returns an error of a statement in words. Its lines are counted without the
// one that was put before it.
func (db *DB) explainRefusal(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	told := db.explainError(ctx, errors.New(lineOf.ReplaceAllStringFunc(err.Error(), func(mark string) string {
		line, _ := strconv.Atoi(lineOf.FindStringSubmatch(mark)[1])
		return fmt.Sprintf("LINE %d:", line-1)
	})))
	if ctx.Err() == nil && !isSuspicious(err.Error()) {
		told = Refused{told}
	}
	return told
}

// countRows returns how many rows a Parquet file has.
func (db *DB) countRows(ctx context.Context, path string) (int64, error) {
	rows, err := db.rows(ctx, "SELECT [num_rows::VARCHAR] AS v FROM ("+selectRowCount(path)+")")
	if err != nil {
		return 0, db.explainError(ctx, err)
	}
	defer rows.Close()
	values, err := rows.next()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(*values[0], 10, 64)
}

// lines are the rows of a file with a JSON object {"v": [texts]} a row.
type lines struct {
	*os.File
	*json.Decoder
}

// rows runs a SELECT of one column v, a list of texts.
func (db *DB) rows(ctx context.Context, text string) (lines, error) {
	path := filepath.Join(db.tempFolder(), "result.json")
	if err := db.exec(ctx, fmt.Sprintf("COPY (%s) TO %s (FORMAT json)", text, quoteLiteral(path))); err != nil {
		return lines{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return lines{}, err
	}
	return lines{f, json.NewDecoder(f)}, os.Remove(path) // it can still be read
}

func (l lines) next() ([]*string, error) {
	var row struct{ V []*string }
	err := l.Decode(&row)
	return row.V, err
}

// readKept hands out the rows of the table streamed.
func (db *DB) readKept(ctx context.Context) (r Result, err error) {
	described, err := db.rows(ctx, "SELECT [column_name, column_type] AS v FROM (DESCRIBE temp.streamed)")
	if err != nil {
		return r, db.explainError(ctx, err)
	}
	defer described.Close()
	var types, texts []string
	for {
		column, err := described.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, err
		}
		r.Columns, types = append(r.Columns, *column[0]), append(types, *column[1])
		texts = append(texts, textOf(quoteName(*column[0]), *column[1]))
	}
	rows, err := db.rows(ctx, "SELECT ["+strings.Join(texts, ", ")+"] AS v FROM temp.streamed")
	if err != nil {
		return r, db.explainError(ctx, err)
	}
	if db.result != nil {
		_ = db.result.Close()
	}
	db.result = rows
	r.Rows = func(yield func([]any, error) bool) {
		defer rows.Close()
		for {
			texts, err := rows.next()
			if err == nil {
				err = ctx.Err()
			}
			if errors.Is(err, io.EOF) {
				return
			}
			row := make([]any, len(texts))
			for i, text := range texts {
				if text != nil {
					row[i] = parseValue(*text, types[i])
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
	return r, nil
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// textOf returns the expression of a column as a text that parseValue reads.
func textOf(column, columnType string) string {
	switch element, isList := strings.CutSuffix(columnType, "[]"); {
	case columnType == "BLOB":
		return "lower(hex(" + column + "))"
	case isList && !nested.MatchString(element): // NaN is not JSON
		return "to_json(" + column + "::VARCHAR[])::VARCHAR"
	case nested.MatchString(columnType):
		return "to_json(" + column + ")::VARCHAR"
	}
	return column + "::VARCHAR"
}

// nested finds the types whose values are JSON.
var nested = regexp.MustCompile(`\]$|^(STRUCT|MAP|UNION|JSON|VARIANT)\b`)

// parseValue returns a text of a column of a type as a value of Result.
func parseValue(text, columnType string) any {
	if nested.MatchString(columnType) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			return text
		}
		if list, ok := v.([]any); ok {
			for i, x := range list {
				if s, ok := x.(string); ok {
					list[i] = parseValue(s, strings.TrimSuffix(columnType, "[]"))
				}
			}
		}
		return v
	}
	kind, _, _ := strings.Cut(columnType, "(")
	var v any
	var err error
	switch kind {
	case "BOOLEAN":
		v, err = strconv.ParseBool(text)
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT":
		v, err = strconv.ParseInt(text, 10, 64)
	case "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT":
		v, err = strconv.ParseUint(text, 10, 64)
	case "DOUBLE":
		v, err = strconv.ParseFloat(text, 64)
	case "FLOAT":
		var f float64
		f, err = strconv.ParseFloat(text, 32)
		v = float32(f)
	case "DECIMAL":
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		v = json.Number(text)
	case "HUGEINT", "UHUGEINT", "BIGNUM":
		v = json.Number(text)
	case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS":
		v, err = time.Parse("2006-01-02 15:04:05", text)
	case "TIMESTAMP WITH TIME ZONE":
		var at time.Time
		at, err = time.Parse("2006-01-02 15:04:05-07", text)
		v = at.UTC()
	default:
		return text
	}
	if err != nil {
		return text
	}
	return v
}
