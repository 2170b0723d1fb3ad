package record

import (
	"reflect"
	"testing"
)

// Each column, operational ones too, changes the digest of a copy.
func TestCopyDigestCoversColumns(t *testing.T) {
	copied(t, example().Collaborations)
	copied(t, example().Rounds)
	copied(t, example().Turns)
	copied(t, example().Ballots)
	copied(t, example().Calls)
}

func copied[T Row](t *testing.T, rows []T) {
	t.Helper()
	base, err := CopyDigest(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range allColumns(reflect.TypeFor[T](), nil) {
		other := append([]T{}, rows...)
		change(reflect.ValueOf(&other[0]).Elem().FieldByIndex(c.index))
		if got, err := CopyDigest(other); err != nil || got == base {
			t.Errorf("%s.%s changes nothing: %v", rows[0].Table(), c.name, err)
		}
	}
}
