package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"roundtable/activities/label"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// labelOptions are the flags of label.
type labelOptions struct {
	*cli.Options
	asked       bool // the flags name a labeller, or how it is asked
	labeller    string
	params      string
	generate    string
	price       string
	reasks      int
	costUnknown bool
	noCache     bool
}

func newLabel(o *cli.Options) *cobra.Command {
	l := labelOptions{Options: o}
	cmd := &cobra.Command{
		Use:   "label NAME",
		Short: "Label what each message of a campaign does (dialogue acts), or resume the labelling",
		Args:  cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l.asked = slices.ContainsFunc([]string{"labeller", "params", "generate", "reasks"}, cmd.Flags().Changed)
			return l.run(cmd.Context(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.labeller, "labeller", label.Rules, "the model that labels, as provider/model; without this and the next three flags the one of the campaign's file, else by rules on words")
	f.StringVar(&l.params, "params", "{}", "its parameters as JSON, as in a campaign: {\"base_url\": \"http://localhost:8000/v1\"}")
	f.StringVar(&l.generate, "generate", `{"temperature":0,"max_tokens":1024}`, "how it samples, as JSON, as generate: in a campaign")
	f.IntVar(&l.reasks, "reasks", 2, "how often it is asked again after an unreadable answer, 0 to 10")
	f.StringVar(&l.price, "price", "", "what it costs, in US dollars for a million tokens: {\"input\": 1, \"output\": 2} (default: the campaign's prices, or the built-in table)")
	f.BoolVar(&l.costUnknown, "cost-unknown", false, "allow a model whose price is unknown")
	f.BoolVar(&l.noCache, "no-cache", false, "do not use labels of the same message elsewhere; stored labels of this campaign are still never asked for again")
	return cmd
}

func (l labelOptions) run(ctx context.Context, name string) error {
	s, err := l.ReadLake(ctx, name)
	if err != nil {
		return err
	}
	how, err := l.labelling(ctx, s, name)
	if err != nil {
		return cli.UsageError(err)
	}
	left, err := unlabelled(ctx, s, name, how.ID())
	if err != nil {
		return err
	}
	if left > 0 {
		err = l.work(ctx, s, name, how)
	}
	if err != nil {
		return err
	}
	return l.report(ctx, s, name, how)
}

// labelling returns how the campaign's file wants it, unless flags name another
// labeller. Nothing is sent.
func (l labelOptions) labelling(ctx context.Context, s storage.Store, campaign string) (recorded.Labelling, error) {
	how, err := l.flags()
	if err != nil {
		return how, err
	}
	filed, err := filedLabels(ctx, s, campaign)
	if err != nil {
		return how, err
	}
	if l.asked {
		filed = nil
	}
	if filed != nil {
		how = *filed
	}
	p, err := providers.New(s).Labeller(how.Labeller.Name, how.Labeller.Decode())
	if err == nil {
		err = providers.CheckReachable(p)
	}
	if err == nil && (filed == nil || l.price != "") {
		how.Price, err = l.priced(ctx, s, campaign, p)
	}
	return how, err
}

// flags returns the labeller that they name.
func (l labelOptions) flags() (recorded.Labelling, error) {
	how := recorded.Labelling{Labeller: plan.Choice{Name: l.labeller}, Reasks: l.reasks, Words: label.Words}
	if l.reasks < 0 || l.reasks > 10 {
		return how, fmt.Errorf("--reasks is %d; 0 to 10 are accepted", l.reasks)
	}
	if err := cli.DecodeStrict([]byte(l.generate))(&how.Generate); err != nil {
		return how, fmt.Errorf("--generate: %w", err)
	}
	var params map[string]any
	if err := json.Unmarshal([]byte(l.params), &params); err != nil {
		return how, fmt.Errorf("--params: %w", err)
	}
	if len(params) > 0 {
		how.Labeller.Params, _ = json.Marshal(params) // in one order and spacing: it is part of the id
	}
	return how, nil
}

// filedLabels returns how a campaign's file wants messages to be labelled; nil if it does not.
func filedLabels(ctx context.Context, s storage.Store, campaign string) (*recorded.Labelling, error) {
	m, err := recorded.ReadManifest(ctx, s, campaign)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m.Labels, err
}

// priced returns the labeller's price; nil if it is not known and need not be.
func (l labelOptions) priced(ctx context.Context, s storage.Store, campaign string, p model.Provider) (*money.Price, error) {
	var price money.Price
	if l.price != "" {
		if err := cli.DecodeStrict([]byte(l.price))(&price); err != nil {
			return nil, fmt.Errorf("--price: %w", err)
		}
		return &price, price.Validate()
	}
	if p.Endpoint == "" { // it costs nothing
		return nil, nil
	}
	return providers.PriceFor(ctx, s, campaign, p, l.costUnknown, `{"input": …, "output": …}`)
}

// unlabelled returns how many collaborations that have ended are still to be labelled.
func unlabelled(ctx context.Context, s storage.Store, campaign, by string) (int, error) {
	d, err := lake.ReadDataset(ctx, s, campaign)
	if err != nil {
		return 0, err
	}
	done, err := lake.LabelledRuns(ctx, s, campaign, by)
	n := 0
	for _, m := range d.Members {
		if !done[m.Run] {
			n++
		}
	}
	return n, err
}

// labelReport is what label says at its end.
type labelReport struct {
	Campaign       string   `json:"campaign"`
	Labeller       string   `json:"labeller"`
	Model          string   `json:"model"`
	Simulated      bool     `json:"simulated"`
	Collaborations int      `json:"collaborations"` // labelled
	Left           int      `json:"left"`
	Messages       int      `json:"messages"`
	Invalid        int      `json:"invalid"`
	Calls          int64    `json:"calls"`
	InputTokens    int64    `json:"input_tokens"`
	OutputTokens   int64    `json:"output_tokens"`
	CostUSD        *float64 `json:"cost_usd"`  // null if a price is not known
	WorstUSD       float64  `json:"worst_usd"` // at most more, for calls of unknown outcome or usage
}

// report sums up what is committed.
func (l labelOptions) report(ctx context.Context, s storage.Store, name string, how recorded.Labelling) error {
	r, err := labelled(ctx, s, name, how)
	if err != nil {
		return err
	}
	if l.JSON {
		err = cli.WriteJSON(l.Stdout(), r)
	} else {
		r.print()
	}
	if err == nil && r.Left > 0 {
		err = cli.IncompleteError(fmt.Errorf("%s not labelled; the same command resumes the labelling", wording.Count(r.Left, "collaboration")))
	}
	return err
}

func (r labelReport) print() {
	if r.Simulated {
		fmt.Println("SIMULATED: labels by rules on words, not by a language model")
	}
	cost := "at a price that is not known"
	if r.CostUSD != nil {
		cost = fmt.Sprintf("$%.4f", *r.CostUSD)
	}
	if r.WorstUSD > 0 {
		cost += fmt.Sprintf(", at most $%.4f more for calls of unknown outcome or usage", r.WorstUSD)
	}
	fmt.Printf("%s: %s of %s labelled by %s (%d without a label)\n", r.Campaign, wording.Count(r.Messages, "message"), wording.Count(r.Collaborations, "collaboration"), r.Labeller, r.Invalid)
	fmt.Printf("%s, %s tokens, %s\n", wording.Count(r.Calls, "call"), cli.Abbreviate(r.InputTokens+r.OutputTokens), cost)
	fmt.Printf("Next:    roundtable analyze %s --table 9\n", r.Campaign)
}
