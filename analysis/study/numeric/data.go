package numeric

import (
	"math"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// The tables of this file are the data of figures: one row an observation.
// They are made when they are asked for by name.

// Finals returns each run's mean position at the start and at the end: the dots of Fig. 4 of paper 5.
func Finals(c campaign.Campaign) (table.Table, bool) {
	return dataTable(c, "Each run's values at the start and at the end (data of Fig. 4)",
		[]string{"start", "final", "bias", "reached"}, func(_ campaign.Group, r campaign.Run) [][]table.Cell {
			if len(StatesOf(r).First()[0]) != 1 {
				return nil
			}
			start, final := StatesOf(r).First().Mean()[0], StatesOf(r).Last().Mean()[0]
			_, reached := StatesOf(r).Reached(StatesOf(r).Epsilon)
			return [][]table.Cell{{exactNumber(start), exactNumber(final), exactNumber(final - start),
				table.Word(map[bool]string{true: "yes", false: "no"}[reached])}}
		})
}

// Trajectories returns every planned and actual coordinate of every agent after
// every round (data of Figs 2, 3 and 6 to 10b); round 0 is the start.
func Trajectories(c campaign.Campaign) (table.Table, bool) {
	return dataTable(c, "Planned and actual states, round by round (data of Figs 2, 3, 6 to 10)",
		[]string{"round", "agent", "personality", "coordinate", "planned", "actual"},
		func(g campaign.Group, r campaign.Run) [][]table.Cell {
			planned := map[[2]int][]float64{}
			for _, m := range StatesOf(r).Moves {
				planned[[2]int{m.Round, m.Agent}] = m.To
			}
			var rows [][]table.Cell
			for time, s := range StatesOf(r).States {
				for agent, x := range s {
					for k, v := range x {
						plan := table.Cell{}
						if to := planned[[2]int{time, agent}]; k < len(to) {
							plan = exactNumber(to[k])
						}
						rows = append(rows,
							[]table.Cell{table.Count(time), table.Count(agent + 1), table.Word(personalityOf(g, agent)),
								table.Count(k + 1), plan, exactNumber(v)})
					}
				}
			}
			return rows
		})
}

// PathData returns the position of agents that need time to move after each step of their motion (data of Fig.
// 10a).
func PathData(c campaign.Campaign) (table.Table, bool) {
	t, ok := dataTable(c, "Positions of robots over time (data of Fig. 10)",
		[]string{"seconds", "agent", "coordinate", "actual"}, func(_ campaign.Group, r campaign.Run) [][]table.Cell {
			var rows [][]table.Cell
			for round, byAgent := range StatesOf(r).Steps {
				for agent, path := range byAgent {
					for step, x := range path {
						seconds := float64(round*len(path)+step+1) * StatesOf(r).Step
						for k, v := range x {
							rows = append(rows,
								[]table.Cell{exactNumber(math.Round(seconds*1e9) / 1e9), table.Count(agent + 1),
									table.Count(k + 1), exactNumber(v)})
						}
					}
				}
			}
			return rows
		})
	return t, ok && len(t.Rows) > 0
}

// dataTable has the rows of each run under the condition that it belongs to.
func dataTable(c campaign.Campaign, title string, columns []string,
	rows func(campaign.Group, campaign.Run) [][]table.Cell) (table.Table, bool) {
	v := gatheringsOf(c)
	t := v.Start(title)
	t.Columns = append(append(t.Columns, "instance", "replicate"), columns...)
	for _, g := range v.Groups {
		for _, r := range withStates(g) {
			for _, cells := range rows(g, r) {
				t.Rows = append(t.Rows, append(append(v.Label(g), table.Count(r.Instance),
					table.Count(r.Replicate)), cells...))
			}
		}
	}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// exactNumber returns a number of data; people see four decimals of it.
func exactNumber(v float64) table.Cell { return table.Number(v, 4) }
