package columns

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs/qa/records"
)

// Reading says how the answer column names an option.
type Reading string

// The readings of an answer. Without one, an answer must mean one option only.
const (
	Any      Reading = ""
	ByLetter Reading = "letter"  // its letter, or its label where the file has labels
	ByText   Reading = "text"    // its text
	From0    Reading = "index_0" // its place, counted from 0
	From1    Reading = "index_1" // its place, counted from 1
)

// Readings lists those that can be named.
func Readings() []Reading { return []Reading{ByLetter, ByText, From0, From1} }

var describedAs = map[Reading]string{ByLetter: "as a letter", ByText: "as a text", From0: "counted from 0", From1: "counted from 1"}

var letterForm = regexp.MustCompile(`^\(?([A-Za-z])[).]?$`)

// Option returns the index of the option that an answer means. An answer that
// can be read in several ways with different options is an error, and so is one
// that means none.
func (r Row) Option(answer any, as Reading) (int, error) {
	type found struct {
		reading Reading
		option  int
	}
	var all []found
	for _, reading := range Readings() {
		if as != Any && as != reading {
			continue
		}
		for _, i := range r.matches(answer, reading) {
			all = append(all, found{reading, i})
		}
	}
	shown := Scalar(answer)
	switch {
	case len(all) == 0 && as != Any:
		return 0, fmt.Errorf("the right answer %.60q is none of the %d options, read %s (answer_is: %s)", shown, len(r.Options), describedAs[as], as)
	case len(all) == 0:
		return 0, fmt.Errorf("the right answer %.60q is none of the options: no letter of (A) to (%s), no label, no text of an option and no place among them", shown, letterAt(len(r.Options)-1))
	}
	first := all[0]
	for _, other := range all[1:] {
		switch {
		case other.option == first.option:
		case other.reading == first.reading:
			return 0, fmt.Errorf("the right answer %.60q is the text of options (%s) and (%s)", shown, letterAt(first.option), letterAt(other.option))
		default:
			return 0, fmt.Errorf("the right answer %.60q is option (%s) %s and (%s) %s; say which: answer_is: %s or %s",
				shown, letterAt(first.option), describedAs[first.reading], letterAt(other.option), describedAs[other.reading], first.reading, other.reading)
		}
	}
	return first.option, nil
}

func letterAt(i int) string { return string(rune('A' + max(0, min(i, 25)))) }

// matches returns the options that an answer is in one reading.
func (r Row) matches(answer any, reading Reading) []int {
	text := strings.TrimSpace(Scalar(answer))
	n, isWhole := wholeNumber(answer)
	at := -1
	switch reading {
	case ByLetter:
		if len(r.Labels) > 0 {
			at = slices.Index(r.Labels, text)
		} else if m := letterForm.FindStringSubmatch(text); m != nil {
			at = int(strings.ToUpper(m[1])[0] - 'A')
		}
	case ByText:
		var all []int
		_, isBool := answer.(bool)
		for i, option := range r.Options {
			if option = strings.TrimSpace(option); option == text || isBool && strings.EqualFold(option, text) {
				all = append(all, i)
			}
		}
		return all
	case From0, From1:
		if !isWhole || slices.Contains(r.Labels, text) {
			return nil
		}
		if at = n; reading == From1 {
			at--
		}
	}
	if at < 0 || at >= len(r.Options) {
		return nil
	}
	return []int{at}
}

// wholeNumber returns a number that has no fraction, also from a text.
func wholeNumber(v any) (int, bool) {
	switch v := v.(type) {
	case int64:
		return int(v), v >= 0 && v < 1000
	case float64:
		return int(v), v >= 0 && v < 1000 && v == float64(int(v))
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(v))
		return n, err == nil && n >= 0 && n < 1000
	}
	return 0, false
}

// Golds returns the answer of a question without options as texts: one, or those of
// a list. A bool is yes or no.
func (r Row) Golds() ([]string, error) {
	switch v := r.Answer.(type) {
	case nil:
		return nil, nil
	case []any:
		var all []string
		for _, item := range v {
			text := Scalar(item)
			if text == "" {
				return nil, fmt.Errorf("it is a list that holds more than texts and numbers")
			}
			all = append(all, text)
		}
		return all, nil
	case map[string]any:
		return nil, fmt.Errorf("it is a mapping; a text, a number, true or false, or a list of texts is expected (a name with a dot leads into it: column.key)")
	case string:
		if v == "" {
			return nil, nil
		}
		return []string{v}, nil
	case bool:
		return []string{map[bool]string{true: "yes", false: "no"}[v]}, nil
	}
	return []string{Scalar(r.Answer)}, nil
}

// Answers returns the single answers of a question with several right options: a
// list, its JSON text, or a text with commas or semicolons between them.
func (r Row) Answers() []any {
	switch v := r.Answer.(type) {
	case nil:
		return nil
	case []any:
		return v
	case string:
		if list, err := records.ParseJSON(v); err == nil {
			if list, ok := list.([]any); ok {
				return list
			}
		}
		if len(r.matches(v, ByText)) > 0 {
			return []any{v}
		}
		var all []any
		for part := range strings.FieldsFuncSeq(v, func(c rune) bool { return c == ',' || c == ';' }) {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, part)
			}
		}
		return all
	}
	return []any{r.Answer}
}
