package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/predictions"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

func newPlan(o *cli.Options) *cobra.Command {
	p := planOptions{flags: planning.Flags{Fit: fitRule, Data: &o.Data}}
	cmd := &cobra.Command{
		Use:     "plan FILE",
		Short:   "Show what a campaign would do and cost; starts nothing unless --pilot is given",
		GroupID: toRun,
		Long: `Check a campaign file and show its conditions, the calls they take at most, and
what they are predicted to cost. Nothing is asked unless --pilot is given. Exit code 2:
the file is refused, or the lake has a campaign of this name that it would change.`,
		Example: `  roundtable plan campaign.yaml
  roundtable plan campaign.yaml --prompts
  roundtable plan campaign.yaml --prompts --difference plurality-1a2b,plurality-3c4d
  roundtable plan campaign.yaml --limit 10 --set protocol.rounds=3
  roundtable plan campaign.yaml --pilot 0.02`,
		Args: cli.OneArg("campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Options = o
			return p.plan(cmd.Context(), args[0])
		},
	}
	cmd.Flags().Float64Var(&p.share, "pilot", 0,
		"run this share of the cells for real, at least ten a condition, and predict from them (0.02 is 2 %)")
	cmd.Flags().StringSliceVar(&p.between, "difference", nil,
		"with --prompts: show only where the prompts of two conditions differ, as ID,ID")
	cmd.Flags().BoolVar(&p.prompts, "prompts", false, "render every distinct prompt, by phase, role and conditions")
	p.flags.Add(cmd.Flags())
	cmd.Flags().StringVarP(&p.folder, "output", "o", "",
		"with --prompts: write them as files to this new or empty folder")
	return cmd
}

// planOptions are the flags of plan.
type planOptions struct {
	*cli.Options
	flags   planning.Flags
	prompts bool
	folder  string // for the prompts
	between []string
	share   float64
}

// planned is what plan says of one condition.
type planned struct {
	Condition  string       `json:"condition"`
	Env        string       `json:"env"`
	Protocol   string       `json:"protocol"`
	Rule       string       `json:"rule"`
	Model      string       `json:"model"`
	Agents     int          `json:"agents"` // that take part
	Rounds     int          `json:"rounds"`
	Instances  int          `json:"instances"`
	Replicates int          `json:"replicates"`       // of each instance
	Cells      int          `json:"cells"`            // instances × replicates
	MaxTurns   int          `json:"max_turns"`        // that ask a model, if no rule stops early
	MaxCalls   int          `json:"max_calls"`        // these, each asked again as often as it may be
	Settings   any          `json:"settings"`         // the whole condition
	Values     []plan.Value `json:"values,omitempty"` // on the axes of the grid
}

