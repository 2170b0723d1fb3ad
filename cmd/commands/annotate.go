package commands

import (
	"slices"

	"github.com/spf13/cobra"

	"roundtable/activities/labels"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/handcoding"
	"roundtable/cmd/internal/labelling"
)

func newLabel(o *cli.Options) *cobra.Command {
	l := labelling.Options{Options: o}
	hand := handcoding.Options{Options: o}
	cmd := &cobra.Command{
		Use:     "label NAME",
		Short:   "Label what each message of a campaign does (dialogue acts), or resume the labelling",
		GroupID: toLabel,
		Long: `Label each message of a campaign with dialogue acts: by rules on words, or by a
language model. What is labelled is not asked again.

Labels err. --gold draws messages with known probabilities and writes a page (or a
table, .csv) on which people code them by hand, without seeing a condition or a
machine's label; --gold-from reads their tables back. From then on tables about
acts show corrected figures next to those of the labels alone.`,
		Example: `  roundtable label my-campaign
  roundtable label my-campaign --labeller openai/gpt-5-mini --price '{"input": 0.25, "output": 2}'
  roundtable label my-campaign --gold 200
  roundtable label my-campaign --gold-from coded.csv --coder ada`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Telemetry.Check(); err != nil {
				return err
			}
			if hand.IsAsked() {
				return hand.Run(cmd.Context(), args[0])
			}
			l.CodeBook = hand.CodeBook
			l.Asked = slices.ContainsFunc([]string{"labeller", "params", "generate", "reasks"}, cmd.Flags().Changed)
			return l.Run(cmd.Context(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.Labeller, "labeller", labels.Rules,
		"the model that labels, as provider/model; without this and the next three flags the one of the campaign's "+
			"file, else by rules on words")
	f.StringVar(&l.Params, "params", "{}",
		"its parameters as JSON, as in a campaign: {\"base_url\": \"http://localhost:8000/v1\"}")
	f.StringVar(&l.Generate, "generate", `{"temperature":0,"max_tokens":1024}`,
		"how it samples, as JSON, as generate: in a campaign")
	f.IntVar(&l.Reasks, "reasks", 2, "how often it is asked again after an unreadable answer, 0 to 10")
	f.StringVar(&l.Price, "price", "", "what it costs, in US dollars for a million tokens: {\"input\": 1, "+
		"\"output\": 2} (default: the campaign's prices, or the built-in table)")
	f.BoolVar(&l.CostUnknown, "cost-unknown", false, "allow a model whose price is unknown")
	o.Telemetry.Flags(f)
	f.IntVar(&hand.Asked, "gold", 0, "draw about this many messages in all to code by hand, and write the page for "+
		"it; the number of an earlier draw writes its page again")
	f.Uint64Var(&hand.Seed, "gold-seed", 1, "of the first draw")
	f.StringVarP(&hand.Output, "output", "o", "",
		"where --gold writes: a page (.html) or a table (.csv) (default: CAMPAIGN-CODEBOOK-DRAW.html)")
	f.StringVar(&hand.From, "gold-from", "", "read back and store a table that was coded by hand")
	f.StringVar(&hand.Coder, "coder", "", "who coded the table of --gold-from; "+gold.Adjudicated+
		" is what several coders agreed on")
	f.StringVar(&hand.CodeBook, "code-book", campaign.ActsBook,
		"what is labelled: acts, mast (failure modes), drift (errors behind problem drift), or a file of your own "+
			"(.yaml)")
	f.BoolVar(&l.NoCache, "no-cache", false,
		"do not use labels of the same message elsewhere; stored labels of this campaign are still never asked for "+
			"again")
	return cmd
}

func newFeatures(o *cli.Options) *cobra.Command {
	m := analyze.Features{PriceFlags: analyze.PriceFlags{Options: o}}
	cmd := &cobra.Command{
		Use: "features NAME",
		Short: "Measure each message of a campaign (words, grade, information distance) into the table features, " +
			"or resume the measuring",
		GroupID: toLabel,
		Long: `Measure each message of a campaign: words, reading grade, information distance.
Messages that have been measured are not measured again; embeddings by a service
are bought only here.`,
		Example: `  roundtable features my-campaign
  roundtable features my-campaign --embedder openai/text-embedding-3-small --price '{"input": 0.02}'`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r, err := m.Measure(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			return r.Write(cmd.OutOrStdout(), o.JSON)
		},
	}
	m.Method.Flags(cmd)
	m.PriceFlags.Flags(cmd)
	return cmd
}
