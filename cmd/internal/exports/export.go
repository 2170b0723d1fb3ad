// Package exports gets data out of a lake: it answers SQL over the tables, at a prompt, from a script or into
// a file, and writes a campaign's tables, pool of viewpoints, challenges or transcripts to files. A failed
// export leaves no file.
package exports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"roundtable/activities/commits"
	"roundtable/activities/setup"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/sql"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

var Formats = []string{"parquet", "csv", "jsonl"}

// Tables are the tables that an export can name. An export that names none writes the tables of
// collaborations, and of the others those that have rows; instances, whose data files may be elsewhere, only
// with Dataset.
var Tables = append(slices.Concat(record.Tables[:], record.Annotations[:]), record.Instances)

// Export says what is written of a campaign, and where to.
type Export struct {
	Campaign string
	Tables   []string
	Format   string
	Output   string // a folder, or the file of the only table
	Force    bool
	Dataset  bool // tables as a data set to publish, with README.md and croissant.json

	unnamed bool // no table was named
}

// Choose sets tables, format and output to their defaults where no flag did, and returns an error for
// combinations that are not allowed. format is --format, or "".
func (x *Export) Choose(format string) error {
	for _, t := range x.Tables {
		if !slices.Contains(Tables, t) {
			return fmt.Errorf("unknown table %q; expected %s", t, wording.Or(Tables))
		}
	}
	if x.Dataset && (format != "" && format != "parquet" || x.Output == "" || x.isFile() || x.isStrangeFile()) {
		return errors.New("--dataset needs -o FOLDER and takes no --format: it writes tables as Parquet")
	}
	if slices.Contains(transcriptFormats, format) {
		if len(x.Tables) > 0 || x.Output == "" || x.isFile() || x.isStrangeFile() {
			return fmt.Errorf("--format %s needs -o FOLDER and takes no --table: it writes transcripts", format)
		}
		x.Format = format
		return nil
	}
	if asked := x.Tables; len(asked) == 0 {
		x.Tables, x.unnamed = Tables, true
		if !x.Dataset {
			x.Tables = Tables[:len(Tables)-1]
		}
	} else {
		x.Tables = slices.DeleteFunc(slices.Clone(Tables), func(t string) bool { return !slices.Contains(asked, t) })
	}
	file := ""
	switch {
	case x.Output == "":
		return errors.New("-o says where: a folder, or a file for one table")
	case x.isStrangeFile():
		return fmt.Errorf("-o %s ends in %s, which is not a format; a file's name ends in %s, a folder's in none "+
			"or in /", x.Output, filepath.Ext(x.Output), wording.Or(Formats))
	case x.isFile() && len(x.Tables) > 1:
		return fmt.Errorf("the file %s holds one table; say which with --table, or name a folder", x.Output)
	case x.isFile():
		file = x.Output
	}
	var err error
	x.Format, err = cli.ChooseFormat(format, file, false, slices.Concat(Formats, transcriptFormats))
	return err
}

func (x *Export) pathOf(table string) string {
	if x.isFile() {
		return x.Output
	}
	return filepath.Join(x.Output, table+"."+x.Format)
}

