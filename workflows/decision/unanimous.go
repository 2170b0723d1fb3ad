package decision

// UnanimousParams is empty: the threshold is everybody.
type UnanimousParams struct{}

type unanimous struct{ choice }

// NewUnanimous selects the candidate that the whole electorate votes for; one
// abstention prevents it (paper 1 §3, appendix C).
func NewUnanimous(UnanimousParams) (Rule, error) { return unanimous{}, nil }

func (u unanimous) Tally(p Profile) Result {
	scores := totalScores(p, u.Value)
	return Result{Winners: scoredAtLeast(scores, newInteger(p.Electorate)), Scores: scores}
}

func (unanimous) Words() Words {
	return Words{
		Name:        "unanimous voting",
		Explanation: "A candidate is selected only if every single agent votes for it. Otherwise no candidate is selected.",
		Ballot:      choiceWords,
	}
}
