// Package analyze makes the tables and figures of a campaign that are requested by name: it reads the rows,
// the plan and whatever else a table needs (labels, measures, baselines), and writes the result in a format. A
// retally counts the recorded votes under other rules and scores what these would have decided with the
// campaign's environment; no model is called and nothing is stored.
//
// Messages are labelled and measured as the flags or the campaign's file say. The embedder for information
// distances is opened here; features buys the vectors of embedders behind a service.
package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/campaign"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/discussion"
	"roundtable/analysis/study/entry"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
)

// Request names the tables to make, and how.
type Request struct {
	Table     string
	Baselines []string
	// HandScores is a file of scores that people gave.
	HandScores string
	Columns    []string // of the one table; nil for all
	Decimals   *int     // in what people read; nil for each measure's own
	Together
	Messages
}

// CompareFlags defines the flags that name other campaigns.
func (w *Request) CompareFlags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&w.Baselines, "baseline", nil,
		"campaigns of single agents on the same questions, shown next to discussions in their tables and figures; "+
			"repeat it for several")
	w.Together.Flags(cmd)
}

// Find opens the campaigns that campaign name is compared with; an error says which one the lake does not
// have.
func (w *Request) Find(ctx context.Context, o *cli.Options, name string) error {
	for _, baseline := range w.Baselines {
		if _, err := o.ReadLake(ctx, baseline); err != nil {
			return err
		}
	}
	return w.Open(ctx, o, name)
}

// addBaselines returns c with the campaigns that the request names as baselines.
func (w Request) addBaselines(ctx context.Context, s store.Store, c campaign.Campaign) (campaign.Campaign, error) {
	if len(w.Baselines) == 0 {
		return c, nil
	}
	for _, name := range w.Baselines {
		beside, err := readCampaign(ctx, s, name, w.Kept(), study.ReadersOf(w.Table))
		if err != nil {
			return c, err
		}
		c.Baselines = append(c.Baselines, beside)
	}
	if err := discussion.CheckBaselines(c); err != nil {
		return c, cli.UsageError(fmt.Errorf("--baseline: %w", err))
	}
	return c, nil
}

// Analysis is the JSON output of analyze, and of run when it has finished.
type Analysis struct {
	Campaign string        `json:"campaign"`
	Cells    Cells         `json:"cells"`
	Headline []string      `json:"headline,omitempty"` // what leads, and how sure that is: for each environment
	Warnings []string      `json:"warnings,omitempty"` // conditions whose answers could not be used
	Tables   []table.Table `json:"tables"`
}

// Cells counts the cells of a plan by how they ended.
type Cells struct {
	Planned   *int `json:"planned"` // null if the plan is not known
	Succeeded int  `json:"succeeded"`
	Failed    int  `json:"failed"`
	Stopped   int  `json:"stopped"`
}

// String returns a sentence that says how many collaborations have finished.
func (a Analysis) String() string {
	in := a.Cells.Succeeded + a.Cells.Failed + a.Cells.Stopped
	of := ""
	if a.Cells.Planned != nil {
		of = fmt.Sprintf(" of %d", *a.Cells.Planned)
	}
	return fmt.Sprintf("%s: %d%s collaborations finished (%d succeeded, %d failed, %d stopped)", a.Campaign, in, of,
		a.Cells.Succeeded, a.Cells.Failed, a.Cells.Stopped)
}

// Print makes the tables of study.Main, writes them to w as text or JSON, and returns the analysis.
func Print(ctx context.Context, w io.Writer, s store.Store, name string, asJSON bool) (Analysis, error) {
	format := "text"
	if asJSON {
		format = "json"
	}
	a, err := Make(ctx, s, name, Request{})
	if err != nil {
		return a, err
	}
	return a, a.WriteTables(w, format)
}

// Write makes the tables of a request and writes them to w.
func Write(ctx context.Context, w io.Writer, s store.Store, name string, which Request, format string) error {
	a, err := Make(ctx, s, name, which)
	if err != nil {
		return err
	}
	return a.WriteTables(w, format)
}

