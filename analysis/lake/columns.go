package lake

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// column is read from a file into one field of rows. Reading a column of many rows at a time
// takes a fraction of what the library takes to put rows together value by value.
type column struct {
	name   string
	field  []int // of the row
	isList bool
	index  int                            // in the file
	values parquet.ColumnChunkValueReader // of the present group of rows
	ahead  []parquet.Value                // read from it and not handed out
	buffer []parquet.Value
	last   string // the text before, which many rows share
}

// aheadValues are read from a column at once.
const aheadValues = 256

// columnsOf returns the columns of a file that rows of a type have, but for the unread.
func columnsOf(f *parquet.File, row reflect.Type, unread []string) ([]*column, error) {
	var all []*column
	for _, field := range reflect.VisibleFields(row) {
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		if field.Anonymous || name == "" || slices.Contains(unread, name) {
			continue
		}
		c := &column{name: name, field: field.Index, isList: field.Type.Kind() == reflect.Slice}
		path, levels, of := []string{name}, 0, field.Type
		if c.isList {
			path, levels = append(path, "list", "element"), 1
		}
		if of.Kind() == reflect.Pointer || c.isList {
			of = of.Elem()
		}
		leaf, ok := f.Schema().Lookup(path...)
		if !ok {
			continue // a file of an earlier schema
		}
		if !leaf.Node.Leaf() || leaf.Node.Type().Kind() != kinds[of.Kind()] || leaf.MaxRepetitionLevel != levels {
			return nil, fmt.Errorf("column %s is of another type than %s", name, field.Type)
		}
		c.index = leaf.ColumnIndex
		all = append(all, c)
	}
	return all, nil
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

// fill fills the field of each of some rows, which are new, so that it is absent still.
func (c *column) fill(rows reflect.Value) error {
	for i := range rows.Len() {
		v, err := c.peekValue()
		if err != nil {
			return fmt.Errorf("column %s ends early: %w", c.name, err)
		}
		field := rows.Index(i).FieldByIndex(c.field).Addr().Interface()
		if c.isList {
			if err := c.takeList(field.(*[]float64)); err != nil {
				return err
			}
			continue
		}
		c.ahead = c.ahead[1:]
		if !v.IsNull() {
			c.put(field, v)
		}
	}
	return nil
}

// put sets a field of one of the types that rows have.
func (c *column) put(field any, v parquet.Value) {
	switch f := field.(type) {
	case *string:
		*f = c.textOf(v)
	case **string:
		*f = new(c.textOf(v))
	case *bool:
		*f = v.Boolean()
	case **bool:
		*f = new(v.Boolean())
	case *int32:
		*f = v.Int32()
	case **int32:
		*f = new(v.Int32())
	case *int64:
		*f = v.Int64()
	case **int64:
		*f = new(v.Int64())
	case *float64:
		*f = v.Double()
	case **float64:
		*f = new(v.Double())
	default:
		panic(fmt.Sprintf("rows have no fields of type %T", field))
	}
}

// textOf copies a text out of the page, which is used again; one that is the same as before
// is not copied once more.
func (c *column) textOf(v parquet.Value) string {
	if text := v.ByteArray(); string(text) != c.last {
		c.last = string(text)
	}
	return c.last
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
