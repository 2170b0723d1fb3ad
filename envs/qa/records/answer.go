package records

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Reading says how the answer column names an option.
type Reading string

// Values of Reading. With Any, an answer must mean the same option in all readings that apply.
const (
	Any      Reading = ""
	ByLetter Reading = "letter"  // its letter, or its label where the file has labels
	ByText   Reading = "text"    // its text
	From0    Reading = "index_0" // its index, from 0
	From1    Reading = "index_1" // its index, from 1
	mask     Reading = "mask"    // 0 or 1 for each option, 1 being right

	// LetterOrFrom0 is for data sets of which some files have letters and some indices from 0.
	LetterOrFrom0 Reading = "letter or index_0"
)

// Readings returns the readings that a campaign file can name.
func Readings() []Reading { return []Reading{ByLetter, ByText, From0, From1, mask} }

var describedAs = map[Reading]string{ByLetter: "as a letter", ByText: "as a text", From0: "counted from 0",
	From1: "counted from 1", LetterOrFrom0: "as a letter or counted from 0"}

var letterForm = regexp.MustCompile(`^\(?([A-Za-z])[).]?$`)

// RightOptions returns the indices of the right options. several allows more than one.
func (r Row) RightOptions(as Reading, several bool) ([]int, error) {
	if r.Right >= 0 {
		return r.rightColumn()
	}
	answers := r.Answers()
	if !several {
		if list, ok := r.Answer.([]any); ok {
			answers = list
		} else if answers = []any{r.Answer}; r.Answer == nil || r.Answer == "" {
			return nil, nil
		}
	}
	if as == mask {
		return r.markedOptions(answers, several)
	}
	if len(answers) == len(r.Options) && isMask(answers) && (as == Any || len(answers) > 2) {
		return nil, fmt.Errorf("the right answer is a list of 0 and 1, as many as there are options; write " +
			"answer_is: mask if 1 marks the right ones")
	}
	var right []int
	for _, answer := range answers {
		i, err := r.Option(answer, as)
		if err != nil {
			if parts := r.Answers(); !several && len(answers) == 1 && len(parts) > 1 {
				err = fmt.Errorf("%w (write kind: several if several options are right)", err)
			}
			return nil, err
		}
		if slices.Contains(right, i) {
			return nil, fmt.Errorf("option (%s) is there twice among the right answers", letterAt(i))
		}
		right = append(right, i)
	}
	return right, refuseSeveral(right, several)
}

func refuseSeveral(right []int, several bool) error {
	if len(right) > 1 && !several {
		return fmt.Errorf("%d options are right; write kind: several if all of them are asked for", len(right))
	}
	return nil
}

// rightColumn returns the option in the column of the answer, which no other may equal.
func (r Row) rightColumn() ([]int, error) {
	if r.Right >= len(r.Options) {
		return nil, nil
	}
	for i, option := range r.Options {
		if i != r.Right && option == r.Options[r.Right] {
			return nil, fmt.Errorf("the right answer %.60q is the text of options (%s) and (%s)", option,
				letterAt(min(i, r.Right)), letterAt(max(i, r.Right)))
		}
	}
	return []int{r.Right}, nil
}

// isMask reports whether a list holds nothing but 0 and 1, or true and false.
func isMask(list []any) bool {
	return len(list) > 1 && !slices.ContainsFunc(list, func(v any) bool { _, ok := parseBit(v); return !ok })
}

func parseBit(v any) (set, ok bool) {
	switch text := strings.ToLower(strings.TrimSpace(scalarText(v))); text {
	case "0", "1", "true", "false":
		return text == "1" || text == "true", true
	}
	return false, false
}

// markedOptions returns the options that have a 1.
func (r Row) markedOptions(marks []any, several bool) ([]int, error) {
	if len(marks) != len(r.Options) {
		return nil, fmt.Errorf("there are %d options and %d marks (answer_is: mask)", len(r.Options), len(marks))
	}
	var right []int
	for i, mark := range marks {
		set, ok := parseBit(mark)
		if !ok {
			return nil, fmt.Errorf("mark %d is %.20q; expected 0 or 1 (answer_is: mask)", i+1, scalarText(mark))
		}
		if set {
			right = append(right, i)
		}
	}
	return right, refuseSeveral(right, several)
}

