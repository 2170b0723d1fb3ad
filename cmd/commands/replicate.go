package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"roundtable/activities/labels"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/exports"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/predictions"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/replicate"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
	"roundtable/examples"
	"roundtable/workflows/plan"
)

const replicateLong = `Make a table or figure of one of the five papers again: plan its campaigns, run
them, label and embed where the table needs it, and print what was found beside the
numbers that the paper prints, with the differences and their 95 % intervals. It is
run, label, features, export and analyze in turn: the campaigns are in the lake as
any other, and the same command continues with what is left.

Without --model the paper's models are asked. --limit makes it small: so many
instances of each environment, or replicates of the exchange economy. --set changes
all campaigns of an entry, --set FILE:KEY=VALUE that of one file (--file shows them).`

const replicateExample = `  roundtable replicate --list
  roundtable replicate --list --model openai/gpt-4o-mini
  roundtable replicate paper1/table-1 --model openai/gpt-4o-mini --limit 3 --cost-usd 1
  roundtable replicate paper4/table-1 --model openai/gpt-4o-mini --data ./data
  roundtable replicate paper2/table-1 --file > my-study.yaml`

// replication is what replicate is asked for.
type replication struct {
	*cli.Options
	flags    planning.Flags
	model    string
	labeller string
	beside   string
	data     string
	format   string
	costUSD  float64
	capped   bool
	noCheck  bool
	features analyze.Features
	papers   replicate.Papers
	name     string
	entry    replicate.Entry
}

func newReplicate(o *cli.Options) *cobra.Command {
	r := replication{Options: o, flags: planning.Flags{Fit: fitRule, Files: examples.Files},
		features: analyze.Features{PriceFlags: analyze.PriceFlags{Options: o}}}
	list, file, output := false, false, ""
	cmd := &cobra.Command{
		Use:     "replicate [PAPER/TABLE]",
		Short:   "Make a table or figure of a paper again, and show it beside the paper's numbers",
		GroupID: toRun,
		Long:    replicateLong,
		Example: replicateExample,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if r.papers, err = replicate.Load(); err != nil {
				return err
			}
			if list != (len(args) == 0) {
				return cli.UsageError(errors.New("name a table or figure (paper1/table-1), or give --list"))
			}
			if list {
				for _, ignored := range []string{"limit", "instances", "set"} {
					if cmd.Flags().Changed(ignored) {
						return cli.UsageError(fmt.Errorf("--list shows the papers' sizes, whatever --%s says; "+
							"replicate PAPER/TABLE --%[1]s … prints what it takes before it asks anything", ignored))
					}
				}
				return r.list(cmd)
			}
			r.name = args[0]
			if r.entry, err = r.papers.Find(r.name); err != nil {
				return err
			}
			if file {
				return r.printFiles(cmd)
			}
			if err := o.Telemetry.Check(); err != nil {
				return err
			}
			if r.format, err = tableFormat(o, "", output); err != nil {
				return cli.UsageError(err)
			}
			r.capped = cmd.Flags().Changed("cost-usd")
			return r.run(cmd.Context(), output)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&list, "list", false, "list what can be replicated, with calls, cost and time of each at --model")
	f.BoolVar(&file, "file", false, "print the campaign files and run nothing")
	f.StringVar(&r.model, "model", "", "the model to ask in place of the paper's, as model: in a campaign")
	f.StringVar(&r.labeller, "labeller", "",
		"the model that labels dialogue acts (default: --model; scripted/labeller labels by rules on words)")
	f.StringVar(&r.beside, "beside", "", "the paper's model whose numbers stand beside those of --model (default: "+
		"the likest, else the paper's first)")
	f.StringVar(&r.data, "data", "", "FOLDER of the data sets that the program does not bring")
	f.Float64Var(&r.costUSD, "cost-usd", 0, "US dollars in all, at which it pauses")
	f.BoolVar(&r.noCheck, "no-check", false, runs.NoCheckUsage)
	f.StringVarP(&output, "output", "o", "", "write the tables to FILE instead of standard output")
	r.flags.Add(f)
	r.features.Method.Flags(cmd)
	r.features.PriceFlags.Flags(cmd)
	o.Telemetry.Flags(f)
	return cmd
}

// printFiles prints the campaign files of the entry, one after the other, as YAML documents.
func (r replication) printFiles(cmd *cobra.Command) error {
	for i, c := range r.entry.All() {
		text, err := examples.Files.ReadFile(replicate.Path(c))
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "---")
		}
		fmt.Fprintf(cmd.OutOrStdout(), "# examples/%s\n%s", replicate.Path(c), text)
	}
	return nil
}

