package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot/vg"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/entry"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// FigureRequest is what analyze --figure is asked for.
type FigureRequest struct {
	Figure, Format, File, Reading string
	Width                         string // of a picture in print; "" for a screen
	Request
}

// drawn is a figure of any kind.
type drawn interface {
	Write(w io.Writer, format string) error
}

// WriteFigure draws one figure, or writes the numbers that it shows.
func WriteFigure(o *cli.Options, cmd *cobra.Command, campaign string, d FigureRequest) error {
	format, err := d.formatOf(o.JSON)
	if err != nil {
		return cli.UsageError(err)
	}
	s, err := o.ReadLake(cmd.Context(), campaign)
	if err != nil {
		return err
	}
	if err := d.Find(cmd.Context(), o, campaign); err != nil {
		return err
	}
	d.Format = format
	return cli.WriteOutput(d.File, cmd.OutOrStdout(),
		func(w io.Writer) error { return Draw(cmd.Context(), w, s, campaign, d) })
}

// Draw writes a figure of a campaign in the format that is asked for.
func Draw(ctx context.Context, w io.Writer, s store.Store, campaign string, d FigureRequest) error {
	if err := d.Choose(ctx, s, campaign); err != nil {
		return err
	}
	from := entry.Rows
	if figures.NeedLanguage(d.Figure) {
		from = entry.Measures
	}
	sources, err := d.read(ctx, s, campaign, d.Kept(), d.additionFrom(from))
	if err != nil {
		return err
	}
	c, err := join(sources)
	if err != nil {
		return err
	}
	if c, err = d.AddBaselines(ctx, s, c); err != nil {
		return err
	}
	f, err := d.make(ctx, sources, c)
	if err != nil {
		return cli.UsageError(err)
	}
	if d.Format == "json" {
		return cli.WriteJSON(w, f)
	}
	return f.Write(w, d.Format)
}

func (d FigureRequest) make(ctx context.Context, sources []source, c campaign.Campaign) (drawn, error) {
	width, err := d.printWidth()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(figures.TransitionNames(), d.Figure) {
		f, err := figures.Make(c, d.Figure)
		return f.Fit(width), err
	}
	var names []string
	var all []figures.Graphs
	var none error
	for _, from := range sources {
		l, err := dialogue.LoadLabels(ctx, from.store, from.Campaign, d.Labeller)
		if err != nil {
			return nil, err
		}
		f, err := figures.MakeGraphs(from.Campaign, l, d.Figure, acts.Reading(d.Reading))
		if err != nil {
			none = err // for the figure shows one environment, which not all need have
			continue
		}
		names, all = append(names, from.Name), append(all, f)
	}
	if len(all) == 0 {
		return nil, none
	}
	return figures.StackGraphs(names, all).Fit(width), nil
}

// printWidth returns the width in print that is asked for; 0 if none is.
func (d FigureRequest) printWidth() (vg.Length, error) {
	if d.Width == "" {
		return 0, nil
	}
	return figures.ParseWidth(d.Width)
}

// formatOf returns the format: what is asked for, what the file's name ends in, or SVG.
func (d FigureRequest) formatOf(asJSON bool) (string, error) {
	if d.Table != "" {
		return "", errors.New("--table and --figure are both given; give one")
	}
	if asJSON && d.Format != "" && d.Format != "json" {
		return "", fmt.Errorf("--json and --format %s are both given; give one", d.Format)
	}
	accepted := append(figures.Formats(d.Figure), "json")
	ending := strings.TrimPrefix(filepath.Ext(d.File), ".")
	format := cmp.Or(d.Format, ending, accepted[0])
	if asJSON {
		format = "json"
	}
	if !slices.Contains(accepted, format) {
		return "", fmt.Errorf("a figure cannot be written as %q; expected %s", format, wording.Or(accepted))
	}
	if d.Width != "" && !slices.Contains(figures.SheetFormats(), format) {
		return "", fmt.Errorf("--width is the width of a picture, and %s has none; give --format %s", format,
			wording.Or(figures.SheetFormats()))
	}
	return format, nil
}
