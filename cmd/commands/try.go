package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
	"roundtable/examples"
)

func newTry(o *cli.Options) *cobra.Command {
	t := trial{Options: o}
	cmd := &cobra.Command{
		Use:     "try",
		Short:   "Run a first campaign: one agent, a vote and a debate, on easy questions and a model that is found here",
		GroupID: toRun,
		Long: `Run a first campaign: one agent alone, a vote of three and a debate of three, on up to
60 easy questions. It looks for a model (a server on this machine: Ollama, vLLM, llama.cpp,
LM Studio; or a key in the environment), says what it takes, and asks before it runs, with
a cap of $0.50. Without a model, scripted agents answer. The folder try/ keeps the campaign
file, to change and run again, and the figure.`,
		Example: `  roundtable try
  roundtable try --yes
  roundtable try --model openai/qwen2.5:7b --base-url http://localhost:11434/v1`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd.Context(), cmd.InOrStdin()) },
	}
	f := cmd.Flags()
	f.StringVar(&t.model, "model", "", "the model to ask, as in a campaign file (default: one that is found here)")
	f.StringVar(&t.baseURL, "base-url", "", "where a server that speaks OpenAI's interface has the model")
	f.BoolVarP(&t.yes, "yes", "y", false, "run without asking")
	return cmd
}

// trial is a run of try.
type trial struct {
	*cli.Options
	model, baseURL string
	yes            bool
}

// The folder of the first campaign, here and among the examples that the program brings.
const tryFolder = "try"

// fewQuestions are asked of a model that is served on this machine: a small one without a graphics card
// takes eight seconds of a core for each of some 40 calls, and a figure is promised within five minutes.
const fewQuestions = 6

func (t trial) run(ctx context.Context, in io.Reader) error {
	if !t.yes && !cli.IsTerminal(in) {
		return cli.UsageError(errors.New("nobody can be asked here whether it shall run; add --yes"))
	}
	file := filepath.Join(tryFolder, "try.yaml")
	if _, err := os.Stat(file); err == nil {
		if t.model != "" || t.baseURL != "" {
			return cli.UsageError(fmt.Errorf("%s is there, with its model; change it there and `roundtable run %s`, "+
				"or delete the folder %s", file, file, tryFolder))
		}
		fmt.Fprintf(os.Stderr, "%s is there: going on with it.\n", file)
	} else if err := t.write(ctx, file); err != nil {
		return err
	}
	forecast, err := forecastFile(ctx, t.Options, file, planning.Flags{})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s.\n%s.\n", forecast.proposal(), forecast)
	if !t.yes {
		fmt.Fprint(os.Stderr, "Run it? [Y/n] ")
		answer, err := bufio.NewReader(in).ReadString('\n')
		if answer = strings.ToLower(strings.TrimSpace(answer)); err != nil || answer != "" && answer != "y" &&
			answer != "yes" {
			fmt.Fprintf(os.Stderr, "Nothing was asked. `roundtable run %s` runs it.\n", file)
			return nil
		}
	}
	flags := planning.Flags{}
	s, p, _, failed := workCampaign(ctx, runs.Options{Options: t.Options, Checks: true}, file, flags,
		flags.Command(file))
	if failed != nil {
		return failed
	}
	return t.show(ctx, s, p.Campaign.Name, file)
}

