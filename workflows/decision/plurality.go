package decision

// PluralityParams is empty.
type PluralityParams struct{}

type plurality struct{ choice }

// NewPlurality selects the candidate with the most votes, however few they are
// (paper 1 §3, appendix C).
func NewPlurality(PluralityParams) (Rule, error) { return plurality{}, nil }

func (r plurality) Tally(p Profile) Result {
	return selectHighest(p, r.Value)
}

func (plurality) Words() Words {
	return Words{
		Name:        "plurality voting",
		Explanation: "The candidate with more votes than any other is selected; it need not be a majority.",
		Ballot:      choiceWords,
	}
}
