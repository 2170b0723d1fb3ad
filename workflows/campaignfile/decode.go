package campaignfile

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Error is one error in a campaign file.
type Error struct {
	File string // the extended file, or the flag; "" for the campaign file
	Line int    // from 1; 0 if it belongs to no line
	Key  string
	Text string // what was wrong and what is accepted
}

// Errors are all errors in a campaign file.
type Errors []Error

func (f Errors) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

func (f Error) String() string {
	s := f.Text
	if f.Key != "" {
		s = f.Key + ": " + s
	}
	if f.Line > 0 {
		s = fmt.Sprintf("line %d: %s", f.Line, s)
	}
	if f.File != "" {
		s = f.File + ": " + s
	}
	return s
}

// maxErrors bounds the list for files that are not campaign files at all.
const maxErrors = 1000

func (f *Errors) add(n *yaml.Node, key, format string, args ...any) {
	one := Error{Key: key, Text: fmt.Sprintf(format, args...)}
	if n != nil {
		one.Line = n.Line
	}
	*f = f.mergedWith(Errors{one})
}

// mergedWith returns both lists without repetitions.
func (f Errors) mergedWith(more Errors) Errors {
	for _, x := range more {
		if len(f) < maxErrors && !slices.Contains(f, x) {
			f = append(f, x)
		}
	}
	return f
}

// isKnownAt reports whether an error of the key or of one within it is known already, at that line.
func (f Errors) isKnownAt(key string, line int) bool {
	return slices.ContainsFunc(f, func(x Error) bool {
		within := strings.HasPrefix(x.Key, key+".") || strings.HasPrefix(x.Key, key+"[")
		return x.Key == key && x.Line == line || within
	})
}

func (f Errors) sortedByLine() Errors {
	sort.SliceStable(f, func(i, j int) bool { return f[i].Line < f[j].Line })
	return f
}

// decodeNode fills v strictly from a node by v's json tags: unknown keys and wrong
// types are errors with their lines, and what is absent keeps its value.
func decodeNode(n *yaml.Node, key string, v reflect.Value, errs *Errors) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if decodesItself(v) {
		decodeJSON(n, key, v, errs)
		return
	}
	switch {
	case isNull(n):
		errs.add(n, key, "is empty")
	case v.Kind() == reflect.Struct:
		decodeStruct(n, key, v, errs)
	case v.Kind() == reflect.Map && v.Type().Elem().Kind() == reflect.Struct:
		decodeMap(n, key, v, errs)
	case v.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			errs.add(n, key, "%s is not a list", shortText(n))
			return
		}
		list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
		for i, item := range n.Content {
			decodeNode(item, fmt.Sprintf("%s[%d]", key, i), list.Index(i), errs)
		}
		v.Set(list)
	default:
		decodeJSON(n, key, v, errs)
	}
}

func decodesItself(v reflect.Value) bool {
	switch v.Addr().Interface().(type) {
	case json.Unmarshaler, encoding.TextUnmarshaler:
		return true
	}
	return false
}