// run plans everything before anything is asked, then runs it and shows what was found.
func (r replication) run(ctx context.Context, output string) error {
	if err := r.papers.CheckData(r.entry, r.data); err != nil {
		return err
	}
	models := r.entry.Models()
	if r.beside != "" && !slices.Contains(models, r.beside) {
		return cli.UsageError(fmt.Errorf("--beside is %q; %s has numbers of %s%s", r.beside, r.name,
			wording.And(models), wording.DidYouMean(r.beside, models)))
	}
	for _, c := range r.entry.All() {
		if err := r.plan(ctx, c); err != nil {
			return err
		}
	}
	var unfinished error
	var spent float64
	var s store.Store
	for _, c := range r.entry.All() {
		at, err := r.runRest(ctx, c, spent)
		if err != nil && (at == nil || cli.ExitCode(err) != cli.ExitIncomplete) {
			return err
		}
		s, unfinished = at, errors.Join(unfinished, err)
		if c == r.entry.Pool && err == nil {
			err = r.writePool(ctx)
		}
		if err != nil {
			break
		}
		if r.capped {
			cost, err := campaigns.ReadCost(ctx, s, r.campaignName(c), campaign.ByCondition)
			if err != nil {
				return err
			}
			spent += cost.Total.USD + cost.Total.WorstUSD
		}
	}
	return errors.Join(r.show(ctx, s, output), unfinished)
}

// plan checks a campaign and says on standard error what it will take.
func (r replication) plan(ctx context.Context, c string) error {
	if r.entry.Pool != "" && c != r.entry.Pool {
		if _, err := os.Stat(r.poolFile()); err != nil {
			fmt.Fprintf(os.Stderr, "%s is planned once %s has the viewpoints of %s\n", r.campaignName(c), r.poolFile(),
				r.campaignName(r.entry.Pool))
			return nil
		}
	}
	said, err := forecastFile(ctx, r.Options, replicate.Path(c), r.flagsOf(c, 0))
	if data := r.papers.Campaigns[c].Data; err != nil && data != "" {
		return fmt.Errorf("%w\n--data is the folder in which lie: %s", err, data)
	}
	if err == nil {
		fmt.Fprintln(os.Stderr, said)
	}
	return err
}

// runRest runs what is left of a campaign, of whose budget so much is spent by others.
func (r replication) runRest(ctx context.Context, c string, spent float64) (store.Store, error) {
	o := runs.Options{Options: r.Options, Checks: !r.noCheck}
	s, p, _, err := workCampaign(ctx, o, replicate.Path(c), r.flagsOf(c, spent), "the same command")
	if err != nil || !r.entry.Embeds || r.features.Embedder == "" {
		return s, err
	}
	_, err = r.features.Measure(ctx, s, p.Campaign.Name)
	return s, err
}

// poolFile is where the campaign of viewpoints reads them.
func (r replication) poolFile() string { return filepath.Join(r.data, "viewpoints.jsonl") }

func (r replication) writePool(ctx context.Context) error {
	const each = 40 // of each kind, as in the paper
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	cmd.SetOut(os.Stderr)
	x := exports.Export{Campaign: r.campaignName(r.entry.Pool), Output: r.poolFile(), Force: true}
	return exports.Viewpoints{Each: each}.Run(cmd, r.Options, x, "")
}

