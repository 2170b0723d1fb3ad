package lake

import (
	"encoding/binary"
	"errors"
)

// checkFooter refuses a Parquet footer that claims more than it can hold: the library
// makes room for what a list claims before it reads it, so that thirty bytes could ask
// for 200 GB, which no guard catches. What it lets pass the library has still to read.
func checkFooter(file []byte) error {
	const tail = 8 // the footer's length, and PAR1
	if len(file) < tail {
		return errors.New("it is too short")
	}
	size := binary.LittleEndian.Uint32(file[len(file)-tail:])
	if int64(size) > int64(len(file)-tail) {
		return errors.New("its footer is longer than the file")
	}
	f := footer{data: file[len(file)-tail-int(size) : len(file)-tail], items: 1 << 20}
	f.skipValue(thriftStruct, 0)
	if f.wrong {
		return errors.New("its footer is not one, or claims more than it holds")
	}
	return nil
}

// footer is read in Thrift's compact protocol, which Parquet uses. After an error
// nothing more is read.
type footer struct {
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

func (f *footer) take(n uint64) {
	if f.wrong = f.wrong || n > uint64(len(f.data)); !f.wrong {
		f.data = f.data[n:]
	}
}

func (f *footer) takeByte() (b byte) {
	if len(f.data) > 0 {
		b = f.data[0]
	}
	f.take(1)
	return b
}

func (f *footer) takeVarint() uint64 {
	v, n := binary.Uvarint(f.data)
	if f.wrong = f.wrong || n <= 0; f.wrong {
		return 0
	}
	f.take(uint64(n))
	return v
}

// takeCount counts items that take a byte each at least.
func (f *footer) takeCount(n uint64) int {
	if f.wrong = f.wrong || n > uint64(len(f.data)) || n > uint64(f.items); f.wrong {
		return 0
	}
	f.items -= int(n)
	return int(n)
}

func (f *footer) skipValue(kind byte, nesting int) {
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

func (f *footer) skipList(nesting int) {
	head := f.takeByte()
	n := uint64(head >> 4)
	if n == 15 {
		n = f.takeVarint()
	}
	for range f.takeCount(n) {
		f.skipValue(head&15, nesting)
	}
}

func (f *footer) skipMap(nesting int) {
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

func (f *footer) skipStruct(nesting int) {
	for !f.wrong {
		head := f.takeByte()
		if head == 0 {
			return
		}
		if head>>4 == 0 { // the field's number does not follow from the last one
			f.takeVarint()
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse { // the head itself says which
			f.skipValue(kind, nesting)
		}
	}
}
