package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs/wording"
)

// Columns says which column holds which part of a question. A part without a name is read from
// the column of its own name, if there is one. A dotted name (question.stem) leads into a value,
// and into each element of a list.
type Columns struct {
	ID       string `json:"id,omitempty"`
	Question string `json:"question,omitempty"`
	// Context is one column or several, whose texts follow each other.
	Context Names `json:"context,omitempty"`
	// Options is one column (a list, its text in JSON or Python, or a mapping of texts and labels),
	// or a list of columns with an option each. An empty list means no options.
	Options Names `json:"options,omitempty"`
	// Answer is one column or several, all of whose answers are right. If it is one of several
	// Options columns, that column holds the right option.
	Answer Names `json:"answer,omitempty"`
	// Solution says how the answer is found; worked examples show it.
	Solution string `json:"solution,omitempty"`
}

// IsGiven reports whether any column is named.
func (c Columns) IsGiven() bool {
	return c.ID+c.Question+c.Solution != "" || c.Context != nil || c.Options != nil || c.Answer != nil
}

// Names is one name or a list of them.
type Names []string

// UnmarshalJSON reads a name or a list of names.
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

// String returns the names with commas.
func (n Names) String() string { return strings.Join(n, ", ") }

// ColumnError is an error in one column of a row.
type ColumnError struct {
	Column string
	Err    error
}

func (e ColumnError) Error() string { return e.Column + ": " + e.Err.Error() }

// Unwrap returns the error without the column.
func (e ColumnError) Unwrap() error { return e.Err }

func wrongColumn(column, format string, args ...any) error {
	return ColumnError{column, fmt.Errorf(format, args...)}
}

// Row holds the parts of a question as read from a row.
type Row struct {
	ID, Question, Context string
	Solution              string
	Options               []string
	Labels                []string // of the options, where the file has any
	Answer                any      // as in the file, a list if it has several columns; nil if there is none
	// Right is the index of the column of options that holds the answer; -1 if none does.
	Right int
}

// For returns c with missing names filled in from the columns of t. The error lists named columns
// that t does not have.
func (c Columns) For(t Table) (Columns, error) {
	var errs []error
	find := func(part string, name *string, needed bool) {
		given := *name != ""
		if !given {
			*name = part
		}
		err := findColumn(t, *name)
		if err == nil {
			return
		}
		if given || needed {
			errs = append(errs, err)
		}
		*name = ""
	}
	findAll := func(part string, names *Names, missing Names) {
		if *names == nil {
			if *names = missing; missing == nil && slices.Contains(t.Columns, part) {
				*names = Names{part}
			}
			return
		}
		*names = slices.Clone(*names)
		for i := range *names {
			find(part, &(*names)[i], true)
		}
	}
	find("id", &c.ID, false)
	if c.Question == "" && !slices.Contains(t.Columns, "question") {
		if like := looksLike(t.Columns, questionNames); len(like) > 0 {
			errs = append(errs, fmt.Errorf("there is no column \"question\"; the file has %s; write columns: "+
				"{question: %s}", listOf(t.Columns), wording.Or(like)))
		} else {
			find("question", &c.Question, true)
		}
	} else {
		find("question", &c.Question, true)
	}
	find("solution", &c.Solution, false)
	findAll("context", &c.Context, nil)
	findAll("answer", &c.Answer, nil)
	findAll("options", &c.Options, letteredColumns(t.Columns))
	return c, errors.Join(errs...)
}

// findColumn returns an error for a column that no row has anything in.
func findColumn(t Table, name string) error {
	if slices.Contains(t.Columns, name) {
		return nil
	}
	first, _, leads := strings.Cut(name, ".")
	if !leads || !slices.Contains(t.Columns, first) {
		return fmt.Errorf("there is no column %q; the file has %s%s", name, listOf(t.Columns),
			wording.DidYouMean(name, t.Columns))
	}
	var keys []string
	for _, r := range t.Records {
		if Lookup(r.Fields, name) != nil {
			return nil
		}
		if object, ok := r.Fields[first].(map[string]any); ok && keys == nil {
			keys = slices.Sorted(maps.Keys(object))
		}
	}
	return fmt.Errorf("no row has anything at %q; the keys in the column %s are %s", name, first, listOf(keys))
}

