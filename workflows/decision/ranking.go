package decision

import (
	"math/big"
	"slices"

	"roundtable/workflows/transcript"
)

// ranking is the part of the rules under which every agent puts candidates in order.
type ranking struct{ partial bool } // one may stop early

func (r ranking) Ballot(n, _ int) transcript.BallotSpec {
	return transcript.BallotSpec{Kind: transcript.Rank, N: n, Partial: r.partial}
}

// pointsOf gives the points of a candidate's place, from 0; who is left out gets none.
func (ranking) pointsOf(b transcript.Ballot, candidate int, points func(place int) *big.Rat) *big.Rat {
	place := slices.Index(b.Order, candidate)
	if b.Abstain || place < 0 {
		return new(big.Rat)
	}
	return points(place)
}

func (r ranking) describeForm() string {
	if r.partial {
		return "the list of the numbers of the candidates that you wish to rank from best to worst. Example with " +
			"three candidates: [2, 3]"
	}
	return "the list of all candidates' numbers from best to worst. Example with three candidates: [2, 3, 1]"
}
