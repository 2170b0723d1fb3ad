package report

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// CostTableName is the name of the table that CostTable returns.
const CostTableName = "cost"

// CostTable returns the table of a campaign's spending r, one row per group; the last row is the sum.
func CostTable(r campaign.Spending) table.Table {
	t := table.Table{
		Name: CostTableName, Title: fmt.Sprintf("Cost of %s by %s", r.Campaign, r.By), Columns: []string{string(r.By)},
	}
	if r.By == campaign.ByPhase {
		t.Columns = append(t.Columns, "role")
	}
	t.Columns = append(t.Columns, "collaborations", "answered", "cached", "unknown", "input tokens", "of them cached",
		"output tokens", "of them reasoning",
		"cost USD", "worst USD", "USD/collaboration", "USD/answer", "p50 s", "p95 s")
	if r.By == campaign.ByTier {
		t.Columns = append(t.Columns, "saved USD")
	}
	for _, g := range r.Groups {
		t.Rows = append(t.Rows, costRow(g, r.By))
	}
	all := r.Total
	all.Name, all.Role = "all", ""
	t.Rows = append(t.Rows, costRow(all, r.By))
	t.Notes = costNotes(r)
	return t
}

func costRow(g campaign.SpendingGroup, by campaign.SpendingBy) []table.Cell {
	name := g.Name
	if name == "" {
		name = "unfinished turns"
	}
	row := []table.Cell{{Text: name}}
	if by == campaign.ByPhase {
		row = append(row, table.Cell{Text: g.Role})
	}
	for i, n := range []int64{int64(g.Collaborations), int64(g.Billed), int64(g.Cached), int64(g.Unknown), g.Input,
		g.CachedInput, g.Output, g.Reasoning} {
		parts := i == 2 || i == 5 || i == 7 // of which sums say nothing
		row = append(row, knownCell(float64(n), 0, !(g.Summed && parts) && !(g.Shared && i == 0)))
	}
	row = append(row, dollarCells(g)...)
	for _, q := range []float64{0.5, 0.95} {
		ms, ok := g.Quantile(q)
		row = append(row, knownCell(float64(ms)/1000, 2, ok))
	}
	if by == campaign.ByTier {
		row = append(row, numberCell(g.SavedUSD, 4))
	}
	return row
}

// dollarCells returns the sum, the worst case, and the means. What rests on no price at
// all is left empty, for it is not 0.
func dollarCells(g campaign.SpendingGroup) []table.Cell {
	priced := g.Billed - g.Unpriced - g.Silent
	sum := priced > 0 || g.Billed == 0
	whole := g.Unpriced+g.Silent == 0
	return []table.Cell{
		knownCell(g.USD, 4, sum),
		knownCell(g.USD+g.WorstUSD, 4, g.Unpriced == 0 && g.Unbounded == 0),
		knownCell(g.USD/float64(max(1, g.Collaborations)), 6, sum && whole && !g.Shared),
		knownCell((g.USD-g.SettledUSD)/float64(max(1, priced)), 6, priced > 0),
	}
}

func costNotes(r campaign.Spending) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if r.Simulated > 0 {
		note("%s, in %d of %d collaborations.", table.Simulated, r.Simulated, r.InPlan+r.Earlier)
	}
	for _, s := range r.Changed() {
		note("WARNING: %s", s)
	}
	note("Answered are calls whose answer was billed, with their tokens, cost and latency; cached ones were served " +
		"from the lake, free. `roundtable status` and the table `summary` count calls of unknown outcome, too. " +
		"Latency p50 and p95 by nearest rank.")
	if slices.ContainsFunc(r.Groups, func(g campaign.SpendingGroup) bool { return g.Summed }) {
		note("Labels were made after collaborations had ended. They are in the sums of all; how many of them came " +
			"from a cache is not recorded.")
	}
	if slices.ContainsFunc(r.Groups, func(g campaign.SpendingGroup) bool { return strings.HasPrefix(g.Name, campaign.EmbeddingsBy) }) {
		note("Embeddings are of texts, each bought once for all collaborations in which it is said. They are in the " +
			"sums of all.")
	}
	if slices.ContainsFunc(r.Groups, func(g campaign.SpendingGroup) bool { return strings.HasPrefix(g.Name, campaign.ScoresBy) }) {
		note("Scores by a judge are of final decisions, each bought once for all collaborations that came to it. " +
			"They are in the sums of all.")
	}
	if r.Total.Unknown > 0 {
		note("Unknown: in flight when a process or a connection died, so perhaps billed. Worst USD is the cost if " +
			"all of them were, answered at full length.")
	}
	if r.Total.Settled > 0 {
		note("Settled (`roundtable cost NAME --settle`): %s of unknown outcome, whose bill is in cost USD, and not "+
			"in USD/answer.", wording.Count(r.Total.Settled, "call"))
	}
	if r.Total.Silent > 0 {
		note("The service did not report the usage of %s: cost USD and USD/answer leave them out; worst USD has the "+
			"most that they can have cost.", wording.Count(r.Total.Silent, "call"))
	}
	if r.Total.SavedUSD > 0 {
		note("Calls in a cheaper tier of the service saved $%.4f against the standard one (`--by tier`).",
			r.Total.SavedUSD)
	}
	if r.Total.Unpriced > 0 {
		note("Without a known price: %s. Cost USD and USD/answer leave them out, and nothing rests on a guess.",
			wording.Count(r.Total.Unpriced, "call"))
	}
	if r.Total.Unbounded > 0 {
		note("What %s of unknown outcome cost at most is not known, so neither is the worst case.",
			wording.Count(r.Total.Unbounded, "call"))
	}
	if r.Earlier > 0 {
		note("%d earlier generations are counted: they were paid, too.", r.Earlier)
	}
	switch open := r.Planned - r.InPlan; {
	case r.Planned == 0:
		note("There is no plan in the lake: how many are planned is not known.")
	case open > 0:
		note("%d of %d cells are running or still to come; what those that have begun have cost so far is in the row "+
			"that is not finished yet.", open, r.Planned)
	}
	return notes
}

func numberCell(v float64, decimals int) table.Cell { return table.Cell{Value: &v, Decimals: decimals} }

// knownCell returns a number, or nothing.
func knownCell(v float64, decimals int, ok bool) table.Cell {
	if !ok {
		return table.Cell{}
	}
	return numberCell(v, decimals)
}
