package commands

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/exports"
)

func newExport(o *cli.Options) *cobra.Command {
	x, v := exports.Export{}, exports.Viewpoints{}
	var text, format, cache string
	var challenges bool
	cmd := &cobra.Command{
		Use:     "export NAME -o FOLDER|FILE",
		Short:   "Write a campaign's tables, or the answer to a query, as Parquet, CSV or JSON lines",
		GroupID: toRead,
		Long:    `Write a campaign's tables, or the answer to a query, into files for other tools.`,
		Example: `  roundtable export my-campaign -o tables/
  roundtable export my-campaign --table turns -o turns.csv
  roundtable export my-campaign --format eval -o logs/
  roundtable export my-campaign --dataset -o published/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && text == "" {
				return cli.UsageError(fmt.Errorf("expected 1 campaign (or --query SQL), got %d", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if text != "" {
				if len(x.Tables) > 0 || x.Output == "" {
					return cli.UsageError(errors.New("--query needs -o FILE and excludes --table"))
				}
				f, err := cli.ChooseFormat(format, x.Output, false, exports.Formats)
				if err != nil {
					return cli.UsageError(err)
				}
				q := exports.Query{Options: o, Campaigns: args, Cache: cache, Format: f, File: x.Output, Force: x.Force}
				kept, err := q.WriteFile(cmd, text)
				if err != nil {
					return err
				}
				return x.Report(cmd, o.JSON, []exports.Written{{Path: kept.Path, Rows: kept.Rows, Bytes: kept.Bytes}})
			}
			x.Campaign = args[0]
			if challenges {
				return exports.Challenges(cmd, o, x, v.Condition, format)
			}
			if cmd.Flags().Changed("viewpoints") {
				return v.Run(cmd, o, x, format)
			}
			if err := x.Choose(format); err != nil {
				return cli.UsageError(err)
			}
			return x.Run(cmd, o)
		},
	}
	cmd.Flags().StringSliceVar(&x.Tables, "table", nil,
		strings.Join(exports.Tables, ", ")+
			" (default: the first five, and of the others those that have rows; instances only with --dataset)")
	cmd.Flags().StringVar(&text, "query", "", "write what a SELECT answers instead, as roundtable query")
	cmd.Flags().StringVar(&format, "format", "",
		strings.Join(exports.Formats, ", ")+
			" (default: parquet, or what FILE's name ends in); of transcripts, for other tools: eval (inspect's "+
			"log), scout (Inspect Scout's Parquet), sts (session traces for the Hub)")
	cmd.Flags().StringVarP(&x.Output, "output", "o", "", "a folder, or a FILE for one table")
	cmd.Flags().BoolVar(&x.Dataset, "dataset", false,
		"write a data set to publish: Parquet with README.md for the Hugging Face Hub and croissant.json")
	cmd.Flags().BoolVar(&x.Force, "force", false, "replace files that exist")
	cmd.Flags().StringVar(&cache, "cache", "", "with --query: folder for copies of a lake in S3")
	viewpointFlags(cmd, &v)
	cmd.Flags().BoolVar(&challenges, "challenges", false,
		"write wrong first answers as solutions that challengers are shown (challenges.file)")
	return cmd
}

func viewpointFlags(cmd *cobra.Command, v *exports.Viewpoints) {
	cmd.Flags().IntVar(&v.Each, "viewpoints", 0,
		"write first answers as a pool of viewpoints (pool.file): of questions with n right and n wrong ones")
	cmd.Flags().StringVar(&v.Condition, "condition", "",
		"with --viewpoints and --challenges: whose, if several conditions have answers")
}
