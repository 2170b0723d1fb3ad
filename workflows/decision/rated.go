package decision

import (
	"fmt"
	"math/big"

	"roundtable/workflows/transcript"
)

// RatedParams are the scale of a rating and what must be rated.
type RatedParams struct {
	Min     int  `json:"min"`     // 1; at least 0
	Max     int  `json:"max"`     // 5; at most 1000
	Partial bool `json:"partial"` // candidates may be left out and then get 0
}

// DefaultRated returns the paper's scale.
func DefaultRated() RatedParams { return RatedParams{Min: 1, Max: 5} }

type rated struct{ params RatedParams }

// NewRated selects the candidate with the greatest sum of ratings (paper 1 §3, appendix C). A
// scale cannot go below 0: abstaining gives 0 and must not be worth more than a rating.
func NewRated(p RatedParams) (Rule, error) {
	if p.Min < 0 || p.Max <= p.Min || p.Max > 1000 {
		return nil, fmt.Errorf("ratings from min %d to max %d are not a scale; expected 0 ≤ min < max ≤ 1000", p.Min, p.Max)
	}
	return rated{p}, nil
}

func (r rated) Ballot(n, _ int) transcript.BallotSpec {
	return transcript.BallotSpec{Kind: transcript.Rate, N: n, Min: r.params.Min, Max: r.params.Max,
		Partial: r.params.Partial}
}

func (rated) Value(b transcript.Ballot, candidate, _ int) *big.Rat { return pointsFor(b, candidate) }

func (r rated) Tally(p Profile) Result {
	return selectHighest(p, r.Value)
}

func (r rated) Words() Words {
	low, high := r.params.Min, r.params.Max
	who, which, example := "every candidate", "every candidate",
		fmt.Sprintf(`{"1": %d, "2": %d, "3": %d}`, low, high, (low+high)/2)
	if r.params.Partial {
		who, which, example = "as many candidates as it likes", "each candidate that you rate",
			fmt.Sprintf(`{"1": %d, "3": %d}`, low, high)
	}
	w := Words{
		Name: "rated voting",
		Explanation: fmt.Sprintf("Each agent rates %s with a whole number from %d (worst) to %d (best). "+
			"The candidate whose ratings add up to the most is selected.", who, low, high),
		Ballot: fmt.Sprintf("an object with the number of %s and your rating of it, from %d to %d. "+
			"Example with three candidates: %s", which, low, high, example),
	}
	if r.params.Partial {
		w.Explanation += " A candidate that an agent does not rate gets nothing from that agent."
	}
	return w
}
