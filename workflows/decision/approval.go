package decision

import (
	"math/big"
	"slices"

	"roundtable/workflows/transcript"
)

// ApprovalParams is empty: the most approvals win.
type ApprovalParams struct{}

type approval struct{}

// NewApproval selects the candidate that most agents approve of (Brams and
// Fishburn 1978; paper 2 §3.2, appendix C.1). A ballot is a set.
func NewApproval(ApprovalParams) (Rule, error) { return approval{}, nil }

func (approval) Ballot(n, _ int) transcript.BallotSpec {
	return transcript.BallotSpec{Kind: transcript.Approve, N: n}
}

func (approval) Value(b transcript.Ballot, candidate, _ int) *big.Rat {
	if b.Abstain || !slices.Contains(b.Order, candidate) {
		return new(big.Rat)
	}
	return newInteger(1)
}

func (a approval) Tally(p Profile) Result {
	return selectHighest(p, a.Value)
}

func (approval) Words() Words {
	return Words{
		Name: "approval voting",
		Explanation: "Each agent approves of as many candidates as it likes. The candidate that most agents approve " +
			"of is selected.",
		Ballot: "the list of the numbers of all candidates that you approve of. Example with three candidates: [1, 3]",
	}
}
