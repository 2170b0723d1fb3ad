package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object returns the one JSON object of an answer. It ignores thinking, prose or a code fence
// around it, and repairs slips of writing that leave one meaning only; other objects, names with
// two values and deep nesting are errors.
func Object(raw []byte) (jsontext.Value, error) {
	object, _, err := findObject(raw, false)
	return object, err
}

// findObject returns the object with what was repaired. What was cut off is not closed.
func findObject(raw []byte, cut bool) (object jsontext.Value, repairs []string, err error) {
	if err := checkText(raw); err != nil {
		return nil, nil, err
	}
	text, _, err := splitThinking(string(raw), cut, withinObject)
	if err != nil {
		return nil, nil, err
	}
	return objectIn(text, cut)
}

const mostRepeats = 16 // of the same object

// objectIn returns the one object of a text.
func objectIn(text string, cut bool) (found jsontext.Value, repairs []string, err error) {
	rest := text
	for n := 0; ; n++ {
		at := beginsObject(rest)
		if at < 0 {
			break
		}
		if n == mostRepeats {
			return nil, nil, errors.New("it holds more than one JSON object")
		}
		value, size, fixed, wrong := parseObject(rest[at:], cut)
		switch {
		case wrong != nil && found == nil:
			return nil, nil, wrong
		case wrong != nil:
			return nil, nil, errors.New("it holds more than one JSON object")
		case found == nil:
			found, repairs = value, fixed
		case isSameJSON(found, value):
			repairs = append(repairs, "repeated object")
		default:
			return nil, nil, errors.New("it holds more than one JSON object")
		}
		rest = rest[at+size:]
	}
	if found == nil {
		return nil, nil, errors.New("it holds no JSON object")
	}
	slices.Sort(repairs)
	return found, slices.Compact(repairs), nil
}

// objects begin with a name, or end at once; sets as {A} and LaTeX's groups do not.
var objects = regexp.MustCompile(`\{\s*(?:(?://[^\n]*\n|/\*|#[^\n]*\n)\s*)*(?:["'“]|\}|[A-Za-z_]\w*\s*:|\{|$)`)

// beginsObject returns where an object begins; -1 if none does.
func beginsObject(text string) int {
	for from := 0; ; {
		m := objects.FindStringIndex(text[from:])
		if m == nil {
			return -1
		}
		at := from + m[0]
		if at == 0 || !strings.ContainsRune("^_", rune(text[at-1])) && !macro.MatchString(text[max(0, at-24):at]) {
			return at
		}
		from = at + 1
	}
}

var macro = regexp.MustCompile(`\\[A-Za-z]+(?:\{[^{}]*\})?$`)

// isSameJSON reports whether two values mean the same.
func isSameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// parseObject reads an object at the beginning of a text, as it is or repaired.
func parseObject(text string, cut bool) (value jsontext.Value, size int, repairs []string, err error) {
	_, end, err := strictObject([]byte(text))
	if err == nil {
		return jsontext.Value(text[:end]), end, nil, nil
	}
	if errors.Is(err, errDepth) {
		return nil, 0, nil, err
	}
	r := repairer{text: text, cut: cut}
	value, err = r.readValue(1)
	if err == nil {
		_, _, err = strictObject(value)
	}
	return value, r.at, r.repairs, err
}

var errDepth = fmt.Errorf("its JSON is nested more than %d deep", maxDepth)

// strictObject returns the extent of the first JSON object.
func strictObject(raw []byte) (start, end int, err error) {
	if start = bytes.IndexByte(raw, '{'); start < 0 {
		return 0, 0, errors.New("it holds no JSON object")
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw[start:]))
	names := map[string]bool{} // of the object itself, in lower case
	for {
		token, err := dec.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return 0, 0, errors.New("its JSON gives a name twice")
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return 0, 0, errEarly
		case err != nil:
			return 0, 0, fmt.Errorf("its JSON is broken at byte %d, counted from the first {", dec.InputOffset())
		case dec.StackDepth() > maxDepth:
			return 0, 0, errDepth
		case dec.StackDepth() == 0:
			return start, start + int(dec.InputOffset()), nil
		}
		if _, n := dec.StackIndex(1); dec.StackDepth() == 1 && n%2 == 1 {
			name := strings.ToLower(token.String())
			if names[name] {
				return 0, 0, fmt.Errorf("its JSON gives the name %q twice, in different case", Clean([]byte(name), 60))
			}
			names[name] = true
		}
	}
}

var errEarly = errors.New("its JSON ends too early")

// repairer reads JSON with the slips that models make.
type repairer struct {
	text    string
	at      int
	cut     bool
	repairs []string
}

func (r *repairer) note(what string) { r.repairs = append(r.repairs, what) }

