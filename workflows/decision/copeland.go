package decision

import (
	"math/big"
	"slices"

	"roundtable/workflows/transcript"
)

// CopelandParams say what must be ranked.
type CopelandParams struct {
	Partial bool `json:"partial"` // a ranking may stop early
}

type copeland struct{ ranking }

// NewCopeland compares candidates pair by pair: the one that more agents prefer gets 1 point, in
// a tie both get 1/2, and the most points win (Copeland 1951, "A reasonable social welfare
// function"). So a candidate that beats every other, a Condorcet winner, is selected alone.
// Candidates that a ranking leaves out are tied after all others.
func NewCopeland(p CopelandParams) (Rule, error) { return copeland{ranking{p.Partial}}, nil }

// Value returns the points of a rank, n for the first: what the count compares
// are pairs, which no value of one candidate can hold.
func (r copeland) Value(b transcript.Ballot, candidate, n int) *big.Rat {
	return r.pointsOf(b, candidate, func(place int) *big.Rat { return newInteger(n - place) })
}

func (copeland) Tally(p Profile) Result {
	r := Result{Scores: make([]*big.Rat, p.Candidates)}
	for c := range r.Scores {
		r.Scores[c] = new(big.Rat)
		for other := range p.Candidates {
			if other != c {
				r.Scores[c].Add(r.Scores[c], big.NewRat(int64(1+comparePair(p.Ballots, c, other)), 2))
			}
		}
	}
	if !slices.ContainsFunc(p.Ballots, func(b transcript.Ballot) bool { return !b.Abstain && len(b.Order) > 0 }) {
		return r // all duels are even, and nobody supports anything
	}
	top := slices.MaxFunc(r.Scores, (*big.Rat).Cmp)
	for c, s := range r.Scores {
		if s.Cmp(top) == 0 {
			r.Winners = append(r.Winners, c)
		}
	}
	return r
}

// comparePair returns 1 if more ballots prefer one candidate to the other, -1 if fewer
// do, and 0 if they are as many.
func comparePair(ballots []transcript.Ballot, one, other int) int {
	margin := 0
	for _, b := range ballots {
		if b.Abstain {
			continue
		}
		a, z := slices.Index(b.Order, one), slices.Index(b.Order, other)
		if a >= 0 && (z < 0 || a < z) {
			margin++
		} else if z >= 0 {
			margin--
		}
	}
	return max(-1, min(1, margin))
}

func (r copeland) Words() Words {
	w := Words{
		Name: "Copeland voting",
		Explanation: "Each agent puts the candidates in order of preference, best first. Every pair of candidates is compared: " +
			"the candidate that more agents rank above the other gets 1 point, and each gets 1/2 if the numbers are " +
			"equal. The candidate with the most points is selected.",
		Ballot: r.describeForm(),
	}
	if r.partial {
		w.Explanation += " Candidates that an agent leaves out come after all others."
	}
	return w
}
