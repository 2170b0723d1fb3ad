package sql

import (
	"io"
	"iter"
	"reflect"
	"strings"
	"time"

	"roundtable/analysis/lake"
)

// Table returns the rows of a table as a Result: the columns of analysis/lake/record in
// their order, absent values as nil, timestamps as time.Time.
func Table[T any](rows iter.Seq2[T, error]) Result {
	var columns []reflect.StructField
	var r Result
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if !f.Anonymous {
			columns = append(columns, f)
			name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			r.Columns = append(r.Columns, name)
		}
	}
	r.Rows = func(yield func([]any, error) bool) {
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			v, values := reflect.ValueOf(row), make([]any, len(columns))
			for i, f := range columns {
				values[i] = fieldValue(v.FieldByIndex(f.Index), f)
			}
			if !yield(values, nil) {
				return
			}
		}
	}
	return r
}

// Values returns the values of each row, by column, as Table does.
func Values[T any](rows []T) (all [][]any) {
	each := func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
	for values, err := range Table(each).Rows {
		if err == nil { // rows in memory have none
			all = append(all, values)
		}
	}
	return all
}

func fieldValue(v reflect.Value, f reflect.StructField) any {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return nil
	case v.Kind() == reflect.Pointer:
		return v.Elem().Interface()
	case v.Kind() == reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Interface()
		}
		return list
	case strings.Contains(f.Tag.Get("parquet"), "timestamp"):
		return time.UnixMicro(v.Int()).UTC()
	}
	return v.Interface()
}

// WriteParquet writes rows as a Parquet file like the lake's own, and returns their number.
func WriteParquet[T any](w io.Writer, rows iter.Seq2[T, error]) (n int64, err error) {
	p := lake.NewWriter[T](w)
	chunk := make([]T, 0, 1024)
	flush := func() error {
		_, err := p.Write(chunk)
		n, chunk = n+int64(len(chunk)), chunk[:0]
		return err
	}
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		if chunk = append(chunk, row); len(chunk) == cap(chunk) {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	if err := flush(); err != nil {
		return n, err
	}
	return n, p.Close()
}
