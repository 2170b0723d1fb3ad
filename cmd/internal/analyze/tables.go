// Package analyze makes the tables and figures of a campaign that are asked for by name: it
// reads the rows, the plan and what the table needs besides, labels, measures or baselines,
// and writes the result in the format that is asked for. A retally finds rules, counts the
// recorded votes under them and scores what they would have decided with the campaign's
// environment; nothing is asked and nothing is stored.
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
	"roundtable/cmd/internal/measurements"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
)

// Request names the tables to make, and how.
type Request struct {
	Table     string
	Baselines []string
	// HandScores is a file of scores that people gave.
	HandScores string
	Together
	measurements.Messages
}

// CompareFlags defines the flags that name other campaigns.
func (w *Request) CompareFlags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&w.Baselines, "baseline", nil,
		"campaigns of single agents on the same questions, shown next to discussions in their tables and figures; repeat it for several")
	cmd.Flags().StringSliceVar(&w.With, "with", nil,
		"campaigns whose conditions are compared with those of this one; repeat it for several")
	cmd.Flags().StringVar(&w.Lake, "with-lake", "",
		"lake of the campaigns that --with names (default: that of this campaign)")
}

// Find finds the campaigns that the named one is compared to.
func (w *Request) Find(ctx context.Context, o *cli.Options, name string) error {
	for _, baseline := range w.Baselines {
		if _, err := o.ReadLake(ctx, baseline); err != nil {
			return err
		}
	}
	return w.open(ctx, o, name)
}

// AddBaselines returns the campaign with those that it is compared to.
func (w Request) AddBaselines(ctx context.Context, s store.Store, c campaign.Campaign) (campaign.Campaign, error) {
	if len(w.Baselines) == 0 {
		return c, nil
	}
	for _, name := range w.Baselines {
		beside, err := ReadCampaign(ctx, s, name, w.Kept())
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

// Analysis is the JSON of analyze, and of a run that has ended.
type Analysis struct {
	Campaign string        `json:"campaign"`
	Cells    Cells         `json:"cells"`
	Headline []string      `json:"headline,omitempty"` // what leads, and how sure that is: for each environment
	Warnings []string      `json:"warnings,omitempty"` // conditions whose answers could not be used
	Tables   []table.Table `json:"tables"`
}

// Cells says how many cells have ended.
type Cells struct {
	Planned   *int `json:"planned"` // null if the plan is not known
	Succeeded int  `json:"succeeded"`
	Failed    int  `json:"failed"`
	Stopped   int  `json:"stopped"`
}

// String returns how many collaborations have finished.
func (a Analysis) String() string {
	in := a.Cells.Succeeded + a.Cells.Failed + a.Cells.Stopped
	of := ""
	if a.Cells.Planned != nil {
		of = fmt.Sprintf(" of %d", *a.Cells.Planned)
	}
	return fmt.Sprintf("%s: %d%s collaborations finished (%d succeeded, %d failed, %d stopped)", a.Campaign, in, of,
		a.Cells.Succeeded, a.Cells.Failed, a.Cells.Stopped)
}

// Print writes the tables and returns what a campaign found: the tables of the paper that it is
// about (the rounds for others), and a summary of cells and cost.
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

// Write makes the tables of a request and writes them.
func Write(ctx context.Context, w io.Writer, s store.Store, name string, which Request, format string) error {
	a, err := Make(ctx, s, name, which)
	if err != nil {
		return err
	}
	return a.WriteTables(w, format)
}

// Make makes the tables of a request.
func Make(ctx context.Context, s store.Store, name string, which Request) (Analysis, error) {
	from := study.SourceOf(which.Table)
	if (from == entry.HandScores) != (which.HandScores != "") {
		return Analysis{}, cli.UsageError(errors.New("the table judge-agreement and --hand-scores FILE go together"))
	}
	sources, err := which.read(ctx, s, name, which.Kept(), which.additionFrom(from))
	if err != nil {
		return Analysis{}, err
	}
	c, err := join(sources)
	if err != nil {
		return Analysis{}, err
	}
	if c, err = which.AddBaselines(ctx, s, c); err != nil {
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
	if err != nil {
		return a, cli.UsageError(err)
	}
	return a, nil
}

// adding returns what a campaign of a store is given beside its rows.
type adding func(context.Context, store.Store, string) (measurements.Addition, error)

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
		add = w.AddVectors
	}
	return func(context.Context, store.Store, string) (measurements.Addition, error) {
		return measurements.Addition{Add: add}, nil
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

// ReadCampaign reads a campaign's committed rows and the plan, if there is one.
func ReadCampaign(ctx context.Context, s store.Store, name string, kept campaign.Kept,
	more ...campaign.Reader) (campaign.Campaign, error) {
	c, err := kept.Load(ctx, s, name, append(study.Readers(), more...)...)
	if err != nil {
		return c, cli.ExplainDamage(err, name, "there is no table")
	}
	if err := AddPlan(ctx, s, &c); err != nil {
		return c, err
	}
	return c, addOriginal(ctx, s, &c)
}

// addOriginal adds the campaign that a fork goes on from, if the lake has it.
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

// AddPlan adds the conditions that a campaign plans, if its plan is recorded.
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
	hand, err := dialogue.ReadHand(which.HandScores, data)
	if err != nil {
		return nil, err
	}
	t, err := dialogue.Table(c, which.HandScores, hand)
	return []table.Table{study.OfLabels(which.Table, t)}, err
}
