package stopping

import (
	"cmp"
	"fmt"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Annotated is the cost of the annotations that a run's stopping rule needed.
type Annotated struct {
	Labels    campaign.Asked // of messages
	Distances int64          // number of distances computed; no model is called for them
}

// readAnnotated keeps what the annotations of a run took.
func readAnnotated(r *campaign.Run, rows record.Rows) error {
	formats := map[int32]string{}
	for _, turn := range rows.Turns {
		if turn.Kind == "annotate" {
			formats[turn.Entry] = turn.Format
		}
	}
	if len(formats) == 0 {
		return nil
	}
	var labels []record.Call
	a := Annotated{}
	for _, call := range rows.Calls {
		switch formats[call.Entry] {
		case "acts":
			labels = append(labels, call)
		case "distance":
			a.Distances++
		}
	}
	a.Labels = campaign.CountAsked(labels)
	campaign.Keep(&r.Parts, a)
	return nil
}

// saved is a condition whose stopping rule ends collaborations, next to the one that
// runs all rounds.
type saved struct {
	campaign.Group
	runs []campaign.Run // that have a pair
	all  []campaign.Run // the others of the pairs
	by   string         // what the other condition is called
	used map[string]campaign.Run
}

// Savings returns what stopping rules saved and cost, compared with the same condition without a rule, in the
// same campaign or in one that is analyzed with it.
func Savings(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env", "rule", "stop")
	t := table.Table{Title: "What stopping has saved, against all rounds"}
	var rows []saved
	var alone []string
	for _, g := range v.Groups {
		if !isStopped(g) {
			continue
		}
		s, ok := pairedWithAll(v, g)
		if !ok {
			alone = append(alone, g.ID)
			continue
		}
		rows = append(rows, s)
	}
	table.Fill(&t, rows, append([]table.Columns[saved]{table.Of(v.LabelColumns(),
		func(s saved) campaign.Group { return s.Group })}, savedColumns()...)...)
	t.Notes = append(t.Notes, v.ScoreNote()+
		" Means and shares over n pairs, the same replicate of the same instance under both conditions (standard "+
		"error over instances, or, where there is only one, over replicates). "+
		"Last round: mean. Effective ratio: ended before the last planned round. Rounds, calls and tokens saved: "+
		"share of what all rounds took; calls and tokens count answers of the cache too, and the labels of the rule, "+
		"but no distances, which are computed. "+
		"USD saved: sum over the pairs of what was paid, with the labels' cost taken off. Label calls, tokens and "+
		"USD: sums of what the rule had labelled on the way.")
	if len(alone) > 0 {
		t.Notes = append(t.Notes, "Not compared, because no condition with the same settings runs all rounds on the "+
			"same instances: "+strings.Join(alone, ", ")+".")
	}
	v.AddNotes(&t)
	return t, len(rows) > 0
}

func isStopped(g campaign.Group) bool {
	return g.Settings["stop"] != "" && g.Settings["stop"] != "never"
}

// pairedWithAll returns a condition with the one that differs in the stopping rule alone
// and runs all rounds: of its own campaign, else of the first one that has pairs with it.
func pairedWithAll(v campaign.View, g campaign.Group) (saved, bool) {
	for _, own := range []bool{true, false} {
		for _, other := range v.Groups {
			if other.Settings["stop"] != "never" || !differInStopAlone(g, other) ||
				(other.Settings["campaign"] == g.Settings["campaign"]) != own {
				continue
			}
			s := saved{Group: g, by: cmp.Or(other.Settings["campaign"], other.ID), used: map[string]campaign.Run{}}
			for _, r := range other.Succeeded() {
				s.used[pairName(r)] = r
			}
			for _, r := range g.Succeeded() {
				if all, both := s.used[pairName(r)]; both {
					s.runs, s.all = append(s.runs, r), append(s.all, all)
				}
			}
			if len(s.runs) > 0 {
				return s, true
			}
		}
	}
	return saved{}, false
}

func pairName(r campaign.Run) string { return fmt.Sprint(campaign.PairOf(r.Collaboration)) }

// differInStopAlone compares settings without those of the stopping rule and the campaign.
func differInStopAlone(a, b campaign.Group) bool {
	isOther := func(key string) bool { return key == "stop" || strings.HasPrefix(key, "stop.") || key == "campaign" }
	for _, pair := range [][2]campaign.Group{{a, b}, {b, a}} {
		for key, value := range pair[0].Settings {
			if !isOther(key) && pair[1].Settings[key] != value {
				return false
			}
		}
	}
	return true
}

func savedColumns() []table.Columns[saved] {
	column := table.Column[saved]
	share := func(header string, of func(campaign.Run) float64) table.Columns[saved] {
		return column(header, func(s saved) table.Cell { return table.MeanPercent(s.shareSaved(of)) })
	}
	labels := func(header string, of func(campaign.Asked) int64) table.Columns[saved] {
		return column(header, func(s saved) table.Cell {
			sum := int64(0)
			for _, r := range s.runs {
				sum += of(campaign.Part[Annotated](r.Parts).Labels)
			}
			return table.Count(int(sum))
		})
	}
	return []table.Columns[saved]{
		column("against", func(s saved) table.Cell { return table.Word(s.by) }),
		column("n", func(s saved) table.Cell { return table.Count(len(s.runs)) }),
		column("last round", func(s saved) table.Cell { return campaign.MeanCell(s.runs, 2, alwaysKnown(roundsOf)) }),
		column("effective ratio", func(s saved) table.Cell {
			return campaign.MeanCell(s.runs, 2, alwaysKnown(func(r campaign.Run) float64 {
				if r.EndedEarly() {
					return 1
				}
				return 0
			}))
		}),
		share("rounds saved, %", roundsOf),
		share("calls saved, %", func(r campaign.Run) float64 {
			return float64(r.Asked.Calls - campaign.Part[Annotated](r.Parts).Distances)
		}),
		share("tokens saved, %", func(r campaign.Run) float64 { return float64(r.Asked.Tokens()) }),
		column("USD saved", func(s saved) table.Cell { return s.dollarsCell() }),
		labels("label calls", func(a campaign.Asked) int64 { return a.Calls }),
		labels("label tokens", campaign.Asked.Tokens),
		column("label USD", func(s saved) table.Cell {
			return table.NumberOrEmpty(campaign.SumUSD(s.runs,
				func(r campaign.Run) campaign.Asked { return campaign.Part[Annotated](r.Parts).Labels }), 4)
		}),
		column("score", func(s saved) table.Cell { return campaign.MeanCell(s.runs, 4, campaign.Run.Outcome) }),
		column("all rounds", func(s saved) table.Cell { return campaign.MeanCell(s.all, 4, campaign.Run.Outcome) }),
		column("difference", func(s saved) table.Cell {
			return campaign.MeanCell(s.runs, 4, campaign.Above(s.all, campaign.Run.Outcome))
		}),
	}
}

func roundsOf(r campaign.Run) float64 { return float64(r.RoundsRun) }

func alwaysKnown(of func(campaign.Run) float64) func(campaign.Run) (float64, bool) {
	return func(r campaign.Run) (float64, bool) { return of(r), true }
}

// shareSaved returns what is saved of a measure of all rounds.
func (s saved) shareSaved(of func(campaign.Run) float64) *statistics.Ratio {
	return campaign.RatioOver(s.runs, func(r campaign.Run) (float64, float64) {
		all := of(s.used[pairName(r)])
		return all - of(r), all
	})
}

// dollarsCell returns what is saved of the money, labels counted; empty if a price is not known.
func (s saved) dollarsCell() table.Cell {
	asked := func(r campaign.Run) campaign.Asked { return r.Asked }
	live, all := campaign.SumUSD(s.runs, asked), campaign.SumUSD(s.all, asked)
	if live == nil || all == nil {
		return table.Cell{}
	}
	return table.Number(*all-*live, 4)
}
