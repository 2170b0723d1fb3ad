package records

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// maxRows is how many rows of one Parquet file are read.
const maxRows = 5_000_000

// ReadParquet reads all rows of a Parquet file.
func ReadParquet(data []byte) (t Table, err error) {
	defer func() { // the decoder panics on some files that are damaged
		if r := recover(); r != nil {
			t, err = Table{}, fmt.Errorf("this is not a Parquet file that can be read: %v", r)
		}
	}()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return Table{}, fmt.Errorf("this is not a Parquet file that can be read: %w", err)
	}
	if n := file.NumRows(); n > maxRows {
		return Table{}, fmt.Errorf("it has %d rows; at most %d are read", n, maxRows)
	}
	t.InRows = true
	for _, c := range file.Root().Columns() {
		t.Columns = append(t.Columns, c.Name())
	}
	reader := parquet.NewGenericReader[any](file)
	chunk := make([]any, 256)
	for {
		clear(chunk)
		n, err := reader.Read(chunk)
		for _, row := range chunk[:n] {
			fields, ok := plainParquet(row).(map[string]any)
			if !ok {
				return Table{}, fmt.Errorf("row %d is not a row of columns", len(t.Records)+1)
			}
			t.Records = append(t.Records, Record{len(t.Records) + 1, fields})
		}
		switch {
		case errors.Is(err, io.EOF):
			return t, reader.Close()
		case err != nil:
			return Table{}, fmt.Errorf("row %d cannot be read: %w", len(t.Records)+1, err)
		case n == 0 || len(t.Records) > maxRows:
			return Table{}, fmt.Errorf("row %d cannot be read: the file does not end", len(t.Records)+1)
		}
	}
}

// plainParquet returns a decoded value as the values of a Record are. Lists of
// writers that wrap their elements are unwrapped.
func plainParquet(v any) any {
	switch v := v.(type) {
	case nil, bool, int64:
		return v
	case string:
		return v
	case []byte:
		return string(v)
	case float64:
		return v
	case map[string]any:
		if list, ok := wrappedList(v); ok {
			return list
		}
		//workflowcheck:ignore each value is replaced by itself
		for name := range v {
			v[name] = plainParquet(v[name])
		}
		return v
	case []any:
		for i := range v {
			v[i] = plainParquet(v[i])
		}
		return v
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return r.Int()
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint())
	case r.CanFloat():
		return r.Float()
	}
	return fmt.Sprint(v)
}

// wrappedList returns the elements of {"list": [{"element": …}]}.
func wrappedList(v map[string]any) ([]any, bool) {
	if len(v) != 1 {
		return nil, false
	}
	items, ok := v["list"].([]any)
	if !ok {
		return nil, false
	}
	list := make([]any, len(items))
	for i, item := range items {
		one, ok := item.(map[string]any)
		if !ok || len(one) != 1 {
			return nil, false
		}
		//workflowcheck:ignore there is one
		for _, element := range one {
			list[i] = plainParquet(element)
		}
	}
	return list, true
}

// IsImage reports whether a value is an image: what the hub's files hold for one
// (bytes with a path), or bytes that are no text.
func IsImage(v any) bool {
	switch v := v.(type) {
	case string:
		return !utf8.ValidString(v)
	case map[string]any:
		_, raw := v["bytes"]
		_, named := v["path"]
		return raw && named && len(v) == 2
	case []any:
		return slices.ContainsFunc(v, IsImage)
	}
	return false
}

// Plain returns fields as JSON can hold them: bytes that are no text in base64.
func Plain(v any) any {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return base64.StdEncoding.EncodeToString([]byte(v))
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = Plain(v[i])
		}
		return list
	case map[string]any:
		object := map[string]any{}
		//workflowcheck:ignore a map is made of a map
		for name, field := range v {
			object[name] = Plain(field)
		}
		return object
	}
	return v
}