func (o planOptions) plan(ctx context.Context, path string) error {
	if !(o.share >= 0 && o.share <= 1) { // not a number is neither
		return cli.UsageError(fmt.Errorf("--pilot is %v; expected a share from 0 to 1", o.share))
	}
	if o.folder != "" && !o.prompts {
		return cli.UsageError(errors.New("-o names a folder for prompts; add --prompts"))
	}
	if n := len(o.between); n > 0 && (n != 2 || !o.prompts || o.folder != "" || o.JSON) {
		return cli.UsageError(errors.New("--difference names two conditions, as ID,ID, and goes with --prompts, " +
			"without -o and --json"))
	}
	s, made, err := o.CreateLake()
	if err != nil {
		return err
	}
	defer made.Discard()
	p, m, file, err := o.flags.Read(ctx, o.Plugins, path, s, o.share > 0)
	if err != nil {
		return err
	}
	there, err := planning.Compare(ctx, s, p, m, file.Prompts, o.share > 0)
	if err != nil {
		return err
	}
	all, most, err := planConditions(o.Plugins, p, file)
	if err != nil {
		return err
	}
	warned, err := planning.Warnings(ctx, o.Plugins, p, s)
	if err != nil {
		return err
	}
	for _, survey := range file.Surveys {
		warned = append(warned, survey.Warnings...)
	}
	warned = append(warned, planning.MissingKeys(p, m, s)...)
	warned = append(warned, planning.EndpointNotes(p, m, s)...)
	warned = append(warned, planning.PriceNotes(m, time.Now())...)
	var prompts []planning.RenderedPrompt
	if o.prompts {
		if prompts, err = planning.RenderPrompts(o.Plugins, p, s); err == nil && o.folder != "" {
			err = planning.WritePrompts(o.folder, file, prompts)
		}
		if err != nil {
			return err
		}
		if len(o.between) > 0 {
			if err := planning.PrintDifference(o.Stdout(), prompts, o.between[0], o.between[1]); err != nil {
				return cli.UsageError(err)
			}
			return nil
		}
	}
	predicted, err := predictions.Predict(ctx, o.Options, s, p, m, most, o.share, o.flags.Command(path))
	if err != nil {
		return err
	}
	r := planReport{p, m, file, there, all, predicted, prompts, warned}
	if o.JSON {
		err = cli.WriteJSON(o.Stdout(), r.jsonDocument(o.prompts))
	} else {
		r.print(o.folder)
	}
	if err == nil && there.Refusal != "" {
		return cli.UsageError(errors.New("a run would be refused, as said above"))
	}
	return err
}

// planReport is what plan says.
type planReport struct {
	plan      campaign.Plan
	manifest  campaign.Manifest
	file      campaignfile.File
	there     planning.Comparison
	all       []planned
	predicted predictions.Prediction
	prompts   []planning.RenderedPrompt
	warned    []string
}

func (r planReport) jsonDocument(withPrompts bool) map[string]any {
	c := r.plan.Campaign
	d := map[string]any{
		"campaign": c.Name, "revision": c.Revision(), "cells": c.Size(), "conditions": r.all, "prediction": r.predicted,
		"prompt_edition": r.there.Prompts.Edition, "prompts_recorded": r.there.Prompts.Stored, "in_lake": r.there.Begun,
		"refused": r.there.Refusal,
		"data":    append([]envs.Survey{}, r.file.Surveys...),
		"changed": append([]string{}, r.plan.Changed...), "warnings": append([]string{}, r.warned...),
	}
	if withPrompts {
		d["prompts"] = r.prompts
	}
	return d
}

// print prints the report on standard output; folder is where the prompts were written, if they were.
func (r planReport) print(folder string) {
	fmt.Printf("%s\n\n", r.file)
	if len(r.plan.Changed) > 0 {
		fmt.Printf("Changed on the command line: %s\n", wording.SafeLines(strings.Join(r.plan.Changed, " ")))
	}
	printPlan(r.file, r.all, r.predicted)
	printSurveys(r.file.Surveys)
	fmt.Printf("%s\n", wording.SafeLines(r.there.Prompts.String()))
	r.there.Print()
	r.predicted.Print(r.manifest.Limits, r.plan.Campaign.Size())
	for _, w := range r.warned {
		fmt.Printf("\nWarning: %s\n", w)
	}
	if folder != "" {
		fmt.Printf("\nWrote %s to %s; %s lists them.\n", wording.Count(len(r.prompts), "prompt"), folder,
			filepath.Join(folder, planning.PromptIndex))
	} else {
		planning.PrintPrompts(os.Stdout, r.prompts)
	}
}

