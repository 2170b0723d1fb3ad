package record

import (
	"slices"
	"strings"
	"testing"
)

// Each act has a column of its own, named after it.
func TestActsHaveColumns(t *testing.T) {
	for _, act := range Acts {
		var l Label
		l.Show(act, "Shout")
		if got := l.Shown(); !slices.Equal(got, []string{act}) {
			t.Errorf("%s is shown as %v", act, got)
		}
	}
	tables, err := AnnotationSchema()
	if err != nil || len(tables) != len(Annotations) || tables[0].Name != Labels {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	for _, act := range Acts {
		if !slices.ContainsFunc(tables[0].Columns, func(c Column) bool { return c.Name == strings.ToLower(act) && c.Type == "boolean" && c.Digest }) {
			t.Errorf("%s has no column", act)
		}
	}
	for _, key := range tables[0].Key {
		if !slices.ContainsFunc(tables[0].Columns, func(c Column) bool { return c.Name == key }) {
			t.Errorf("the key %s is not a column", key)
		}
	}
}

func TestSortedAnnotations(t *testing.T) {
	at := func(entry int32) Label { return Label{Key: Key{CollaborationID: "a"}, Entry: entry} }
	got, err := SortedAnnotations([]Label{at(4), at(1)})
	if err != nil || got[0].Entry != 1 || got[1].Entry != 4 {
		t.Errorf("%v, error %v", got, err)
	}
	if _, err := SortedAnnotations([]Label{at(1), at(1)}); err == nil {
		t.Error("a message with two labels is taken")
	}
}
