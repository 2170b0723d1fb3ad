package decision

import (
	"math/big"

	"roundtable/workflows/transcript"
)

// totalScores returns what all ballots together give each candidate.
func totalScores(p Profile, value func(b transcript.Ballot, candidate, n int) *big.Rat) []*big.Rat {
	scores := make([]*big.Rat, p.Candidates)
	for c := range scores {
		scores[c] = new(big.Rat)
		for _, b := range p.Ballots {
			scores[c].Add(scores[c], value(b, c, p.Candidates))
		}
	}
	return scores
}

// selectHighest counts p by value and selects all candidates with the greatest sum, if that is positive.
func selectHighest(p Profile, value func(b transcript.Ballot, candidate, n int) *big.Rat) Result {
	scores := totalScores(p, value)
	return Result{Winners: highestScored(scores), Scores: scores}
}

// highestScored returns all candidates with the greatest score, if that is positive.
func highestScored(scores []*big.Rat) []int {
	top := new(big.Rat)
	for _, s := range scores {
		if s.Cmp(top) > 0 {
			top = s
		}
	}
	return scoredAtLeast(scores, top)
}

// scoredAtLeast returns all candidates with a positive score of at least least.
func scoredAtLeast(scores []*big.Rat, least *big.Rat) []int {
	var winners []int
	for c, s := range scores {
		if s.Sign() > 0 && s.Cmp(least) >= 0 {
			winners = append(winners, c)
		}
	}
	return winners
}

// pointsFor returns the number that a ballot writes next to a candidate; one left out gets 0.
func pointsFor(b transcript.Ballot, candidate int) *big.Rat {
	if b.Abstain || b.Points[candidate] < 0 {
		return new(big.Rat)
	}
	return newInteger(b.Points[candidate])
}

func newInteger(n int) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }
