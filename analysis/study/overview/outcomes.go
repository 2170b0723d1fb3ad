package overview

import (
	"cmp"
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Outcomes returns the outcome and cost of each condition, and which conditions do not differ significantly.
func Outcomes(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env")
	t := table.Table{Title: "Outcome of each condition, and what it took"}
	sets := tiedSets(v)
	table.Fill(&t, v.Groups, v.LabelColumns(),
		table.Column("measure", func(g campaign.Group) table.Cell { return table.Word(campaign.ScoreIs(g)) }),
		outcomeColumn(),
		table.Columns[campaign.Group]{Headers: []string{"low", "high"}, Cells: outcomeInterval},
		table.Column("tied", func(g campaign.Group) table.Cell {
			return table.Word(sets.letters[v.Title(g)+"\x00"+g.Settings["env"]])
		}),
		decidedColumn(), spentMeans(), v.EndedColumns())
	t.Notes = append([]string{
		v.ScoreNote() + " " + intervalNote(v) + " " + v.CountsNote(),
		"Tied: conditions of an environment that share a letter cannot be told apart; a comes with the highest " +
			"outcome. Each two are compared in pairs as in the table comparisons (exchanged signs, Holm's correction " +
			"over the environment, at 0.05). That two share a letter is not evidence that they are equal.",
	}, append(sets.notes, spentNote)...)
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// ByQuestion returns the outcome of each condition by instance and what it took: one row per condition and
// instance.
func ByQuestion(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env")
	t := table.Table{Title: "Outcome of each condition by question, and what it took"}
	var rows []campaign.Group
	for _, g := range v.Groups {
		runs := slices.Clone(g.Succeeded())
		slices.SortStableFunc(runs, func(a, b campaign.Run) int { return cmp.Compare(a.Instance, b.Instance) })
		for _, of := range table.Gather(runs,
			func(r campaign.Run) string { return fmt.Sprint(r.Instance, r.InstanceID) }) {
			one := g
			one.Runs = of
			rows = append(rows, one)
		}
	}
	table.Fill(&t, rows, v.LabelColumns(),
		table.Column("instance", func(g campaign.Group) table.Cell { return table.Word(g.Runs[0].InstanceID) }),
		outcomeColumn(), decidedColumn(), spentMeans(),
		table.Column("n", func(g campaign.Group) table.Cell { return table.Count(len(g.Runs)) }))
	t.Notes = []string{v.ScoreNote() + " Mean over the replicates of the instance; n counts them.", spentNote}
	v.AddNotes(&t)
	return t, len(rows) > 0
}

const spentNote = "Mean a collaboration (standard error). Rounds: that were begun. Turns: that an agent was asked " +
	"for. Tokens: read and written, re-asks and answers from the cache included. USD: what the answers cost, those " +
	"from the cache at what they cost when they were bought, so that conditions that share answers can be compared; " +
	"what was really paid is in the table summary and in `roundtable cost`. Seconds: from the first call to the last " +
	"answer, without those of scripted agents, whose time says nothing about models."

func outcomeColumn() table.Columns[campaign.Group] {
	return meanColumn("outcome", 4, campaign.Run.Outcome)
}

func decidedColumn() table.Columns[campaign.Group] {
	return meanColumn("decided, %", 1,
		func(r campaign.Run) (float64, bool) { return table.HundredIf(r.DecisionJSON != nil), true })
}

func meanColumn(header string, decimals int, of func(campaign.Run) (float64, bool)) table.Columns[campaign.Group] {
	return table.Column(header, func(g campaign.Group) table.Cell { return campaign.MeanCell(g.Succeeded(), decimals, of) })
}

// spentMeans are what a collaboration took, on average.
func spentMeans() table.Columns[campaign.Group] {
	return table.Join(
		meanColumn("rounds", 2, func(r campaign.Run) (float64, bool) { return float64(r.RoundsRun), true }),
		meanColumn("turns", 1, func(r campaign.Run) (float64, bool) { return float64(r.Usable.Turns), true }),
		meanColumn("tokens", 0, func(r campaign.Run) (float64, bool) { return float64(r.Asked.Tokens()), r.Protocol != record.Imported }),
		meanColumn("USD", 6, campaign.Run.Price),
		meanColumn("seconds", 1, secondsTaken))
}

// secondsTaken returns how long a collaboration took; false for scripted agents.
func secondsTaken(r campaign.Run) (float64, bool) {
	return float64(r.EndedAt-r.StartedAt) / 1e6, !r.Simulated && r.EndedAt > r.StartedAt && r.StartedAt > 0
}

// sets says which conditions of each environment cannot be told apart.
type sets struct {
	letters map[string]string // by title and environment
	notes   []string
}

// tiedSets compares each two conditions of each environment.
func tiedSets(v campaign.View) sets {
	s := sets{letters: map[string]string{}}
	for _, environment := range v.Environments() {
		ranked := rankOutcomes(v, environment)
		if len(ranked) < 2 {
			continue
		}
		list, apart, err := compareConditions(v, environment, 0)
		if err != nil {
			s.notes = append(s.notes, fmt.Sprintf("%s has no tied sets: %v.", environment, err))
			continue
		}
		if apart > 0 {
			s.notes = append(s.notes, apartNote(environment, "not told apart", apart))
		}
		letters := statistics.Letters(len(ranked), func(i, j int) bool {
			between, known := differenceBetween(list, ranked[i].name, ranked[j].name)
			return known && isSignificant(between)
		})
		if letters == nil {
			s.notes = append(s.notes, environment+": there are more tied sets than letters; see the table comparisons.")
			continue
		}
		for i, o := range ranked {
			s.letters[o.name+"\x00"+environment] = letters[i]
		}
	}
	return s
}
