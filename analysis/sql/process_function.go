//go:build !cgo

package sql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// readMentioned reads the rows of the functions that a statement names.
func (db *DB) readMentioned(ctx context.Context, text string) error {
	for _, f := range db.functions {
		var arguments []string
		calls := regexp.MustCompile(`(?i)\b` + f.Name + `"?\s*\(\s*('(?:[^']|'')*'\s*\))?`)
		for _, call := range calls.FindAllStringSubmatch(text, -1) {
			if call[1] == "" {
				return Refused{fmt.Errorf("%s takes a text in quotes where DuckDB is not linked into the program", f.Name)}
			}
			quoted := strings.TrimSpace(strings.TrimSuffix(call[1], ")"))
			arguments = append(arguments, strings.ReplaceAll(quoted[1:len(quoted)-1], "''", "'"))
		}
		if f.Table != "" && regexp.MustCompile(`(?i)(\bFROM|\bJOIN|[,(])\s*"?`+f.Table+`\b`).MatchString(text) {
			arguments = append(arguments, db.files.campaigns...)
		}
		if err := db.readFunction(ctx, f, arguments); err != nil {
			return err
		}
	}
	return nil
}

// readFunction makes a macro that has the rows of a function for these arguments and those
// of before, as they are now, and is an error for others.
func (db *DB) readFunction(ctx context.Context, f Function, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	all := slices.Clone(db.read[f.Name])
	for _, argument := range arguments {
		if !slices.Contains(all, argument) {
			all = append(all, argument)
		}
	}
	path := filepath.Join(db.tempFolder(), f.Name+".jsonl")
	file, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, argument := range all {
		if argument != "" {
			if _, err := WriteJSONL(file, f.readRows(ctx, argument)); err != nil {
				return err
			}
		}
	}
	if err := cmp.Or(file.Close(), os.Rename(path+".new", path)); err != nil {
		return err
	}
	db.read[f.Name] = all
	columns := []string{"'_argument': 'VARCHAR'"}
	for _, c := range f.Columns {
		columns = append(columns, quoteLiteral(c.Name)+": "+quoteLiteral(columnTypes[c.Type]))
	}
	return db.exec(ctx, fmt.Sprintf("CREATE OR REPLACE MACRO %s(argument) AS TABLE SELECT * EXCLUDE (_argument) "+
		"FROM read_json(%s, format = 'newline_delimited', maximum_object_size = 67108864, columns = {%s}) "+
		"WHERE _argument = if(list_contains(%s, argument), argument, error(%s))", f.Name, quoteLiteral(path),
		strings.Join(columns, ", "),
		listLiteral(db.read[f.Name]), quoteLiteral("name "+f.Name+" and its argument in the statement itself")))
}

// readRows returns the rows for an argument, which is their first column.
func (f Function) readRows(ctx context.Context, argument string) Result {
	r := Result{Columns: []string{"_argument"}}
	for _, c := range f.Columns {
		r.Columns = append(r.Columns, c.Name)
	}
	r.Rows = func(yield func([]any, error) bool) {
		next := f.Open(argument)
		for {
			values, err := next()
			err = cmp.Or(err, ctx.Err())
			if errors.Is(err, io.EOF) || !yield(append([]any{argument}, values...), err) || err != nil {
				return
			}
		}
	}
	return r
}
