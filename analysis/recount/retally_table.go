package recount

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
	"roundtable/workflows/decision"
)

// RetallyRule is a rule that votes are counted by, with the results.
type RetallyRule struct {
	Name   string
	Counts decision.Rule
	Runs   map[lake.Run]Retallied
	// Refused says, by condition, why it cannot be counted: what its ballots do not tell.
	Refused map[string]string
}

// Retallied is a collaboration counted by another rule. Was and Instead are the recorded decision and the new
// one at the first vote that differs, as record.Collaboration.Worth values them; nil if undefined or unknown.
type Retallied struct {
	Recounted
	Was, Instead *float64
}

// row is a condition under a rule.
type row struct {
	campaign.Group
	rule RetallyRule
}

func (r row) resultOf(run campaign.Run) (Retallied, bool) {
	result, ok := r.rule.Runs[lake.Run{Collaboration: run.CollaborationID, Generation: int(run.Generation)}]
	return result, ok && result.Votes > 0
}

// differenceOf returns what stands after the first vote that differs minus what stood; 0
// where none differs.
func (r row) differenceOf(run campaign.Run) (float64, bool) {
	result, ok := r.resultOf(run)
	if !ok || result.First == 0 {
		return 0, ok
	}
	was, knownWas := table.ValueOrNone(result.Was)
	instead, knownInstead := table.ValueOrNone(result.Instead)
	return instead - was, knownWas && knownInstead
}

// finalOutcome returns the outcome under the rule, where it is known.
func (r row) finalOutcome(run campaign.Run) (float64, bool) {
	result, ok := r.resultOf(run)
	if !ok || !result.Known {
		return 0, false
	}
	if result.First > 0 {
		return table.ValueOrNone(result.Instead)
	}
	return run.Outcome()
}

// recordedOutcome returns the outcome as it was, where that under the rule is known.
func (r row) recordedOutcome(run campaign.Run) (float64, bool) {
	if _, ok := r.finalOutcome(run); !ok {
		return 0, false
	}
	return run.Outcome()
}

// firstDifferent returns the round of the first vote that differs.
func (r row) firstDifferent(run campaign.Run) (float64, bool) {
	result, ok := r.resultOf(run)
	return float64(result.First), ok && result.First > 0
}

