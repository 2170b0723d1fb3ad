package numeric

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

const needStates = "agents with numeric states"

// Study returns the study's entry in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.Consensus, Readers: []campaign.Reader{campaign.Keeping[States]("", readStates)},
		Tables: []entry.Table{
			{Named: entry.Named{Name: "consensus", Shows: "numeric states: how groups agree, and where (paper 5)",
				Needs: needStates}, Build: Consensus, Shown: entry.Always},
			{Named: entry.Named{Name: "strategies",
				Shows: "numeric states: which strategy moves follow, by condition and personality",
				Needs: needStates, Papers: entry.Numbers(5, "figure", 11)}, Build: StrategyShares},
			{Named: entry.Named{Name: "influence",
				Shows: "numeric states: weight of each agent's start in the final value (paper 5)",
				Needs: needStates}, Build: Influence},
			{Named: entry.Named{Name: "montecarlo", Shows: "numeric states: where groups end, over many starts",
				Needs: "groups that reach a consensus on a line", Papers: entry.Numbers(5, "figure", 4)},
				Build: MonteCarlo},
			{Named: entry.Named{Name: "variance",
				Shows: "numeric states: variance by number of agents (paper 5, Figure 4)",
				Needs: "groups of different sizes that reach a consensus on a line"}, Build: Variances},
			{Named: entry.Named{Name: "finals", Shows: "numeric states: each final state (data of figure bias)",
				Needs: needStates}, Build: Finals, Shown: entry.Never},
			{Named: entry.Named{Name: "trajectories",
				Shows: "numeric states: each state of each round (data of the figure)",
				Needs: needStates, Papers: entry.Numbers(5, "figure", 2, 3, 6, 7, 8, 9)}, Build: Trajectories,
				Shown: entry.Never},
			{Named: entry.Named{Name: "paths", Shows: "robots: planned and actual positions (data of the figure)",
				Needs: "robots, whose paths are planned", Papers: entry.Numbers(5, "figure", 10)}, Build: PathData,
				Shown: entry.Never},
		}}
}
