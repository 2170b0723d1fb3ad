package worth

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

const (
	needTalk  = "groups that answer questions, right or wrong, more than once" + needImported
	needAlone = "groups, and conditions with their questions, model and sampling whose agents answer once, alone " +
		"(baselines: [single, self_consistency])"
	needVotes = "groups that answer questions, right or wrong" + needImported

	needImported = " (imported transcripts: a score, and in the metadata of messages an answer and its score)"
)

// Study returns the study's entry in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.Worth, Readers: []campaign.Reader{campaign.Keeping[Talk]("", readTalk)},
		Tables: []entry.Table{
			{Named: entry.Named{Name: "worth",
				Shows: "was it worth talking: the first answers' majority against the decision, flips, cost of a point",
				Needs: needTalk}, Build: Worth},
			{Named: entry.Named{Name: "worth-drift",
				Shows: "was it worth talking: tests that talk moves answers in neither direction",
				Needs: needTalk}, Build: Drift},
			{Named: entry.Named{Name: "worth-by-round", Shows: "was it worth talking: how each round moves answers",
				Needs: needTalk}, Build: ByRound},
			{Named: entry.Named{Name: "worth-votes",
				Shows: "was it worth talking: how many independent votes first answers are, and what a majority promises",
				Needs: needVotes}, Build: Votes},
			{Named: entry.Named{Name: "baselines",
				Shows: "groups against one agent alone and against self-consistency at equal tokens, and for the same money",
				Needs: needAlone}, Build: Baselines},
		}}
}