// RetallyTable returns a table of what other rules would have decided from the recorded votes of a campaign.
func RetallyTable(c campaign.Campaign, rules []RetallyRule) table.Table {
	v := c.View("")
	v.Whole = true
	t := table.Table{Name: "retally", Title: "Recorded votes of " + c.Name + " counted under other rules"}
	var rows []row
	for _, g := range v.Groups {
		for _, rule := range rules {
			if r := (row{g, rule}); slices.ContainsFunc(g.Succeeded(),
				func(run campaign.Run) bool { _, ok := r.resultOf(run); return ok }) {
				rows = append(rows, r)
			}
		}
	}
	ratio := func(header string, count func(Retallied) (shown, of float64)) table.Columns[row] {
		return table.Column(header, func(r row) table.Cell {
			return table.MeanPercent(campaign.RatioOver(r.Succeeded(), func(run campaign.Run) (float64, float64) {
				result, _ := r.resultOf(run)
				return count(result)
			}))
		})
	}
	mean := func(header string, decimals int, of func(row, campaign.Run) (float64, bool)) table.Columns[row] {
		return table.Column(header, func(r row) table.Cell {
			return campaign.MeanCell(r.Succeeded(), decimals,
				func(run campaign.Run) (float64, bool) { return of(r, run) })
		})
	}
	table.Fill(&t, rows, table.Of(v.LabelColumns(), func(r row) campaign.Group { return r.Group }),
		table.Column("counted under", func(r row) table.Cell { return table.Word(r.rule.Name) }),
		table.Column("ballots", row.ballotsCell),
		table.Column("votes", func(r row) table.Cell { return table.Count(r.sum(func(x Retallied) int { return x.Votes })) }),
		ratio("decided otherwise, %", func(x Retallied) (float64, float64) { return float64(x.Differ), float64(x.Votes) }),
		mean("first round", 1, row.firstDifferent),
		table.Columns[row]{Headers: []string{"difference there", "low", "high", "p"}, Cells: row.differenceCells},
		ratio("final known, %", func(x Retallied) (float64, float64) { return countIf(x.Votes > 0 && x.Known), countIf(x.Votes > 0) }),
		ratio("final otherwise, %", func(x Retallied) (float64, float64) {
			return countIf(x.Votes > 0 && x.Known && x.First > 0), countIf(x.Votes > 0 && x.Known)
		}),
		mean("outcome", 3, row.recordedOutcome), mean("under the rule", 3, row.finalOutcome),
		table.Of(v.EndedColumns(), func(r row) campaign.Group { return r.Group }))
	t.Notes = append(t.Notes,
		"Votes: recorded ones, with the candidates and ballots as they were, counted again without a call. Decided "+
			"otherwise: after the vote another proposal stands, or none, or one instead of none; ties are broken as "+
			"in the campaign, from its seed. A vote without a valid ballot is decided alike by every rule. Agents "+
			"knew their own rule and might have voted otherwise under another.",
		"First round: of the first vote that differs, where one does. Difference there: what stands after it minus "+
			"what stood, 0 where no vote differs; paired, the mean over "+c.CountedUnits()+", with its 95 % t "+
			"interval and Student's p, not corrected for the number of rows. "+v.ScoreNote()+" Where the talk went "+
			"on, only this first difference is known: what agents would have said and voted afterwards is not.",
		"Final known: no vote is decided otherwise, or only the last one of a collaboration that took all its "+
			"rounds. Final otherwise: of those that are known. Outcome, under the rule: of the same, so of a part "+
			"that may be peculiar; where all are known, their difference is that of the whole.")
	t.Notes = append(t.Notes, explainRefusals(v, rules)...)
	v.AddNotes(&t)
	return t
}

func countIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (r row) sum(of func(Retallied) int) (n int) {
	for _, run := range r.Succeeded() {
		result, _ := r.resultOf(run)
		n += of(result)
	}
	return n
}

// ballotsCell says how ballots were converted, and how many were drawn in part.
func (r row) ballotsCell() table.Cell {
	var how []string
	for _, run := range r.Succeeded() {
		result, _ := r.resultOf(run)
		for _, h := range result.How {
			if !slices.Contains(how, h) {
				how = append(how, h)
			}
		}
	}
	slices.Sort(how)
	text := strings.Join(how, "; ")
	if drawn := r.sum(func(x Retallied) int { return x.Drawn }); drawn > 0 {
		text += fmt.Sprintf(" (%s)", wording.Count(drawn, "ballot"))
	}
	return table.Word(text)
}

// differenceCells are the mean difference by unit, its interval and p.
func (r row) differenceCells() []table.Cell {
	values := campaign.ByUnit(r.Succeeded(), r.differenceOf).Values()
	cells := campaign.MeanInterval(values, 3, r.MostDifference())
	if test, err := statistics.Paired(values); err == nil {
		return append(cells, table.PValue(&test.P))
	}
	return append(cells, table.Cell{})
}

// explainRefusals says which conditions were not counted under which rule, and why.
func explainRefusals(v campaign.View, rules []RetallyRule) (notes []string) {
	for _, rule := range rules {
		by := map[string][]string{}
		for _, g := range v.Groups {
			if len(g.Runs) == 0 {
				continue
			}
			if why := rule.Refused[g.Runs[0].ConditionID]; why != "" {
				by[why] = append(by[why], v.Title(g))
			}
		}
		for _, why := range campaign.Ordered(by) {
			notes = append(notes, fmt.Sprintf("Not counted under %s: %s (%s).", rule.Name, wording.And(by[why]), why))
		}
	}
	return notes
}
