// Package pagecheck opens Parquet files from untrusted sources: it bounds what a file may unpack
// to by its size before the library reads it. The library allocates whatever a footer, a page
// header or a run of equal values claims, so a few bytes could demand all memory.
package pagecheck

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A file may unpack to floor bytes and to ratio bytes for each of its own.
const (
	floor = 100 << 20
	ratio = 500 // a lake of nothing but equal texts comes to 130
)

// writeAgain says how a file gets what is read.
const writeAgain = "; write the file again as pyarrow and pandas do by default"

var errCut = errors.New("a page is cut short, or is not what its head says")

// errRuns refuses what the library misreads: of a run of true, one value in eight is true.
var errRuns = errors.New("its truth values are written as runs, which are not read; " +
	"write the file in version 1 of Parquet's pages (pyarrow: data_page_version=\"1.0\")")

// Open checks and opens a file. A decoded row takes perRow bytes, and each value perValue bytes
// besides its content; unread are columns that will not be read and so are not counted. The
// library may still panic on damaged bytes, here and later.
func Open(data []byte, perRow, perValue int, unread ...string) (*parquet.File, error) {
	if err := checkFooter(data); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	c := checker{data: data, perValue: perValue, limit: floor + ratio*len(data)}
	return f, c.checkFile(f.Metadata(), perRow, unread)
}

// checkFooter refuses a footer that claims more than it can hold, in lists or texts.
func checkFooter(file []byte) error {
	const tail = 8 // the footer's length, and PAR1
	if len(file) < tail {
		return errors.New("it is too short")
	}
	size := binary.LittleEndian.Uint32(file[len(file)-tail:])
	if int64(size) > int64(len(file)-tail) {
		return errors.New("its footer is longer than the file")
	}
	f := thrift{data: file[len(file)-tail-int(size) : len(file)-tail], items: 1 << 20}
	tooDeep := false
	f.takeInts([9]*int{}, func(field int, kind byte) bool {
		if field != 2 || kind != thriftList {
			return false
		}
		tooDeep = !f.takeSchema()
		return true
	})
	switch {
	case f.wrong:
		return errors.New("its footer is not one, or claims more than it holds")
	case tooDeep:
		return fmt.Errorf("it has more than %d columns, or groups in groups more than %d deep", maxColumns, maxDepth)
	}
	return nil
}

// What the library does with a schema grows with columns times depth.
const (
	maxColumns = 10_000
	maxDepth   = 50
)

// takeSchema takes a schema, whose elements lie depth first, and reports whether it is small
// enough.
func (f *thrift) takeSchema() bool {
	n, kind := f.takeListHead()
	var open []int // groups around the next element: how many each still has
	for range n {
		children := 0
		if kind == thriftStruct {
			f.takeInts([9]*int{5: &children}, nil)
		} else {
			f.skipValue(kind, 0)
		}
		for len(open) > 0 && open[len(open)-1] <= 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if open = append(open, children); len(open) > maxDepth {
			return false
		}
	}
	return n <= maxColumns
}

// checker adds up what a file unpacks to.
type checker struct {
	data     []byte
	perValue int
	limit    int
	used     int
	zstd     *zstd.Decoder
	buffer   []byte
}

// use counts n things of a size.
func (c *checker) use(n, size int) error {
	if n < 0 || size > 0 && n > (c.limit-c.used)/size {
		return fmt.Errorf("it unpacks to more than %d MB, too much for a file of %d bytes", c.limit>>20, len(c.data))
	}
	c.used += n * size
	return nil
}

func (c *checker) checkFile(file *format.FileMetaData, perRow int, unread []string) error {
	if err := c.use(int(file.NumRows), perRow); err != nil {
		return err
	}
	columns := columnsOf(file.Schema)
	rows := int64(0)
	for _, group := range file.RowGroups {
		rows += group.NumRows
		if len(group.Columns) != len(columns) {
			return fmt.Errorf("a group of rows has %d columns, not %d", len(group.Columns), len(columns))
		}
		for i, chunk := range group.Columns {
			// by the schema, as readers find columns, whatever the chunk says
			if slices.Contains(unread, columns[i].of) {
				continue
			}
			if err := c.checkColumn(columns[i], chunk.MetaData); err != nil {
				return fmt.Errorf("column %s: %w", strings.Join(chunk.MetaData.PathInSchema, "."), err)
			}
		}
	}
	if rows != file.NumRows {
		return fmt.Errorf("its footer says %d rows, its groups %d", file.NumRows, rows)
	}
	return nil
}

