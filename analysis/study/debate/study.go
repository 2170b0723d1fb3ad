package debate

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

// Study returns the study's entry in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.Debates, Readers: []campaign.Reader{campaign.Keeping[Replies]("", readReplies)},
		Tables: []entry.Table{
			{Named: entry.Named{Name: "debate-accuracy", Shows: "debates: accuracy by strategy and task",
				Needs: "debates", Papers: slices.Concat(entry.Numbers(4, "table", 1), entry.Numbers(4, "figure", 1))},
				Build: Strategies, Shown: entry.Always, Redundant: hasNothingMore},
			{Named: entry.Named{Name: "debate-by-agents", Shows: "debates: accuracy by number of agents",
				Needs: "debates of groups of different sizes", Papers: entry.Numbers(4, "table", 2, 3, 4, 5)},
				Build: DebateAgents},
			{Named: entry.Named{Name: "debate-by-round",
				Shows: "debates: accuracy, log-likelihood and entropy by round",
				Needs: "debates", Papers: entry.Numbers(4, "figure", 7)}, Build: DebateRounds},
			{Named: entry.Named{Name: "debate-gains", Shows: "debates: gains over the fixed order, paired by question",
				Needs: "debates in the fixed order and in others"}, Build: DebateGains},
			{Named: entry.Named{Name: "debate-repetitions",
				Shows: "debates: spread over repetitions, gains over the fixed order tested over them",
				Needs: "debates with several replicates", Papers: entry.Numbers(4, "figure", 3, 4, 5)},
				Build: DebateRepetitions},
			{Named: entry.Named{Name: "viewpoints",
				Shows:  "debates of fixed viewpoints: right outcomes by number of agents",
				Needs:  "debates that begin with viewpoints of a pool",
				Papers: slices.Concat(entry.Numbers(4, "table", 6, 7, 8, 9, 10, 11), entry.Numbers(4, "figure", 9))},
				Build: Viewpoints, Shown: entry.Always},
		}}
}
