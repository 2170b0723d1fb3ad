package overview

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

// Study returns the study's entry in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.Overview, Tables: []entry.Table{
		{Named: entry.Named{Name: "answer",
			Shows: "each comparison of the question that ends a campaign: its interval, when it was decided, what was saved",
			Needs: "a question (until) in its file"}, Build: Answer, Apart: true, Shown: entry.Always},
		{Named: entry.Named{Name: "outcomes",
			Shows: "each condition: its outcome with an interval, which cannot be told apart, and what it took",
			Needs: entry.NeedEnded}, Build: Outcomes},
		{Named: entry.Named{Name: "outcomes-by-question",
			Shows: "each condition and instance: its outcome, and what it took",
			Needs: entry.NeedEnded}, Build: ByQuestion, Shown: entry.Never},
		{Named: entry.Named{Name: "scores",
			Shows: "each condition: its outcome with an interval, also of decided groups alone",
			Needs: entry.NeedEnded}, Build: ByCondition, Shown: entry.Never},
		{Named: entry.Named{Name: "comparisons",
			Shows: "each two conditions: pairwise comparison of final scores, with tests",
			Needs: "two conditions of one environment"}, Build: Comparisons, Last: true},
		{Named: entry.Named{Name: "floor",
			Shows: "each condition: by how much it differs from itself when it is run twice",
			Needs: "two replicates of an instance, or the control same"}, Build: Floor, Last: true},
		{Named: entry.Named{Name: "front",
			Shows: "each condition: its outcome against tokens, money and time, and which conditions reach more for less",
			Needs: entry.NeedEnded}, Build: Front, Last: true,
			Redundant: func(c campaign.Campaign) bool { return !c.IsControlled() }},
		{Named: entry.Named{Name: "buy-next",
			Shows: "each two conditions: noise between and within instances, and what further money would buy",
			Needs: "two conditions of one environment with two instances or replicates in common"}, Build: BuyNext,
			Shown: entry.Never, Last: true},
		{Named: entry.Named{Name: "instances", Shows: "each instance: its outcome under each condition",
			Needs: entry.NeedEnded}, Build: ByInstance, Shown: entry.Never, Last: true},
		{Named: entry.Named{Name: "rounds", Shows: "each round: decisions and scores",
			Needs: entry.NeedEnded}, Build: Rounds, Last: true},
		{Named: entry.Named{Name: "summary", Shows: "each condition: collaborations, answers, cost",
			Needs: entry.NeedEnded}, Build: Summary, Shown: entry.Always, Last: true},
	}}
}
