// Package records reads tables of foreign bytes (JSON, JSON lines, delimited text, Parquet,
// each also compressed by gzip, and folders as the Hugging Face hub lays them out) as rows of
// plain values. A file is read whole or the error names what is wrong, line by line, whatever
// the bytes are.
//
// Columns finds the parts of a question in a row by the names of its columns: the text, the
// options in the forms of public data sets, and the right answer. An ambiguous answer is an
// error, never guessed.
package records

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"roundtable/envs/wording"
)

// Record is one row. Its values are nil, bool, int64, float64, string, []any and
// map[string]any.
type Record struct {
	At     int // line number, or row number where the file has no lines; from 1
	Fields map[string]any
}

// Table is the content of a file.
type Table struct {
	Records []Record
	Columns []string // of all records together, in the file's order; for JSON sorted
	InRows  bool     // Record.At counts rows, not lines
	// Semicolons says that semicolons separate the cells, so commas may be decimal commas.
	Semicolons bool
	Notes      []string // what the user should know, such as the delimiter found
}

// Place returns where a record is, as "line 3" or "row 3".
func (t Table) Place(r Record) string {
	if t.InRows {
		return fmt.Sprintf("row %d", r.At)
	}
	return fmt.Sprintf("line %d", r.At)
}

// Options say how to read a file, where its name and bytes do not.
type Options struct {
	Form   Form     // "": by the extension of the name
	Rows   string   // JSON: dotted path to the list of rows; rows inherit the fields above them
	Header []string // delimited text without a header: the names of its columns
}

// Form is the format of a file.
type Form string

// The forms that can be read. JSON includes JSON lines, CSV all delimited text.
const (
	JSON    Form = "json"
	CSV     Form = "csv"
	Parquet Form = "parquet"
)

var endings = map[string]Form{".csv": CSV, ".tsv": CSV, ".json": JSON, ".jsonl": JSON, ".ndjson": JSON,
	".parquet": Parquet}

// maxErrors bounds the errors of one file.
const maxErrors = 20

// A compressed file has at most 10 MB, or 100 bytes for each of its own, and at most 4 GB: rows take
// some 25 times as much memory.
func maxUnpacked(packed int) int { return min(4<<30, max(10<<20, 100*packed)) }

// Extensions returns the extensions of the files that can be read, each also with .gz.
func Extensions() []string {
	return []string{".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".tsv"}
}

// FormOf returns the form by the extension of a file's name; "" if unknown.
func FormOf(name string) Form {
	return endings[path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))]
}

// Read parses data, the content of the file name.
func Read(name string, data []byte, o Options) (Table, error) {
	if o.Form == "" {
		if o.Form = FormOf(name); o.Form == "" {
			return Table{}, fmt.Errorf("its name ends in %q; expected %s, each also with .gz", path.Ext(name),
				wording.Or(Extensions()))
		}
	}
	data, err := unpack(data)
	if err == nil {
		data, err = decodeUTF16(data)
	}
	if err == nil {
		err = refuseForeign(data, o.Form)
	}
	switch {
	case err != nil:
		return Table{}, err
	case o.Rows != "" && o.Form != JSON:
		return Table{}, fmt.Errorf("rows is %q; it says where the list of rows is in JSON, and this is %s",
			o.Rows, o.Form)
	case len(o.Header) > 0 && o.Form != CSV:
		return Table{}, fmt.Errorf("header names the columns of delimited text, and this is %s", o.Form)
	case o.Form == Parquet:
		return readParquet(data)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := checkUTF8(data); err != nil {
		return Table{}, err
	}
	if bytes.IndexByte(data, '\n') < 0 { // as old spreadsheets end lines
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return Table{}, fmt.Errorf("line %d has a NUL byte, which no text has: the file is damaged",
			1+bytes.Count(data[:at], []byte("\n")))
	}
	if o.Form == CSV {
		return readDelimited(data, o.Header)
	}
	return readJSON(data, o.Rows)
}

// unpack undoes gzip.
func unpack(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		most := maxUnpacked(len(data))
		if data, err = io.ReadAll(io.LimitReader(z, int64(most)+1)); err == nil && len(data) > most {
			return nil, fmt.Errorf("it unpacks to more than %d MB, far more than data of its size; if that is right, "+
				"unpack it first", most>>20)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("this is not a gzip file that can be read: %w", err)
	}
	return data, nil
}

// decodeUTF16 returns a text in UTF-8 that spreadsheets saved in UTF-16 with its mark.
func decodeUTF16(data []byte) ([]byte, error) {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	case !bytes.HasPrefix(data, []byte("\xff\xfe")):
		return data, nil
	}
	if len(data)%2 != 0 {
		return nil, errors.New("it begins as UTF-16 and ends within a character; save it as UTF-8")
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units))), nil
}

// foreign are the beginnings of files that are something else than they are taken for.
var foreign = []struct{ begins, text string }{
	{"version https://git-lfs.github.com/spec/",
		"this is a Git LFS pointer and not the data; git lfs pull downloads it"},
	{"../.git/annex/", "this is a git-annex pointer and not the data; git annex get downloads it"},
	{"/annex/objects/", "this is a git-annex pointer and not the data; git annex get downloads it"},
	{"\x00\x00\xfe\xff", "this is UTF-32; save the file as UTF-8"},
	{"PK\x03\x04", "this is a ZIP archive or an Excel file; unpack it, or save the sheet as CSV"},
	{"\xd0\xcf\x11\xe0", "this is an Excel file; save the sheet as CSV"},
	{"(\xb5/\xfd", "this is compressed by Zstandard; unpack it first"},
	{"\xfd7zXZ", "this is compressed by xz; unpack it first"},
	{"BZh", "this is compressed by bzip2; unpack it first"},
	{"ARROW1", "this is an Arrow file; write the data set as Parquet (to_parquet)"},
}

// refuseForeign says what a file is that is not of a form.
func refuseForeign(data []byte, form Form) error {
	for _, f := range foreign {
		if bytes.HasPrefix(data, []byte(f.begins)) {
			return errors.New(f.text)
		}
	}
	begin := bytes.TrimLeft(data[:min(len(data), 512)], " \t\r\n\ufeff")
	switch isParquet := bytes.HasPrefix(data, []byte("PAR1")); {
	case isParquet && form != Parquet:
		return fmt.Errorf("this is a Parquet file, read as %s", form)
	case isParquet:
		return nil
	case bytes.HasPrefix(begin, []byte("<")) && (hasFold(begin, "<!doctype html") || hasFold(begin, "<html")):
		return errors.New("this is a web page and not the data; download the file itself")
	case form != Parquet && len(data) > 3 && (data[1] == 0 && data[3] == 0 || data[0] == 0 && data[2] == 0):
		return errors.New("this is UTF-16 without its mark; save the file as UTF-8")
	}
	return nil
}

func hasFold(data []byte, prefix string) bool {
	return len(data) >= len(prefix) && strings.EqualFold(string(data[:len(prefix)]), prefix)
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
	return fmt.Errorf("line %d is not UTF-8 but perhaps Latin-1 or Windows-1252 (byte 0x%X); save the file as UTF-8",
		1+bytes.Count(data[:at], []byte("\n")), data[at])
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
