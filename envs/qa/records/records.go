// Package records reads tables of foreign bytes (JSON lines, CSV, Parquet, and
// folders as the Hugging Face hub lays them out) as rows of plain values. It
// knows nothing of questions. It promises that a file is read whole or that the
// error names what is wrong, line by line, whatever the bytes are.
package records

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"roundtable/envs/wording"
)

// Record is one row. Its values are nil, bool, int64, float64, string, []any and
// map[string]any.
type Record struct {
	At     int // line, or row where the file has no lines; from 1
	Fields map[string]any
}

// Table is what a file holds.
type Table struct {
	Records []Record
	Columns []string // of all records together: a CSV's in its order, others sorted
	InRows  bool     // At counts rows
}

// Place returns where a record is, in words.
func (t Table) Place(r Record) string {
	if t.InRows {
		return fmt.Sprintf("row %d", r.At)
	}
	return fmt.Sprintf("line %d", r.At)
}

// maxErrors bounds the errors of one file.
const maxErrors = 20

// Extensions are the endings of the files that can be read.
func Extensions() []string { return []string{".csv", ".json", ".jsonl", ".parquet"} }

// Read reads a file by the ending of its name.
func Read(name string, data []byte) (Table, error) {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".parquet":
		return ReadParquet(data)
	case ".csv":
		return ReadCSV(data)
	case ".jsonl", ".json":
		return ReadJSON(data)
	default:
		return Table{}, fmt.Errorf("its name ends in %q; %s is accepted", ext, wording.Or(Extensions()))
	}
}

// ReadJSON reads one object a line, empty lines aside, or one list of objects.
func ReadJSON(data []byte) (Table, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := checkUTF8(data); err != nil {
		return Table{}, err
	}
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) {
		return readList(data)
	}
	var t Table
	var errs []error
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields, err := decodeObject([]byte(line))
		if err != nil && len(errs) < maxErrors {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
		}
		t.Records = append(t.Records, Record{n, fields})
	}
	t.Columns = columnsOf(t.Records)
	return t, errors.Join(errs...)
}

func readList(data []byte) (Table, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return Table{}, fmt.Errorf("this is not JSON: %w", err)
	}
	t := Table{InRows: true}
	var errs []error
	for i, item := range items {
		fields, err := decodeObject(item)
		if err != nil && len(errs) < maxErrors {
			errs = append(errs, fmt.Errorf("row %d: %w", i+1, err))
		}
		t.Records = append(t.Records, Record{i + 1, fields})
	}
	t.Columns = columnsOf(t.Records)
	return t, errors.Join(errs...)
}

func decodeObject(data []byte) (map[string]any, error) {
	v, err := ParseJSON(string(data))
	if err != nil {
		return nil, fmt.Errorf("this is not JSON: %w", err)
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("this is not an object; {\"question\": …} is expected")
	}
	return fields, nil
}

// ParseJSON reads one JSON value, in the values of a Record.
func ParseJSON(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = errors.New("it ends too early")
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows its end")
	}
	return plain(v), nil
}

// ReadCSV reads rows under a header.
func ReadCSV(data []byte) (Table, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := checkUTF8(data); err != nil {
		return Table{}, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return Table{}, errors.New("it is empty")
	} else if err != nil {
		return Table{}, err
	}
	for i, column := range header {
		if slices.Contains(header[:i], column) {
			return Table{}, fmt.Errorf("line 1 has the column %q twice", column)
		}
	}
	t := Table{Columns: header}
	var errs []error
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, errors.Join(errs...)
		} else if err != nil { // what follows cannot be trusted
			return Table{}, errors.Join(append(errs, err)...)
		}
		line, _ := r.FieldPos(0)
		if len(cells) > len(header) && len(errs) < maxErrors {
			errs = append(errs, fmt.Errorf("line %d has %d cells; the header has %d", line, len(cells), len(header)))
		}
		fields := map[string]any{}
		for i, cell := range cells[:min(len(cells), len(header))] {
			fields[header[i]] = cell
		}
		t.Records = append(t.Records, Record{line, fields})
	}
}

func checkUTF8(data []byte) error {
	if utf8.Valid(data) {
		return nil
	}
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return fmt.Errorf("line %d is not UTF-8; save the file as UTF-8", 1+bytes.Count(data[:at], []byte("\n")))
}

// columnsOf returns the names of all fields, sorted.
func columnsOf(all []Record) []string {
	known := map[string]bool{}
	var columns []string
	for _, r := range all {
		//workflowcheck:ignore the names are sorted below
		for name := range r.Fields {
			if !known[name] {
				known[name] = true
				columns = append(columns, name)
			}
		}
	}
	slices.Sort(columns)
	return columns
}

// plain returns a decoded value as the values of a Record are.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && !math.IsInf(f, 0) {
			return f
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
		return v
	case map[string]any:
		//workflowcheck:ignore each value is replaced by itself
		for name := range v {
			v[name] = plain(v[name])
		}
		return v
	}
	return v
}
