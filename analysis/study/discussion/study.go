package discussion

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

const needDiscussions = "discussions"

// Study returns the study's entry in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.Discussions,
		Readers: []campaign.Reader{campaign.Keeping[*Discussion]("", readDiscussion)}, Tables: []entry.Table{
			{Named: entry.Named{Name: "discussion-accuracy",
				Shows: "discussions: accuracy by decision protocol, gains over the single agent",
				Needs: needDiscussions, Papers: entry.Numbers(2, "figure", 2, 8, 9, 10, 11)}, Build: Discussions,
				Shown: entry.Always},
			{Named: entry.Named{Name: "voting-against-consensus",
				Shows: "discussions: voting against consensus (paper 2, 4.1)",
				Needs: "discussions with rules of both kinds, voting and consensus"}, Build: Kinds,
				Shown: entry.Always},
			{Named: entry.Named{Name: "answerable-questions",
				Shows:  "discussions: questions that their text does not answer",
				Needs:  "discussions of questions that their text may not answer (SQuAD)",
				Papers: entry.Numbers(2, "figure", 3)}, Build: Answerables},
			{Named: entry.Named{Name: "answer-diversity", Shows: "discussions: diversity of answers and accuracy",
				Needs: needDiscussions, Papers: entry.Numbers(2, "table", 1)}, Build: Diversities, From: entry.Vectors},
			{Named: entry.Named{Name: "decision-time", Shows: "discussions: round of the decision, by rule and kind",
				Needs: needDiscussions, Papers: entry.Numbers(2, "table", 2)}, Build: Terminations},
			{Named: entry.Named{Name: "solution-counting",
				Shows: "discussions: what counting the last answers would have decided, against what was decided",
				Needs: needDiscussions, Papers: entry.Numbers(2, "table", 4)}, Build: Countings},
			{Named: entry.Named{Name: "discussion-scaling",
				Shows: "discussions: accuracy by rounds before the vote and by agents",
				Needs: "discussions of at least three sizes", Papers: entry.Numbers(2, "figure", 4, 5)},
				Build: Scalings},
			{Named: entry.Named{Name: "challenges", Shows: "discussions: challenges of the final answer",
				Needs: "discussions whose final answer is challenged", Papers: entry.Numbers(2, "figure", 6, 7)},
				Build: Challenges},
			{Named: entry.Named{Name: "discussion-compute",
				Shows: "discussions: rounds, calls and tokens a question, and how many times the single agent's",
				Needs: needDiscussions}, Build: Computes},
		}}
}
