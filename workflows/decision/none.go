package decision

import (
	"math/big"

	"roundtable/workflows/transcript"
)

// None stands in for a rule where a protocol decides without one: it asks for
// no ballot and selects nothing.
type None struct{}

// Ballot returns the zero form.
func (None) Ballot(int, int) transcript.BallotSpec { return transcript.BallotSpec{} }

// Value returns 0.
func (None) Value(transcript.Ballot, int, int) *big.Rat { return new(big.Rat) }

// Tally selects nothing.
func (None) Tally(p Profile) Result {
	r := Result{Scores: make([]*big.Rat, p.Candidates)}
	for c := range r.Scores {
		r.Scores[c] = new(big.Rat)
	}
	return r
}

// Words returns no words: no agent is asked to vote.
func (None) Words() Words { return Words{} }
