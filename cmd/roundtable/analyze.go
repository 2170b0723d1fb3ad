package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/activities/recorded"
	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/naming"
	"roundtable/analysis/storage"
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/discussion"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/measurements"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
)

// wanted says which tables are wanted, and how.
type wanted struct {
	table     string
	baselines []string
	measurements.Messages
}

func newAnalyze(o *cli.Options) *cobra.Command {
	var which wanted
	var figure, reading, format, file string
	cmd := &cobra.Command{
		Use:     "analyze NAME",
		Short:   "Print a campaign's tables, or draw its figures, from what is committed, also while it runs",
		GroupID: toRead,
		Long: `Print a campaign's tables, or draw its figures, from what is committed; also
while it runs. roundtable list tables and roundtable list figures say what each
shows. FORMAT is text, md, csv, json, html or latex (tables), or svg, png, json
(figures; those of transitions also dot); without it, what FILE's name ends in.`,
		Example: `  roundtable analyze my-campaign
  roundtable analyze my-campaign --table all -o tables.md
  roundtable analyze my-campaign --table summary -o summary.tex
  roundtable analyze my-campaign --figure rounds -o rounds.svg`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if which.table, err = currentName(cmd, "table", study.Tables(), which.table); err != nil {
				return err
			}
			if figure, err = currentName(cmd, "figure", figures.Figures(), figure); err != nil {
				return err
			}
			if figure != "" {
				return writeFigure(o, cmd, args[0], drawing{figure, format, file, reading, which})
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
			if err := checkBaselines(cmd.Context(), o, which); err != nil {
				return err
			}
			return cli.WriteOutput(file, cmd.OutOrStdout(), func(w io.Writer) error {
				return analyze(cmd.Context(), w, s, args[0], which, f)
			})
		},
	}
	cmd.Flags().StringVar(&which.table, "table", "", "NAME of a table (roundtable list tables), or all (default: what run prints)")
	which.Flags(cmd)
	cmd.Flags().StringSliceVar(&which.baselines, "baseline", nil, "campaigns of single agents on the same questions, shown beside discussions in their tables and figures; repeat it for several")
	cmd.Flags().StringVar(&figure, "figure", "", "NAME of a figure (roundtable list figures) to draw instead of a table")
	cmd.Flags().StringVar(&reading, "reading", string(acts.Anyone), "how the figures of transitions count: "+wording.Or(acts.Readings()))
	cmd.Flags().StringVar(&format, "format", "", strings.Join(table.Formats(), ", ")+"; of figures svg, png, json or dot (default: what FILE's name ends in, else text or svg)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to FILE instead of standard output")
	return cmd
}

// currentName returns the name of a table or figure that is asked for by any of its
// names, and says on standard error that a former one has changed.
func currentName(cmd *cobra.Command, what string, list []naming.Named, written string) (string, error) {
	var besides []string
	if what == "table" {
		besides = []string{"all"}
	}
	if written == "" || slices.Contains(besides, written) {
		return written, nil
	}
	found, err := naming.Find(what, list, written, besides...)
	if err != nil {
		return "", cli.UsageError(err)
	}
	if renamed := found.Renamed(what, written); renamed != "" {
		cmd.PrintErrln(renamed)
	}
	return found.Name, nil
}

// tableFormat returns the one that is asked for, or that the file's name or --json says.
func tableFormat(o *cli.Options, asked, file string) (string, error) {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	if asked == "tex" {
		asked = "latex"
	}
	format := table.Ending(ending)
	if asked != "" || o.JSON {
		return cli.ChooseFormat(asked, "", o.JSON, table.Formats())
	}
	if format == "" {
		return "", fmt.Errorf("-o %s: tables are not written as %q; name the file .txt, .md, .csv, .json, .html or .tex, or give --format: %s", file, ending, strings.Join(table.Formats(), ", "))
	}
	return format, nil
}

// checkBaselines finds the campaigns that are compared to.
func checkBaselines(ctx context.Context, o *cli.Options, which wanted) error {
	for _, name := range which.baselines {
		if _, err := o.ReadLake(ctx, name); err != nil {
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
		return c, cli.UsageError(fmt.Errorf("--baseline: %w", err))
	}
	return c, nil
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
	case study.NeedCourses(which.table):
		c, err = which.AddCourses(ctx, s, c)
	case which.table == "message-language":
		c, err = which.AddTo(ctx, s, c)
	case which.table == "answer-diversity" && which.Embedder != providers.TFIDF:
		c, err = which.AddVectors(ctx, s, c)
	}
	if err != nil {
		return analysis{}, err
	}
	if c, err = which.beside(ctx, s, c); err != nil {
		return analysis{}, err
	}
	a := analysis{Campaign: name, Cells: count(c), Warnings: c.Warnings()}
	if study.TakesLabels(which.table) {
		a.Tables, err = ofMessages(ctx, s, c, which)
	} else {
		a.Tables, err = choose(c, which.table)
	}
	if err != nil {
		return a, cli.UsageError(err)
	}
	return a, nil
}

func (a analysis) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return cli.WriteJSON(w, a)
	case "text", "md":
		fmt.Fprintf(w, "%s\n\n", a)
	}
	return table.Write(w, format, a.Tables)
}

// readTables reads a campaign's committed rows and the plan, if there is one.
func readTables(ctx context.Context, s storage.Store, name string) (campaign.Campaign, error) {
	c, err := campaign.Load(ctx, s, name, study.Readers()...)
	if err != nil {
		return c, cli.ExplainDamage(err, name, "there is no table")
	}
	p, m, err := recorded.ReadRecorded(ctx, s, name)
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

// ofMessages returns a table about labels.
func ofMessages(ctx context.Context, s storage.Store, c campaign.Campaign, which wanted) ([]table.Table, error) {
	if which.table == "agreement" {
		t, err := dialogue.Agreement(ctx, s, c)
		return []table.Table{t}, err
	}
	l, err := dialogue.LoadLabels(ctx, s, c, which.Labeller)
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
