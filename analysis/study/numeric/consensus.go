// Package numeric shows agents whose state is a number or a position (paper 5): whether, when and where they
// reach consensus, by which strategy, and who leads.
package numeric

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// What tables of numeric states take for granted where a campaign says nothing.
const (
	gathering    = "consensus" // the protocol
	usualEpsilon = 1.0         // protocol.epsilon
	usualStep    = 0.1         // env.robot.step, seconds
	clusterGap   = 5.0         // positions farther apart belong to two clusters
	sameStrategy = 0.5         // a move this near to a strategy's target follows it: models round
	atRest       = 1e-6        // positions this near are the same
)

// States is the path of a run with the settings that its figures need.
type States struct {
	Path
	Epsilon float64 // agents no farther apart are together
	Step    float64 // seconds between two positions of Steps
}

// readStates keeps the states of a run under the protocol consensus.
func readStates(r *campaign.Run, rows record.Rows) error {
	if r.Protocol != gathering || r.Status != record.Succeeded {
		return nil
	}
	path, err := FromTurns(rows.Turns, int(r.Agents))
	if err != nil {
		return fmt.Errorf("collaboration %s: %w", r.CollaborationID, err)
	}
	set := campaign.Flatten([]byte(r.SettingsJSON))
	campaign.Keep(&r.Parts, States{path, settingOr(set, "protocol.epsilon", usualEpsilon),
		settingOr(set, "env.robot.step", usualStep)})
	return nil
}

// StatesOf returns the states of a run; the zero value if its protocol has none.
func StatesOf(r campaign.Run) States { return campaign.Part[States](r.Parts) }

func settingOr(set map[string]string, key string, usual float64) float64 {
	if v, err := strconv.ParseFloat(set[key], 64); err == nil {
		return v
	}
	return usual
}

// gatheringsOf returns the conditions with numeric states.
func gatheringsOf(c campaign.Campaign) campaign.View {
	v := c.View("")
	v.Groups = slices.DeleteFunc(v.Groups, func(g campaign.Group) bool { return g.Settings["protocol"] != gathering })
	if v.Labels = v.Varying(); len(v.Labels) == 0 {
		v.Labels = []string{"protocol"}
	}
	return v
}

// withStates returns the runs of a condition that have states.
func withStates(g campaign.Group) []campaign.Run {
	return g.Having(func(r campaign.Run) bool { return len(StatesOf(r).States) > 0 })
}

// Consensus returns whether, when and where groups reached consensus: one row per condition.
func Consensus(c campaign.Campaign) (table.Table, bool) {
	of := func(f func(States) (float64, bool)) func(campaign.Run) (float64, bool) {
		return func(r campaign.Run) (float64, bool) {
			if len(StatesOf(r).States) == 0 {
				return 0, false
			}
			return f(StatesOf(r))
		}
	}
	percent := func(yes bool) (float64, bool) { return table.HundredIf(yes), true }
	v := gatheringsOf(c)
	measures := []campaign.Measure{
		{Column: "reached %", Of: of(func(s States) (float64, bool) { _, ok := s.Reached(s.Epsilon); return percent(ok) })},
		{Column: "round", Of: of(func(s States) (float64, bool) { r, ok := s.Reached(s.Epsilon); return float64(r), ok })},
		{Column: "width", Of: of(func(s States) (float64, bool) { return s.Last().Width(), true })},
		{Column: "bias", Of: of(func(s States) (float64, bool) { return signedLength(s.Bias()), true })},
		{Column: "|bias|", Of: of(func(s States) (float64, bool) { return math.Abs(signedLength(s.Bias())), true })},
		{Column: "bias/width", Of: of(States.NormalisedBias)},
		{Column: "clusters", Of: of(func(s States) (float64, bool) { return float64(s.Last().Clusters(clusterGap)), true })},
		{Column: "oscillates %", Of: of(func(s States) (float64, bool) { return percent(s.Period(atRest) > 0) })},
	}
	if isDriven(v) {
		measures = append(measures, campaign.Measure{Column: "seconds", Of: of(func(s States) (float64, bool) {
			steps, ok := s.Gathered(s.Epsilon)
			return float64(steps) * s.Step, ok
		})})
	}
	return v.MeansTable("Coming together by setting (paper 5)", measures,
		"Mean over collaborations (standard error "+v.UnitsNote()+
			"); n= counts these units where a value is not defined for all collaborations.",
		fmt.Sprintf("Reached: from some round on no two agents are farther apart than protocol.epsilon (%v if not "+
			"set) in a coordinate; round is the first such, 0 the start. Width: that difference at the end. "+
			"Bias: mean at the end minus mean of the starts, its length in more than one dimension; bias/width as a "+
			"share of the width at the start. "+
			"Clusters at the end: gaps of more than %v. Oscillates: the last states repeat those before with a "+
			"period of 2 rounds or more.", usualEpsilon, clusterGap))
}

