package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// readJSON reads one object a line, empty lines aside, or one text: a list of objects, or
// an object in which rows leads to the list.
func readJSON(data []byte, rows string) (Table, error) {
	var t Table
	var errs []error
	if len(bytes.TrimSpace(data)) == 0 {
		return t, errors.New("it is empty")
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(data, " \t\r\n"), []byte("\n"))
	texts, isOne := strings.Lines(string(data)), !bytes.HasPrefix(first, []byte("{")) || !json.Valid(first)
	if isOne {
		texts = slices.Values([]string{string(data)})
	} else if rows == "" { // else the object of a line holds many rows
		if err := checkLines(data); err != nil {
			return Table{}, err
		}
	}
	n := 0
	for text := range texts {
		d := newDocument([]byte(text), strings.FieldsFunc(rows, func(r rune) bool { return r == '.' }))
		d.before = n
		if n++; strings.TrimSpace(text) == "" {
			continue
		}
		v, err := d.read()
		if err == nil && isOne && rows == "" {
			err = askForRows(v)
		}
		var found []Record
		if err == nil {
			var faults []error
			found, faults = d.readRows(v)
			err = errors.Join(faults...)
		}
		if err != nil && len(errs) < maxErrors {
			errs = append(errs, err)
		}
		t.Records = append(t.Records, found...)
	}
	t.Columns = columnsOf(t.Records)
	return t, errors.Join(errs...)
}

// askForRows refuses one object that holds lists of objects.
func askForRows(v any) error {
	object, _ := v.(map[string]any)
	var lists []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if list, ok := object[key].([]any); ok && len(list) > 0 {
			if _, ok := list[0].(map[string]any); ok {
				lists = append(lists, key)
			}
		}
	}
	if len(lists) == 0 {
		return nil
	}
	return fmt.Errorf("this is one object; say where its list of rows is: rows: %s", wording.Or(lists))
}

// ParseJSON reads one JSON value; its result has the types of Record's values.
func ParseJSON(text string) (any, error) {
	d := newDocument([]byte(text), nil)
	d.bare = true
	return d.read()
}

// document reads a JSON text token by token: a key that is there twice is an error, and the
// lines of its rows are known.
type document struct {
	dec    *json.Decoder
	text   []byte
	steps  []string // that lead to the rows
	before int      // lines of the file before the text
	bare   bool     // errors say no line
	lines  []int    // of the rows
	seen   int      // bytes of which the lines are counted
	line   int      // lines counted
}

// maxDepth is how deep values may lie in each other.
const maxDepth = 500

func newDocument(text []byte, steps []string) *document {
	d := &document{dec: json.NewDecoder(bytes.NewReader(text)), text: text, steps: steps}
	d.dec.UseNumber()
	return d
}

func (d *document) read() (any, error) {
	v, err := d.readValue(0, 0)
	if err == nil {
		if _, after := d.dec.Token(); !errors.Is(after, io.EOF) {
			err = errors.New("something follows its end; expected one object a line, or one list of objects")
		}
	}
	if err == nil {
		return v, nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("it ends too early")
	}
	if d.bare {
		return nil, err
	}
	rest := bytes.TrimLeft(d.text[min(d.dec.InputOffset(), int64(len(d.text))):], " \t\r\n:,[-")
	if bytes.HasPrefix(rest, []byte("NaN")) || bytes.HasPrefix(rest, []byte("Infinity")) {
		err = fmt.Errorf("%w; Python's NaN and Infinity are none of JSON's values: write null", err)
	}
	return nil, fmt.Errorf("line %d: this is not JSON: %w",
		d.before+1+bytes.Count(d.text[:d.dec.InputOffset()], []byte("\n")), err)
}

// lineOf returns the line of the file on which the value after an offset begins; offsets
// must not fall.
func (d *document) lineOf(offset int) int {
	rest := bytes.TrimLeft(d.text[offset:], " \t\r\n,:")
	if offset = len(d.text) - len(rest); offset > d.seen {
		d.line += bytes.Count(d.text[d.seen:offset], []byte("\n"))
		d.seen = offset
	}
	return d.before + d.line + 1
}

// readValue reads one value that lies so deep and is reached by so many of the steps; -1 off
// their way.
func (d *document) readValue(step, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("its values lie more than %d deep in each other", maxDepth)
	}
	line := 0
	if step == len(d.steps) {
		line = d.lineOf(int(d.dec.InputOffset()))
	}
	token, err := d.dec.Token()
	if err != nil {
		return nil, err
	}
	if token != json.Delim('[') && step == len(d.steps) {
		d.lines = append(d.lines, line)
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.dec.More() {
			v, err := d.readValue(step, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.dec.Token()
		return list, err
	case json.Delim('{'):
		object := map[string]any{}
		for d.dec.More() {
			key, err := d.dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			if _, twice := object[name]; twice {
				return nil, fmt.Errorf("the key %q is there twice", name)
			}
			next := -1
			if step >= 0 && step < len(d.steps) && d.steps[step] == name {
				next = step + 1
			}
			if object[name], err = d.readValue(next, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = d.dec.Token()
		return object, err
	}
	if number, ok := token.(json.Number); ok {
		return plainNumber(number), nil
	}
	return token, nil
}

func plainNumber(v json.Number) any {
	if n, err := v.Int64(); err == nil {
		return n
	}
	if f, err := v.Float64(); err == nil && !math.IsInf(f, 0) && strings.ContainsAny(v.String(), ".eE") {
		return f
	}
	return v.String() // a whole number that is too large keeps its digits
}

// readRows returns the rows to which the steps lead, with the fields of what they lie in.
func (d *document) readRows(v any) (all []Record, errs []error) {
	fail := func(format string, args ...any) {
		if len(errs) < maxErrors {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	next := 0
	var walk func(v any, step int, above map[string]any)
	walk = func(v any, step int, above map[string]any) {
		if list, ok := v.([]any); ok {
			for _, item := range list {
				walk(item, step, above)
			}
			return
		}
		line := d.before + 1
		if step == len(d.steps) && next < len(d.lines) {
			line = d.lines[next]
			next++
		}
		object, ok := v.(map[string]any)
		if !ok {
			fail("line %d: this is not an object; {\"question\": …} is expected", line)
			return
		}
		fields := maps.Clone(above)
		if fields == nil {
			fields = map[string]any{}
		}
		maps.Copy(fields, object)
		if step == len(d.steps) {
			all = append(all, Record{line, fields})
			return
		}
		inner, ok := object[d.steps[step]]
		if !ok {
			keys := slices.Sorted(maps.Keys(object))
			fail("line %d: rows is %q, and there is no key %q; there are %s%s", line, strings.Join(d.steps, "."),
				d.steps[step], strings.Join(keys, ", "), wording.DidYouMean(d.steps[step], keys))
			return
		}
		delete(fields, d.steps[step])
		walk(inner, step+1, fields)
	}
	walk(v, 0, nil)
	return all, errs
}