// Make reads campaign name and makes the tables that a request names.
func Make(ctx context.Context, s store.Store, name string, which Request) (Analysis, error) {
	from := study.SourceOf(which.Table)
	if (from == entry.HandScores) != (which.HandScores != "") {
		return Analysis{}, cli.UsageError(errors.New("the table judge-agreement and --hand-scores FILE go together"))
	}
	sources, err := which.read(ctx, s, name, which.Kept(), study.ReadersOf(which.Table), which.additionFrom(from))
	if err != nil {
		return Analysis{}, err
	}
	c, err := join(sources)
	if err != nil {
		return Analysis{}, err
	}
	if c, err = which.addBaselines(ctx, s, c); err != nil {
		return Analysis{}, err
	}
	c = c.Grouped()
	a := Analysis{Campaign: c.Name, Cells: count(c), Warnings: c.Warnings()}
	if which.Table == "" || which.Table == "all" { // who asks for one table has not asked for the result
		for _, h := range overview.Headlines(c) {
			a.Headline = append(a.Headline, h.String())
		}
	}
	if from == entry.HandScores {
		a.Tables, err = ofHandScores(c, which)
	} else if from == entry.Labels {
		a.Tables, err = ofMessages(ctx, sources, which)
	} else {
		a.Tables, err = choose(c, which)
	}
	if err == nil {
		err = which.layOut(a.Tables)
	}
	if err != nil {
		return a, cli.UsageError(err)
	}
	return a, nil
}

// layOut leaves the columns and decimals in tables that are asked for.
func (w Request) layOut(tables []table.Table) (err error) {
	if len(w.Columns) > 0 && len(tables) != 1 {
		return errors.New("--columns are those of one table; give --table NAME")
	}
	for i := range tables {
		if len(w.Columns) > 0 {
			if tables[i], err = tables[i].Select(w.Columns...); err != nil {
				return fmt.Errorf("--columns: %w", err)
			}
		}
		if w.Decimals != nil {
			tables[i] = tables[i].WithDecimals(*w.Decimals)
		}
	}
	return nil
}

// adding returns what a campaign of a store is given beside its rows.
type adding func(context.Context, store.Store, string) (Addition, error)

// additionFrom returns what campaigns are given that tables are made from.
func (w Request) additionFrom(from entry.Source) adding {
	switch {
	case from == entry.Trajectories:
		return w.Trajectories
	case from == entry.Measures:
		return w.Measures
	}
	add := func(_ context.Context, _ store.Store, c campaign.Campaign) (campaign.Campaign, error) { return c, nil }
	if from == entry.Vectors && w.Embedder != providers.TFIDF { // the table makes those itself
		add = w.addVectors
	}
	return func(context.Context, store.Store, string) (Addition, error) {
		return Addition{Add: add}, nil
	}
}

// WriteTables writes the tables; formats for people begin with a sentence on the campaign.
func (a Analysis) WriteTables(w io.Writer, format string) error {
	switch format {
	case "json":
		return cli.WriteJSON(w, a)
	case "text", "md":
		fmt.Fprintf(w, "%s\n\n", a)
		for _, said := range a.Headline {
			fmt.Fprintf(w, "%s\n", table.Wrap("", wording.SafeLine(said)))
		}
	}
	return table.Write(w, format, a.Tables)
}

// ReadCampaign reads the committed rows of campaign name with the readers of all studies and more, and adds
// its plan if there is one. kept is a cache of runs that were read before.
func ReadCampaign(ctx context.Context, s store.Store, name string, kept campaign.Kept,
	more ...campaign.Reader) (campaign.Campaign, error) {
	return readCampaign(ctx, s, name, kept, append(study.Readers(), more...))
}

func readCampaign(ctx context.Context, s store.Store, name string, kept campaign.Kept,
	readers []campaign.Reader) (campaign.Campaign, error) {
	c, err := kept.Load(ctx, s, name, readers...)
	if err != nil {
		return c, cli.ExplainDamage(err, name, "there is no table")
	}
	if err := AddPlan(ctx, s, &c); err != nil {
		return c, err
	}
	return c, addOriginal(ctx, s, &c)
}

