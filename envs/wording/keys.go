package wording

import (
	"reflect"
	"slices"
	"strings"
)

// Keys returns the JSON keys of a struct type, or of the one that t points to, embedded structs
// included, each once; nil for other types.
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

// Key returns the JSON key of a struct's field; "" if it has none.
func Key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// Known returns "known are a, b"; "nothing can be set here" if names is empty.
func Known(names []string) string {
	if len(names) == 0 {
		return "nothing can be set here"
	}
	return "known are " + strings.Join(names, ", ")
}
