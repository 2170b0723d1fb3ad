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
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/entry"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// FigureRequest holds the flags of analyze --figure.
type FigureRequest struct {
	Figure, Format, File, Reading string
	Width                         string // of a picture in print; "" for a screen
	Request
}

// drawn is a figure of any kind.
type drawn interface {
	Write(w io.Writer, format string) error
}

// WriteFigure runs analyze --figure: it draws one figure into a file or standard output, or writes its
// numbers.
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

// Draw draws the figure of a request and writes it to w in the request's format.
func Draw(ctx context.Context, w io.Writer, s store.Store, campaign string, d FigureRequest) error {
	if err := d.Choose(ctx, s, campaign); err != nil {
		return err
	}
	from := entry.Rows
	if figures.NeedsLanguage(d.Figure) {
		from = entry.Measures
	}
	sources, err := d.read(ctx, s, campaign, d.Kept(), study.Readers(), d.additionFrom(from))
	if err != nil {
		return err
	}
	c, err := join(sources)
	if err != nil {
		return err
	}
	if c, err = d.addBaselines(ctx, s, c); err != nil {
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
	var width vg.Length // in print; 0 on a screen
	if d.Width != "" {
		var err error
		if width, err = figures.ParseWidth(d.Width); err != nil {
			return nil, err
		}
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

// Together names campaigns to analyze together with the first one.
type Together struct {
	With []string // their names
	Lake string   // where they are; "" for the lake of the campaign itself

	others []other
}

// other is such a campaign, found.
type other struct {
	name, shown string
	store       store.Store
}

// Flags defines the flags that name them.
func (t *Together) Flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&t.With, "with", nil,
		"campaigns whose conditions are compared with those of this one; repeat it for several")
	cmd.Flags().StringVar(&t.Lake, "with-lake", "",
		"lake of the campaigns that --with names (default: that of this campaign)")
}

// Open finds the campaigns. Where one is called as another that it stands next to, its
// lake is part of its name.
func (t *Together) Open(ctx context.Context, o *cli.Options, name string) error {
	if len(t.With) == 0 {
		if t.Lake != "" {
			return cli.UsageError(errors.New("--with-lake is the lake of the campaigns that --with names; give " +
				"--with NAME too"))
		}
		return nil
	}
	theirs := *o
	theirs.Lake = cmp.Or(t.Lake, o.Lake)
	for _, with := range t.With {
		s, err := theirs.ReadLake(ctx, with)
		if err != nil {
			return err
		}
		shown := with
		if with == name && theirs.CampaignFolder(name) != o.CampaignFolder(name) {
			shown = fmt.Sprintf("%s (%s)", with, theirs.LakeName())
		}
		t.others = append(t.others, other{with, shown, s})
	}
	return nil
}

// source is a campaign that tables are made from, and where it is.
type source struct {
	campaign.Campaign
	store store.Store
}

// read returns the named campaign, and then those that stand next to it, each with what is
// added to its rows.
func (t Together) read(ctx context.Context, s store.Store, name string, kept campaign.Kept,
	readers []campaign.Reader, added adding) ([]source, error) {
	var all []source
	for _, o := range append([]other{{name, name, s}}, t.others...) {
		a, err := added(ctx, o.store, o.name)
		if err != nil {
			return nil, err
		}
		c, err := readCampaign(ctx, o.store, o.name, kept, slices.Concat(readers, a.Readers))
		if err == nil {
			c, err = a.Add(ctx, o.store, c)
		}
		if err != nil {
			return nil, err
		}
		c.Name = o.shown
		all = append(all, source{c, o.store})
	}
	return all, nil
}

// JoinTo returns c and the campaigns that stand next to it as one; nil if there are none.
func (t Together) JoinTo(ctx context.Context, c campaign.Campaign, kept campaign.Kept) (*campaign.Campaign, error) {
	if len(t.others) == 0 {
		return nil, nil
	}
	all := []source{{Campaign: c}}
	for _, o := range t.others {
		c, err := ReadCampaign(ctx, o.store, o.name, kept)
		if err != nil {
			return nil, err
		}
		c.Name = o.shown
		all = append(all, source{c, o.store})
	}
	joined, err := join(all)
	return &joined, err
}

// join returns the campaigns as one.
func join(all []source) (campaign.Campaign, error) {
	if len(all) == 1 {
		return all[0].Campaign, nil
	}
	var campaigns []campaign.Campaign
	for _, from := range all {
		campaigns = append(campaigns, from.Campaign)
	}
	joined, err := campaign.Join(campaigns...)
	if err != nil {
		return joined, cli.UsageError(fmt.Errorf("--with: %w", err))
	}
	return joined, nil
}
