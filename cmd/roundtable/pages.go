package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/report"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/measurements"
	"roundtable/cmd/internal/pages"
	"roundtable/envs/wording"
)

func newReport(o *cli.Options) *cobra.Command {
	var file string
	var how reportParts
	cmd := &cobra.Command{
		Use:     "report NAME",
		Short:   "Write a campaign's report as one HTML page: result, figures, tables, transcripts",
		GroupID: toRead,
		Long: `Write one HTML page that needs nothing else: the result first, with figures and
tables, then every collaboration with its transcript, prompts and raw answers, what
went wrong and what ran. Many transcripts are packed in it; a browser unpacks them. Where -o names a folder,
each transcript is a page of its own there.`,
		Example: `  roundtable report my-campaign
  roundtable report my-campaign -o results.html
  roundtable report my-campaign -o results/`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := how.Choose(cmd.Context(), s, args[0]); err != nil {
				return err
			}
			r, err := writeReport(cmd.Context(), s, args[0], how, cmp.Or(file, args[0]+".html"))
			if err != nil {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), r)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), r)
			return err
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to FILE, or to a folder if it ends in / (default: NAME.html)")
	cmd.Flags().BoolVar(&how.noPrompts, "no-prompts", false, "leave out prompts and raw answers, which are most of a report")
	how.Flags(cmd)
	return cmd
}

// reportParts says what a report is made with.
type reportParts struct {
	measurements.Messages
	noPrompts bool
}

// reported is the JSON of report.
type reported struct {
	File   string  `json:"file"`
	Folder *string `json:"folder"` // of the transcripts; null if they are in the file
	report.Written
}

func (r reported) String() string {
	if r.Folder == nil {
		return fmt.Sprintf("%s: %s", r.File, wording.Count(r.Collaborations, "collaboration"))
	}
	return fmt.Sprintf("%s: %s; their transcripts are in %s, keep both together", r.File, wording.Count(r.Collaborations, "collaboration"), *r.Folder)
}

// Of a report that is a folder.
const (
	indexName       = "index.html"
	transcriptsName = "collaborations"
)

// writeReport writes one file, or a folder if the name ends in a slash or is one.
func writeReport(ctx context.Context, s storage.Store, name string, how reportParts, file string) (reported, error) {
	r := reported{File: file}
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
	source, err := pages.Source(ctx, s, name, how.Messages)
	if err != nil {
		return r, err
	}
	if !how.noPrompts {
		pages.AddAsked(ctx, s, &source)
	}
	var page bytes.Buffer
	r.Written, err = report.Write(&page, source, files)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "there is no report")
	}
	return r, cli.WriteFile(r.File, page.Bytes()) // last: it never links to what is not there
}
