package plan

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// Fault is one thing wrong with a campaign file.
type Fault struct {
	Line int // from 1; 0 if it belongs to no line
	Key  string
	Text string // what was wrong and what is accepted
}

// Faults are all things wrong with a campaign file.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

func (f Fault) String() string {
	s := f.Text
	if f.Key != "" {
		s = f.Key + ": " + s
	}
	if f.Line > 0 {
		s = fmt.Sprintf("line %d: %s", f.Line, s)
	}
	return s
}

// maxFaults bounds the list for files that are no campaign files at all.
const maxFaults = 1000

func (f *Faults) add(n *yaml.Node, key, format string, args ...any) {
	fault := Fault{Key: key, Text: fmt.Sprintf(format, args...)}
	if n != nil {
		fault.Line = n.Line
	}
	*f = f.mergedWith(Faults{fault})
}

// mergedWith returns both lists without repetitions.
func (f Faults) mergedWith(more Faults) Faults {
	for _, x := range more {
		if len(f) < maxFaults && !slices.Contains(f, x) {
			f = append(f, x)
		}
	}
	return f
}

// isKnownAt reports whether a fault of the key or of one within it is known already, at that line.
func (f Faults) isKnownAt(key string, line int) bool {
	return slices.ContainsFunc(f, func(x Fault) bool {
		within := strings.HasPrefix(x.Key, key+".") || strings.HasPrefix(x.Key, key+"[")
		return x.Key == key && x.Line == line || within
	})
}

func (f Faults) sortedByLine() Faults {
	sort.SliceStable(f, func(i, j int) bool { return f[i].Line < f[j].Line })
	return f
}

// decodeNode fills v strictly from a node by v's json tags: unknown keys and wrong
// types are faults with their lines, and what is absent keeps its value.
func decodeNode(n *yaml.Node, key string, v reflect.Value, faults *Faults) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if decodesItself(v) {
		decodeJSON(n, key, v, faults)
		return
	}
	switch {
	case isNull(n):
		faults.add(n, key, "is empty")
	case v.Kind() == reflect.Struct:
		decodeStruct(n, key, v, faults)
	case v.Kind() == reflect.Map && v.Type().Elem().Kind() == reflect.Struct:
		decodeMap(n, key, v, faults)
	case v.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			faults.add(n, key, "%s is not a list", shortText(n))
			return
		}
		list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
		for i, item := range n.Content {
			decodeNode(item, fmt.Sprintf("%s[%d]", key, i), list.Index(i), faults)
		}
		v.Set(list)
	default:
		decodeJSON(n, key, v, faults)
	}
}

func decodesItself(v reflect.Value) bool {
	switch v.Addr().Interface().(type) {
	case json.Unmarshaler, encoding.TextUnmarshaler:
		return true
	}
	return false
}

func decodeStruct(n *yaml.Node, key string, v reflect.Value, faults *Faults) {
	if n.Kind != yaml.MappingNode {
		faults.add(n, key, "%s is not a mapping of %s", shortText(n), strings.Join(fieldNames(v.Type()), ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		field, ok := fieldByName(v, name)
		switch {
		case !ok:
			faults.add(n.Content[i], joinKey(key, name), "unknown key; %s", knownInstead(key, name, fieldNames(v.Type())))
		case seen[name]:
			faults.add(n.Content[i], joinKey(key, name), "given twice")
		default:
			decodeNode(n.Content[i+1], joinKey(key, name), field, faults)
		}
		seen[name] = true
	}
}

// knownInstead says which keys are known, and which one was meant.
func knownInstead(key, name string, names []string) string {
	if _, sampling := fieldByName(reflect.New(reflect.TypeFor[Generate]()).Elem(), name); sampling && strings.HasSuffix(key, "model") {
		return fmt.Sprintf("%s; %s is a key of generate:, next to model:", acceptedNames(names), name)
	}
	return acceptedNames(names) + wording.DidYouMean(name, names)
}

// decodeMap fills a map whose keys are names that the file chooses.
func decodeMap(n *yaml.Node, key string, v reflect.Value, faults *Faults) {
	if n.Kind != yaml.MappingNode {
		faults.add(n, key, "%s is not a mapping of names to mappings of %s", shortText(n), strings.Join(fieldNames(v.Type().Elem()), ", "))
		return
	}
	all := reflect.MakeMap(v.Type())
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := reflect.ValueOf(n.Content[i].Value)
		if all.MapIndex(name).IsValid() {
			faults.add(n.Content[i], joinKey(key, name.String()), "given twice")
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		decodeNode(n.Content[i+1], joinKey(key, name.String()), item, faults)
		all.SetMapIndex(name, item)
	}
	v.Set(all)
}

// decodeJSON lets encoding/json judge a value; its type errors name Go types, so ours is said instead.
func decodeJSON(n *yaml.Node, key string, v reflect.Value, faults *Faults) {
	data, ok := toJSON(n, key, faults)
	if !ok {
		return
	}
	if isNull(n) {
		faults.add(n, key, "is empty")
		return
	}
	err := json.Unmarshal(data, v.Addr().Interface())
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.As(err, &wrongType):
		faults.add(n, key, "%s is not %s", shortText(n), describeType(v.Type()))
	default:
		faults.add(n, key, "%v", err)
	}
}

// toJSON returns the canonical JSON of a node: keys sorted, numbers in one form.
// What JSON cannot say is a fault.
func toJSON(n *yaml.Node, key string, faults *Faults) (json.RawMessage, bool) {
	var found Faults
	v := plainValue(n, key, &found)
	if len(found) > 0 {
		*faults = faults.mergedWith(found)
		return nil, false
	}
	data, err := json.Marshal(v)
	if err != nil {
		faults.add(n, key, "%s cannot be used here", shortText(n))
	}
	return data, err == nil
}

// plainValue returns a node as encoding/json takes it.
func plainValue(n *yaml.Node, key string, faults *Faults) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, name := n.Content[i], n.Content[i].Value
			if _, twice := object[name]; twice {
				faults.add(k, joinKey(key, name), "given twice")
			}
			object[name] = plainValue(n.Content[i+1], joinKey(key, name), faults)
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = plainValue(item, fmt.Sprintf("%s[%d]", key, i), faults)
		}
		return list
	}
	var v any
	if err := n.Decode(&v); err != nil {
		faults.add(n, key, "%s is not %s", shortText(n), strings.TrimPrefix(n.ShortTag(), "!!"))
		return nil
	}
	switch x := v.(type) {
	case time.Time: // a date is a text here
		return n.Value
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			faults.add(n, key, "%s is not a number that can be used here", shortText(n))
			return nil
		}
		if x == 0 {
			return 0 // also for -0
		}
	}
	return v
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// acceptedNames says what is accepted, which may be nothing.
func acceptedNames(names []string) string {
	if len(names) == 0 {
		return "nothing can be set here"
	}
	return "known are " + strings.Join(names, ", ")
}

func fieldByName(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if inner, ok := fieldByName(v.Field(i), name); ok {
				return inner, true
			}
		} else if tagName(f) == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		if f.Anonymous {
			names = append(names, fieldNames(f.Type)...)
		} else if name := tagName(f); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func tagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
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
