// Package columns finds the parts of a question in a row of a foreign file by
// the names of its columns: the text, the options in the forms that public data
// sets have, and the right answer, which is never guessed where it can be read
// in two ways.
package columns

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs/qa/records"
	"roundtable/envs/wording"
)

// Columns says which column holds which part of a question. A part that is not
// named has the column of its own name, if there is one. A name with dots leads
// into a value: question.stem.
type Columns struct {
	ID       string `json:"id,omitempty"`
	Question string `json:"question,omitempty"`
	Context  string `json:"context,omitempty"`
	// Options is one column (a list, its JSON text, or a mapping of texts and
	// labels), or a list of columns with an option each.
	Options Names  `json:"options,omitempty"`
	Answer  string `json:"answer,omitempty"`
	// Solution says how the answer is found; worked examples show it.
	Solution string `json:"solution,omitempty"`
}

// Names is one name or a list of them.
type Names []string

// UnmarshalJSON reads either.
func (n *Names) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*n = Names{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return errors.New("this is neither the name of a column nor a list of names")
	}
	*n = many
	return nil
}

// MarshalJSON writes one name as itself.
func (n Names) MarshalJSON() ([]byte, error) {
	if len(n) == 1 {
		return json.Marshal(n[0])
	}
	return json.Marshal([]string(n))
}

// IsZero reports whether nothing is named.
func (c Columns) IsZero() bool {
	return c.ID == "" && c.Question == "" && c.Context == "" && c.Answer == "" && c.Solution == "" && len(c.Options) == 0
}

// Error is what is wrong with one column of a row.
type Error struct {
	Column string
	Err    error
}

func (e Error) Error() string { return e.Column + ": " + e.Err.Error() }

// Unwrap returns the error without the column.
func (e Error) Unwrap() error { return e.Err }

func wrong(column, format string, args ...any) error {
	return Error{column, fmt.Errorf(format, args...)}
}

// Row is the parts of a question as a row has them.
type Row struct {
	ID, Question, Context string
	Solution              string
	Options               []string
	Labels                []string // of the options, where the file has any
	Answer                any      // as in the file; nil if there is none
}

// For returns the columns with those of a file in the places that are not
// named. The error names columns that the file does not have.
func (c Columns) For(t records.Table) (Columns, error) {
	var errs []error
	find := func(part string, name *string, needed bool) {
		given := *name != ""
		if !given {
			*name = part
		}
		if slices.Contains(t.Columns, *name) || slices.Contains(t.Columns, strings.Split(*name, ".")[0]) {
			return
		}
		if given || needed {
			errs = append(errs, fmt.Errorf("there is no column %q; the file has %s%s", *name, listOf(t.Columns), wording.DidYouMean(*name, t.Columns)))
		}
		*name = ""
	}
	find("id", &c.ID, false)
	find("question", &c.Question, true)
	find("context", &c.Context, false)
	find("answer", &c.Answer, false)
	find("solution", &c.Solution, false)
	if len(c.Options) == 0 {
		c.Options = defaultOptions(t.Columns)
	} else {
		c.Options = slices.Clone(c.Options)
		for i := range c.Options {
			find("options", &c.Options[i], true)
		}
	}
	return c, errors.Join(errs...)
}

// defaultOptions returns the column options, or the columns A, B, C, ….
func defaultOptions(columns []string) Names {
	if slices.Contains(columns, "options") {
		return Names{"options"}
	}
	var names Names
	for l := 'A'; l <= 'Z' && slices.Contains(columns, string(l)); l++ {
		names = append(names, string(l))
	}
	return names
}

func listOf(columns []string) string {
	if len(columns) > 30 {
		return strings.Join(columns[:30], ", ") + ", …"
	}
	if len(columns) == 0 {
		return "none"
	}
	return strings.Join(columns, ", ")
}

// Read returns the parts of a row. c is what For returned.
func (c Columns) Read(fields map[string]any) (Row, error) {
	if err := refuseImages(fields); err != nil {
		return Row{}, err
	}
	var row Row
	for _, part := range []struct {
		column string
		to     *string
	}{{c.ID, &row.ID}, {c.Question, &row.Question}, {c.Context, &row.Context}, {c.Solution, &row.Solution}} {
		text, err := textOf(Lookup(fields, part.column))
		if err != nil {
			return row, Error{part.column, err}
		}
		if part.column != c.ID && hasPlaceholder(text) {
			return row, wrong(part.column, "it refers to an image (%.40q); questions with images cannot be asked, only texts", placeholder.FindString(text))
		}
		*part.to = text
	}
	row.Answer = Lookup(fields, c.Answer)
	var err error
	row.Options, row.Labels, err = c.options(fields)
	return row, err
}

// Lookup returns the value of a column; nil if there is none. Dots lead into a value.
func Lookup(fields map[string]any, column string) any {
	if column == "" {
		return nil
	}
	if v, ok := fields[column]; ok {
		return v
	}
	var at any = fields
	for step := range strings.SplitSeq(column, ".") {
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[step]
	}
	return at
}

// textOf returns a text, a number or a list of texts as a text.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool, int64, float64:
		return Scalar(v), nil
	case []any:
		var lines []string
		for _, item := range v {
			line, ok := item.(string)
			if !ok {
				return "", errors.New("it is a list that holds more than texts; a text is expected")
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n"), nil
	}
	return "", errors.New("it is a mapping; a text is expected (a name with a dot leads into it: column.key)")
}

// Scalar returns a text, number or bool as a text, a float without an exponent; "" for what is none.
func Scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
