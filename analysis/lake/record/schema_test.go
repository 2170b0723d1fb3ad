package record

import (
	"reflect"
	"slices"
	"testing"
)

// The schema has the columns of the row types, and keys that are among them.
func TestSchema(t *testing.T) {
	tables, err := Schema()
	if err != nil || len(tables) != len(Tables) {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	types := []reflect.Type{
		reflect.TypeFor[Collaboration](), reflect.TypeFor[Round](), reflect.TypeFor[Turn](), reflect.TypeFor[Ballot](), reflect.TypeFor[Call](),
	}
	for i, table := range tables {
		var names, want []string
		for _, c := range table.Columns {
			names = append(names, c.Name)
			if c.Type == "" || c.About == "" {
				t.Errorf("%s.%s has no type or no words", table.Name, c.Name)
			}
		}
		for _, c := range allColumns(types[i], nil) {
			want = append(want, c.name)
		}
		if table.Name != Tables[i] || !slices.Equal(names, want) {
			t.Errorf("table %s has the columns %v, its row type %v", table.Name, names, want)
		}
		if len(table.Key) < 2 || slices.ContainsFunc(table.Key, func(k string) bool { return !slices.Contains(names, k) }) {
			t.Errorf("table %s has the key %v", table.Name, table.Key)
		}
	}
}