// printSurveys prints how each data set was read. Data sets that were read alike are one.
func printSurveys(all []envs.Survey) {
	var printed []string
	for _, s := range all {
		var b strings.Builder
		fmt.Fprintf(&b, "\nData: %s of %s\n", wording.Count(s.Instances, "question"), filesText(s.Files))
		var read []string
		for _, f := range s.Read {
			read = append(read, f.Name+": "+f.Text)
		}
		fmt.Fprintf(&b, "  Read as      %s\n", strings.Join(read, "; "))
		if len(s.Unused) > 0 {
			fmt.Fprintf(&b, "  Not used     %s\n", strings.Join(s.Unused, ", "))
		}
		if len(s.Keys) > 0 {
			var places []string
			for _, f := range s.Keys {
				places = append(places, f.Name+" "+f.Text)
			}
			fmt.Fprintf(&b, "  Right are    %s\n", strings.Join(places, ", "))
		}
		for _, note := range s.Notes {
			fmt.Fprintf(&b, "  Note         %s\n", note)
		}
		b.WriteString("  First one:\n")
		for _, f := range s.Example {
			fmt.Fprintf(&b, "    %s: %s\n", f.Name, strings.ReplaceAll(shortenText(f.Text), "\n", "\n      "))
		}
		if !slices.Contains(printed, b.String()) {
			printed = append(printed, b.String())
		}
	}
	for _, text := range printed {
		fmt.Print(wording.SafeLines(text))
	}
	if len(printed) > 0 {
		fmt.Println()
	}
}

// filesText names a few files.
func filesText(names []string) string {
	if n := len(names); n > 3 {
		return fmt.Sprintf("%s, … (%d files)", strings.Join(names[:3], ", "), n)
	}
	return strings.Join(names, ", ")
}

// shortenText returns the beginning of a long text.
func shortenText(text string) string {
	const most = 400
	if r := []rune(text); len(r) > most {
		return fmt.Sprintf("%s … (%d characters; --prompts shows all)", string(r[:most]), len(r))
	}
	return text
}

// planConditions returns what is said of each condition, and the most calls of
// one collaboration of each.
func planConditions(plugins catalogue.Catalogue, p campaign.Plan, file campaignfile.File) (all []planned,
	most []int, err error) {
	for i, c := range p.Campaign.Conditions {
		calls, err := p.Campaign.Conditions[i].MostCalls(plugins, p.Agents[i])
		if err != nil {
			return nil, nil, err
		}
		session, err := c.Session(plugins, p.Agents[i], 0)
		if err != nil {
			return nil, nil, err
		}
		cells := p.Campaign.CellsOf(i)
		most = append(most, calls)
		all = append(all, planned{
			Condition: c.ID(), Env: c.Env.Name, Protocol: c.Protocol.Name, Rule: c.Rule.Name, Model: c.Model.Name,
			Agents: cmp.Or(session.Protocol().Traits().Members, p.Agents[i]), Rounds: p.Rounds[i],
			Instances: p.Campaign.Instances[i], Replicates: p.Campaign.ReplicatesOf(i), Cells: cells,
			MaxTurns: cells * calls, MaxCalls: cells * calls * (1 + c.Reasks), Settings: c, Values: file.Values[i],
		})
	}
	return all, most, nil
}

// forecast is what a campaign file proposes and takes.
type forecast struct {
	plan      campaign.Plan
	manifest  campaign.Manifest
	all       []planned
	predicted predictions.Prediction
}

// forecastFile says what a campaign file will take; it starts nothing.
func forecastFile(ctx context.Context, o *cli.Options, path string, flags planning.Flags) (f forecast, err error) {
	s, made, err := o.CreateLake()
	if err != nil {
		return f, err
	}
	defer made.Discard()
	var file campaignfile.File
	if f.plan, f.manifest, file, err = flags.Read(ctx, o.Plugins, path, s, false); err != nil {
		return f, err
	}
	all, most, err := planConditions(o.Plugins, f.plan, file)
	if err != nil {
		return f, err
	}
	f.all = all
	f.predicted, err = predictions.Predict(ctx, o, s, f.plan, f.manifest, most, 0, "")
	return f, err
}

