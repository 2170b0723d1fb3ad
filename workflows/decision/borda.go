package decision

import (
	"fmt"
	"math/big"

	"roundtable/workflows/transcript"
)

// BordaParams say which places count and what must be ranked.
type BordaParams struct {
	// Top is how many places of a ranking count; 0 is all. The code of paper 2's
	// authors counts five.
	Top     int  `json:"top"`
	Partial bool `json:"partial"` // a ranking may stop early
}

// DefaultBorda5 returns the parameters of the code of paper 2's authors: five places count, and a ranking may
// stop early.
func DefaultBorda5() BordaParams { return BordaParams{Top: 5, Partial: true} }

type borda struct {
	ranking
	top int
}

// NewBorda selects the candidate with the best sum of ranks (paper 2, appendix
// C.1; Borda 1781). Of n candidates the first of a ranking gets n points, the
// second n-1, and so on, which orders candidates as the sum of their places
// does, the least being best; who is left out gets 0, as if it stood on place
// n+1. With Top the first gets min(n, Top), so that places beyond it get 0.
func NewBorda(p BordaParams) (Rule, error) {
	if p.Top < 0 {
		return nil, fmt.Errorf("top is %d; expected 0, which counts all places, and more", p.Top)
	}
	return borda{ranking{p.Partial}, p.Top}, nil
}

func (r borda) Value(b transcript.Ballot, candidate, n int) *big.Rat {
	if r.top > 0 {
		n = min(n, r.top)
	}
	return r.pointsOf(b, candidate, func(place int) *big.Rat { return newInteger(max(0, n-place)) })
}

func (r borda) Tally(p Profile) Result {
	return selectHighest(p, r.Value)
}

func (r borda) Words() Words {
	w := Words{
		Name: "ranked voting",
		Explanation: "Each agent puts the candidates in order of preference, best first. The places that a candidate " +
			"has in all rankings are added up; " +
			"the candidate with the lowest sum is selected.",
		Ballot: r.describeForm(),
	}
	if r.partial {
		w.Explanation += " Candidates that an agent leaves out come after all others."
	}
	if r.top > 0 {
		w.Explanation += fmt.Sprintf(" Only the first %d places of a ranking count.", r.top)
	}
	return w
}
