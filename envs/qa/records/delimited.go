package records

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// delimiters that are looked for, the usual one first.
var delimiters = []rune{',', ';', '\t', '|'}

var delimiterNames = map[rune]string{';': "semicolons", '\t': "tabs", '|': "vertical bars"}

// readDelimited reads rows under a header, or with the names given. The delimiter is the one
// that divides the first row into most cells.
func readDelimited(data []byte, names []string) (Table, error) {
	comma := findDelimiter(data)
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.Comma = -1, comma
	first, err := r.Read()
	if errors.Is(err, io.EOF) {
		return Table{}, errors.New("it is empty")
	} else if err != nil {
		return Table{}, fmt.Errorf("%w%s", err, hintQuotes(err))
	}
	var t Table
	if name := delimiterNames[comma]; name != "" {
		t.Notes = append(t.Notes, "cells are divided by "+name)
	}
	line, _ := r.FieldPos(0)
	header, isRow := names, len(names) > 0 && !strings.EqualFold(strings.TrimSpace(first[0]), names[0])
	if len(names) == 0 {
		if header, err = headerOf(first, line); err != nil {
			return Table{}, err
		}
	}
	t.Columns = header
	var errs []error
	add := func(cells []string, line int) {
		if n := len(cells); (n > len(header) || len(names) > 0 && n != len(header)) && len(errs) < maxErrors {
			errs = append(errs, fmt.Errorf("line %d has %d cells; the header has %d", line, n, len(header)))
		}
		fields := map[string]any{}
		for i, cell := range cells[:min(len(cells), len(header))] {
			fields[header[i]] = cell
		}
		t.Records = append(t.Records, Record{line, fields})
	}
	if isRow {
		add(first, line)
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, errors.Join(errs...)
		} else if err != nil { // what follows cannot be trusted
			return Table{}, errors.Join(append(errs, fmt.Errorf("%w%s", err, hintQuotes(err)))...)
		}
		line, _ := r.FieldPos(0)
		if slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) { // spreadsheets leave empty rows at the end
			add(cells, line)
		}
	}
}

func hintQuotes(err error) string {
	if errors.Is(err, csv.ErrBareQuote) || errors.Is(err, csv.ErrQuote) {
		return `; a cell with a quotation mark is written "like ""this"" one"`
	}
	return ""
}

func findDelimiter(data []byte) rune {
	best, most := ',', 1
	for _, comma := range delimiters {
		r := csv.NewReader(bytes.NewReader(data))
		r.FieldsPerRecord, r.Comma = -1, comma
		if first, err := r.Read(); err == nil && len(first) > most {
			best, most = comma, len(first)
		}
	}
	return best
}

// headerOf returns the names of columns without spaces around them; a column without a name
// is called by its number.
func headerOf(cells []string, line int) ([]string, error) {
	var header []string
	seen := make(map[string]bool, len(cells))
	for i, name := range cells {
		if name = strings.TrimSpace(name); name == "" {
			name = fmt.Sprint("column ", i+1)
		}
		if seen[name] {
			return nil, fmt.Errorf("line %d has the column %q twice", line, name)
		}
		header, seen[name] = append(header, name), true
	}
	return header, nil
}