// errBroken returns an error that shows what stands where something else belongs.
func (r *repairer) errBroken(want string) error {
	if r.at >= len(r.text) {
		return errEarly
	}
	return fmt.Errorf("its JSON is broken: %q stands where %s belongs",
		Clean([]byte(r.text[r.at:min(len(r.text), r.at+24)]), 24), want)
}

// skip passes over spaces and comments.
func (r *repairer) skip() {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			r.at++
		case strings.HasPrefix(rest, "\u00a0"):
			r.at += len("\u00a0")
		case strings.HasPrefix(rest, "//"), rest[0] == '#':
			r.note("comment")
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				r.at += end
			} else {
				r.at = len(r.text)
			}
		case strings.HasPrefix(rest, "/*") && strings.Contains(rest, "*/"):
			r.note("comment")
			r.at += strings.Index(rest, "*/") + 2
		default:
			return
		}
	}
}

var (
	jsonNumber = regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`)
	jsonWord   = regexp.MustCompile(`^(?:true|false|null|True|False|None|TRUE|FALSE|NULL)\b`)
	jsonName   = regexp.MustCompile(`^[A-Za-z_]\w*`)
	endsString = regexp.MustCompile(`^\s*(?:[,:}\])，：]|$|//|#)`)
)

func (r *repairer) readValue(depth int) (jsontext.Value, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	r.skip()
	rest := r.text[r.at:]
	switch {
	case rest == "":
		return nil, errEarly
	case rest[0] == '{':
		return r.readObject(depth)
	case rest[0] == '[' || rest[0] == '(':
		return r.list(depth, map[byte]byte{'[': ']', '(': ')'}[rest[0]])
	case strings.ContainsRune(`"'“”„‘’`, []rune(rest[:min(4, len(rest))])[0]):
		return r.readString()
	}
	if word := jsonWord.FindString(rest); word != "" {
		r.at += len(word)
		plain := strings.ToLower(word)
		if plain == "none" {
			plain = "null"
		}
		if plain != word {
			r.note("Python words")
		}
		return jsontext.Value(plain), nil
	}
	number := jsonNumber.FindString(rest)
	if number == "" {
		return nil, r.errBroken("a value")
	}
	r.at += len(number)
	if r.at < len(r.text) && jsonName.MatchString(r.text[r.at:]) || r.at < len(r.text) && r.text[r.at] == '%' {
		r.at -= len(number)
		return nil, r.errBroken("a plain number")
	}
	fixed := strings.TrimSuffix(strings.TrimPrefix(number, "+"), ".")
	if sign := strings.TrimPrefix(fixed, "-"); sign[0] == '.' {
		fixed = strings.TrimSuffix(fixed, sign) + "0" + sign
	}
	if fixed != number {
		r.note("number")
	}
	if !jsontext.Value(fixed).IsValid() {
		r.at -= len(number)
		return nil, r.errBroken("a plain number")
	}
	return jsontext.Value(fixed), nil
}

// endsHere reports whether a container ends here: by its bracket, or, of the object itself,
// because the text has ended by itself after a member. What ends in a list or an inner
// object may lack more than its bracket.
func (r *repairer) endsHere(bracket byte, depth int) (bool, error) {
	r.skip()
	rest := r.text[r.at:]
	switch {
	case rest == "" || strings.HasPrefix(rest, "```"):
		if r.cut || depth > 1 || strings.HasSuffix(strings.TrimSpace(r.text[:r.at]), ",") {
			return false, errEarly
		}
		r.note("missing bracket")
		return true, nil
	case rest[0] == bracket:
		r.at++
		return true, nil
	}
	return false, nil
}

// passComma passes over the comma after a member.
func (r *repairer) passComma(before int) error {
	r.skip()
	rest := r.text[r.at:]
	switch {
	case rest == "" || strings.ContainsRune("]})`", rune(rest[0])):
		return nil
	case r.sign(",", "，"):
		if r.skip(); r.at < len(r.text) && strings.ContainsRune("]})", rune(r.text[r.at])) {
			r.note("trailing comma")
		}
		return nil
	case strings.ContainsRune(`"'{[`, rune(rest[0])) && strings.Contains(r.text[before:r.at], "\n"):
		r.note("missing comma")
		return nil
	}
	return r.errBroken("a comma or a closing bracket")
}

// sign passes over a sign, which may be as wide as a Chinese character.
func (r *repairer) sign(plain, wide string) bool {
	if rest, found := strings.CutPrefix(r.text[r.at:], plain); found {
		r.at = len(r.text) - len(rest)
		return true
	}
	rest, found := strings.CutPrefix(r.text[r.at:], wide)
	if found {
		r.note("wide sign")
		r.at = len(r.text) - len(rest)
	}
	return found
}