// write writes the campaign and its questions, for the model that is asked for or found.
func (t trial) write(ctx context.Context, file string) error {
	chosen, err := t.choose(ctx)
	if err != nil {
		return err
	}
	text, err := fs.ReadFile(examples.Files, tryFolder+"/try.yaml")
	if err != nil {
		return err
	}
	written := string(text)
	if chosen.Model != "" {
		choice := map[string]string{"name": chosen.Model}
		if chosen.BaseURL != "" {
			choice["base_url"] = chosen.BaseURL
		}
		line, err := json.Marshal(choice) // which is YAML, too
		if err != nil {
			return err
		}
		written = replaceLine(written, "model:", "model: "+string(line))
	}
	if chosen.IsLocal() {
		price, err := json.Marshal(map[string]map[string]int{chosen.Model: {"input": 0, "output": 0}})
		if err != nil {
			return err
		}
		written = replaceLine(written, "limits:",
			fmt.Sprintf("prices: %s   # your own machine\nlimits: {calls: 4}", price))
		written = replaceLine(written, "instances:",
			fmt.Sprintf("instances: %d   # of 60; more of them later extend the campaign", fewQuestions))
	}
	if err := os.Mkdir(tryFolder, 0o755); errors.Is(err, fs.ErrExist) {
		return cli.UsageError(fmt.Errorf("there is a folder %s without a try.yaml; run this in another folder", tryFolder))
	} else if err != nil {
		return err
	}
	questions, err := fs.ReadFile(examples.Files, tryFolder+"/questions.csv")
	if err == nil {
		err = cli.WriteFile(filepath.Join(tryFolder, "questions.csv"), questions)
	}
	if err == nil {
		err = cli.WriteFile(file, []byte(written))
	}
	if err == nil {
		fmt.Fprintf(os.Stderr, "Wrote %s and its questions.\n", file)
	}
	return err
}

// replaceLine replaces the line of a text that begins with a key.
func replaceLine(text, key, line string) string {
	before, rest, _ := strings.Cut(text, "\n"+key)
	_, after, _ := strings.Cut(rest, "\n")
	return before + "\n" + line + "\n" + after
}

// choose returns the model to ask, and says what was found; none stands for scripted agents.
func (t trial) choose(ctx context.Context) (providers.Found, error) {
	if t.model != "" || t.baseURL != "" {
		chosen := providers.Found{Model: t.model, BaseURL: t.baseURL}
		if t.model != "" {
			return chosen, nil
		}
		names, err := providers.ServedModels(ctx, t.baseURL)
		if err != nil || len(names) == 0 {
			return chosen, cli.UsageError(errors.Join(fmt.Errorf("%s names no model; say which with --model",
				t.baseURL), err))
		}
		chosen.Model = "openai/" + names[0]
		fmt.Fprintf(os.Stderr, "Found %s at %s.\n", chosen.Model, t.baseURL)
		return chosen, nil
	}
	found := providers.Find(ctx)
	if len(found) == 0 {
		fmt.Fprintf(os.Stderr, "Found no model: no server at its usual port (%s), and no key (%s).\nScripted agents "+
			"answer, which shows the way and says nothing about models.\n",
			wording.Or(providers.ServerNames()), wording.Or(providers.KeyNames()))
		return providers.Found{}, nil
	}
	for i, f := range found {
		use := ""
		if i == 0 {
			use = "; this one is asked (another: --model)"
		}
		fmt.Fprintf(os.Stderr, "Found %s: %s%s.\n", f.Model, f.From, use)
	}
	return found[0], nil
}

// show prints what came out and draws it.
func (t trial) show(ctx context.Context, s store.Store, name, file string) error {
	a, err := analyze.Make(ctx, s, name, analyze.Request{})
	if err != nil {
		return err
	}
	a.Tables = slices.DeleteFunc(a.Tables, func(t table.Table) bool { return t.Name != "outcomes" })
	format := "text"
	if t.JSON {
		format = "json"
	}
	if err := a.WriteTables(t.Stdout(), format); err != nil {
		return err
	}
	figure := filepath.Join(tryFolder, "result.svg")
	err = cli.WriteOutput(figure, nil, func(w io.Writer) error {
		return analyze.Draw(ctx, w, s, name, analyze.FigureRequest{Figure: "conditions", Format: "svg"})
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "\nFigure:  %s\nFile:    %s, to change and run again\nNext:    roundtable view %s --open "+
		"· roundtable analyze %s · roundtable list collaborations %s\n", figure, file, name, name, name)
	for _, warning := range a.Warnings {
		fmt.Fprintln(os.Stderr, "\nWARNING: "+warning)
	}
	return nil
}
