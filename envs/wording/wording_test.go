package wording_test

import (
	"testing"

	"roundtable/envs/wording"
)

func TestOr(t *testing.T) {
	type kind string
	for want, list := range map[string][]kind{
		"nothing": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"},
	} {
		if got := wording.Or(list); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}
