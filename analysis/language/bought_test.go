package language

import (
	"errors"
	"reflect"
	"slices"
	"testing"
)

// What was bought is there for any caller; what was not is told, and not made up.
func TestBought(t *testing.T) {
	s := open(t)
	c := Cached{Bought("openai/m at http://localhost/v1"), s}
	texts := []string{"a", "bb", "a", "ccc"}
	if got, err := c.Missing(t.Context(), texts); err != nil || !slices.Equal(got, []string{"a", "bb", "ccc"}) {
		t.Fatalf("missing are %q: %v", got, err)
	}
	if err := c.Keep(t.Context(), []string{"a", "bb"}, [][]float64{{1, 0}, {2, 0}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Keep(t.Context(), []string{"a"}, [][]float64{{9, 9}}); err != nil { // the first one stays
		t.Fatal(err)
	}
	if got, err := c.Embed(t.Context(), texts[:3]); err != nil || !reflect.DeepEqual(got, [][]float64{{1, 0}, {2, 0}, {1, 0}}) {
		t.Errorf("%v: %v", got, err)
	}
	_, err := c.Embed(t.Context(), texts)
	if missing, ok := errors.AsType[*MissingError](err); !ok || missing.Texts != 1 || missing.By != c.Name() {
		t.Errorf("error %v", err)
	}
	if err := s.Replace(t.Context(), c.keyOf("bb"), []byte("torn"), ""); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Missing(t.Context(), texts); err != nil || !slices.Equal(got, []string{"bb", "ccc"}) {
		t.Errorf("after damage %q are missing: %v", got, err)
	}
}
