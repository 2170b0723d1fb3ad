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
