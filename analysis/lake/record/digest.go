package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Digest returns the SHA-256, in hexadecimal, of what a collaboration found: the
// rows of collaborations, rounds, turns and ballots without operational
// columns, and without calls. It is the same whatever machine, concurrency and
// faults brought the rows about, and does not depend on how files encode them.
// The rows must be sorted (Rows.Sorted).
//
// It covers, table by table, the line "<table> <digest of its rows>\n"; see TableDigest.
func Digest(r Rows) (string, error) {
	h := sha256.New()
	for _, t := range []func() (string, string, error){
		func() (string, string, error) { return digestTable(r.Collaborations) },
		func() (string, string, error) { return digestTable(r.Rounds) },
		func() (string, string, error) { return digestTable(r.Turns) },
		func() (string, string, error) { return digestTable(r.Ballots) },
	} {
		name, sum, err := t()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %s\n", name, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func digestTable[T Row](rows []T) (name, sum string, err error) {
	var zero T
	sum, err = TableDigest(rows)
	return zero.Table(), sum, err
}

// TableDigest returns the SHA-256 of rows in their order. Each row is the number of
// its columns that are present and not operational, as a 4-byte big-endian
// integer, and then for each of them in the schema's order: its name, a letter
// for its type, its value. Strings: s, length, bytes; integers: i, 8 bytes
// big-endian; booleans: b, one byte; floats: f, the 8 bytes of IEEE 754; lists
// of floats: l, count, 8 bytes each; lengths, and the name's too, are 4 bytes.
// Absent values and empty lists are left out, so that a column added later
// changes no digest until it is used. Strings that are not UTF-8 and floats
// that are not finite are errors: they would not survive in the tables.
func TableDigest[T Row](rows []T) (string, error) {
	return digestOf(rows, columnsOf(reflect.TypeFor[T]()))
}

// CopyDigest returns TableDigest with the operational columns: equal if one table
// is a copy of the other.
func CopyDigest[T Row](rows []T) (string, error) {
	return digestOf(rows, allColumns(reflect.TypeFor[T](), nil))
}

func digestOf[T Row](rows []T, columns []column) (string, error) {
	h := sha256.New()
	var row []byte
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		row = append(row[:0], 0, 0, 0, 0)
		count := uint32(0)
		for _, c := range columns {
			before := len(row)
			var err error
			if row, err = c.append(row, v.FieldByIndex(c.index)); err != nil {
				return "", fmt.Errorf("table %s, row %d of collaboration %s, column %s: %w", rows[i].Table(), i, rows[i].Identity().CollaborationID, c.name, err)
			}
			if len(row) > before {
				count++
			}
		}
		binary.BigEndian.PutUint32(row, count)
		write(h, row)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func write(h hash.Hash, b []byte) { _, _ = h.Write(b) } // never fails

// Check finds values that no table can hold, in operational columns too.
func Check[T Row](rows []T) error {
	_, err := CopyDigest(rows)
	return err
}

type column struct {
	name        string
	index       []int
	operational bool
}

func columnsOf(t reflect.Type) []column {
	return slices.DeleteFunc(allColumns(t, nil), func(c column) bool { return c.operational })
}

func allColumns(t reflect.Type, at []int) []column {
	var cs []column
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clip(at), i)
		if f.Anonymous {
			cs = append(cs, allColumns(f.Type, index)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		cs = append(cs, column{name, index, f.Tag.Get("digest") == "-"})
	}
	return cs
}

// append adds the column's name and value; nothing if it is absent.
func (c column) append(b []byte, v reflect.Value) ([]byte, error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return b, nil
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		return b, nil
	}
	b = appendString(b, c.name)
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		if !utf8.ValidString(s) {
			return b, fmt.Errorf("the text is not UTF-8: %.40q", s)
		}
		return appendString(append(b, 's'), s), nil
	case reflect.Int32, reflect.Int64:
		return binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v.Int())), nil
	case reflect.Bool:
		if v.Bool() {
			return append(b, 'b', 1), nil
		}
		return append(b, 'b', 0), nil
	case reflect.Float64:
		return appendFloat(append(b, 'f'), v.Float())
	case reflect.Slice:
		b = binary.BigEndian.AppendUint32(append(b, 'l'), uint32(v.Len()))
		for i := range v.Len() {
			var err error
			if b, err = appendFloat(b, v.Index(i).Float()); err != nil {
				return b, err
			}
		}
		return b, nil
	}
	return b, fmt.Errorf("the digest is not defined for %s", v.Type())
}

func appendString(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

func appendFloat(b []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, fmt.Errorf("%v is not a number that tables can hold", f)
	}
	return binary.BigEndian.AppendUint64(b, math.Float64bits(f)), nil
}
