package decision

// JudgeParams is empty.
type JudgeParams struct{}

type judge struct{ plurality }

// NewJudge selects what a judge chooses, who is not an agent and is the only voter. (The judge of
// the code of paper 2's authors writes a summary instead.)
func NewJudge(JudgeParams) (Rule, error) { return judge{}, nil }

// Means returns the judge's ballot.
func (judge) Means() Means { return ByJudge }

func (judge) Words() Words {
	return Words{
		Name:        "a judge's choice",
		Explanation: "A judge, who has taken no part, chooses one of the agents' solutions.",
		Ballot:      choiceWords,
	}
}