func decodeStruct(n *yaml.Node, key string, v reflect.Value, errs *Errors) {
	if n.Kind != yaml.MappingNode {
		errs.add(n, key, "%s is not a mapping of %s", shortText(n), strings.Join(wording.Keys(v.Type()), ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		field, ok := fieldByName(v, name)
		switch {
		case !ok:
			errs.add(n.Content[i], joinKey(key, name), "unknown key; %s",
				knownInstead(key, name, wording.Keys(v.Type())))
		case seen[name]:
			errs.add(n.Content[i], joinKey(key, name), "given twice")
		default:
			decodeNode(n.Content[i+1], joinKey(key, name), field, errs)
		}
		seen[name] = true
	}
}

// knownInstead says which keys are known, and which one was meant.
func knownInstead(key, name string, names []string) string {
	if _, sampling := fieldByName(reflect.New(reflect.TypeFor[plan.Generate]()).Elem(), name); sampling &&
		strings.HasSuffix(key, "model") {
		return fmt.Sprintf("%s; %s is a key of generate:, next to model:", wording.Known(names), name)
	}
	return wording.Known(names) + wording.DidYouMean(name, names)
}

// decodeMap fills a map whose keys are names that the file chooses.
func decodeMap(n *yaml.Node, key string, v reflect.Value, errs *Errors) {
	if n.Kind != yaml.MappingNode {
		errs.add(n, key, "%s is not a mapping of names to mappings of %s", shortText(n),
			strings.Join(wording.Keys(v.Type().Elem()), ", "))
		return
	}
	all := reflect.MakeMap(v.Type())
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := reflect.ValueOf(n.Content[i].Value)
		if all.MapIndex(name).IsValid() {
			errs.add(n.Content[i], joinKey(key, name.String()), "given twice")
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		decodeNode(n.Content[i+1], joinKey(key, name.String()), item, errs)
		all.SetMapIndex(name, item)
	}
	v.Set(all)
}

// decodeJSON lets encoding/json judge a value; its type errors name Go types, so ours is said instead.
func decodeJSON(n *yaml.Node, key string, v reflect.Value, errs *Errors) {
	data, ok := toJSON(n, key, errs)
	if !ok {
		return
	}
	if isNull(n) {
		errs.add(n, key, "is empty")
		return
	}
	err := json.Unmarshal(data, v.Addr().Interface())
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.As(err, &wrongType):
		errs.add(n, key, "%s is not %s", shortText(n), describeType(v.Type()))
	default:
		errs.add(n, key, "%v", err)
	}
}

// toJSON returns the canonical JSON of a node: keys sorted, numbers in one form.
// What JSON cannot say is an error.
func toJSON(n *yaml.Node, key string, errs *Errors) (json.RawMessage, bool) {
	var found Errors
	v := plainValue(n, key, &found)
	if len(found) > 0 {
		*errs = errs.mergedWith(found)
		return nil, false
	}
	data, err := json.Marshal(v)
	if err != nil {
		errs.add(n, key, "%s cannot be used here", shortText(n))
	}
	return data, err == nil
}

// plainValue returns a node as encoding/json takes it.
func plainValue(n *yaml.Node, key string, errs *Errors) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, name := n.Content[i], n.Content[i].Value
			if _, twice := object[name]; twice {
				errs.add(k, joinKey(key, name), "given twice")
			}
			object[name] = plainValue(n.Content[i+1], joinKey(key, name), errs)
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = plainValue(item, fmt.Sprintf("%s[%d]", key, i), errs)
		}
		return list
	}
	if leadingZero.MatchString(n.Value) && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
		errs.add(n, key, "%s begins with 0, which some read as octal; write %s, 0o%s for octal, or \"%s\" for a text",
			n.Value, withoutZeros(n.Value), strings.TrimLeft(n.Value, "+-0"), n.Value)
		return nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		errs.add(n, key, "%s is not %s", shortText(n), strings.TrimPrefix(n.ShortTag(), "!!"))
		return nil
	}
	switch x := v.(type) {
	case time.Time: // a date is a text here
		return n.Value
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			errs.add(n, key, "%s is not a number that can be used here", shortText(n))
			return nil
		}
		if x == 0 {
			return 0 // also for -0
		}
	}
	return v
}

// leadingZero is a number that is another one in YAML 1.1 than it looks.
var leadingZero = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

func withoutZeros(number string) string {
	digits := strings.TrimLeft(number, "+-0_")
	if digits == "" {
		return "0"
	}
	if number[0] == '-' {
		return "-" + digits
	}
	return digits
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func fieldByName(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if inner, ok := fieldByName(v.Field(i), name); ok {
				return inner, true
			}
		} else if wording.Key(f) == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func describeType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Int32:
		return "a whole number"
	case reflect.Uint, reflect.Uint64:
		return "a whole number of at least 0"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Map:
		return "a mapping"
	}
	return "of the right form"
}

// shortText shows a node in an error.
func shortText(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "nothing"
	}
	if r := []rune(n.Value); len(r) > 40 {
		return fmt.Sprintf("%q…", string(r[:40]))
	}
	return fmt.Sprintf("%q", n.Value)
}

func joinKey(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