func (r *repairer) list(depth int, bracket byte) (jsontext.Value, error) {
	if bracket == ')' {
		r.note("tuple")
	}
	r.at++
	var items [][]byte
	for {
		if done, err := r.endsHere(bracket, depth+1); done || err != nil {
			return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]")), err
		}
		item, err := r.readValue(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if err := r.passComma(r.at); err != nil {
			return nil, err
		}
	}
}

func (r *repairer) readObject(depth int) (jsontext.Value, error) {
	r.at++
	var members [][]byte
	values := map[string]jsontext.Value{}
	for {
		if done, err := r.endsHere('}', depth); done || err != nil {
			if err == nil && len(members) == 0 && r.text[r.at-1] != '}' {
				err = errEarly
			}
			return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), err
		}
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		if r.skip(); !r.sign(":", "：") {
			return nil, r.errBroken("a colon")
		}
		value, err := r.readValue(depth + 1)
		if err != nil {
			return nil, err
		}
		if prior, double := values[string(name)]; double && !isSameJSON(prior, value) {
			return nil, errors.New("its JSON gives a name twice")
		} else if double {
			r.note("repeated name")
		} else {
			values[string(name)] = value
			members = append(members, slices.Concat(name, []byte(":"), value))
		}
		if err := r.passComma(r.at); err != nil {
			return nil, err
		}
	}
}

// name reads a name, which may lack its quotes.
func (r *repairer) name() (jsontext.Value, error) {
	rest := r.text[r.at:]
	if word := jsonName.FindString(rest); word != "" {
		r.at += len(word)
		r.note("names without quotes")
		return jsontext.AppendQuote(nil, word)
	}
	if !strings.ContainsRune(`"'“”„‘’`, []rune(rest[:min(4, len(rest))])[0]) {
		return nil, r.errBroken("a name in double quotes")
	}
	return r.readString()
}

// readString reads a text in any quotes, with line ends and backslashes as they are.
func (r *repairer) readString() (jsontext.Value, error) {
	quote := []rune(r.text[r.at:])[0]
	closing := map[rune]string{'"': `"`, '\'': `'`, '“': "”\"“", '”': "”\"", '„': "“”\"", '‘': "’'", '’': "’'"}[quote]
	if quote != '"' {
		r.note("quotes")
	}
	var b strings.Builder
	runes := r.text[r.at+len(string(quote)):]
	escaped := false
	for i, c := range runes {
		switch {
		case escaped:
			escaped = false
			if plain, known := escapes[c]; known {
				b.WriteString(plain)
			} else if c == 'u' {
				b.WriteString(`\u`)
			} else {
				r.note("escapes")
				b.WriteString(`\\` + string(c))
			}
		case c == '\\':
			escaped = true
		case strings.ContainsRune(closing, c) && (quote == '"' || endsString.MatchString(runes[i+len(string(c)):])):
			r.at += len(string(quote)) + i + len(string(c))
			quoted := jsontext.Value(`"` + b.String() + `"`)
			if !quoted.IsValid() {
				return nil, errors.New("its JSON is broken: a text holds a character that is none")
			}
			return quoted, nil
		case c == '"':
			b.WriteString(`\"`)
		case c < ' ':
			if c != '\n' && c != '\r' && c != '\t' {
				return nil, errors.New("its JSON is broken: a text holds a control character")
			}
			r.note("line ends in a text")
			b.WriteString(map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[c])
		default:
			b.WriteRune(c)
		}
	}
	return nil, errEarly
}

var escapes = map[rune]string{'"': `\"`, '\'': `'`, '\\': `\\`, '/': `/`, 'b': `\b`, 'f': `\f`, 'n': `\n`,
	'r': `\r`, 't': `\t`}

// shapeObject returns an object whose names are those asked for: another case is forgiven, and an
// object around it taken off. A list that stands alone is the value of main.
func shapeObject(object jsontext.Value, names []string) (jsontext.Value, []string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return object, nil
	}
	for name := range members {
		if slices.Contains(names, name) {
			return object, nil
		}
	}
	renamed := false
	var inner jsontext.Value
	for _, name := range names {
		for given, value := range members {
			if strings.EqualFold(strings.NewReplacer(" ", "_", "-", "_").Replace(given), name) {
				members[name], renamed = value, true
			}
		}
	}
	for _, value := range members {
		inner = value
	}
	switch {
	case renamed:
		if out, err := json.Marshal(members, json.Deterministic(true)); err == nil {
			return out, []string{"names"}
		}
	case len(members) == 1 && inner.Kind() == '{':
		if out, _ := shapeObject(inner, names); hasAny(out, names) {
			return out, []string{"object around it"}
		}
	}
	return object, nil
}

func hasAny(object jsontext.Value, names []string) bool {
	var members map[string]jsontext.Value
	return json.Unmarshal(object, &members) == nil &&
		slices.ContainsFunc(names, func(n string) bool { return members[n] != nil })
}
