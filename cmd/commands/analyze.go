package commands

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/acts"
	"roundtable/analysis/figures"
	"roundtable/analysis/study"
	"roundtable/analysis/study/entry"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

const analyzeLong = `Print a campaign's tables, or draw its figures, from what is committed; also
while it runs. roundtable list tables and roundtable list figures say what each
shows. FORMAT is text, md, csv, json, html or latex (tables), or svg, png, pdf or
json (figures; those of transitions also dot); without it, what FILE's name ends
in. --width lays a figure out for the column of a journal.

--with puts the conditions of other campaigns next to those of this one, each named
by its campaign, and pairs them by the instances that both have: without --table,
the tables outcomes and comparisons. --with-lake says where these campaigns are,
if it is another lake.`

const analyzeExample = `  roundtable analyze my-campaign
  roundtable analyze my-campaign --table all -o tables.md
  roundtable analyze my-campaign --table summary -o summary.tex
  roundtable analyze my-campaign --table outcomes --columns rule,outcome --digits 2 -o outcomes.tex
  roundtable analyze my-campaign --with last-years --with-lake s3://bucket/old
  roundtable analyze my-campaign --figure rounds -o rounds.svg
  roundtable analyze my-campaign --figure conditions --width 85mm -o conditions.pdf`

func newAnalyze(o *cli.Options) *cobra.Command {
	var which analyze.Request
	var figure, reading, format, width, file string
	var decimals int
	cmd := &cobra.Command{
		Use:     "analyze NAME",
		Short:   "Print a campaign's tables, or draw its figures, from what is committed, also while it runs",
		GroupID: toRead,
		Long:    analyzeLong,
		Example: analyzeExample,
		Args:    cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if which.Table, err = resolveName("table", study.Tables(), which.Table); err != nil {
				return err
			}
			if figure, err = resolveName("figure", figures.Figures(), figure); err != nil {
				return err
			}
			if cmd.Flags().Changed("digits") {
				if decimals < 0 || decimals > mostDecimals {
					return cli.UsageError(fmt.Errorf("--digits %d: expected 0 to %d", decimals, mostDecimals))
				}
				which.Decimals = &decimals
			}
			if figure != "" && (which.Decimals != nil || len(which.Columns) > 0) {
				return cli.UsageError(errors.New("--columns and --digits are of a table; give --table NAME and no --figure"))
			}
			if figure != "" {
				return analyze.WriteFigure(o, cmd, args[0],
					analyze.FigureRequest{Figure: figure, Format: format, File: file, Reading: reading, Width: width,
						Request: which})
			}
			if width != "" {
				return cli.UsageError(errors.New("--width is the width of a figure; give --figure NAME too"))
			}
			f, err := tableFormat(o, format, file)
			if err != nil {
				return cli.UsageError(err)
			}
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := which.Choose(cmd.Context(), s, args[0]); err != nil {
				return err
			}
			if err := which.Find(cmd.Context(), o, args[0]); err != nil {
				return err
			}
			return cli.WriteOutput(file, cmd.OutOrStdout(), func(w io.Writer) error {
				return analyze.Write(cmd.Context(), w, s, args[0], which, f)
			})
		},
	}
	cmd.Flags().StringVar(&which.Table, "table", "",
		"NAME of a table (roundtable list tables), or all (default: what run prints)")
	cmd.Flags().StringArrayVar(&which.Columns, "columns", nil,
		"columns of the table that are written, in this order, such as rule,outcome (default: all)")
	cmd.Flags().IntVar(&decimals, "digits", 0,
		"digits after the point in tables for people; csv and json have all (default: each measure's own)")
	which.Messages.Flags(cmd)
	which.CompareFlags(cmd)
	cmd.Flags().StringVar(&which.HandScores, "hand-scores", "",
		"FILE of scores by hand (CSV or JSON lines: question or collaboration, answer, score) that the table "+
			"judge-agreement compares with the judge's")
	cmd.Flags().StringVar(&figure, "figure", "",
		"NAME of a figure (roundtable list figures) to draw instead of a table")
	cmd.Flags().StringVar(&reading, "reading", string(acts.Anyone),
		"how the figures of transitions count: "+wording.Or(acts.Readings()))
	cmd.Flags().StringVar(&format, "format", "",
		strings.Join(table.Formats(), ", ")+
			"; of figures svg, png, pdf, json or dot (default: what FILE's name ends in, else text or svg)")
	cmd.Flags().StringVar(&width, "width", "",
		"width of a figure in print, such as 85mm, 3.5in or 18cm (default: laid out for a screen)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to FILE instead of standard output")
	return cmd
}

// mostDecimals is more than anything is known to.
const mostDecimals = 12

// resolveName returns the name of a table or figure that is asked for by any of its names.
func resolveName(what string, list []entry.Named, written string) (string, error) {
	var besides []string
	if what == "table" {
		besides = []string{"all"}
	}
	if written == "" || slices.Contains(besides, written) {
		return written, nil
	}
	found, err := entry.Find(what, list, written, besides...)
	if err != nil {
		return "", cli.UsageError(err)
	}
	return found.Name, nil
}

// tableFormat returns the format that is asked for, or that the file's name or --json says.
func tableFormat(o *cli.Options, asked, file string) (string, error) {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	if asked == "tex" {
		asked = "latex"
	}
	format := table.FormatByEnding(ending)
	if asked != "" || o.JSON {
		return cli.ChooseFormat(asked, "", o.JSON, table.Formats())
	}
	if format == "" {
		return "", fmt.Errorf("-o %s: tables are not written as %q; name the file .txt, .md, .csv, .json, .html or "+
			".tex, or give --format: %s", file, ending, strings.Join(table.Formats(), ", "))
	}
	return format, nil
}
