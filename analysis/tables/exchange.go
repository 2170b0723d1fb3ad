package tables

import (
	"fmt"
	"slices"

	"roundtable/analysis/metrics"
	"roundtable/analysis/record"
	"roundtable/analysis/table"
)

const exchange = "exchange"

const (
	utilityNote = "Group total utility and AUC are shares of the greatest possible total utility, 0 before the first decision; AUC@n is the mean of rounds 1 to n."
	otherNote   = "Rationality: proposals worth more to their maker than the decision that stands, of all chances to propose; a skipped one and one before the first decision are not. " +
		"Fairness: lowest over highest utility at the end, undefined without a decision. " +
		"Rigidity: rounds whose total utility is that of the round before, over the rounds that were run; round 1 is compared with 0."
)

// Table1 is Table 1 of paper 1 for an exchange economy: one row a condition, named first by its rule.
func (c Campaign) Table1() (table.Table, bool) {
	return economy(c.view(exchange, "rule"), "1", "Exchange economy by decision rule (Table 1)")
}

// Table6 is Table 6 of paper 1, the same metrics: its rows are named only by the settings that vary.
func (c Campaign) Table6() (table.Table, bool) {
	return economy(c.view(exchange), "6", "Exchange economy by setting (Table 6)")
}

func (v view) percentNote() string {
	return "Mean over collaborations (standard error " + v.unitsNote() + "), in percent. " + v.countsNote()
}

// measure is a value of one run in percent.
type measure struct {
	column string
	of     func(Run) (float64, bool)
}

func economy(v view, name, title string) (table.Table, bool) {
	measures := at("utility@", v.rounds(), metrics.Shares.TotalUtility)
	measures = append(measures, at("AUC@", v.rounds(), metrics.Shares.AUC)...)
	measures = append(measures,
		measure{"rationality", func(r Run) (float64, bool) { return rationality(r).PerSlot() }},
		measure{"fairness", func(r Run) (float64, bool) { return metrics.Fairness(r.Utilities) }},
		measure{"rigidity", func(r Run) (float64, bool) { return metrics.Shares(r.Scores).Rigidity() }},
	)
	return v.table(name, title, measures, v.percentNote(), table.ExtremesNote, utilityNote, otherNote)
}

// at is a metric at the rounds that the paper reports and at the last one.
func at(name string, rounds int, metric func(metrics.Shares, int) (float64, bool)) []measure {
	var measures []measure
	for n := 1; n <= rounds; n++ {
		if n == 3 || n == 5 || n == 10 || n == rounds {
			measures = append(measures, measure{fmt.Sprint(name, n), func(r Run) (float64, bool) { return metric(r.Carried(), n) }})
		}
	}
	return measures
}

// Readings are the other readings of Table 1's metrics.
func (c Campaign) Readings() (table.Table, bool) {
	reading := func(name string, of func(metrics.Rationality) (float64, bool)) measure {
		return measure{"rational of " + name, func(r Run) (float64, bool) { return of(rationality(r)) }}
	}
	return c.view(exchange, "rule").table("readings", "Other readings of the exchange economy's metrics", []measure{
		reading("chances", metrics.Rationality.PerSlot),
		reading("made", metrics.Rationality.PerMade),
		reading("comparable", metrics.Rationality.PerComparable),
		{"rigid by utility", func(r Run) (float64, bool) { return metrics.Shares(r.Scores).Rigidity() }},
		{"rigid by decision", func(r Run) (float64, bool) { return metrics.DecisionRigidity(r.Keys) }},
		{"fairness", func(r Run) (float64, bool) { return metrics.Fairness(r.Utilities) }},
		{"fairness or 100", func(r Run) (float64, bool) {
			if v, ok := metrics.Fairness(r.Utilities); ok {
				return v, true
			}
			return 100, true
		}},
	}, c.view(exchange).percentNote(), "Rational, of all chances to propose, of the proposals made, and of the comparable ones: those made while a decision stood. Rigid by decision: the allocation itself is the one of the round before. Fairness leaves out collaborations without a decision, or counts them as 100.")
}

// table has one row a condition and one column a measure; false if there is no such condition.
func (v view) table(name, title string, measures []measure, notes ...string) (table.Table, bool) {
	t := v.start(name, title)
	for _, m := range measures {
		t.Columns = append(t.Columns, m.column)
	}
	t.Columns = append(t.Columns, v.ended()...)
	for _, g := range v.groups {
		row := v.label(g)
		for _, m := range measures {
			row = append(row, meanCell(g.done(), 2, m.of))
		}
		t.Rows = append(t.Rows, append(row, v.endedCells(g)...))
	}
	if t.Notes = notes; slices.Contains(notes, table.ExtremesNote) {
		t.Shading = table.Extremes
	}
	v.notes(&t)
	return t, len(v.groups) > 0
}

// slots are an agent's chances to propose.
type slots []metrics.Slot

// readSlots keeps the chances to propose of a run.
func readSlots(r *Run, rows record.Rows) error {
	var all slots
	for _, t := range rows.Turns {
		if t.Kind == "ask" && t.Format == "proposal" {
			all = append(all, metrics.Slot{Own: t.ProposalUtility, Standing: t.StandingUtility})
		}
	}
	Keep(&r.Parts, all)
	return nil
}

// rationality counts the rational proposals of a run.
func rationality(r Run) metrics.Rationality { return metrics.CountRational(Part[slots](r.Parts)) }
