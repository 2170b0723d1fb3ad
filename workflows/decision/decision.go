// Package decision turns ballots into winners. Rules are pure and exact: no
// float decides a winner, every tied winner is returned, and a rule never
// breaks its own ties. One file holds one rule and the words that explain it
// to agents.
package decision

import (
	"math/big"

	"roundtable/workflows/transcript"
)

// Rule is a voting rule.
type Rule interface {
	// Ballot returns the form of a ballot over n candidates in an electorate of that many voters.
	Ballot(n, electorate int) transcript.BallotSpec
	// Value returns what ballot b gives to candidate, one of n: a vote (1 or 0), a rating, a
	// reciprocal rank or points. An abstention gives 0. It is only shown, in the column value of the
	// table ballots; a rule that does not count by sums, such as one that compares pairs, returns
	// what says most (points of a rank).
	Value(b transcript.Ballot, candidate, n int) *big.Rat
	// Tally counts the ballots, all of which must be valid in the form of Ballot.
	Tally(Profile) Result
	// Words returns the texts that explain the rule to agents.
	Words() Words
}

// Means says where the votes that a rule counts come from.
type Means string

// Values of Means.
const (
	ByBallots   Means = "ballots"   // every agent casts a ballot
	ByAgreement Means = "agreement" // who agrees with a draft during the talk votes for it
	ByAnswers   Means = "answers"   // an agent's answer is its vote
	ByJudge     Means = "judge"     // a judge who is not an agent casts the only ballot
)

// MeansOf returns the means of r: ByBallots, unless the rule has its own.
func MeansOf(r Rule) Means {
	if m, ok := r.(interface{ Means() Means }); ok {
		return m.Means()
	}
	return ByBallots
}

// Weighs reports whether r weights votes by the probability that the model gave them.
func Weighs(r Rule) bool {
	w, ok := r.(interface{ Weighs() bool })
	return ok && w.Weighs()
}

// Words are a rule's part of the prompts.
type Words struct {
	Name        string // as agents read it: "majority voting"
	Explanation string // how a winner is found, one or two sentences
	Ballot      string // what to write under "decision", with an example; the prompt itself says that null abstains
}

// Profile is the input of a count.
type Profile struct {
	Candidates int
	Electorate int // all who may vote, whether they did or not
	Round      int // round of the count, from 1; only hybrid consensus uses it
	// Ballots are one for each who was asked: abstentions and answers that could not be read, which
	// count as abstentions, included.
	Ballots []transcript.Ballot
}

// Result is the outcome of a count: ALL tied winners in ascending order; none if the threshold
// was not met or nobody supported anything.
type Result struct {
	Winners []int
	Scores  []*big.Rat // by candidate, exact, also without a winner; the greatest are the Winners'
}
