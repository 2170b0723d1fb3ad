package pagecheck

import (
	"bytes"
	"slices"
	"testing"
)

// Lists, structs and maps in each other are skipped up to a depth, and what is cut is wrong.
func TestNesting(t *testing.T) {
	lists := func(n int) []byte { return append(bytes.Repeat([]byte{1<<4 | thriftList}, n-1), thriftList) }
	structs := func(n int) []byte {
		return slices.Concat(bytes.Repeat([]byte{1<<4 | thriftStruct}, n-1), make([]byte, n))
	}
	maps := func(n int) []byte { // from truth values, in one byte each
		return append(bytes.Repeat([]byte{1, thriftTrue<<4 | thriftMap, 1}, n-1), 0)
	}
	for name, x := range map[string]struct {
		kind byte
		of   func(int) []byte
	}{"lists": {thriftList, lists}, "structs": {thriftStruct, structs}, "maps": {thriftMap, maps}} {
		for depth, wrong := range map[int]bool{1: false, thriftMaxNesting + 1: false, thriftMaxNesting + 2: true} {
			f := thrift{data: x.of(depth), items: 1 << 10}
			if f.skipValue(x.kind, 0); f.wrong != wrong || !wrong && len(f.data) > 0 {
				t.Errorf("%d %s in each other: wrong is %t, %d bytes are left", depth, name, f.wrong, len(f.data))
			}
			f = thrift{data: x.of(2)[:1], items: 1 << 10}
			if f.skipValue(x.kind, 0); !f.wrong {
				t.Errorf("%s that are cut are skipped", name)
			}
		}
	}
	if f := (thrift{}); f.takeVarint() != 0 || !f.wrong {
		t.Error("a number of no bytes is read")
	}
}

// The head of a page as the format has it (parquet.thrift, DataPageHeader in field 5): integers of any size count, and
// nothing else in their place does.
func TestPageHead(t *testing.T) {
	inner := []byte{2<<4 | thriftStruct, 1<<4 | thriftI32, 6, 1<<4 | thriftI32, 0, 1<<4 | thriftI32, 8, 1<<4 | thriftI32, 10, 0, 0}
	want := page{kind: 0, unpacked: 10, packed: 8, values: 3, encoding: 0, definitionEncoding: 4, repetitionEncoding: 5}
	for _, kind := range []byte{thriftI16, thriftI32, thriftI64} {
		f := thrift{data: slices.Concat([]byte{1<<4 | thriftI32, 0, 1<<4 | kind, 20, 1<<4 | thriftI32, 16}, inner), items: 9}
		if got := f.takePage(); got != want || f.wrong || len(f.data) > 0 {
			t.Errorf("integers of type %d: %+v, %v, %d bytes are left", kind, got, f.wrong, len(f.data))
		}
	}
	f := thrift{data: slices.Concat([]byte{1<<4 | thriftI32, 0, 1<<4 | thriftI32, 20, 1<<4 | thriftDouble, 1, 2, 3, 4, 5, 6, 7, 8}, inner), items: 9}
	want.packed = 0
	if got := f.takePage(); got != want || f.wrong {
		t.Errorf("a double: %+v, %v", got, f.wrong)
	}
}

// What is of no type is wrong, wherever it stands.
func TestUnknownTypes(t *testing.T) {
	for _, kind := range []byte{0, 14, 15} {
		f := thrift{data: make([]byte, 20), items: 9}
		if f.skipValue(kind, 0); !f.wrong {
			t.Errorf("type %d is skipped", kind)
		}
		f = thrift{data: []byte{1<<4 | kind, 0, 0, 0}, items: 9}
		if f.takePage(); kind > 0 && !f.wrong {
			t.Errorf("a field of type %d is skipped", kind)
		}
	}
}

// Runs hold as many numbers as there are, rounded up to eights.
func TestRunsHold(t *testing.T) {
	for _, x := range []struct {
		runs []byte
		n    int
		want bool
	}{
		{nil, 0, true}, {[]byte{3 << 1, 1}, 3, true}, {[]byte{10 << 1, 1}, 3, true}, {[]byte{11 << 1, 1}, 3, false},
		{[]byte{1<<1 | 1, 0xff}, 1, true}, {[]byte{1<<1 | 1, 0xff, 1 << 1, 1}, 1, false}, {[]byte{1<<1 | 1}, 8, false}, {[]byte{0x80}, 8, false},
	} {
		if got := runsHold(x.runs, 1, x.n); got != x.want {
			t.Errorf("%v of %d: %v", x.runs, x.n, got)
		}
	}
}
