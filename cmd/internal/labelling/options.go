// Package labelling labels what each message of a campaign does, with the labeller of the
// campaign's file or of flags, and sums up what is labelled. For people who code by hand it
// draws messages, writes them as a page or a table that says nothing of conditions and of
// machines' labels, and reads back and stores what they gave.
package labelling

import (
	"context"
	"encoding/json"
	"fmt"

	"roundtable/activities/labels"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Options are the flags of label.
type Options struct {
	*cli.Options
	Asked       bool // the flags name a labeller, or how it is asked
	CodeBook    string
	Labeller    string
	Params      string
	Generate    string
	Price       string
	Reasks      int
	CostUnknown bool
	NoCache     bool
}

// Run labels what is left of a campaign and reports all of its labels.
func (l Options) Run(ctx context.Context, name string) error {
	s, err := l.ReadLake(ctx, name)
	if err != nil {
		return err
	}
	if err := cli.LoadEnvFileOf(ctx, s, name); err != nil {
		return err
	}
	how, err := l.chooseLabelling(ctx, s, name)
	if err != nil {
		return cli.UsageError(err)
	}
	left, err := campaigns.CountUnlabelled(ctx, s, name, how.ID())
	if err != nil {
		return err
	}
	if left > 0 {
		err = l.Work(ctx, s, name, how)
	} else {
		err = campaigns.RepairCard(ctx, s, name)
	}
	if err != nil {
		return err
	}
	return l.report(ctx, s, name, how)
}

// chooseLabelling returns how messages are to be labelled: as the campaign's file says, unless
// flags name another labeller. Nothing is sent.
func (l Options) chooseLabelling(ctx context.Context, s store.Store, campaign string) (campaign.Labelling, error) {
	how, err := l.labellingOfFlags()
	if err != nil {
		return how, err
	}
	filed, err := campaigns.LabellingOfFile(ctx, s, campaign)
	if err != nil {
		return how, err
	}
	if l.Asked {
		filed = nil
	}
	if filed != nil {
		how = *filed
	}
	if err := l.useBook(&how); err != nil {
		return how, err
	}
	p, err := providers.New(s).Labeller(how.Labeller.Name, how.Labeller.Decode())
	if err == nil {
		err = providers.CheckReachable(p)
	}
	if err == nil && (filed == nil || l.Price != "") {
		how.Price, err = providers.StatedPrice(ctx, s, campaign, p, l.Price, l.CostUnknown)
	}
	return how, err
}

// useBook has messages labelled by another code book than that of the acts, if one is named.
func (l Options) useBook(how *campaign.Labelling) error {
	if l.CodeBook == "" || l.CodeBook == campaign.ActsBook {
		return nil
	}
	b, err := readBook(l.CodeBook)
	if err != nil {
		return err
	}
	if how.Labeller.Name == labels.Rules {
		return fmt.Errorf("%s labels dialogue acts only; by the code book %s a model labels: --labeller provider/model",
			labels.Rules, b.Name)
	}
	how.CodeBook, how.Words = &b, b.Words()
	return nil
}

// labellingOfFlags returns the labeller that they name.
func (l Options) labellingOfFlags() (campaign.Labelling, error) {
	how := campaign.Labelling{Labeller: plan.Choice{Name: l.Labeller}, Reasks: l.Reasks, Words: labels.Words}
	if l.Reasks < 0 || l.Reasks > 10 {
		return how, fmt.Errorf("--reasks is %d; expected 0 to 10", l.Reasks)
	}
	if err := envs.DecodeStrict([]byte(l.Generate))(&how.Generate); err != nil {
		return how, fmt.Errorf("--generate: %w", err)
	}
	var params map[string]any
	if err := json.Unmarshal([]byte(l.Params), &params); err != nil {
		return how, fmt.Errorf("--params: %w", err)
	}
	if len(params) > 0 {
		how.Labeller.Params, _ = json.Marshal(params) // in one order and spacing: it is part of the id
	}
	return how, nil
}

// Summary is what label says at its end.
type Summary struct {
	Campaign       string   `json:"campaign"`
	CodeBook       string   `json:"code_book,omitempty"` // its id; that of the acts is left out
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
	whole          bool     // collaborations are labelled
}

// report sums up what is committed.
func (l Options) report(ctx context.Context, s store.Store, name string, how campaign.Labelling) error {
	r, err := sumUp(ctx, s, name, how)
	if err != nil {
		return err
	}
	if l.JSON {
		err = cli.WriteJSON(l.Stdout(), r)
	} else {
		r.print()
	}
	if err == nil && r.Left > 0 {
		err = cli.IncompleteError(fmt.Errorf("%s not labelled; the same command resumes the labelling",
			wording.Count(r.Left, "collaboration")))
	}
	return err
}

func (r Summary) print() {
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
	items := wording.Count(r.Messages, "message")
	if r.whole {
		items = "transcripts"
	}
	fmt.Printf("%s: %s of %s labelled by %s (%d without a label)\n", r.Campaign, items,
		wording.Count(r.Collaborations, "collaboration"), r.Labeller, r.Invalid)
	fmt.Printf("%s, %s tokens, %s\n", wording.Count(r.Calls, "call"),
		cli.Abbreviate(r.InputTokens+r.OutputTokens), cost)
	if 10*r.Invalid > r.Messages {
		fmt.Printf("\nWARNING: %d of %s have no label, since no answer of %s about them could be used. What is computed from labels rests on the others alone; a stronger labeller, or more --reasks, is needed.\n\n", r.Invalid, items, r.Labeller)
	}
	next := "dialogue-acts"
	if r.CodeBook != "" {
		next = "label-rates"
	}
	fmt.Printf("Next:    roundtable analyze %s --table %s\n", r.Campaign, next)
}
