package overview

import (
	"fmt"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// Summary returns how the cells of each condition ended and what they cost. The last row is the sum.
func Summary(c campaign.Campaign) (table.Table, bool) {
	v := c.View("")
	t := table.Table{Title: "Progress and cost of " + c.Name}
	total := spent{label: make([]table.Cell, len(v.Names()))}
	total.label[0] = table.Word("all")
	var rows []spent
	for _, g := range v.Groups {
		s := spentBy(g)
		s.label = v.Label(g)
		total.add(s)
		rows = append(rows, s)
	}
	label := table.Columns[spent]{Headers: v.Names(), Cells: func(s spent) []table.Cell { return s.label }}
	table.Fill(&t, append(rows, total), label, spentColumns(len(c.Planned) > 0))
	t.Notes = []string{
		"Sums over the latest generation of each cell; reruns are earlier generations. Decided are those with a " +
			"decision at their end. Asked turns are those that an agent was asked for, invalid those without a " +
			"usable answer after all asks; cut answers ended by the limit of their length. Asks are questions with " +
			"their re-asks, calls are those that were or may have been billed (those of unknown outcome count, which " +
			"`roundtable cost` lists apart from answered ones), cached the answers that were taken from the cache " +
			"instead, for nothing. Cost USD has settled calls at what they were billed, and neither the check of " +
			"models nor labels and embeddings: see `roundtable cost " + c.Name + "`.",
	}
	if total.unpriced > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("The cost of %s is not known: a model without a price, or calls whose "+
			"outcome was never learnt.", campaign.Collaborations(total.unpriced)))
	}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

type spent struct {
	label                                                                     []table.Cell // names the condition
	planned, succeeded, failed, stopped, pending, earlier, simulated, decided int
	turns, invalid, cut, cached                                               int
	asks, calls, input, output                                                int
	cost                                                                      float64
	unpriced                                                                  int
}

func spentBy(g campaign.Group) spent {
	s := spent{
		planned: g.Planned, succeeded: g.Count(record.Succeeded), failed: g.Count("failed"),
		stopped: g.Count("stopped"),
		pending: g.Pending(), earlier: g.Earlier,
	}
	s.turns, s.invalid, s.cut, s.cached = g.Usable.Turns, g.Usable.Invalid, g.Usable.Cut, g.Usable.Cached
	for _, r := range g.Runs {
		if r.Simulated {
			s.simulated++
		}
		if r.DecisionJSON != nil { // in the end: states may have met and parted again
			s.decided++
		}
		s.asks += int(r.Asks)
		s.calls, s.input, s.output = s.calls+int(r.Calls), s.input+int(r.InputTokens), s.output+int(r.OutputTokens)
		if r.CostUSD == nil {
			s.unpriced++
		} else {
			s.cost += *r.CostUSD
		}
	}
	return s
}

func (s *spent) add(o spent) {
	s.planned, s.succeeded, s.failed, s.stopped = s.planned+o.planned, s.succeeded+o.succeeded, s.failed+o.failed,
		s.stopped+o.stopped
	s.pending, s.earlier, s.simulated, s.decided = s.pending+o.pending, s.earlier+o.earlier, s.simulated+o.simulated,
		s.decided+o.decided
	s.turns, s.invalid, s.cut, s.asks = s.turns+o.turns, s.invalid+o.invalid, s.cut+o.cut, s.asks+o.asks
	s.cached += o.cached
	s.calls, s.input, s.output = s.calls+o.calls, s.input+o.input, s.output+o.output
	s.cost, s.unpriced = s.cost+o.cost, s.unpriced+o.unpriced
}

// spentColumns are the counts and sums; what is planned is empty if the plan is not known.
func spentColumns(planKnown bool) table.Columns[spent] {
	count := func(header string, of func(spent) int) table.Columns[spent] {
		return table.Column(header, func(s spent) table.Cell { return table.Count(of(s)) })
	}
	ofPlan := func(header string, of func(spent) int) table.Columns[spent] {
		if planKnown {
			return count(header, of)
		}
		return table.Column(header, func(spent) table.Cell { return table.Cell{} })
	}
	return table.Join(
		ofPlan("planned", func(s spent) int { return s.planned }),
		count("succeeded", func(s spent) int { return s.succeeded }),
		count("failed", func(s spent) int { return s.failed }),
		count("stopped", func(s spent) int { return s.stopped }),
		ofPlan("remaining", func(s spent) int { return s.pending }),
		count("reruns", func(s spent) int { return s.earlier }),
		count("simulated", func(s spent) int { return s.simulated }),
		count("decided", func(s spent) int { return s.decided }),
		count("asked turns", func(s spent) int { return s.turns }),
		count("invalid turns", func(s spent) int { return s.invalid }),
		count("cut answers", func(s spent) int { return s.cut }),
		count("asks", func(s spent) int { return s.asks }),
		count("calls", func(s spent) int { return s.calls }),
		count("cached", func(s spent) int { return s.cached }),
		count("input tokens", func(s spent) int { return s.input }),
		count("output tokens", func(s spent) int { return s.output }),
		table.Column("cost USD", spent.priceCell),
	)
}

// priceCell returns the sum, or what of it is known.
func (s spent) priceCell() table.Cell {
	switch {
	case s.unpriced == 0:
		return table.Number(s.cost, 4)
	case s.cost == 0:
		return table.Word("unknown")
	}
	return table.Word(fmt.Sprintf("unknown, at least %.4f", s.cost))
}