// Written is a file that an export or a query wrote.
type Written struct {
	Table string `json:"table,omitempty"` // absent for a query
	Path  string `json:"path"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// Run writes all files under temporary names and renames them when all are complete.
func (x *Export) Run(cmd *cobra.Command, o *cli.Options) error {
	ctx := cmd.Context()
	s, d, err := x.open(ctx, o)
	if err != nil {
		return err
	}
	if err := x.checkPlaces(); err != nil {
		return cli.UsageError(err)
	}
	done, err := x.writeAll(cmd, o, s, d)
	if err != nil {
		return err
	}
	return x.Report(cmd, o.JSON, done)
}

// writeAll writes the files; a folder that is not there has its name when all are in it.
func (x *Export) writeAll(cmd *cobra.Command, o *cli.Options, s store.Store,
	d lake.Dataset) (done []Written, err error) {
	ctx := cmd.Context()
	if _, err := os.Stat(x.Output); !x.isFile() && errors.Is(err, fs.ErrNotExist) {
		folder, err := cli.StageFolder(x.Output)
		if err != nil {
			return nil, cli.UsageError(err)
		}
		staged := *x
		staged.Output = folder.At
		if done, err = staged.writeAll(cmd, o, s, d); err != nil {
			return nil, folder.Finish(err)
		}
		for i := range done {
			done[i].Path = filepath.Join(x.Output, filepath.Base(done[i].Path))
		}
		return done, folder.Finish(nil)
	}
	var files []cli.StagedFile
	defer func() {
		for _, f := range files {
			f.Discard()
		}
	}()
	var written []string
	if slices.Contains(transcriptFormats, x.Format) {
		files, err = x.stageTranscripts(ctx, o.Plugins, s, d, cmd.ErrOrStderr())
		written = make([]string, len(files))
	} else {
		written, files, err = x.stageTables(ctx, o.Plugins, s, d, cmd.ErrOrStderr())
	}
	if err == nil && x.Dataset {
		var more []cli.StagedFile
		more, err = x.stageDescriptions(ctx, s, d, written, files)
		written, files = slices.Concat(written, make([]string, len(more))), append(files, more...)
	}
	if err == nil {
		err = x.warn(ctx, s, d, cmd.ErrOrStderr())
	}
	if err != nil {
		return nil, x.explainErr(ctx, err)
	}
	for i, f := range files {
		if err := f.Publish(x.Force); err != nil {
			return nil, err
		}
		done = append(done, Written{written[i], f.Path, f.Rows, f.Bytes})
	}
	return done, nil
}

// stageTables writes the tables, and says which.
func (x *Export) stageTables(
	ctx context.Context, plugins catalogue.Catalogue, s store.Store, d lake.Dataset, warnings io.Writer,
) (written []string, files []cli.StagedFile, err error) {
	for _, t := range x.Tables {
		f, err := cli.StageFile(x.pathOf(t), func(w io.Writer) (int64, error) {
			n, err := x.write(ctx, plugins, s, d, t, w)
			if reason, ok := errors.AsType[leftOut](err); ok { // the rest is written all the same
				fmt.Fprintf(warnings, "The table instances is left out: %v\n", reason)
				return 0, nil
			}
			return n, err
		})
		if err != nil {
			return written, files, err
		}
		if f.Rows == 0 && x.unnamed && (x.Dataset || slices.Contains(record.Annotations[:], t)) {
			f.Discard()
			if _, err := os.Lstat(x.pathOf(t)); err == nil {
				return written, files, cli.UsageError(fmt.Errorf("%s is of an earlier export, and the table has no "+
					"rows now: remove it, or name another folder", x.pathOf(t)))
			}
			continue
		}
		written, files = append(written, t), append(files, f)
	}
	return written, files, nil
}

// open reads what the campaign has committed.
func (x *Export) open(ctx context.Context, o *cli.Options) (store.Store, lake.Dataset, error) {
	s, err := o.ReadLake(ctx, x.Campaign)
	if err != nil {
		return nil, lake.Dataset{}, err
	}
	d, err := lake.ReadDataset(ctx, s, x.Campaign)
	if err != nil {
		return nil, lake.Dataset{}, x.explainErr(ctx, err)
	}
	return s, d, nil
}

// checkPlaces returns an error if a file that is in the way must stay.
func (x *Export) checkPlaces() error {
	paths := []string{}
	if slices.Contains(transcriptFormats, x.Format) {
		return nil // each is looked at when its name is known
	}
	for _, t := range x.Tables {
		paths = append(paths, x.pathOf(t))
	}
	if x.Dataset {
		paths = append(paths, filepath.Join(x.Output, readmeName), filepath.Join(x.Output, croissantName))
	}
	for _, path := range paths {
		if err := cli.CheckOutput(path, x.Force); err != nil && (x.isFile() || !errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return nil
}

// warn says so if there are scripted agents in the rows.
func (x *Export) warn(ctx context.Context, s store.Store, d lake.Dataset, w io.Writer) error {
	simulated := 0
	for c, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return err
		}
		if c.Simulated {
			simulated++
		}
	}
	if simulated > 0 {
		fmt.Fprintf(w, "SIMULATED: scripted agents answered in %d of %s (column simulated)\n", simulated,
			wording.Count(len(d.Members), "collaboration"))
	}
	return nil
}

func (x *Export) explainErr(ctx context.Context, err error) error {
	return WithExitCode(ctx, cli.ExplainDamage(err, x.Campaign, "nothing is written"))
}

func (x *Export) write(ctx context.Context, plugins catalogue.Catalogue, s store.Store, d lake.Dataset, table string,
	w io.Writer) (int64, error) {
	switch table {
	case record.Collaborations:
		return writeRows(lake.Scan[record.Collaboration](ctx, s, d), x.Format, w)
	case record.Rounds:
		return writeRows(lake.Scan[record.Round](ctx, s, d), x.Format, w)
	case record.Turns:
		return writeRows(lake.Scan[record.Turn](ctx, s, d), x.Format, w)
	case record.Ballots:
		return writeRows(lake.Scan[record.Ballot](ctx, s, d), x.Format, w)
	case record.Labels:
		return writeRows(lake.ScanAdded[record.Label](ctx, s, d), x.Format, w)
	case record.Features:
		return writeRows(lake.ScanAdded[record.Feature](ctx, s, d), x.Format, w)
	case record.Gold:
		return writeRows(lake.ScanAdded[record.GoldLabel](ctx, s, d), x.Format, w)
	case record.Instances:
		all, err := x.readInstances(ctx, s, plugins)
		if err != nil {
			return 0, err
		}
		return writeRows(rowsOf(all), x.Format, w)
	}
	return writeRows(lake.Scan[record.Call](ctx, s, d), x.Format, w)
}

// readInstances returns what was asked, for a data set for others unless it is to stay private.
func (x *Export) readInstances(ctx context.Context, s store.Store, plugins catalogue.Catalogue) ([]record.Instance,
	error) {
	if x.Dataset && x.unnamed {
		switch p, _, err := campaign.ReadRecorded(ctx, s, x.Campaign); {
		case errors.Is(err, campaign.ErrImported): // its transcripts hold what was asked
			return nil, nil
		case err != nil:
			return nil, err
		case p.PrivateData:
			return nil, leftOut{errors.New("its data files are private_data (--table instances publishes it all " +
				"the same)")}
		case len(p.Files) > 0:
			_, err := setup.Sources{Data: setup.OpenFolder, Lake: s}.OpenData(p)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, leftOut{err}
			}
		}
	}
	return instancesOf(ctx, s, plugins, x.Campaign)
}

// leftOut is why a data set for others lacks what was asked. Whatever else is wrong, as a lake that is
// damaged, is an error.
type leftOut struct{ error }

// writeRows needs no DuckDB: rows go from the lake to the file.
func writeRows[T any](rows iter.Seq2[T, error], format string, w io.Writer) (int64, error) {
	switch format {
	case "csv":
		return sql.WriteCSV(w, sql.Table(rows))
	case "jsonl":
		return sql.WriteJSONL(w, sql.Table(rows))
	}
	return sql.WriteParquet(w, rows)
}

// Report prints which files were written.
func (x *Export) Report(cmd *cobra.Command, asJSON bool, done []Written) error {
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), map[string]any{"files": done})
	}
	for _, f := range done {
		rows := ""
		if f.Table != "" || !x.Dataset {
			rows = wording.Count(f.Rows, "row") + ", "
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s%d bytes\n", f.Path, rows, f.Bytes)
	}
	return nil
}

// isFile says that the output is a file: its name ends in a format.
func (x *Export) isFile() bool {
	info, err := os.Stat(x.Output)
	_, unknown := cli.ChooseFormat("", x.Output, false, Formats)
	return unknown == nil && (err != nil || !info.IsDir())
}

// isStrangeFile says that the output is not a folder yet and its name ends like that of
// a file of another format, which nobody wants as a folder.
func (x *Export) isStrangeFile() bool {
	_, err := os.Stat(x.Output)
	return err != nil && filepath.Ext(x.Output) != "" && !os.IsPathSeparator(x.Output[len(x.Output)-1]) && !x.isFile()
}

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
