package commands

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

func newDoctor(o *cli.Options) *cobra.Command {
	c := checkup{Options: o}
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Ask a model a few small questions: do answers repeat, how many calls at once pay off, what works",
		GroupID: toRun,
		Long: `Ask a model a few small questions and say what a campaign can count on: whether it
answers, whether the same question at temperature 0 has the same answer, how many calls at
once pay off, and whether JSON schemas, repeated prefixes, log-probabilities and thinking
work; then what to write into the campaign file. Without --yes it only says what that costs
at most. It is not part of a campaign or of its budget, and stores nothing.`,
		Example: `  roundtable doctor --model openai/gpt-5-mini
  roundtable doctor --model openai/qwen3:8b --base-url http://localhost:11434/v1 --yes
  roundtable doctor --model openai/Qwen3-8B --base-url http://gpu1:8000/v1 --calls 64 --yes`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&c.model, "model", "", "the model to ask, as in a campaign file (needed)")
	f.StringVar(&c.baseURL, "base-url", "", "where it is served, as base_url in a campaign file")
	f.StringVar(&c.params, "params", "{}",
		`its other parameters as JSON, as in a campaign file: {"api_key_env": "MY_KEY"}`)
	f.StringVar(&c.price, "price", "",
		`what it costs, in US dollars for a million tokens: {"input": 1, "output": 2} (default: the built-in table)`)
	f.BoolVar(&c.costUnknown, "cost-unknown", false, "allow a model whose price is unknown")
	f.IntVar(&c.maxTokens, "max-tokens", 96, "of each answer, 16 to 100000; a model that thinks first needs more")
	f.IntVar(&c.calls, "calls", 8, "the most calls at once that are tried, 1 to 256: 2, 4, 8, …")
	f.BoolVarP(&c.yes, "yes", "y", false, "ask it")
	return cmd
}

// checkup is a run of doctor.
type checkup struct {
	*cli.Options
	model, baseURL, params, price string
	costUnknown, yes              bool
	maxTokens, calls              int
}

func (c checkup) run(ctx context.Context) error {
	choice, err := c.modelChoice()
	if err != nil {
		return cli.UsageError(err)
	}
	e, err := c.newExamination(ctx, choice)
	if err != nil {
		return cli.UsageError(err)
	}
	calls, most, err := e.Most()
	if err != nil {
		return cli.UsageError(err)
	}
	cost := "at a price that is not known"
	if e.Price != nil {
		cost = fmt.Sprintf("at most $%.4f", most.USD())
	}
	say := fmt.Sprintf("%s at %s: %s, at most %s tokens, %s",
		e.Provider.Name, e.Provider.Endpoint, wording.Count(calls, "call"), cli.Abbreviate(most.Tokens), cost)
	if !c.yes {
		if c.JSON {
			document := map[string]any{"model": e.Provider.Name, "calls_at_most": calls, "tokens_at_most": most.Tokens}
			if e.Price != nil {
				document["cost_usd_at_most"] = most.USD()
			}
			return cli.WriteJSON(c.Stdout(), document)
		}
		fmt.Fprintf(c.Stdout(), "%s.\nNothing was asked; --yes asks.\n", say)
		return nil
	}
	out := c.Stdout()
	if !c.JSON {
		fmt.Fprintf(out, "%s.\n\n", say)
	}
	report, failed := e.Run(ctx, func(f providers.Finding) {
		if !c.JSON {
			fmt.Fprintf(out, "%-14s %-8s %s\n", f.Name, f.Result, f.Detail)
		}
	})
	if c.JSON {
		err = cli.WriteJSON(out, struct {
			providers.Report
			File string `json:"campaign_file"`
		}{report, report.Advice(choice)})
	} else {
		spent := ""
		if report.CostUSD != nil {
			spent = fmt.Sprintf(", $%.4f", *report.CostUSD)
		}
		fmt.Fprintf(out, "\nAsked: %s, %d tokens as the service counts them%s.\n",
			wording.Count(report.Calls, "call"), report.Tokens, spent)
		if failed == nil {
			fmt.Fprintf(out, "\nFor the campaign file:\n\n%s", report.Advice(choice))
		}
	}
	switch {
	case ctx.Err() != nil:
		return cli.InterruptedError(errors.New("interrupted"))
	case failed != nil:
		return cli.IncompleteError(failed)
	}
	return err
}

// modelChoice returns the model as a campaign's file has it.
func (c checkup) modelChoice() (map[string]any, error) {
	if c.model == "" {
		return nil, errors.New("doctor needs --model, as openai/gpt-5-mini")
	}
	for _, n := range []struct {
		flag            string
		is, least, most int
	}{{"max-tokens", c.maxTokens, 16, 100_000}, {"calls", c.calls, 1, 256}} {
		if n.is < n.least || n.is > n.most {
			return nil, fmt.Errorf("--%s is %d; expected %d to %d", n.flag, n.is, n.least, n.most)
		}
	}
	choice := map[string]any{}
	if err := json.Unmarshal([]byte(c.params), &choice); err != nil || choice == nil {
		return nil, fmt.Errorf("--params is %.80q and not a JSON object, as {\"api_key_env\": \"MY_KEY\"}", c.params)
	}
	if c.baseURL != "" {
		choice["base_url"] = c.baseURL
	}
	return choice, nil
}

// newExamination makes the model; nothing is sent.
func (c checkup) newExamination(ctx context.Context, params map[string]any) (providers.Examination, error) {
	e := providers.Examination{MaxTokens: c.maxTokens, AtOnce: c.calls, Prefix: rand.Text()}
	if err := cli.LoadEnvFile("."); err != nil {
		return e, err
	}
	m := plan.Choice{Name: c.model}
	if len(params) > 0 {
		m.Params, _ = json.Marshal(params)
	}
	params["name"] = c.model // from here on as in a campaign's file
	if !runs.IsChecked(c.model) {
		return e, fmt.Errorf("%s is not a language model behind a service, as openai/gpt-5-mini is", c.model)
	}
	var err error
	if e.Provider, err = providers.New(nil).Labeller(m.Name, m.Decode()); err == nil { // such models need no lake
		err = providers.CheckReachable(e.Provider)
	}
	if err == nil {
		e.Price, err = providers.StatedPrice(ctx, nil, "", e.Provider, c.price, c.costUnknown)
	}
	return e, err
}
