package numeric

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

const agentsKey = "env.agents"

// Family is a group of conditions on a line that differ only in the number of agents, sorted by it.
type Family struct {
	campaign.Condition // the first, without its runs
	Sizes              []FamilySize
}

// FamilySize is one condition of a family.
type FamilySize struct {
	Agents int
	Runs   []campaign.Run // that succeeded
}

// Families groups the conditions with numeric states on a line; varying are the settings, without the number
// of agents, in which the families differ.
func Families(c campaign.Campaign) (list []Family, varying []string) {
	v := gatheringsOf(c)
	if len(v.Groups) > 1 {
		varying = slices.DeleteFunc(v.Varying(), func(key string) bool { return key == agentsKey })
	}
	byName := map[string]int{}
	for _, g := range v.Groups {
		runs := slices.DeleteFunc(withStates(g), func(r campaign.Run) bool { return len(StatesOf(r).First()[0]) != 1 })
		if len(runs) == 0 {
			continue
		}
		name := campaign.View{Labels: varying}.Key(g)
		at, known := byName[name]
		if !known {
			at = len(list)
			byName[name] = at
			list = append(list, Family{Condition: v.Condition(g)})
		}
		list[at].Sizes = append(list[at].Sizes, FamilySize{int(runs[0].Agents), runs})
	}
	for _, f := range list {
		slices.SortStableFunc(f.Sizes, func(a, b FamilySize) int { return a.Agents - b.Agents })
	}
	return list, varying
}

// Sized returns, for each size, the mean of the measure of over the runs of each unit; runs without a value
// are left out.
func (f Family) Sized(of func(campaign.Run) (float64, bool)) []Sized {
	var sizes []Sized
	for _, s := range f.Sizes {
		size := Sized{Agents: s.Agents}
		means := campaign.ByUnit(s.Runs, of)
		for _, unit := range means.Ascending() {
			size.Values, size.Pairs = append(size.Values, means[unit]), append(size.Pairs, fmt.Sprint(unit))
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// Final returns the mean position of the agents at the end of a run on a line; false if it reached no
// consensus.
func Final(r campaign.Run) (float64, bool) {
	if len(StatesOf(r).States) == 0 || len(StatesOf(r).First()[0]) != 1 ||
		StatesOf(r).Last().Width() > StatesOf(r).Epsilon {
		return 0, false
	}
	return StatesOf(r).Last().Mean()[0], true
}

// finalStart returns the mean of the starts of such a run.
func finalStart(r campaign.Run) (float64, bool) {
	_, ok := Final(r)
	if !ok {
		return 0, false
	}
	return StatesOf(r).First().Mean()[0], true
}

// FinalBias returns Final minus the mean of the starts.
func FinalBias(r campaign.Run) (float64, bool) {
	final, ok := Final(r)
	if !ok {
		return 0, false
	}
	return final - StatesOf(r).First().Mean()[0], true
}

// Variances returns how the variance of final values and of their bias changes with
// the number of agents (Fig. 4).
func Variances(c campaign.Campaign) (table.Table, bool) {
	families, varying := Families(c)
	t := table.Table{Title: "Variance against the number of agents (paper 5, Figure 4)"}
	var columns []string
	for _, f := range families {
		for _, q := range []struct {
			name string
			of   func(campaign.Run) (float64, bool)
		}{{"final", Final}, {"bias", FinalBias}} {
			if row, ok := f.scalingCells(q.of); ok {
				var label []table.Cell
				names, texts := f.Named(varying)
				for _, text := range texts {
					label = append(label, table.Word(text))
				}
				columns = names
				t.Rows = append(t.Rows, slices.Concat(label, []table.Cell{table.Word(q.name)}, row))
			}
		}
	}
	t.Columns = append(slices.Clone(columns), "of", "agents", "exponent", "from", "to", "variance of one", "one from",
		"one to", "n")
	t.Notes = []string{"Least squares of ln variance on ln agents over conditions that differ in nothing but the " +
		"number of agents: variance = (variance of one) · agents^exponent, -1 for the mean of independent values. " +
		"From, to: 95 % intervals from each instance's (of the only one, each replicate's) influence on the " +
		"variances, for which values need not be normal; " + replicateMeans + " " +
		"Over groups that reached a consensus (n: values in all sizes, " + gatheringsOf(c).UnitsNote() +
		"); agents: the sizes with a variance. Final: mean of the agents at the end; bias: that minus the mean of " +
		"their starts."}
	gatheringsOf(c).AddNotes(&t)
	return t, len(t.Rows) > 0
}

// scalingCells returns the cells of a fit; false if it is not defined.
func (f Family) scalingCells(of func(campaign.Run) (float64, bool)) ([]table.Cell, bool) {
	sizes := f.Sized(of)
	s, ok := Scale(sizes)
	if !ok {
		return nil, false
	}
	n := 0
	for _, size := range sizes {
		n += len(size.Values)
	}
	agents := strings.Trim(fmt.Sprint(s.Agents), "[]")
	cells := []table.Cell{table.Word(agents)}
	for _, e := range []estimate{s.Exponent, s.Single} {
		cells = append(cells, table.Number(e.Value, 3), table.Number(e.Low, 3), table.Number(e.High, 3))
	}
	return append(cells, table.Count(n)), true
}