// String says in one line how much is asked, what it costs and how long it takes.
func (f forecast) String() string {
	c, cost := f.plan.Campaign, "at a price that is not known"
	if usd := f.predicted.CostUSD; usd != nil {
		cost = fmt.Sprintf("about %s, at most %s", wording.Dollars(usd.Mean), wording.DollarsAtMost(usd.High))
	}
	if l := f.predicted.Labels; l != nil && l.CostUSD != nil {
		cost += "; labels about " + wording.Dollars(l.CostUSD.Mean)
	}
	return fmt.Sprintf("%s: %s, %s, about %s calls, %s; %s", c.Name, wording.Count(len(c.Conditions), "condition"),
		wording.Count(c.Size(), "collaboration"), cli.Abbreviate(int64(f.predicted.Calls.Mean)), cost,
		f.predicted.TimeText(f.manifest.Limits, c.Size()))
}

// proposal says in one line what is asked, of how many agents and rounds, and the cap.
func (f forecast) proposal() string {
	var ways []string
	for _, c := range f.all {
		ways = append(ways, fmt.Sprintf("%s (%s, %s)", cmp.Or(f.manifest.Label(c.Condition), c.Condition),
			wording.Count(c.Agents, "agent"), wording.Count(c.Rounds, "round")))
	}
	limit := "without a cap"
	if usd := f.manifest.Limits.CostUSD; usd != nil {
		limit = "with a cap of " + wording.Dollars(*usd)
	}
	return fmt.Sprintf("Proposed: %s, each decided in %s: %s; %s", wording.Count(f.all[0].Instances, "question"),
		wording.Count(len(ways), "way"), wording.And(ways), limit)
}

// printPlan prints what tells the conditions apart and how much each of them
// runs and is likely to take, and above it what they share.
func printPlan(file campaignfile.File, all []planned, predicted predictions.Prediction) {
	columns, values := file.Columns()
	same := file.Shared()
	sizes := []struct {
		header string
		of     func(p planned) string
		words  func(p planned) string
	}{
		{"agents", func(p planned) string { return fmt.Sprint(p.Agents) },
			func(p planned) string { return wording.Count(p.Agents, "agent") }},
		{"rounds", func(p planned) string { return fmt.Sprint(p.Rounds) },
			func(p planned) string { return "at most " + wording.Count(p.Rounds, "round") }},
		{"instances × replicates", func(p planned) string { return fmt.Sprintf("%d × %d", p.Instances, p.Replicates) },
			func(p planned) string {
				return wording.Count(p.Instances, "instance") + " × " + wording.Count(p.Replicates, "replicate")
			}},
	}
	settings := len(columns)
	for _, size := range sizes {
		if !slices.ContainsFunc(all, func(p planned) bool { return size.of(p) != size.of(all[0]) }) {
			same = append(same, size.words(all[0]))
			continue
		}
		columns = append(columns, size.header)
		for i, p := range all {
			values[i] = append(values[i], size.of(p))
		}
	}
	fmt.Printf("All conditions: %s\n", wording.SafeLines(strings.Join(same, ", ")))
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	var right []table.ColumnConfig
	for i := settings; i < len(columns)+4; i++ {
		right = append(right, table.ColumnConfig{Number: i + 2, Align: text.AlignRight})
	}
	t.SetColumnConfigs(right)
	row := func(first string, values []string, rest ...any) table.Row {
		r := table.Row{first}
		for i := range columns {
			text := ""
			if i < len(values) {
				text = wording.SafeLines(values[i])
			}
			r = append(r, text)
		}
		return append(r, rest...)
	}
	header, likely := []any{"cells", "turns at most"}, predicted.AsksModels()
	if likely {
		header = append(header, "likely tokens", "likely cost")
	}
	t.AppendHeader(row("condition", columns, header...))
	cells, turns := 0, 0
	for i, p := range all {
		takes := []any{p.Cells, p.MaxTurns}
		if likely {
			tokens, cost := predicted.Conditions[i].TokensAndCost()
			takes = append(takes, tokens, cost)
		}
		t.AppendRow(row(p.Condition, values[i], takes...))
		cells, turns = cells+p.Cells, turns+p.MaxTurns
	}
	t.AppendFooter(row("", nil, cells, turns))
	fmt.Println(strings.TrimRight(t.Render(), "\n"))
}
