package qa

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// location is where a question is in its file: a line, or keys and indices of a
// JSON text.
type location struct {
	line int
	rows bool // line counts the rows of a file that has no lines
	path []any
}

// String returns the line or row.
func (p location) String() string {
	if p.rows {
		return fmt.Sprintf("row %d", p.line)
	}
	return fmt.Sprintf("line %d", p.line)
}

// fieldPath returns the place of one of its fields in words: "line 3, examples[0].target".
func (p location) fieldPath(data []byte, name string) string {
	if p.path == nil {
		return p.String() + ", " + name
	}
	var b strings.Builder
	for _, step := range p.path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			fmt.Fprintf(&b, ".%s", step)
		}
	}
	return fmt.Sprintf("line %d, %s.%s", lineOf(data, p.path), strings.TrimPrefix(b.String(), "."), name)
}

// lineOf returns the line, from 1, on which the value at a path of a JSON text begins.
func lineOf(data []byte, path []any) int {
	d := json.NewDecoder(bytes.NewReader(data))
	var skipped json.RawMessage
	for _, step := range path {
		_, err := d.Token() // it opens the object or list
		for n := 0; err == nil && d.More() && n != step; n++ {
			var key json.Token
			if _, named := step.(string); named {
				if key, err = d.Token(); key == step {
					break
				}
			}
			err = errors.Join(err, d.Decode(&skipped))
		}
		if err != nil {
			break
		}
	}
	at := int(d.InputOffset())
	rest := bytes.TrimLeft(data[at:], " \t\r\n,:")
	return 1 + bytes.Count(data[:len(data)-len(rest)], []byte("\n"))
}

// decodeJSON reads a JSON text which n lines of the file precede; the error
// says on which line it is wrong, and in which field.
func decodeJSON(before int, data []byte, v any) error {
	err := json.Unmarshal(data, v)
	line := func(offset int64) int {
		return before + 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	}
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: this is not JSON: %w", line(syntax.Offset), err)
	case errors.As(err, &mismatch):
		where := "the text"
		if mismatch.Field != "" {
			where = strings.ToLower(mismatch.Field) // as the formats write it
		}
		return fmt.Errorf("line %d: %s is of the type %s; %s is expected", line(mismatch.Offset), where, mismatch.Value, expectedType(mismatch.Type))
	}
	return err
}

func expectedType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	}
	return "an object"
}
