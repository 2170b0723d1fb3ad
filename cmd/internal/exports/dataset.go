package exports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
)

// What describes an exported data set to the Hub and to programs that read Croissant.
const (
	readmeName    = "README.md"
	croissantName = "croissant.json"
)

// stageDescriptions describes the tables that are staged.
func (x *Export) stageDescriptions(
	ctx context.Context, s store.Store, d lake.Dataset, tables []string, staged []cli.StagedFile,
) (more []cli.StagedFile, err error) {
	var files []commits.ExportedFile
	for i, f := range staged {
		sum := sha256.New()
		if err := f.CopyTo(sum); err != nil {
			return nil, err
		}
		files = append(files, commits.ExportedFile{
			Table: tables[i], Name: filepath.Base(f.Path), SHA256: hex.EncodeToString(sum.Sum(nil)),
			Rows: f.Rows, Bytes: f.Bytes,
		})
	}
	readme, croissant, err := commits.DescribeExport(ctx, s, d, files)
	if err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{readmeName, readme}, {croissantName, croissant}} {
		f, err := cli.StageFile(filepath.Join(x.Output, file.name), func(w io.Writer) (int64, error) {
			_, err := w.Write(file.data)
			return 0, err
		})
		if err != nil {
			return more, err
		}
		more = append(more, f)
	}
	return more, nil
}
