package commits

import (
	"bytes"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// encodeRows writes rows, in their order, as a Parquet file.
func encodeRows[T record.Row](rows []T) (data []byte, err error) {
	var b bytes.Buffer
	w := lake.NewWriter[T](&b)
	if _, err = w.Write(rows); err != nil {
		return nil, err
	}
	if err = w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
