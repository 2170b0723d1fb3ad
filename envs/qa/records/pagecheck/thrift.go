package pagecheck

import "encoding/binary"

// thrift reads Thrift's compact protocol, in which Parquet writes its footer and the heads of
// pages. After an error nothing more is read.
type thrift struct {
	data  []byte
	items int // of lists and maps that it may still have: far more than any of ours
	wrong bool
}

// Types of the compact protocol.
const (
	thriftTrue, thriftFalse, thriftByte        = 1, 2, 3
	thriftI16, thriftI32, thriftI64            = 4, 5, 6
	thriftDouble, thriftBinary                 = 7, 8
	thriftList, thriftSet, thriftMap           = 9, 10, 11
	thriftStruct, thriftUUID, thriftMaxNesting = 12, 13, 32
)

func (f *thrift) take(n uint64) {
	if f.wrong = f.wrong || n > uint64(len(f.data)); !f.wrong {
		f.data = f.data[n:]
	}
}

func (f *thrift) takeByte() (b byte) {
	if len(f.data) > 0 {
		b = f.data[0]
	}
	f.take(1)
	return b
}

func (f *thrift) takeVarint() uint64 {
	v, n := binary.Uvarint(f.data)
	if f.wrong = f.wrong || n <= 0; f.wrong {
		return 0
	}
	f.take(uint64(n))
	return v
}

// takeCount counts items that take a byte each at least.
func (f *thrift) takeCount(n uint64) int {
	if f.wrong = f.wrong || n > uint64(len(f.data)) || n > uint64(f.items); f.wrong {
		return 0
	}
	f.items -= int(n)
	return int(n)
}

func (f *thrift) skipValue(kind byte, nesting int) {
	if f.wrong = f.wrong || nesting > thriftMaxNesting; f.wrong {
		return
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		f.take(1)
	case thriftI16, thriftI32, thriftI64:
		f.takeVarint()
	case thriftDouble:
		f.take(8)
	case thriftUUID:
		f.take(16)
	case thriftBinary:
		f.take(f.takeVarint())
	case thriftList, thriftSet:
		f.skipList(nesting + 1)
	case thriftMap:
		f.skipMap(nesting + 1)
	case thriftStruct:
		f.skipStruct(nesting + 1)
	default:
		f.wrong = true
	}
}

func (f *thrift) skipList(nesting int) {
	n, kind := f.takeListHead()
	for range n {
		f.skipValue(kind, nesting)
	}
}

// takeListHead takes how many items a list has, and of what type.
func (f *thrift) takeListHead() (n int, kind byte) {
	head := f.takeByte()
	items := uint64(head >> 4)
	if items == 15 {
		items = f.takeVarint()
	}
	return f.takeCount(items), head & 15
}

func (f *thrift) skipMap(nesting int) {
	n := f.takeCount(f.takeVarint())
	if n == 0 {
		return
	}
	kinds := f.takeByte()
	for range n {
		f.skipValue(kinds>>4, nesting)
		f.skipValue(kinds&15, nesting)
	}
}

func (f *thrift) skipStruct(nesting int) {
	f.readStruct(func(_ int, kind byte) {
		if kind != thriftTrue && kind != thriftFalse { // the head itself says which
			f.skipValue(kind, nesting)
		}
	})
}

// readStruct calls take with the number and type of each field, to take its value.
func (f *thrift) readStruct(take func(field int, kind byte)) {
	for field := 0; !f.wrong; {
		head := f.takeByte()
		if head == 0 {
			return
		}
		if field += int(head >> 4); head>>4 == 0 { // the number does not follow from the last one
			field = f.takeInt()
		}
		take(field, head&15)
	}
}

// takeInt takes an integer of any size.
func (f *thrift) takeInt() int {
	v := f.takeVarint()
	return int(int64(v>>1) ^ -int64(v&1))
}