// letteredColumns returns the columns A, B, C, …; nil unless there are two.
func letteredColumns(columns []string) Names {
	if slices.Contains(columns, "options") {
		return nil
	}
	var names Names
	for l := 'A'; l <= 'Z' && slices.Contains(columns, string(l)); l++ {
		names = append(names, string(l))
	}
	if len(names) < 2 {
		return nil
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

// Unused returns the columns of a file that no part of a question is read from. c is what For
// returned.
func (c Columns) Unused(columns []string) []string {
	used := slices.Concat(Names{c.ID, c.Question, c.Solution}, c.Context, c.Options, c.Answer)
	return slices.DeleteFunc(slices.Clone(columns), func(column string) bool {
		return slices.ContainsFunc(used, func(name string) bool { return name == column || strings.HasPrefix(name, column+".") })
	})
}

// Read returns the parts of a row. c is what For returned.
func (c Columns) Read(fields map[string]any) (Row, error) {
	row := Row{Right: -1}
	if err := c.refuseImages(fields); err != nil {
		return row, err
	}
	for _, part := range []struct {
		columns Names
		to      *string
	}{{Names{c.ID}, &row.ID}, {Names{c.Question}, &row.Question}, {c.Context, &row.Context},
		{Names{c.Solution}, &row.Solution}} {
		var texts []string
		for _, column := range part.columns {
			v := Lookup(fields, column)
			text, err := textOf(v)
			if err != nil {
				return row, ColumnError{column, err}
			}
			if list, ok := v.([]any); ok && len(list) > 1 && column == c.Question {
				return row, wrongColumn(column,
					"it is a list of %d texts, and a question is one; a row for each is needed in the file", len(list))
			}
			if column != c.ID && hasPlaceholder(text) {
				return row, wrongColumn(column,
					"it refers to an image (%.40q); questions with images cannot be asked, only texts",
					placeholder.FindString(text))
			}
			if strings.TrimSpace(text) != "" {
				texts = append(texts, text)
			}
		}
		*part.to = strings.Join(texts, "\n\n")
	}
	if len(c.Answer) == 1 {
		row.Answer = acceptedIn(c.Answer[0], Lookup(fields, c.Answer[0]))
		if row.Right = -1; len(c.Options) > 1 {
			row.Right = slices.Index(c.Options, c.Answer[0])
		}
	} else if len(c.Answer) > 1 {
		row.Answer = answersOf(fields, c.Answer)
	}
	if texts, marks := c.scoredOptions(fields); texts != nil {
		row.Options, row.Answer = texts, marks
		return row, checkOptions(c.Options, texts, nil)
	}
	var err error
	row.Options, row.Labels, err = c.readOptions(fields)
	return row, err
}

// acceptedIn returns the list of texts that the text of a column named for several answers
// writes in JSON or Python, or else its value.
func acceptedIn(column string, v any) any {
	text, ok := v.(string)
	if !ok || !pluralNames.MatchString(column) || !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return v
	}
	list, ok := parseLiteral(text).([]any)
	if !ok || len(list) == 0 || slices.ContainsFunc(list, func(item any) bool { _, is := item.(string); return !is }) {
		return v
	}
	return list
}

// answersOf returns all that several columns hold, those of lists singly.
func answersOf(fields map[string]any, columns Names) any {
	var all []any
	for _, column := range columns {
		switch v := acceptedIn(column, Lookup(fields, column)).(type) {
		case nil:
		case []any:
			all = append(all, v...)
		default:
			all = append(all, v)
		}
	}
	return all
}

// Lookup returns the value of a column; nil if there is none. A dotted name leads into a value,
// and into each element of a list.
func Lookup(fields map[string]any, column string) any {
	if column == "" {
		return nil
	}
	if v, ok := fields[column]; ok {
		return v
	}
	return lookUp(fields, strings.Split(column, "."))
}

func lookUp(at any, steps []string) any {
	if len(steps) == 0 {
		return at
	}
	switch at := at.(type) {
	case map[string]any:
		return lookUp(at[steps[0]], steps[1:])
	case []any:
		all := []any{}
		for _, item := range at {
			if v := lookUp(item, steps); v != nil {
				all = append(all, v)
			}
		}
		return all
	}
	return nil
}

// textOf returns a text, a number or a list of texts as a text.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool, int64, float64:
		return scalarText(v), nil
	case []any:
		var lines []string
		for _, item := range v {
			line, err := textOf(item)
			if err != nil {
				return "", errors.New("it is a list of mappings; a text, or a list of texts, is expected (a name " +
					"with a dot leads into each: column.key)")
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n"), nil
	}
	return "", errors.New("it is a mapping; a text is expected (a name with a dot leads into it: column.key)")
}

// scalarText returns a text, number or bool as a text, a float without an exponent; "" for what is none.
func scalarText(v any) string {
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
