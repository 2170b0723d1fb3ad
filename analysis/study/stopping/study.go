package stopping

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

const needWhole = "collaborations that succeeded and ran all planned rounds"

// Study returns the study's entry in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.Stopping,
		Readers: []campaign.Reader{campaign.Keeping[Annotated]("", readAnnotated)}, Tables: []entry.Table{
			{Named: entry.Named{Name: "early-stopping-recsys",
				Shows: "recsys: mean absolute error of what each stopping rule leaves standing, cross-validated, and gap closed",
				Needs: entry.NeedRecsys, Papers: entry.Numbers(1, "table", 2)}, Build: EarlyStoppingRecsys,
				From: entry.Trajectories},
			{Named: entry.Named{Name: "early-stopping",
				Shows: "stopping rules: score of what each leaves standing, cross-validated, and share closed of the " +
					"gap to the best round",
				Needs: needWhole, Papers: entry.Numbers(1, "table", 10)}, Build: EarlyStopping,
				From: entry.Trajectories},
			{Named: entry.Named{Name: "stopping-times",
				Shows: "stopping rules: the round at which each stops, how often before the last one, and what that saves",
				Needs: needWhole, Papers: entry.Numbers(1, "table", 11)}, Build: StoppingTimes,
				From: entry.Trajectories},
			{Named: entry.Named{Name: "savings",
				Shows: "stopping in flight: what it has saved and cost, against all rounds (--with)",
				Needs: "collaborations under a stopping rule, and the same under stop: never (in a campaign that " +
					"--with names)"}, Build: Savings},
			{Named: entry.Named{Name: "folds", Shows: "stopping rules: what cross-validation held out and chose",
				Needs: needWhole}, Build: FoldList, Shown: entry.Never, From: entry.Trajectories},
			{Named: entry.Named{Name: "nested", Shows: "stopping rules: chosen by nested cross-validation",
				Needs: needWhole}, Build: Nested, From: entry.Trajectories},
			{Named: entry.Named{Name: "stopping-signals",
				Shows: "stopping rules: what Dialogue Act stops at, and how often rightly",
				Needs: entry.NeedLabels}, Build: SignalTable, Apart: true, Shown: entry.Never,
				From: entry.Trajectories},
			{Named: entry.Named{Name: "regression", Shows: "dialogue acts: what goes with better decisions",
				Needs: entry.NeedLabels}, Build: Regression, Apart: true, Shown: entry.Never, From: entry.Trajectories},
		}}
}
