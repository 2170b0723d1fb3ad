package wording

import (
	"reflect"
	"slices"
	"strings"
)

// Keys returns the keys of a struct in JSON, those of embedded structs among them; none of
// anything else, each once. A pointer's are those of what it points to.
func Keys(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		within := []string{Key(f)}
		if f.Anonymous {
			within = Keys(f.Type)
		}
		for _, name := range within {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Key returns the key of a field in JSON; empty if it has none.
func Key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// Known says what is accepted, which may be nothing.
func Known(names []string) string {
	if len(names) == 0 {
		return "nothing can be set here"
	}
	return "known are " + strings.Join(names, ", ")
}
