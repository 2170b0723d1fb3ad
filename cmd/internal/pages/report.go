package pages

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/measurements"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// ReportParts says what a report is made with.
type ReportParts struct {
	measurements.Messages
	NoPrompts bool
}

// Reported is the JSON of report.
type Reported struct {
	File   string  `json:"file"`
	Folder *string `json:"folder"` // of the transcripts; null if they are in the file
	report.Written
}

func (r Reported) String() string {
	if r.Folder == nil {
		return fmt.Sprintf("%s: %s", r.File, wording.Count(r.Collaborations, "collaboration"))
	}
	return fmt.Sprintf("%s: %s; their transcripts are in %s, keep both together", r.File,
		wording.Count(r.Collaborations, "collaboration"), *r.Folder)
}

// Of a report that is a folder.
const (
	indexName       = "index.html"
	transcriptsName = "collaborations"
)

// WriteReport writes one file, or a folder if the name ends in a slash or is one.
func WriteReport(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string, how ReportParts,
	file string) (Reported, error) {
	r := Reported{File: file}
	files := report.Files{}
	if info, err := os.Stat(file); strings.HasSuffix(file, "/") || err == nil && info.IsDir() {
		folder := filepath.Join(file, transcriptsName)
		r.File, r.Folder = filepath.Join(file, indexName), &folder
		files = report.Files{Page: indexName, Folder: transcriptsName, Put: func(name string, data []byte) error {
			return os.WriteFile(filepath.Join(folder, filepath.Base(name)), data, 0o644)
		}}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return r, err
		}
	}
	source, err := Source(ctx, s, plugins, name, how.Messages)
	if err != nil {
		return r, err
	}
	if !how.NoPrompts {
		addAsked(ctx, s, plugins, &source)
	}
	var page bytes.Buffer
	r.Written, err = report.Write(&page, source, files)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "there is no report")
	}
	return r, cli.WriteFile(r.File, page.Bytes()) // last: it never links to what is not there
}
