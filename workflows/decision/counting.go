package decision

// CountingParams is empty.
type CountingParams struct{}

type counting struct{ plurality }

// NewCounting selects the answer that most agents give; nobody is asked for a
// ballot (paper 2, appendix D).
func NewCounting(CountingParams) (Rule, error) { return counting{}, nil }

// Means returns the answers themselves.
func (counting) Means() Means { return ByAnswers }

func (counting) Words() Words {
	return Words{
		Name:        "solution counting",
		Explanation: "The answer that more agents give than any other is selected.",
		Ballot:      choiceWords,
	}
}
