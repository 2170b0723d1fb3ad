package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/discussion"
	"roundtable/analysis/study/stopping"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// wanted says which tables are wanted, and how.
type wanted struct {
	table     string
	baselines []string
	messages
}

func newAnalyze(o *options) *cobra.Command {
	var which wanted
	var figure, reading, format, file string
	cmd := &cobra.Command{
		Use:   "analyze NAME",
		Short: "Print a campaign's tables, or draw its figures, from what is committed, also while it runs",
		Args:  oneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if figure != "" {
				return o.figure(cmd, args[0], drawing{figure, format, file, reading, which})
			}
			f, err := o.format(format, file)
			if err != nil {
				return exit{exitUsage, err}
			}
			s, err := o.readLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := which.choose(cmd.Context(), s, args[0]); err != nil {
				return err
			}
			if err := o.readBaseline(cmd.Context(), which); err != nil {
				return err
			}
			return writeTo(file, cmd.OutOrStdout(), func(w io.Writer) error {
				return analyze(cmd.Context(), w, s, args[0], which, f)
			})
		},
	}
	cmd.Flags().StringVar(&which.table, "table", "", "NAME of a table (roundtable list tables), or all (default: what run prints)")
	which.flags(cmd)
	cmd.Flags().StringSliceVar(&which.baselines, "baseline", nil, "campaigns of single agents on the same questions, shown with discussions in tables and figures 2.*; repeat it for several")
	cmd.Flags().StringVar(&figure, "figure", "", "NAME of a figure (roundtable list figures) to draw instead of a table")
	cmd.Flags().StringVar(&reading, "reading", string(acts.Anyone), "how figures 22 to 24 count: "+wording.Or(acts.Readings()))
	cmd.Flags().StringVar(&format, "format", "", strings.Join(table.Formats(), ", ")+"; of figures svg, png, json or dot (default: what FILE's name ends in, else text or svg)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to FILE instead of standard output")
	return cmd
}

// format is the one that is asked for, or that the file's name or --json says.
func (o *options) format(asked, file string) (string, error) {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	if asked == "tex" {
		asked = "latex"
	}
	format := table.Ending(ending)
	if asked != "" || o.json {
		return formatOf(asked, "", o.json, table.Formats())
	}
	if format == "" {
		return "", fmt.Errorf("-o %s: tables are not written as %q; name the file .txt, .md, .csv, .json, .html or .tex, or give --format: %s", file, ending, strings.Join(table.Formats(), ", "))
	}
	return format, nil
}

// readLake opens the lake to read a campaign.
func (o *options) readLake(ctx context.Context, campaign string) (storage.Store, error) {
	s, err := o.openLake()
	if err != nil {
		return nil, err
	}
	names, err := lake.Campaigns(ctx, s)
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(names, campaign):
		return s, nil
	case len(names) == 0:
		return nil, exit{exitUsage, fmt.Errorf("the lake %s has no campaign yet", o.lake)}
	}
	return nil, o.unknown(campaign, names)
}

// unknown is the error of a campaign that the lake does not have.
func (o *options) unknown(campaign string, names []string) error {
	if len(names) == 0 {
		return exit{exitUsage, fmt.Errorf("the lake %s has no campaign %q; it has none yet", o.where(), campaign)}
	}
	hint := ""
	if strings.ContainsAny(campaign, "./") {
		hint = " (a campaign is named by the name: in its file)"
	}
	return exit{exitUsage, fmt.Errorf("the lake %s has no campaign %q%s; it has %s%s", o.where(), campaign, hint, strings.Join(names, ", "), wording.DidYouMean(campaign, names))}
}

// readBaseline finds the campaigns that are compared to.
func (o *options) readBaseline(ctx context.Context, which wanted) error {
	for _, name := range which.baselines {
		if _, err := o.readLake(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// beside puts the campaigns that are compared to beside the other.
func (w wanted) beside(ctx context.Context, s storage.Store, c campaign.Campaign) (campaign.Campaign, error) {
	if len(w.baselines) == 0 {
		return c, nil
	}
	for _, name := range w.baselines {
		beside, err := readTables(ctx, s, name)
		if err != nil {
			return c, err
		}
		c.Beside = append(c.Beside, beside)
	}
	if err := discussion.CheckBeside(c); err != nil {
		return c, exit{exitUsage, fmt.Errorf("--baseline: %w", err)}
	}
	return c, nil
}

// openLake opens a lake that is there: reading makes none.
func (o *options) openLake() (storage.Store, error) {
	if dir, local := o.lakeFolder(); local {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, exit{exitUsage, fmt.Errorf("there is no lake at %s; --lake or ROUNDTABLE_LAKE says where it is, and `roundtable run FILE` makes one", o.lake)}
		}
	}
	s, err := storage.Open(o.lake)
	if err != nil {
		return nil, exit{exitUsage, err}
	}
	return s, nil
}

// analysis is the JSON of analyze, and of a run that has ended.
type analysis struct {
	Campaign string        `json:"campaign"`
	Cells    cells         `json:"cells"`
	Warnings []string      `json:"warnings,omitempty"` // conditions whose answers could not be used
	Tables   []table.Table `json:"tables"`
}

// cells says how many cells have ended.
type cells struct {
	Planned   *int `json:"planned"` // null if the plan is not known
	Succeeded int  `json:"succeeded"`
	Failed    int  `json:"failed"`
	Stopped   int  `json:"stopped"`
}

func (a analysis) String() string {
	in := a.Cells.Succeeded + a.Cells.Failed + a.Cells.Stopped
	of := ""
	if a.Cells.Planned != nil {
		of = fmt.Sprintf(" of %d", *a.Cells.Planned)
	}
	return fmt.Sprintf("%s: %d%s collaborations finished (%d succeeded, %d failed, %d stopped)", a.Campaign, in, of, a.Cells.Succeeded, a.Cells.Failed, a.Cells.Stopped)
}

// printTables prints and returns what a campaign found: the tables of the paper that it is
// about (the rounds for others), and a summary of cells and cost.
func printTables(ctx context.Context, w io.Writer, s storage.Store, name string, asJSON bool) (analysis, error) {
	format := "text"
	if asJSON {
		format = "json"
	}
	a, err := analysisOf(ctx, s, name, wanted{})
	if err != nil {
		return a, err
	}
	return a, a.write(w, format)
}

func analyze(ctx context.Context, w io.Writer, s storage.Store, name string, which wanted, format string) error {
	a, err := analysisOf(ctx, s, name, which)
	if err != nil {
		return err
	}
	return a.write(w, format)
}

// analysisOf makes the tables that are wanted.
func analysisOf(ctx context.Context, s storage.Store, name string, which wanted) (analysis, error) {
	c, err := readTables(ctx, s, name)
	if err != nil {
		return analysis{}, err
	}
	switch {
	case stopping.NeedCourses(which.table):
		c, err = which.readCourses(ctx, s, c)
	case which.table == "8":
		c, err = which.measure(ctx, s, c)
	case which.table == "2.1" && which.embedder != tfidf:
		c, err = which.vectors(ctx, s, c)
	}
	if err != nil {
		return analysis{}, err
	}
	if c, err = which.beside(ctx, s, c); err != nil {
		return analysis{}, err
	}
	a := analysis{Campaign: name, Cells: count(c), Warnings: c.Warnings()}
	if slices.Contains(study.OfMessages(), which.table) {
		a.Tables, err = ofMessages(ctx, s, c, which)
	} else {
		a.Tables, err = choose(c, which.table)
	}
	if err != nil {
		return a, exit{exitUsage, err}
	}
	return a, nil
}

func (a analysis) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, a)
	case "text", "md":
		fmt.Fprintf(w, "%s\n\n", a)
	}
	return table.Write(w, format, a.Tables)
}

