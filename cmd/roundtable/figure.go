package main

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

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/storage"
	"roundtable/analysis/study/dialogue"
	"roundtable/cmd/internal/cli"
)

// drawing is what analyze --figure is asked for.
type drawing struct {
	figure, format, file, reading string
	wanted
}

// drawn is a figure of any kind.
type drawn interface {
	Write(w io.Writer, format string) error
}

// writeFigure draws one figure, or writes the numbers that it shows.
func writeFigure(o *cli.Options, cmd *cobra.Command, campaign string, d drawing) error {
	format, err := d.as(o.JSON)
	if err != nil {
		return cli.UsageError(err)
	}
	s, err := o.ReadLake(cmd.Context(), campaign)
	if err != nil {
		return err
	}
	if err := d.Choose(cmd.Context(), s, campaign); err != nil {
		return err
	}
	c, err := readTables(cmd.Context(), s, campaign)
	if err != nil {
		return err
	}
	if err := checkBaselines(cmd.Context(), o, d.wanted); err != nil {
		return err
	}
	if c, err = d.beside(cmd.Context(), s, c); err != nil {
		return err
	}
	f, err := d.make(cmd.Context(), s, c)
	if err != nil {
		return cli.UsageError(err)
	}
	return cli.WriteOutput(d.file, cmd.OutOrStdout(), func(w io.Writer) error {
		if format == "json" {
			return cli.WriteJSON(w, f)
		}
		return f.Write(w, format)
	})
}

func (d drawing) make(ctx context.Context, s storage.Store, c campaign.Campaign) (drawn, error) {
	if figures.NeedLanguage(d.figure) {
		var err error
		if c, err = d.AddTo(ctx, s, c); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(figures.OfActs(), d.figure) {
		return figures.Make(c, d.figure)
	}
	l, err := dialogue.LoadLabels(ctx, s, c, d.Labeller)
	if err != nil {
		return nil, err
	}
	return figures.MakeGraphs(c, l, d.figure, acts.Reading(d.reading))
}

// as returns the format: what is asked for, what the file's name ends in, or SVG.
func (d drawing) as(asJSON bool) (string, error) {
	if d.table != "" {
		return "", errors.New("--table and --figure are both given; give one")
	}
	if asJSON && d.format != "" && d.format != "json" {
		return "", fmt.Errorf("--json and --format %s are both given; give one", d.format)
	}
	accepted := append(figures.Formats(d.figure), "json")
	ending := strings.TrimPrefix(filepath.Ext(d.file), ".")
	format := cmp.Or(d.format, ending, accepted[0])
	if asJSON {
		format = "json"
	}
	if !slices.Contains(accepted, format) {
		return "", fmt.Errorf("a figure cannot be written as %q; there are %s", format, strings.Join(accepted, ", "))
	}
	return format, nil
}
