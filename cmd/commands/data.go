package commands

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/activities/setup"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/recsys"
)

// dataSets that environments read and this program does not bring.
var dataSets = []string{"movielens"}

func newData(o *cli.Options) *cobra.Command {
	path := ""
	cmd := &cobra.Command{
		Use:     "data movielens",
		Short:   "Show where to get a data set, and check a copy of it",
		GroupID: toSetUp,
		Long:    `Show where to get a data set that this program does not include, and check a copy.`,
		Example: `  roundtable data movielens
  roundtable data movielens --path ./ml-100k`,
		ValidArgs: dataSets,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(dataSets, args[0]) {
				return cli.UsageError(fmt.Errorf("which data set? There is %s; %q is given",
					strings.Join(dataSets, ", "), strings.Join(args, " ")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return movieLens(cmd.OutOrStdout(), path, o.JSON) },
	}
	cmd.Flags().StringVar(&path, "path", "", "folder of the unpacked files, to be checked")
	return cmd
}

const (
	movieLensPage  = "https://grouplens.org/datasets/movielens/100k/"
	movieLensTerms = "research use; no redistribution and no commercial use without GroupLens' permission; results " +
		"acknowledge the data set (its README has all terms)"
)

// dataSet is what data says of MovieLens-100k.
type dataSet struct {
	Name    string     `json:"name"`
	Page    string     `json:"page"`
	Archive string     `json:"archive"`
	Terms   string     `json:"terms"`
	Files   []dataFile `json:"files"`
	Path    string     `json:"path,omitempty"`
	OK      *bool      `json:"ok,omitempty"` // of the folder, if one was given
	Problem string     `json:"problem,omitempty"`
}

type dataFile struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func movieLens(w io.Writer, path string, asJSON bool) error {
	d := dataSet{Name: "MovieLens-100k", Page: movieLensPage, Archive: recsys.Source, Terms: movieLensTerms, Path: path}
	for _, f := range recsys.Files() {
		d.Files = append(d.Files, dataFile{f.Name, f.Bytes, f.SHA256})
	}
	var wrong error
	if path != "" {
		files, err := setup.OpenFolder(path)
		if err != nil {
			return cli.UsageError(err)
		}
		wrong = recsys.Check(files)
		ok := wrong == nil
		d.OK = &ok
		if wrong != nil {
			d.Problem = wrong.Error()
			wrong = cli.FailedError(fmt.Errorf("%s is not MovieLens-100k: %w", path, wrong))
		}
	}
	if asJSON {
		if err := cli.WriteJSON(w, d); err != nil {
			return err
		}
		return wrong
	}
	d.print(w)
	return wrong
}

func (d dataSet) print(w io.Writer) {
	if d.OK != nil {
		if *d.OK {
			fmt.Fprintf(w, "%s holds the official files of %s.\n", d.Path, d.Name)
		}
		return
	}
	fmt.Fprintf(w, "%s, by GroupLens, University of Minnesota\n", d.Name)
	fmt.Fprintf(w, "  Page:     %s\n  Archive:  %s\n  Terms:    %s\n", d.Page, d.Archive, d.Terms)
	fmt.Fprintln(w, "\nRead the terms, unpack the archive, check it and name the folder in the campaign:")
	fmt.Fprintln(w, "  roundtable data movielens --path ./ml-100k\n  data: ./ml-100k")
	fmt.Fprintln(w, "\nThese files are read, as they come:")
	for _, f := range d.Files {
		fmt.Fprintf(w, "  %-8s %8d bytes  sha256 %s\n", f.Name, f.Bytes, f.SHA256)
	}
}