// readTables reads a campaign's committed rows and the plan, if there is one.
func readTables(ctx context.Context, s storage.Store, name string) (campaign.Campaign, error) {
	c, err := campaign.Load(ctx, s, name, study.Readers()...)
	if err != nil {
		return c, damaged(err, name, "there is no table")
	}
	p, m, err := present(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	for _, a := range p.Campaign.Grid {
		c.Axes = append(c.Axes, a.Key)
	}
	for i, condition := range p.Campaign.Conditions {
		settings, err := json.Marshal(condition)
		if err != nil {
			return c, err
		}
		c.Planned = append(c.Planned, campaign.Planned{
			Condition: condition.ID(), Cells: p.Campaign.CellsOf(i), Instances: p.Campaign.Instances.Of(i), Settings: settings, Labels: m.AxisLabels[condition.ID()],
		})
	}
	return c, err
}

// damaged says of an error that is about a damaged lake what that prevents.
func damaged(err error, campaign, so string) error {
	if !errors.Is(err, storage.ErrCorrupt) {
		return err
	}
	return fmt.Errorf("the lake is damaged, so %s (roundtable verify %s lists everything that is):\n%w", so, campaign, err)
}

func count(c campaign.Campaign) cells {
	n := cells{}
	for _, r := range c.Runs {
		switch r.Status {
		case "succeeded":
			n.Succeeded++
		case "failed":
			n.Failed++
		default:
			n.Stopped++
		}
	}
	if len(c.Planned) > 0 {
		planned := 0
		for _, p := range c.Planned {
			planned += p.Cells
		}
		n.Planned = &planned
	}
	return n
}

func choose(c campaign.Campaign, which string) ([]table.Table, error) {
	switch which {
	case "all":
		return study.All(c), nil
	case "":
		return study.Chief(c), nil
	}
	t, err := study.Make(c, which)
	return []table.Table{t}, err
}

// ofMessages is a table about labels.
func ofMessages(ctx context.Context, s storage.Store, c campaign.Campaign, which wanted) ([]table.Table, error) {
	if which.table == "agreement" {
		t, err := dialogue.Agreement(ctx, s, c)
		return []table.Table{t}, err
	}
	l, err := dialogue.LoadLabels(ctx, s, c, which.labeller)
	if err != nil {
		return nil, err
	}
	if which.table == "transitions" {
		t, err := dialogue.Transitions(c, l)
		return []table.Table{t}, err
	}
	t, err := dialogue.Table9(c, l)
	return []table.Table{t}, err
}

// writeTo writes to a file if one is named; a failure leaves what was there.
func writeTo(file string, w io.Writer, write func(io.Writer) error) error {
	if file == "" {
		return write(w)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return writeFile(file, b.Bytes())
}

// noFolder is the error of a file whose folder is not there.
type noFolder string

func (file noFolder) Error() string {
	return fmt.Sprintf("cannot write %s: there is no folder %s", string(file), filepath.Dir(string(file)))
}

// Unwrap says that it can be made.
func (file noFolder) Unwrap() error { return fs.ErrNotExist }

// writeFile writes what -o asks for, and says in words what keeps it from that.
func writeFile(file string, data []byte) error {
	err := os.WriteFile(file, data, 0o644)
	switch info, statErr := os.Stat(file); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return exit{exitUsage, noFolder(file)}
	case errors.Is(err, fs.ErrPermission):
		return exit{exitUsage, fmt.Errorf("cannot write %s: no permission", file)}
	case statErr == nil && info.IsDir():
		return exit{exitUsage, fmt.Errorf("cannot write %s: it is a folder; name a file", file)}
	}
	return fmt.Errorf("cannot write %s: %w", file, err)
}
