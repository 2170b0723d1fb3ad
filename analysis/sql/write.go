package sql

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"roundtable/envs/wording"
)

// WriteCSV writes a header and the rows of r, and returns the number of rows. It is safe to open in a
// spreadsheet: a text that begins with = + - @ ' a tab or a line break gets a ' before it, so that a reader
// who drops one leading ' has the exact text again. Numbers stay as they are. A missing value is empty, an
// empty text is "".
func WriteCSV(w io.Writer, r Result) (rows int64, err error) {
	b := bufio.NewWriter(w)
	for i, name := range r.Columns {
		writeField(b, i, name)
	}
	b.WriteByte('\n')
	for row, err := range r.Rows {
		if err != nil {
			return rows, err
		}
		for i, v := range row {
			writeField(b, i, v)
		}
		b.WriteByte('\n')
		rows++
	}
	return rows, b.Flush()
}

// writeField leaves errors to Flush, which repeats the first.
func writeField(b *bufio.Writer, at int, v any) {
	if at > 0 {
		b.WriteByte(',')
	}
	s, isText := v.(string)
	if !isText {
		s = Text(v)
	} else if wording.IsFormula(s) || s != "" && strings.ContainsRune("'\t\r\n", rune(s[0])) {
		s = "'" + s
	}
	if isText && s == "" || strings.ContainsAny(s, "\",\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	b.WriteString(s)
}

// WriteJSONL writes each row as a JSON object on a line of its own, the columns in their order, and returns
// the number of rows. Repeated column names get a number.
func WriteJSONL(w io.Writer, r Result) (rows int64, err error) {
	b := bufio.NewWriter(w)
	for object, err := range jsonObjects(r) {
		if err != nil {
			return rows, err
		}
		b.Write(object)
		b.WriteByte('\n')
		rows++
	}
	return rows, b.Flush()
}

// WriteJSON writes the objects of WriteJSONL as one array, and returns the number of rows.
func WriteJSON(w io.Writer, r Result) (rows int64, err error) {
	b := bufio.NewWriter(w)
	before := "[\n"
	for object, err := range jsonObjects(r) {
		if err != nil {
			return rows, err
		}
		b.WriteString(before)
		b.Write(object)
		before, rows = ",\n", rows+1
	}
	if rows == 0 {
		b.WriteString("[")
	}
	b.WriteString("\n]\n")
	return rows, b.Flush()
}

// jsonObjects returns the rows as JSON objects; each is good until the next.
func jsonObjects(r Result) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		names, err := jsonKeys(r.Columns)
		if err != nil {
			yield(nil, err)
			return
		}
		var object []byte
		for row, err := range r.Rows {
			object = append(object[:0], '{')
			for i := 0; err == nil && i < len(row); i++ {
				var value []byte
				if value, err = encodeJSON(row[i]); err != nil {
					err = fmt.Errorf("column %s: %w", r.Columns[i], err)
				}
				object = append(append(object, names[i]...), value...)
			}
			if !yield(append(object, '}'), err) || err != nil {
				return
			}
		}
	}
}

// jsonKeys returns what comes before each value: "first": and ,"second":
func jsonKeys(columns []string) ([][]byte, error) {
	taken := map[string]bool{}
	before := make([][]byte, len(columns))
	for i, name := range columns {
		unique := name
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		taken[unique] = true
		data, err := encodeJSON(unique)
		if err != nil {
			return nil, err
		}
		before[i] = fmt.Appendf(nil, ",%s:", data)
	}
	if len(before) > 0 {
		before[0] = before[0][1:]
	}
	return before, nil
}
