package decision

import (
	"math"
	"math/big"

	"roundtable/workflows/transcript"
)

// WeightedParams is empty.
type WeightedParams struct{}

type weighted struct{ choice }

// NewWeighted selects the candidate with the greatest sum of weights. The weight of a vote is the
// geometric mean of the probabilities of the tokens of its answer: exp of the mean log-probability
// (the "normalized weighted sum" of Wang et al. 2023, arXiv 2203.11171 §3.1; the length-normalized
// confidence of CISC, arXiv 2502.06233, without its softmax). A vote of unknown weight does not
// count.
func NewWeighted(WeightedParams) (Rule, error) { return weighted{}, nil }

// millionths are in a weight of 1.
const millionths = 1_000_000

// WeightOf returns exp(meanLogprob) in millionths, from 1 to 1,000,000: the only place where a
// float becomes a weight that is counted exactly.
func WeightOf(meanLogprob float64) int {
	return min(max(int(math.Round(math.Exp(meanLogprob)*millionths)), 1), millionths)
}

// Weighs is true.
func (weighted) Weighs() bool { return true }

func (w weighted) Value(b transcript.Ballot, candidate, n int) *big.Rat {
	return new(big.Rat).Mul(w.choice.Value(b, candidate, n), big.NewRat(int64(b.Weight), millionths))
}

func (w weighted) Tally(p Profile) Result {
	return selectHighest(p, w.Value)
}

func (weighted) Words() Words {
	return Words{
		Name: "weighted voting",
		Explanation: "Each vote has a weight between 0 and 1, which is greater the surer its agent was of the words " +
			"of its answer. The candidate with the greatest sum of weights is selected.",
		Ballot: choiceWords,
	}
}