// addOriginal adds the campaign that a fork continues, if the lake has it.
func addOriginal(ctx context.Context, s store.Store, c *campaign.Campaign) error {
	i := slices.IndexFunc(c.Planned, func(p campaign.Planned) bool { return campaign.ForkOf(string(p.Settings)) != nil })
	if i < 0 {
		return nil
	}
	name := campaign.ForkOf(string(c.Planned[i].Settings)).Campaign
	original, err := campaign.Load(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c.Original = &original
	return cli.ExplainDamage(err, name, "there is no table")
}

// AddPlan adds to c what its recorded plan says: conditions, axes and the question. Without a plan c stays as
// it is.
func AddPlan(ctx context.Context, s store.Store, c *campaign.Campaign) error {
	p, m, err := recorded.ReadRecorded(ctx, s, c.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if m.Until != nil {
		c.Question = &campaign.Question{Question: *m.Until, Grid: p.Campaign.QuestionGrid()}
	}
	c.Axes = map[string]string{}
	for _, a := range p.Campaign.Grid {
		for _, setting := range a.Paths() {
			c.Axes[setting] = a.Key
		}
	}
	for i, condition := range p.Campaign.Conditions {
		settings, err := json.Marshal(condition.WithoutAddresses())
		if err != nil {
			return err
		}
		c.Planned = append(c.Planned, campaign.Planned{
			Condition: condition.ID(), Cells: p.Campaign.CellsOf(i), Instances: p.Campaign.Instances[i],
			Settings: settings, Labels: m.AxisLabels[condition.ID()],
		})
	}
	return err
}

func count(c campaign.Campaign) Cells {
	n := Cells{}
	for _, r := range c.Runs {
		switch r.Status {
		case "succeeded":
			n.Succeeded++
		case "failed":
			n.Failed++
		default:
			n.Stopped++
		}
	}
	if len(c.Planned) > 0 {
		n.Planned = new(c.PlannedCells())
	}
	return n
}

func choose(c campaign.Campaign, which Request) ([]table.Table, error) {
	names := []string{which.Table}
	switch {
	case which.Table == "all":
		return study.All(c), nil
	case which.Table == "" && len(which.With) > 0:
		names = []string{"outcomes", "comparisons"}
	case which.Table == "":
		return study.Main(c), nil
	}
	var all []table.Table
	for _, name := range names {
		t, err := study.Make(c, name)
		if err != nil && len(all) > 0 {
			continue // campaigns without anything to pair: the notes of the first table say so
		}
		if err != nil {
			return nil, errors.New(strings.Join(append([]string{err.Error()}, c.Joined...), ". "))
		}
		all = append(all, t)
	}
	return all, nil
}

// ofMessages returns a table about labels, of several campaigns one of each.
func ofMessages(ctx context.Context, sources []source, which Request) ([]table.Table, error) {
	var names []string
	var all []table.Table
	for _, from := range sources {
		t, err := ofLabels(ctx, from.store, from.Campaign, which)
		if err != nil {
			return nil, err
		}
		names, all = append(names, from.Name), append(all, t)
	}
	if len(all) > 1 {
		all = []table.Table{table.Stack("campaign", names, all)}
	}
	return []table.Table{study.OfLabels(which.Table, all[0])}, nil
}

// ofLabels returns a table about the labels of one campaign.
func ofLabels(ctx context.Context, s store.Store, c campaign.Campaign, which Request) (table.Table, error) {
	switch which.Table {
	case "agreement":
		return dialogue.Agreement(ctx, s, c)
	case "label-rates":
		return dialogue.LabelRates(ctx, s, c, which.Labeller)
	}
	l, err := dialogue.LoadLabels(ctx, s, c, which.Labeller)
	if err != nil {
		return table.Table{}, err
	}
	switch which.Table {
	case "transitions":
		return dialogue.Transitions(c, l)
	case "label-errors":
		return dialogue.LabelErrors(c, l)
	}
	return dialogue.Acts(c, l)
}

// ofHandScores returns the table that compares judges with scores by hand.
func ofHandScores(c campaign.Campaign, which Request) ([]table.Table, error) {
	data, err := store.ReadFile(which.HandScores, 64<<20)
	if err != nil {
		return nil, fmt.Errorf("--hand-scores: %w", err)
	}
	hand, err := ReadHand(which.HandScores, data)
	if err != nil {
		return nil, err
	}
	t, err := dialogue.Table(c, which.HandScores, hand)
	return []table.Table{study.OfLabels(which.Table, t)}, err
}
