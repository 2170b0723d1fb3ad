package wording_test

import (
	"reflect"
	"strings"
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

func TestAnd(t *testing.T) {
	for want, list := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := wording.And(list); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 cells", 1: "1 cell", 2: "2 cells", 1000: "1000 cells"} {
		if got := wording.Count(n, "cell"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for noun, want := range map[string]string{"batch": "2 batches", "retry": "2 retries", "key": "2 keys", "row": "2 rows"} {
		if got := wording.Count(2, noun); got != want {
			t.Errorf("two of %s: %q, want %q", noun, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9960: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB", 34_567_890: "35 MB", 5e15: "5000 TB"} {
		if got := wording.Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

// What is as long as is shown is not cut.
func TestClip(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("é", 60)} {
		if got := wording.Clip(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got, want := wording.Clip(strings.Repeat("é", 61)), strings.Repeat("é", 60)+"…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestKnown(t *testing.T) {
	for want, names := range map[string][]string{"nothing can be set here": nil, "known are a": {"a"}, "known are a, b": {"a", "b"}} {
		if got := wording.Known(names); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
}

// Keys are those that JSON writes, of embedded structs too.
func TestKeys(t *testing.T) {
	type inner struct {
		A int `json:"a"`
		B int `json:"b,omitempty"`
	}
	type outer struct {
		inner
		B int `json:"b"`
		C int `json:"-"`
		D int `json:"d"`
	}
	for _, of := range []any{outer{}, &outer{}} {
		if got := strings.Join(wording.Keys(reflect.TypeOf(of)), " "); got != "a b d" {
			t.Errorf("%T has %q", of, got)
		}
	}
	if got := wording.Keys(reflect.TypeFor[int]()); got != nil {
		t.Errorf("a number has %q", got)
	}
}

// An amount is readable at any size, and a bound is never below what it bounds.
func TestDollars(t *testing.T) {
	for usd, want := range map[float64][2]string{
		0: {"$0.00", "$0.00"}, 0.00001: {"<$0.0001", "$0.0001"}, 0.0493194: {"$0.0493", "$0.0494"}, 0.05: {"$0.0500", "$0.0500"},
		1.2349: {"$1.23", "$1.24"}, 0.99999: {"$1.0000", "$1.00"}, 123456: {"$123456.00", "$123456.00"},
	} {
		if got := [2]string{wording.Dollars(usd), wording.DollarsAtMost(usd)}; got != want {
			t.Errorf("%v is written %q, not %q", usd, got, want)
		}
	}
}