// Option returns the index of the option that answer means. An answer that means different
// options in several readings is an error, and so is one that means none.
func (r Row) Option(answer any, as Reading) (int, error) {
	type found struct {
		reading Reading
		option  int
	}
	var all []found
	for _, reading := range Readings() {
		if as != Any && as != reading && (as != LetterOrFrom0 || reading != ByLetter && reading != From0) {
			continue
		}
		for _, i := range r.matchingOptions(answer, reading) {
			all = append(all, found{reading, i})
		}
	}
	shown := scalarText(answer)
	switch {
	case len(all) == 0 && as != Any:
		return 0, fmt.Errorf("the right answer %.60q is none of the %d options, read %s (answer_is: %s)", shown,
			len(r.Options), describedAs[as], as)
	case len(all) == 0:
		return 0, fmt.Errorf("the right answer %.60q is none of the options: no letter of (A) to (%s), no label, no "+
			"text of an option and no place among them", shown, letterAt(len(r.Options)-1))
	}
	first := all[0]
	for _, other := range all[1:] {
		switch {
		case other.option == first.option:
		case other.reading == first.reading:
			return 0, fmt.Errorf("the right answer %.60q is the text of options (%s) and (%s)", shown,
				letterAt(first.option), letterAt(other.option))
		default:
			return 0, fmt.Errorf("the right answer %.60q is option (%s) %s and (%s) %s; say which: answer_is: %s or %s",
				shown, letterAt(first.option), describedAs[first.reading], letterAt(other.option),
				describedAs[other.reading], first.reading, other.reading)
		}
	}
	return first.option, nil
}

func letterAt(i int) string { return string(rune('A' + max(0, min(i, 25)))) }

// canMean reports whether an answer means an option in some reading.
func (r Row) canMean(answer any) bool {
	return slices.ContainsFunc(Readings(), func(as Reading) bool { return len(r.matchingOptions(answer, as)) > 0 })
}

// matchingOptions returns the options that an answer is in one reading.
func (r Row) matchingOptions(answer any, reading Reading) []int {
	text := strings.TrimSpace(scalarText(answer))
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
		// pandas writes 1.0 where a cell of the column is empty
		text, zeros, _ := strings.Cut(strings.TrimSpace(v), ".")
		if strings.Trim(zeros, "0") != "" {
			return 0, false
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= 0 && n < 1000
	}
	return 0, false
}

// textAfter returns an answer without what precedes the last marker; \boxed stands for what it
// has in its braces.
func textAfter(marker, text string) (string, error) {
	i := strings.LastIndex(text, marker)
	if i < 0 {
		return "", fmt.Errorf("there is no %q in it (answer_after)", marker)
	}
	rest := text[i+len(marker):]
	if marker != `\boxed` {
		return strings.TrimSpace(rest), nil
	}
	depth := 0
	for n, c := range rest {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return strings.TrimSuffix(strings.TrimPrefix(rest[:n+1], "{"), "}"), nil
		}
	}
	return "", errors.New("the braces after the last \\boxed are not closed")
}

// FromMarker returns the row with its answer, or each of several, cut to what follows marker.
func (r Row) FromMarker(marker string) (Row, error) {
	after := func(v any) (any, error) {
		if text, ok := v.(string); ok && text != "" {
			return textAfter(marker, text)
		}
		return v, nil
	}
	var err error
	if list, ok := r.Answer.([]any); ok {
		list = slices.Clone(list)
		for i := range list {
			if list[i], err = after(list[i]); err != nil {
				return r, err
			}
		}
		r.Answer = list
		return r, nil
	}
	r.Answer, err = after(r.Answer)
	return r, err
}

// Golds returns the accepted answers of a question without options as texts. A bool becomes yes
// or no.
func (r Row) Golds() ([]string, error) {
	switch v := r.Answer.(type) {
	case nil:
		return nil, nil
	case []any:
		var all []string
		for _, item := range v {
			text := scalarText(item)
			if text == "" {
				return nil, fmt.Errorf("it is a list that holds more than texts and numbers")
			}
			all = append(all, text)
		}
		return all, nil
	case map[string]any:
		return nil, fmt.Errorf("it is a mapping; a text, a number, true or false, or a list of texts is expected (a " +
			"name with a dot leads into it: column.key)")
	case string:
		if v == "" {
			return nil, nil
		}
		return []string{v}, nil
	case bool:
		return []string{map[bool]string{true: "yes", false: "no"}[v]}, nil
	}
	return []string{scalarText(r.Answer)}, nil
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
		if list, ok := parseLiteral(v).([]any); ok {
			return list
		}
		if len(r.matchingOptions(v, ByText)) > 0 {
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
