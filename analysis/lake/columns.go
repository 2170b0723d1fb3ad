package lake

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// column is read from a file into one field of rows. Reading a column of many rows at a time
// takes a fraction of what the library takes to put rows together value by value.
type column struct {
	name   string
	offset uintptr      // of the field in a row
	of     reflect.Kind // of its values
	isList bool
	absent bool                           // it may be: the field points to its value
	index  int                            // in the file
	values parquet.ColumnChunkValueReader // of the present group of rows
	ahead  []parquet.Value                // read from it and not handed out
	buffer []parquet.Value
	last   string            // the text before, which many rows share
	texts  map[string]string // that a column with a dictionary has had; nil without one
}

// mostTexts of a dictionary are kept.
const mostTexts = 1024

// aheadValues are read from a column at once.
const aheadValues = 256

// columnsOf returns the columns of a file that rows of a type have, but for the unread.
func columnsOf(f *parquet.File, row reflect.Type, unread []string) ([]*column, error) {
	var all []*column
	for _, field := range reflect.VisibleFields(row) {
		name, options, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		if field.Anonymous || name == "" || slices.Contains(unread, name) {
			continue
		}
		c := &column{name: name, offset: offsetOf(row, field.Index), isList: field.Type.Kind() == reflect.Slice,
			absent: field.Type.Kind() == reflect.Pointer}
		if strings.Contains(options, "dict") {
			c.texts = map[string]string{}
		}
		path, levels, of := []string{name}, 0, field.Type
		if c.isList {
			path, levels = append(path, "list", "element"), 1
		}
		if c.absent || c.isList {
			of = of.Elem()
		}
		c.of = of.Kind()
		leaf, ok := f.Schema().Lookup(path...)
		if !ok {
			continue // a file of an earlier schema
		}
		kind, known := kinds[c.of]
		if !known || c.isList && c.of != reflect.Float64 || !leaf.Node.Leaf() || leaf.Node.Type().Kind() != kind || leaf.MaxRepetitionLevel != levels {
			return nil, fmt.Errorf("column %s is of another type than %s", name, field.Type)
		}
		c.index = leaf.ColumnIndex
		all = append(all, c)
	}
	return all, nil
}

// offsetOf returns where a field lies in a row, which may have it of a struct that it embeds.
func offsetOf(row reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		field := row.Field(i)
		offset, row = offset+field.Offset, field.Type
	}
	return offset
}

// kinds are the types of columns for those of fields.
var kinds = map[reflect.Kind]parquet.Kind{
	reflect.String: parquet.ByteArray, reflect.Bool: parquet.Boolean, reflect.Int32: parquet.Int32,
	reflect.Int64: parquet.Int64, reflect.Float64: parquet.Double,
}

// begin goes to a group of rows.
func (c *column) begin(group parquet.RowGroup) {
	c.close()
	c.values, c.ahead = parquet.NewColumnChunkValueReader(group.ColumnChunks()[c.index]), nil
}

func (c *column) close() {
	if c.values != nil {
		_ = c.values.Close()
	}
}

// peekValue returns the next value without taking it; io.EOF after the last of the group.
func (c *column) peekValue() (parquet.Value, error) {
	if len(c.ahead) == 0 {
		if c.buffer == nil {
			c.buffer = make([]parquet.Value, aheadValues)
		}
		n, err := c.values.ReadValues(c.buffer)
		if n == 0 {
			return parquet.Value{}, err
		}
		c.ahead = c.buffer[:n]
	}
	return c.ahead[0], nil
}

// skip passes over the values of some rows.
func (c *column) skip(rows int64) error {
	for rows > 0 {
		if c.isList {
			var list []float64
			if err := c.takeList(&list); err != nil {
				return err
			}
			rows--
			continue
		}
		if _, err := c.peekValue(); err != nil {
			return fmt.Errorf("column %s ends early: %w", c.name, err)
		}
		n := min(int64(len(c.ahead)), rows)
		c.ahead, rows = c.ahead[n:], rows-n
	}
	return nil
}

// fillColumn fills a field of each of some rows, which are new, so that it is absent still.
func fillColumn[T any](c *column, rows []T) error {
	switch c.of {
	case reflect.String:
		return fillField(c, rows, c.textOf)
	case reflect.Bool:
		return fillField(c, rows, parquet.Value.Boolean)
	case reflect.Int32:
		return fillField(c, rows, parquet.Value.Int32)
	case reflect.Int64:
		return fillField(c, rows, parquet.Value.Int64)
	}
	if !c.isList {
		return fillField(c, rows, parquet.Value.Double)
	}
	for i := range rows {
		if err := c.takeList(fieldOf[[]float64](c, &rows[i])); err != nil {
			return err
		}
	}
	return nil
}

// fieldOf returns the column's field of a row, which columnsOf has held to be a V.
func fieldOf[V, T any](c *column, row *T) *V { return (*V)(unsafe.Add(unsafe.Pointer(row), c.offset)) }

// fillField fills fields of a type V, or that point to one: those of values read at once share memory.
func fillField[V, T any](c *column, rows []T, of func(parquet.Value) V) error {
	for len(rows) > 0 {
		if _, err := c.peekValue(); err != nil {
			return fmt.Errorf("column %s ends early: %w", c.name, err)
		}
		now := c.ahead[:min(len(c.ahead), len(rows))]
		var room []V
		for i, v := range now {
			switch {
			case v.IsNull():
			case !c.absent:
				*fieldOf[V](c, &rows[i]) = of(v)
			default:
				if room == nil {
					room = make([]V, 0, len(now)-i)
				}
				room = append(room, of(v))
				*fieldOf[*V](c, &rows[i]) = &room[len(room)-1]
			}
		}
		c.ahead, rows = c.ahead[len(now):], rows[len(now):]
	}
	return nil
}

// textOf copies a text out of the page, which is used again; one that is the same as before
// is not copied once more.
func (c *column) textOf(v parquet.Value) string {
	text := v.ByteArray()
	if string(text) == c.last {
		return c.last
	}
	known, ok := c.texts[string(text)]
	if !ok {
		known = string(text)
		if c.texts != nil && len(c.texts) < mostTexts {
			c.texts[known] = known
		}
	}
	c.last = known
	return known
}

// takeList takes the values of a row: the first, which says if there are any, and those that
// repeat.
func (c *column) takeList(list *[]float64) error {
	*list = []float64{}
	for first := true; ; first = false {
		v, err := c.peekValue()
		switch {
		case !first && errors.Is(err, io.EOF), err == nil && !first && v.RepetitionLevel() == 0:
			return nil
		case err != nil:
			return fmt.Errorf("column %s: %w", c.name, err)
		case first && v.RepetitionLevel() != 0:
			return fmt.Errorf("column %s: a row begins within a list", c.name)
		}
		c.ahead = c.ahead[1:]
		if !v.IsNull() {
			*list = append(*list, v.Double())
		}
	}
}
