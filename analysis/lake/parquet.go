package lake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/envs/qa/records/pagecheck"
)

// chunkRows is how many rows are decoded at once.
const chunkRows = 1024

var errMissing = errors.New("is missing")

// fetchFile reads a file and holds it to what names it: a marker or a manifest.
func fetchFile(ctx context.Context, s store.Store, f File, naming string) ([]byte, error) {
	data, err := s.Get(ctx, f.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: %s names it, but it %w", f.Key, store.ErrCorrupt, naming, errMissing)
	}
	if err != nil {
		return nil, err
	}
	switch got := FileOf(f.Key, f.Rows, data); {
	case got.Size != f.Size:
		return nil, fmt.Errorf("%s: %w: it has %d bytes, %s says %d", f.Key, store.ErrCorrupt, got.Size, naming, f.Size)
	case got.SHA256 != f.SHA256:
		return nil, fmt.Errorf("%s: %w: its content is not the one that %s describes (sha256 %s, not %s)", f.Key,
			store.ErrCorrupt, naming, got.SHA256, f.SHA256)
	}
	return data, nil
}

// pageBytes is how large pages are, about: zstd needs a window of 16 MB for what is longer
// than a block of 128 KB, and each of some encoders keeps one.
const pageBytes = 100 << 10

// NewWriter returns a writer of Parquet files that every reader opens: data pages of version 1,
// strings plain or by dictionary.
func NewWriter[T any](out io.Writer) *parquet.GenericWriter[T] {
	return parquet.NewGenericWriter[T](out,
		parquet.DataPageVersion(1),
		parquet.PageBufferSize(pageBytes),
		parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.Plain),
		parquet.DictionaryMaxBytes(pageBytes),
		parquet.MaxRowsPerRowGroup(100_000),
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("roundtable", "", ""),
	)
}

// Decode decodes a Parquet file. Bytes that are no such file give an error, even if they make the
// library panic.
func Decode[T record.Row](data []byte) ([]T, error) {
	r, err := NewReader[T](data)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var rows []T
	for r.left > 0 {
		if err := r.fillRows(); err != nil {
			return nil, err
		}
		rows = append(rows, r.chunk...)
	}
	return rows, nil
}

// Reader decodes a Parquet file in memory some rows at a time. Files of an
// earlier schema version lack columns; these come out as absent.
type Reader[T record.Row] struct {
	columns []*column
	groups  []parquet.RowGroup // that are not begun yet
	inGroup int64              // rows of the present group that are not decoded yet
	total   int64
	left    int64 // rows that are not decoded yet
	chunk   []T   // decoded rows that are not handed out yet
}

// NewReader returns a reader of a Parquet file's bytes. The columns unread are not decoded and come
// out as absent.
func NewReader[T record.Row](data []byte, unread ...string) (r *Reader[T], err error) {
	defer recoverDamage(&err)
	row := reflect.TypeFor[T]()
	f, err := openParquet(data, int(row.Size()), unread)
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(f, row, unread)
	if err != nil {
		return nil, fmt.Errorf("not a readable Parquet file: %w", err)
	}
	n := f.NumRows()
	return &Reader[T]{columns: columns, groups: f.RowGroups(), total: n, left: n}, nil
}

// openParquet opens a file of rows that take so many bytes each beside their values.
func openParquet(data []byte, perRow int, unread []string) (*parquet.File, error) {
	f, err := pagecheck.Open(data, perRow, 4, unread...) // levels; the rest of a value is in its row
	if err == nil {
		err = ourCodecs(f)
	}
	if err != nil {
		return nil, fmt.Errorf("not a readable Parquet file: %w", err)
	}
	return f, nil
}

// ourCodecs refuses what no writer of ours compresses with: on damaged bytes some of
// the library's decoders ask for memory until none is left, which no guard catches.
func ourCodecs(f *parquet.File) error {
	for _, group := range f.Metadata().RowGroups {
		for _, column := range group.Columns {
			if codec := column.MetaData.Codec; codec != format.Zstd && codec != format.Uncompressed {
				return fmt.Errorf("column %s is compressed with %s, which roundtable does not write",
					strings.Join(column.MetaData.PathInSchema, "."), codec)
			}
		}
	}
	return nil
}

// Next returns the next row; io.EOF after the last.
func (r *Reader[T]) Next() (row T, err error) {
	if len(r.chunk) == 0 && r.left > 0 {
		if err := r.fillRows(); err != nil {
			return row, err
		}
	}
	if len(r.chunk) == 0 {
		return row, io.EOF
	}
	row, r.chunk = r.chunk[0], r.chunk[1:]
	return row, nil
}

// skipRows passes over rows without copying their values.
func (r *Reader[T]) skipRows(n int) (err error) {
	defer recoverDamage(&err)
	decoded := min(n, len(r.chunk))
	r.chunk = r.chunk[decoded:]
	for left := min(int64(n-decoded), r.left); left > 0; {
		if err := r.findGroup(); err != nil {
			return err
		}
		inGroup := min(left, r.inGroup)
		for _, c := range r.columns {
			if err := c.skip(inGroup); err != nil {
				return fmt.Errorf("not a readable Parquet file: %w", err)
			}
		}
		left, r.left, r.inGroup = left-inGroup, r.left-inGroup, r.inGroup-inGroup
	}
	return nil
}

// findGroup begins the next group of rows if the present one has no more.
func (r *Reader[T]) findGroup() error {
	for r.inGroup == 0 {
		if len(r.groups) == 0 {
			return fmt.Errorf("not a readable Parquet file: it ends after %d of %d rows", r.total-r.left, r.total)
		}
		for _, c := range r.columns {
			c.begin(r.groups[0])
		}
		r.inGroup, r.groups = r.groups[0].NumRows(), r.groups[1:]
	}
	return nil
}

// fillRows decodes into new memory, since rows that were handed out may point into the old.
func (r *Reader[T]) fillRows() (err error) {
	defer recoverDamage(&err)
	if err := r.findGroup(); err != nil {
		return err
	}
	chunk := make([]T, min(r.left, r.inGroup, chunkRows))
	for _, c := range r.columns {
		if err := fillColumn(c, chunk); err != nil {
			return fmt.Errorf("not a readable Parquet file: %w", err)
		}
	}
	n := int64(len(chunk))
	r.chunk, r.left, r.inGroup = chunk, r.left-n, r.inGroup-n
	return nil
}

// Close releases the decoder's buffers.
func (r *Reader[T]) Close() {
	var err error
	defer recoverDamage(&err)
	for _, c := range r.columns {
		c.close()
	}
}

// recoverDamage makes an error of the panics that damaged files cause in the library.
func recoverDamage(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("not a readable Parquet file: %v", p)
	}
}
