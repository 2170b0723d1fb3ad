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
	// Ballot is the form of a ballot over n candidates in an electorate of that many voters.
	Ballot(n, electorate int) transcript.BallotSpec
	// Value is what one ballot gives one of n candidates: a vote (1 or 0), a
	// rating, a reciprocal rank or points. An abstention gives 0. It is the column
	// value of the table ballots, for people who read it; a rule whose count is no
	// sum, such as one that compares pairs, returns what says most (points of a
	// rank). Votes are counted again from the ballots themselves.
	Value(b transcript.Ballot, candidate, n int) *big.Rat
	// Tally counts. It takes only ballots that the form accepts.
	Tally(Profile) Result
	// Words explain the rule to agents.
	Words() Words
}

// Means is where the votes come from that a rule counts.
type Means string

// Means of a decision.
const (
	ByBallots   Means = "ballots"   // every agent casts one
	ByAgreement Means = "agreement" // who agrees with a draft during the talk votes for it
	ByAnswers   Means = "answers"   // an agent's answer is its vote
	ByJudge     Means = "judge"     // one ballot, of a judge who is not an agent
)

// MeansOf a rule: ballots, unless it says otherwise.
func MeansOf(r Rule) Means {
	if m, ok := r.(interface{ Means() Means }); ok {
		return m.Means()
	}
	return ByBallots
}

// Words are a rule's part of the prompts.
type Words struct {
	Name        string // as agents read it: "majority voting"
	Explanation string // how a winner is found, one or two sentences
	Ballot      string // what to write under "decision", with an example; that null abstains is the prompt's to say
}

// Profile is what is counted.
type Profile struct {
	Candidates int
	Electorate int // all who may vote, whether they did or not
	Round      int // in which it is counted, from 1; only hybrid consensus looks at it
	Ballots    []transcript.Ballot
}

// Result is ALL tied winners in ascending order; none if the threshold was not
// met or nobody supported anything.
type Result struct {
	Winners []int
	Scores  []*big.Rat // by candidate, exact: what Winners have the most of
}
