package overview

import (
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/record"
	"roundtable/analysis/table"
)

// Summary returns how the cells of each condition ended and what they took. The
// last row is the sum.
func Summary(c campaign.Campaign) (table.Table, bool) {
	v := c.View("")
	t := v.Start("Cells, answers and cost of " + c.Name)
	t.Columns = append(t.Columns, "planned", "succeeded", "failed", "stopped", "to come", "run again", "simulated",
		"decided", "asked turns", "invalid turns", "cut answers", "asks", "calls", "cached", "input tokens", "output tokens", "cost USD")
	total := spent{}
	for _, g := range v.Groups {
		s := spentBy(g)
		total.add(s)
		t.Rows = append(t.Rows, append(v.Label(g), s.cells(len(c.Planned) > 0)...))
	}
	label := make([]table.Cell, len(v.Labels))
	label[0] = table.Word("all")
	t.Rows = append(t.Rows, slices.Concat(label, total.cells(len(c.Planned) > 0)))
	t.Notes = []string{
		"Sums over the latest generation of each cell; run again counts earlier generations. Decided are those with a decision at their end. Asked turns are those that somebody was asked for, invalid those without a usable answer after all asks; cut answers ended by the limit of their length. Asks are questions with their re-asks, calls are those that were or may have been billed (those of unknown outcome count, which `roundtable cost` lists apart from answered ones), cached the answers that were taken from the cache instead, for nothing. Cost USD has settled calls at what they were billed, and neither the check of models nor labels and embeddings: see `roundtable cost " + c.Name + "`.",
	}
	if total.unpriced > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("The cost of %s is not known: a model without a price, or calls whose outcome was never learnt.", campaign.Collaborations(total.unpriced)))
	}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

type spent struct {
	planned, succeeded, failed, stopped, pending, earlier, simulated, decided int
	turns, invalid, cut, cached                                               int
	asks, calls, input, output                                                int64
	cost                                                                      float64
	unpriced                                                                  int
}

func spentBy(g campaign.Group) spent {
	s := spent{
		planned: g.Planned, succeeded: g.Count(record.Succeeded), failed: g.Count("failed"), stopped: g.Count("stopped"),
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
		s.asks += int64(r.Asks)
		s.calls, s.input, s.output = s.calls+int64(r.Calls), s.input+r.InputTokens, s.output+r.OutputTokens
		if r.CostUSD == nil {
			s.unpriced++
		} else {
			s.cost += *r.CostUSD
		}
	}
	return s
}

func (s *spent) add(o spent) {
	s.planned, s.succeeded, s.failed, s.stopped = s.planned+o.planned, s.succeeded+o.succeeded, s.failed+o.failed, s.stopped+o.stopped
	s.pending, s.earlier, s.simulated, s.decided = s.pending+o.pending, s.earlier+o.earlier, s.simulated+o.simulated, s.decided+o.decided
	s.turns, s.invalid, s.cut, s.asks = s.turns+o.turns, s.invalid+o.invalid, s.cut+o.cut, s.asks+o.asks
	s.cached += o.cached
	s.calls, s.input, s.output = s.calls+o.calls, s.input+o.input, s.output+o.output
	s.cost, s.unpriced = s.cost+o.cost, s.unpriced+o.unpriced
}

func (s spent) cells(planKnown bool) []table.Cell {
	planned, open := table.Cell{}, table.Cell{}
	if planKnown {
		planned, open = table.Count(s.planned), table.Count(s.pending)
	}
	return []table.Cell{
		planned, table.Count(s.succeeded), table.Count(s.failed), table.Count(s.stopped), open, table.Count(s.earlier), table.Count(s.simulated),
		table.Count(s.decided), table.Count(s.turns), table.Count(s.invalid), table.Count(s.cut), table.Count(s.asks), table.Count(s.calls), table.Count(s.cached), table.Count(s.input), table.Count(s.output), s.price(),
	}
}

// price returns the sum, or what of it is known.
func (s spent) price() table.Cell {
	switch {
	case s.unpriced == 0:
		return table.Number(s.cost, 4)
	case s.cost == 0:
		return table.Word("unknown")
	}
	return table.Word(fmt.Sprintf("unknown, at least %.4f", s.cost))
}