// column is what the levels of a column's values can be at most.
type column struct {
	repetition, definition int
	of                     string // name of the field of rows that it is a part of
}

// columnsOf returns the columns of a schema, whose elements lie depth first.
func columnsOf(schema []format.SchemaElement) (columns []column) {
	at := 0
	var walk func(column)
	walk = func(within column) {
		if at >= len(schema) {
			return
		}
		element := schema[at]
		if at++; at > 1 && element.RepetitionType.V != format.Required {
			within.definition++
			if element.RepetitionType.V == format.Repeated {
				within.repetition++
			}
		}
		if at > 1 && within.of == "" {
			within.of = element.Name
		}
		if element.NumChildren.V == 0 {
			columns = append(columns, within)
		}
		for n := element.NumChildren.V; n > 0 && at < len(schema); n-- { // it may claim any number
			walk(within)
		}
	}
	walk(column{})
	return columns
}

// page is the head of a page.
type page struct {
	kind, unpacked, packed, values, encoding int
	repetitionEncoding, definitionEncoding   int
	repetitionBytes, definitionBytes         int  // of version 2
	plain                                    bool // version 2, not compressed
}

// takePage takes the head of a page: PageHeader in Parquet's parquet.thrift.
func (f *thrift) takePage() (p page) {
	p.definitionEncoding, p.repetitionEncoding = int(format.RLE), int(format.RLE)
	f.takeInts([9]*int{1: &p.kind, 2: &p.unpacked, 3: &p.packed}, func(field int, kind byte) bool {
		if kind != thriftStruct {
			return false
		}
		switch field {
		case 5: // DataPageHeader
			f.takeInts([9]*int{1: &p.values, 2: &p.encoding, 3: &p.definitionEncoding, 4: &p.repetitionEncoding}, nil)
		case 7: // DictionaryPageHeader
			f.takeInts([9]*int{1: &p.values}, nil)
		case 8: // DataPageHeaderV2
			f.takeInts([9]*int{1: &p.values, 4: &p.encoding, 5: &p.definitionBytes, 6: &p.repetitionBytes},
				func(field int, kind byte) bool {
					p.plain = p.plain || field == 7 && kind == thriftFalse
					return false
				})
		default:
			return false
		}
		return true
	})
	return p
}

// takeInts takes a struct's integers; other takes other fields, or returns false to skip them.
func (f *thrift) takeInts(ints [9]*int, other func(field int, kind byte) bool) {
	f.readStruct(func(field int, kind byte) {
		switch {
		case field > 0 && field < len(ints) && ints[field] != nil &&
			(kind == thriftI16 || kind == thriftI32 || kind == thriftI64):
			*ints[field] = f.takeInt()
		case other != nil && other(field, kind):
		case kind != thriftTrue && kind != thriftFalse:
			f.skipValue(kind, 0)
		}
	})
}

// checkColumn goes through the pages as the library does: from the dictionary, if the footer
// names one, to the end of the column.
func (c *checker) checkColumn(column column, m format.ColumnMetaData) error {
	from, size := m.DataPageOffset, m.TotalCompressedSize
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	if from < 0 || size < 0 || from > int64(len(c.data)) || size > int64(len(c.data))-from {
		return errors.New("it lies outside of the file")
	}
	rest := c.data[from : from+size]
	longest := 0 // entry of the dictionary
	for len(rest) > 0 {
		f := thrift{data: rest, items: 1 << 10}
		p := f.takePage()
		if f.wrong || p.packed < 0 || p.packed > len(f.data) || p.unpacked < 0 {
			return errCut
		}
		body := f.data[:p.packed]
		rest = f.data[p.packed:]
		if err := errors.Join(c.use(p.unpacked, 1), c.use(p.values, c.perValue)); err != nil {
			return err
		}
		body, err := c.unpack(p, m.Codec, body)
		if err != nil {
			return err
		}
		if format.PageType(p.kind) == format.DictionaryPage {
			if longest = 0; m.Type == format.ByteArray {
				_, longest = countTexts(body)
			}
			continue
		}
		if m.Type == format.Boolean && p.encoding == int(format.RLE) {
			return errRuns
		}
		if err := c.checkPage(p, column, m.Type, body, longest); err != nil {
			return err
		}
	}
	return nil
}