// isDriven says that some agents take time to move.
func isDriven(v campaign.View) bool {
	return slices.ContainsFunc(v.Groups, func(g campaign.Group) bool {
		return slices.ContainsFunc(withStates(g), func(r campaign.Run) bool { return len(StatesOf(r).Steps) > 0 })
	})
}

// StrategyShares returns the share of each strategy, in percent of the moves that are neither Agreed nor
// Alone: for all agents of a condition, and for each personality if there are several.
func StrategyShares(c campaign.Campaign) (table.Table, bool) {
	v := gatheringsOf(c)
	t := table.Table{Title: "Strategies of moves, percent"}
	type row struct {
		campaign.Group
		personality string
	}
	var rows []row
	for _, g := range v.Groups {
		names := personalitiesIn(g)
		if len(names) > 1 {
			names = append([]string{"all"}, names...)
		}
		for _, name := range names {
			rows = append(rows, row{g, name})
		}
	}
	var shares []string
	for _, s := range listStrategies() {
		shares = append(shares, string(s))
	}
	group := func(x row) campaign.Group { return x.Group }
	table.Fill(&t, rows, table.Of(v.LabelColumns(), group),
		table.Column("personality", func(x row) table.Cell { return table.Word(x.personality) }),
		table.Columns[row]{Headers: append(shares, "moves", "agreed", "alone"), Cells: func(x row) []table.Cell {
			return strategyCells(x.Group,
				func(agent int) bool { return x.personality == "all" || personalityOf(x.Group, agent) == x.personality })
		}},
		table.Of(v.EndedColumns(), group))
	t.Notes = []string{fmt.Sprintf("A move follows the strategy whose target is nearest, within %v; all agents that "+
		"are seen count the same. Other holds erroneous moves. "+
		"Moves of agents that see only agents at their own place (agreed) or nobody (alone) tell nothing and are "+
		"counted apart. Personality: of the agents whose moves are counted, as the condition gives it.", sameStrategy)}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// strategyCells of the moves of some agents: shares of each, and how many there are.
func strategyCells(g campaign.Group, of func(agent int) bool) []table.Cell {
	counts := map[Strategy]int{}
	for _, r := range withStates(g) {
		moves := slices.DeleteFunc(slices.Clone(StatesOf(r).Moves), func(m Move) bool { return !of(m.Agent) })
		for s, n := range CountStrategies(moves, sameStrategy) {
			counts[s] += n
		}
	}
	telling := 0
	for _, s := range listStrategies() {
		telling += counts[s]
	}
	var cells []table.Cell
	for _, s := range listStrategies() {
		if telling == 0 {
			cells = append(cells, table.Cell{})
			continue
		}
		cells = append(cells, table.Number(100*float64(counts[s])/float64(telling), 1))
	}
	return append(cells, table.Count(telling), table.Count(counts[Agreed]), table.Count(counts[Alone]))
}

// Influence returns who leads: the weight of each agent's start in the final value, as Lead estimates it.
func Influence(c campaign.Campaign) (table.Table, bool) {
	v := gatheringsOf(c)
	t := table.Table{Title: "Who leads: final mean regressed on the starts"}
	type row struct {
		campaign.Group
		agent, personality, weight, r2 table.Cell
	}
	var rows []row
	for _, g := range v.Groups {
		paths := unitPaths(g)
		lead, r2, ok := Lead(paths)
		if !ok {
			rows = append(rows, row{Group: g, agent: table.Word("not defined")})
			continue
		}
		for agent, l := range lead {
			weight := table.Number(l.Coefficient, 3)
			weight.SE, weight.N = &l.SE, len(paths)
			rows = append(rows, row{g, table.Count(agent + 1), table.Word(personalityOf(g, agent)), weight,
				table.Number(r2, 3)})
		}
	}
	group := func(x row) campaign.Group { return x.Group }
	table.Fill(&t, rows, table.Of(v.LabelColumns(), group),
		table.Column("agent", func(x row) table.Cell { return x.agent }),
		table.Column("personality", func(x row) table.Cell { return x.personality }),
		table.Column("weight", func(x row) table.Cell { return x.weight }),
		table.Column("R²", func(x row) table.Cell { return x.r2 }),
		table.Of(v.EndedColumns(), group))
	t.Notes = []string{"Least squares with an intercept " + v.UnitsNote() +
		" of a condition (classical standard error); " + replicateMeans +
		" Averagers have the weights of the DeGroot limit. " +
		"Not defined without more such observations than agents and one (every coordinate is one), or if the starts " +
		"do not vary."}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// unitPaths returns the first and the last states of a condition's units, each
// the mean over its runs.
func unitPaths(g campaign.Group) []Path {
	byUnit := map[int32][]Path{}
	for _, r := range withStates(g) {
		byUnit[r.Unit] = append(byUnit[r.Unit], StatesOf(r).Path)
	}
	var paths []Path
	for _, unit := range slices.Sorted(maps.Keys(byUnit)) {
		paths = append(paths, meanEnds(byUnit[unit]))
	}
	return paths
}

// MonteCarlo returns statistics of the final values of groups on a line that reached consensus (Fig. 4).
func MonteCarlo(c campaign.Campaign) (table.Table, bool) {
	v := gatheringsOf(c)
	t := table.Table{Title: "Final values of groups that reached a consensus"}
	sample := func(of func(campaign.Run) (float64, bool), cells func(table.Sample) []table.Cell,
		headers ...string) table.Columns[campaign.Group] {
		return table.Columns[campaign.Group]{Headers: headers,
			Cells: func(g campaign.Group) []table.Cell { return cells(unitSample(g, of)) }}
	}
	mean := func(decimals int) func(table.Sample) []table.Cell {
		return func(s table.Sample) []table.Cell { return []table.Cell{s.Mean(decimals)} }
	}
	table.Fill(&t, v.Groups, v.LabelColumns(),
		sample(finalStart, mean(2), "start"), sample(Final, mean(2), "final"), sample(FinalBias, mean(3), "bias"),
		sample(FinalBias, func(s table.Sample) []table.Cell { return varianceCells(s, true) }, "sd of bias",
			"bias variance", "bias from", "bias to"),
		sample(Final, func(s table.Sample) []table.Cell { return varianceCells(s, false) }, "final variance",
			"final from", "final to"),
		v.EndedColumns())
	some := slices.ContainsFunc(v.Groups, func(g campaign.Group) bool { return len(unitSample(g, Final).Values) > 0 })
	t.Notes = []string{"Mean (standard error) and variance " + v.UnitsNote() +
		", of collaborations on a line whose agents end within protocol.epsilon of each other; " + replicateMeans +
		" n= where not all have such a one. Final: mean of the agents at the end; start: mean of their starts; bias: " +
		"final minus start. From, to: 95 % interval of the variance by χ², which holds for normal values."}
	v.AddNotes(&t)
	return t, some
}

// replicateMeans says what an observation is where instances have replicates.
const replicateMeans = "replicates of one instance start alike and are not evidence of their own, so an instance has " +
	"the mean of its replicates."

// unitSample returns the values of a condition's units, each the mean over its runs that have one.
func unitSample(g campaign.Group, value func(campaign.Run) (float64, bool)) table.Sample {
	return table.Sample{Values: campaign.ByUnit(withStates(g), value).Values(),
		Of: len(campaign.UnitsOf(withStates(g)))}
}

// varianceCells with its interval, and the standard deviation first if asked for.
func varianceCells(s table.Sample, deviation bool) []table.Cell {
	v, within, ok := Variance(s.Values)
	cells := []table.Cell{{}, {}, {}}
	if ok {
		cells = []table.Cell{table.Number(v, 3), table.Number(within.Low, 3), table.Number(within.High, 3)}
	}
	switch {
	case deviation && ok:
		return append([]table.Cell{table.Number(math.Sqrt(v), 3)}, cells...)
	case deviation:
		return append([]table.Cell{{}}, cells...)
	}
	return cells
}
