package records

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// delimiters that are looked for, the usual one first.
var delimiters = []rune{',', ';', '\t', '|'}

var delimiterNames = map[rune]string{';': "semicolons", '\t': "tabs", '|': "vertical bars"}

// readDelimited reads rows under a header, or with the names given. The delimiter is the one
// that divides the first row into most cells.
func readDelimited(data []byte, names []string) (Table, error) {
	data, skipped := cutSeparator(data)
	if err := checkLines(data); err != nil {
		return Table{}, err
	}
	comma := findDelimiter(data)
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.Comma = -1, comma
	first, err := r.Read()
	if errors.Is(err, io.EOF) {
		return Table{}, errors.New("it is empty")
	} else if err != nil {
		return Table{}, fmt.Errorf("%w%s", err, hintQuotes(err))
	}
	t := Table{Semicolons: comma == ';'}
	if name := delimiterNames[comma]; name != "" {
		t.Notes = append(t.Notes, "cells are divided by "+name)
	}
	line, _ := r.FieldPos(0)
	line += skipped
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
		before := r.InputOffset()
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, errors.Join(errs...)
		} else if err != nil { // what follows cannot be trusted
			return Table{}, errors.Join(append(errs, fmt.Errorf("%w%s", err, hintQuotes(err)))...)
		}
		line, _ := r.FieldPos(0)
		line += skipped
		if holdsRows(data[before:r.InputOffset()], comma, len(header)) && len(errs) < maxErrors {
			errs = append(errs, fmt.Errorf("line %d has a quotation mark that is closed lines later, and all these lines "+
				"look like rows%s", line, quotedLike))
		}
		// spreadsheets leave empty rows at the end
		if slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) {
			add(cells, line)
		}
	}
}

// cutSeparator returns the text without the line by which spreadsheets say what divides cells.
func cutSeparator(data []byte) (rest []byte, lines int) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if first = bytes.TrimRight(first, "\r"); len(first) == len("sep=;") && bytes.HasPrefix(first, []byte("sep=")) {
		return rest, 1
	}
	return data, 0
}

// maxLine is how long a line may be that is a row or a part of one.
const maxLine = 16 << 20

func checkLines(data []byte) error {
	n := 0
	for line := range bytes.Lines(data) {
		if n++; len(line) > maxLine {
			return fmt.Errorf("line %d has %d MB; a row has at most %d MB", n, len(line)>>20, maxLine>>20)
		}
	}
	return nil
}

// holdsRows reports whether each line of one row has as many cells as a row: then a quotation mark that was
// meant as text has joined them. A comma before a space is one of a sentence.
func holdsRows(text []byte, comma rune, cells int) bool {
	lines := 0
	for line := range bytes.Lines(bytes.Trim(text, "\r\n")) {
		lines++
		if bytes.Count(line, []byte(string(comma)))-bytes.Count(line, []byte(string(comma)+" ")) != cells-1 {
			return false
		}
	}
	return lines > 1 && cells > 2
}

const quotedLike = `; a cell with a quotation mark is written "like ""this"" one"`

func hintQuotes(err error) string {
	if errors.Is(err, csv.ErrBareQuote) || errors.Is(err, csv.ErrQuote) {
		return quotedLike
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

// isBlank reports whether nobody sees a character.
func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// headerOf returns the names of columns without spaces around them; a column without a name
// is called by its number.
func headerOf(cells []string, line int) ([]string, error) {
	var header []string
	seen := make(map[string]bool, len(cells))
	for i, name := range cells {
		if name = strings.TrimFunc(name, isBlank); name == "" {
			name = fmt.Sprint("column ", i+1)
		}
		if seen[name] {
			return nil, fmt.Errorf("line %d has the column %q twice", line, name)
		}
		header, seen[name] = append(header, name), true
	}
	return header, nil
}