// unpack returns a page's content: levels and values. It is in memory until the next call.
func (c *checker) unpack(p page, codec format.CompressionCodec, body []byte) (_ []byte, err error) {
	levels := 0
	if format.PageType(p.kind) == format.DataPageV2 {
		if levels = p.repetitionBytes + p.definitionBytes; p.repetitionBytes < 0 || p.definitionBytes < 0 ||
			levels > len(body) {
			return nil, errCut
		}
	}
	if codec == format.Uncompressed || p.plain {
		return body, nil
	}
	c.buffer = append(slices.Grow(c.buffer[:0], p.unpacked+levels+1), body[:levels]...)
	switch packed := body[levels:]; codec {
	case format.Zstd:
		if c.zstd == nil {
			if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecodeAllCapLimit(true)); err != nil {
				return nil, err
			}
		}
		c.buffer, err = c.zstd.DecodeAll(packed, c.buffer[:levels:levels+p.unpacked])
	case format.Snappy:
		if n, e := snappy.DecodedLen(packed); e != nil || n > p.unpacked {
			return nil, errors.Join(errCut, e)
		}
		var plain []byte
		plain, err = snappy.Decode(nil, packed)
		c.buffer = append(c.buffer, plain...)
	case format.Gzip:
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			into := bytes.NewBuffer(c.buffer)
			_, err = io.Copy(into, io.LimitReader(r, int64(p.unpacked)+1))
			c.buffer = into.Bytes()
		}
	default:
		return nil, fmt.Errorf("it is compressed with %s; gzip, snappy, zstd and what is not compressed are read%s",
			codec, writeAgain)
	}
	if err == nil && len(c.buffer) > p.unpacked {
		err = errCut
	}
	return c.buffer, err
}

// countTexts returns how many texts there are, each after its length, and that of the longest.
func countTexts(texts []byte) (n, longest int) {
	for ; len(texts) >= 4; n++ {
		size := int(binary.LittleEndian.Uint32(texts))
		if texts = texts[4:]; size > len(texts) {
			break // the library refuses it
		}
		longest = max(longest, size)
		texts = texts[size:]
	}
	return n, longest
}

// checkPage holds the levels and values of a page to as many as its head says.
func (c *checker) checkPage(p page, column column, kind format.Type, body []byte, longest int) error {
	for _, level := range []struct{ most, encoding, bytes int }{
		{column.repetition, p.repetitionEncoding, p.repetitionBytes},
		{column.definition, p.definitionEncoding, p.definitionBytes},
	} {
		n := level.bytes
		if format.PageType(p.kind) == format.DataPage {
			if n = 0; level.most > 0 {
				if len(body) < 4 || level.encoding != int(format.RLE) {
					return errCut
				}
				n, body = int(binary.LittleEndian.Uint32(body)), body[4:]
			}
		}
		if n > len(body) || level.most > 0 && !runsHold(body[:n], bits.Len(uint(level.most)), p.values) {
			return errCut
		}
		body = body[n:]
	}
	ok := true
	switch format.Encoding(p.encoding) {
	case format.Plain, format.ByteStreamSplit:
		if kind == format.ByteArray {
			n, _ := countTexts(body)
			ok = n <= p.values
		}
	case 2, format.RLEDictionary: // 2 is what older writers call it
		if err := c.use(p.values, longest); err != nil {
			return err
		}
		ok = len(body) == 0 || runsHold(body[1:], int(body[0]), p.values)
	case format.RLE:
		ok = len(body) >= 4 && runsHold(body[4:], 1, p.values)
	// sizes of blocks and of their parts, then how many values
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		f := thrift{data: body}
		block, parts, values := f.takeVarint(), f.takeVarint(), f.takeVarint()
		ok = !f.wrong && block <= 1<<20 && parts <= 1<<10 && values <= uint64(p.values)
	default:
		return fmt.Errorf("it is encoded as %s, which is not read%s", format.Encoding(p.encoding), writeAgain)
	}
	if !ok {
		return errCut
	}
	return nil
}

// runsHold reports whether runs of numbers, each of some bits, hold no more than n; those
// that are packed are rounded up to eights.
func runsHold(runs []byte, width, n int) bool {
	f := thrift{data: runs}
	for left := n + 7; len(f.data) > 0 && !f.wrong; {
		head := f.takeVarint()
		count, size := head>>1, uint64(width+7)/8
		if head&1 == 1 {
			size = count * uint64(width)
			count *= 8
		}
		if head > uint64(16*left)+16 || count > uint64(left) {
			return false
		}
		left -= int(count)
		f.take(size)
	}
	return !f.wrong
}
