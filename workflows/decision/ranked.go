package decision

import (
	"math/big"

	"roundtable/workflows/transcript"
)

// RankedParams say what must be ranked.
type RankedParams struct {
	Partial bool `json:"partial"` // a ranking may stop early; the rest get 0
}

type ranked struct{ ranking }

// NewRanked gives 1, 1/2, 1/3, … points to the first, second, third, … of each
// ranking and selects the candidate with the most (paper 1 §3, appendix C;
// the Dowdall count of Nauru's Electoral Act, section 26A).
func NewRanked(p RankedParams) (Rule, error) { return ranked{ranking{p.Partial}}, nil }

func (r ranked) Value(b transcript.Ballot, candidate, _ int) *big.Rat {
	return r.pointsOf(b, candidate, func(place int) *big.Rat { return big.NewRat(1, int64(place)+1) })
}

func (r ranked) Tally(p Profile) Result {
	return selectHighest(p, r.Value)
}

func (r ranked) Words() Words {
	w := Words{
		Name: "ranked voting",
		Explanation: "Each agent puts the candidates in order of preference, best first; the first of a ranking gets 1 point, " +
			"the second 1/2, the third 1/3, and so on. The candidate with the most points in all is selected.",
		Ballot: r.describeForm(),
	}
	if r.partial {
		w.Explanation += " Candidates that an agent leaves out get no points from that agent."
	}
	return w
}
