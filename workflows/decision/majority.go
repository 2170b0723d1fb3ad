package decision

// MajorityParams is empty: the threshold is more than half.
type MajorityParams struct{}

type majority struct{ choice }

// NewMajority selects the candidate that strictly more than half of the
// electorate votes for, so abstentions count against everything (paper 1 §3,
// appendix C).
func NewMajority(MajorityParams) (Rule, error) { return majority{}, nil }

func (m majority) Tally(p Profile) Result {
	scores := totalScores(p, m.Value)
	return Result{Winners: scoredAtLeast(scores, newInteger(p.Electorate/2+1)), Scores: scores}
}

func (majority) Words() Words {
	return Words{
		Name: "majority voting",
		Explanation: "A candidate is selected if more than half of all agents vote for it; agents who abstain count " +
			"towards the total. Otherwise no candidate is selected.",
		Ballot: choiceWords,
	}
}