// flagsOf returns the flags with which a campaign's file is read.
func (r replication) flagsOf(c string, spent float64) planning.Flags {
	about := r.papers.Campaigns[c]
	var set []string
	if r.data != "" {
		folder := r.data
		if _, err := os.Stat(filepath.Join(r.data, about.Folder)); err == nil {
			folder = filepath.Join(r.data, about.Folder)
		}
		if about.Data != "" {
			set = append(set, "data="+folder)
		}
	}
	if r.model != "" {
		if replicate.Models(c) > 0 {
			set = append(set, "grid.model=["+r.model+"]")
		} else {
			set = append(set, "model="+r.model)
		}
	}
	if n := r.flags.Limit(); n > 0 && about.Replicates > 0 {
		set = append(set, fmt.Sprintf("replicates=%d", min(n, about.Replicates)))
	}
	if r.capped {
		set = append(set, fmt.Sprintf("limits.cost_usd=%g", max(0, r.costUSD-spent)))
	}
	if r.entry.Labels {
		labeller := r.labeller
		if labeller == "" {
			labeller = r.model
		}
		if labeller == "" {
			labeller = replicate.Labeller
		} else if strings.HasPrefix(labeller, "scripted/") {
			labeller = labels.Rules
		}
		set = append(set, "labels={model: "+labeller+"}")
	}
	return r.flags.With(c, r.entry.All(), r.campaignName(c), set...)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// campaignName returns the name of a campaign in the lake: with another model than the paper's it
// is another campaign.
func (r replication) campaignName(c string) string {
	name := "paper" + c
	if given := r.flags.Name(); given != "" && len(r.entry.All()) == 1 {
		return given
	} else if given != "" {
		return given + "-" + c
	}
	if r.model == "" {
		return name
	}
	model := r.modelName()
	model = model[strings.LastIndex(model, "/")+1:]
	name += "-" + strings.Trim(notInNames.ReplaceAllString(strings.ToLower(model), "-"), "-")
	return strings.TrimRight(name[:min(len(name), 63)], "-")
}

// modelName returns the name of --model, which may be a mapping.
func (r replication) modelName() string {
	var mapping struct{ Name string }
	if yaml.Unmarshal([]byte(r.model), &mapping) == nil && mapping.Name != "" {
		return mapping.Name
	}
	return r.model
}

// show writes the entry's tables and, beside the paper's numbers, what they hold.
func (r replication) show(ctx context.Context, s store.Store, output string) error {
	var c replicate.Comparison
	models := r.entry.Models()
	beside, known := r.beside, true
	if beside == "" && len(models) > 0 {
		beside, known = replicate.Likest(models, r.modelName())
	}
	var all []table.Table
	for _, name := range r.entry.Campaigns {
		p, _, err := campaign.ReadRecorded(ctx, s, r.campaignName(name))
		if err != nil {
			return err
		}
		found := replicate.Found{Replicates: p.Campaign.Replicates, Beside: beside}
		if r.features.Embedder != providers.TFIDF {
			found.Embedder = r.features.Embedder
		}
		made := map[string]replicate.Found{}
		for _, b := range append([]replicate.Block{{}}, r.entry.Printed...) { // the first is the entry's table
			asked := cmp.Or(b.Table, r.entry.Table)
			if _, ok := made[asked]; !ok {
				f, err := r.tableOf(ctx, s, name, asked, found)
				if err != nil {
					return err
				}
				made[asked] = f
				all = append(all, f.Tables()...)
			}
			if b.Rows == "" || b.Campaign != "" && b.Campaign != name {
				continue
			}
			if err := c.Add(b, made[asked]); err != nil {
				return err
			}
		}
	}
	compared := c.Table(r.name, r.entry.Title, r.entry.NotDerived)
	if own := replicate.Model(r.entry.Campaigns[0]); r.model != "" && own != "" {
		compared.Notes = append([]string{fmt.Sprintf("Here %s answered; the paper's numbers are of %s.", r.modelName(),
			own)}, compared.Notes...)
	}
	if r.model != "" && len(models) > 0 {
		note := fmt.Sprintf("Beside %s stands the paper's %s.", r.modelName(), beside)
		if !known {
			note = fmt.Sprintf("The paper has no %s: beside it stands its %s.", r.modelName(), beside)
			if len(models) > 1 {
				note += fmt.Sprintf(" --beside names another of %s.", wording.And(models))
			}
		}
		compared.Notes = append([]string{note}, compared.Notes...)
	}
	all = append(all, compared)
	err := cli.WriteOutput(output, r.Stdout(), func(w io.Writer) error { return table.Write(w, r.format, all) })
	for _, figure := range r.entry.Figures {
		for _, name := range r.entry.Campaigns {
			fmt.Fprintf(os.Stderr, "Figure: roundtable analyze %s --figure %s -o %s\n",
				strings.Join(append([]string{r.campaignName(name)}, r.baselineFlags("--baseline ")...), " "), figure,
				r.entry.FigureFile(r.name, figure, name))
		}
	}
	return err
}

// tableOf makes a table of one of the entry's campaigns, as analyze does. That there is none is
// no error: it is why the numbers are not compared.
func (r replication) tableOf(ctx context.Context, s store.Store, c, name string,
	found replicate.Found) (replicate.Found, error) {
	which := analyze.Request{Table: name, Baselines: r.baselineFlags(""),
		Messages: analyze.Messages{Method: r.features.Method}}
	if err := which.Choose(ctx, s, r.campaignName(c)); err != nil {
		return found, err
	}
	a, err := analyze.Make(ctx, s, r.campaignName(c), which)
	switch {
	case err == nil:
		found.Table = a.Tables[0]
		found.Table.Title += ", " + a.String()
	case cli.ExitCode(err) == cli.ExitUsage:
		found.Missing = err.Error()
	default:
		return found, err
	}
	return found, nil
}

// baselineFlags returns the campaigns of single agents, with a text before each.
func (r replication) baselineFlags(before string) []string {
	var all []string
	for _, c := range r.entry.Baselines {
		all = append(all, before+r.campaignName(c))
	}
	return all
}

// list prints what can be replicated.
func (r replication) list(cmd *cobra.Command) error {
	prices, asOf := money.Default()
	price, priced := prices.Find(r.modelName())
	t := table.Table{Name: "replicate", Title: "Tables and figures of the papers"}
	number := func(of func(replicate.Forecast) table.Cell) func(string) table.Cell {
		return func(name string) table.Cell {
			if f := r.papers.Takes(name, r.model != ""); f != nil {
				return of(*f)
			}
			return table.Cell{}
		}
	}
	scripted := strings.HasPrefix(r.modelName(), "scripted/")
	costIn := func(tier plan.Tier) func(string) table.Cell {
		return number(func(f replicate.Forecast) table.Cell {
			switch p := price.Price.In(tier); {
			case scripted:
				return table.Number(0, 2)
			case !priced:
				return table.Cell{}
			default:
				return table.Number((f.Input*p.Input+f.Output*p.Output)/1e6, 2)
			}
		})
	}
	var notes []string
	columns := []table.Columns[string]{
		table.Column("name", table.Word),
		table.Column("shows", func(name string) table.Cell { return table.Word(r.papers.Entries[name].Title) }),
		table.Column("calls", number(func(f replicate.Forecast) table.Cell { return table.Count(int64(f.Calls)) })),
		table.Column("cost, $", costIn("")),
	}
	if price.Price.CachedInput != nil {
		columns = append(columns, table.Column("cached, $", number(func(f replicate.Forecast) table.Cell {
			if f.Read == nil {
				return table.Cell{}
			}
			return table.Number(predictions.CostCached(price.Price, f.Input, *f.Read, f.Output), 2)
		})))
		notes = append(notes, "cached: the cost where the service reads of the prompts what plan predicts from its "+
			"cache; the others count nothing of that.")
	}
	if price.Price.Flex != nil {
		columns = append(columns, table.Column("flex, $", costIn(plan.Flex)))
		notes = append(notes, "flex: with limits: {tier: flex} in the campaign's file, while the service has room there.")
	}
	if price.Price.Batch != nil {
		columns = append(columns, table.Column("batch, $", costIn(plan.Batch)))
		notes = append(notes, "batch: with limits: {tier: batch} in the campaign's file, within a day.")
	}
	table.Fill(&t, r.papers.Names(), append(columns,
		table.Column("minutes", number(func(f replicate.Forecast) table.Cell {
			return table.Number(f.Calls*predictions.SecondsACall/replicate.CallsAtOnce/60, 1)
		})),
		table.Column("needs", func(name string) table.Cell { return table.Word(r.papers.Needs(name)) }),
	)...)
	t.Notes = []string{
		"Make one again: roundtable replicate paper1/table-1 --model MODEL --limit 3; without --limit at the paper's " +
			"size. A scripted agent in place of MODEL asks nobody and costs nothing: scripted/trader for paper 1's " +
			"exchange economy, scripted/rater for its ratings and scripted/stubborn for both, scripted/answerer for " +
			"papers 2 and 4, scripted/sharer for 3, scripted/average for 5.",
		fmt.Sprintf("Calls, cost and minutes are estimates at the paper's size, with answers as long as recorded "+
			"ones, %d s a call and %d calls at once; --limit makes them fewer. Labels, a call a message, are not in "+
			"them. Campaigns that several entries share are run once. Without a number: it depends on the data. "+
			"Needs: flags that say where the data, the labeller or the embedder are; started without --data, the "+
			"command says which files.", predictions.SecondsACall, replicate.CallsAtOnce),
	}
	t.Notes = append(t.Notes, notes...)
	if r.model == "" {
		t.Notes = append(t.Notes, "With --model the list has what each costs at that model.")
	} else if !priced && !scripted {
		t.Notes = append(t.Notes, fmt.Sprintf("The price of %s is not known (table of %s).", r.modelName(), asOf))
	}
	format, err := tableFormat(r.Options, "", "")
	if err != nil {
		return err
	}
	return table.Write(cmd.OutOrStdout(), format, []table.Table{t})
}
