package decision

import (
	"math/big"

	"roundtable/workflows/transcript"
)

// choice is the ballot of the rules under which an agent votes for one candidate.
type choice struct{}

const choiceWords = `the number of the one candidate that you vote for. Example: 2`

func (choice) Ballot(n, _ int) transcript.BallotSpec {
	return transcript.BallotSpec{Kind: transcript.Choose, N: n}
}

func (choice) Value(b transcript.Ballot, candidate, _ int) *big.Rat {
	if b.Abstain || b.Choice != candidate {
		return new(big.Rat)
	}
	return newInteger(1)
}
