// Package stopping says when a collaboration ends before its last round. Rules
// are pure: they read the compact acts of a transcript, so the workflow and
// the analysis of finished collaborations ask the same rule. One file holds
// one rule.
package stopping

import "roundtable/workflows/transcript"

// Rule is asked at the end of each round.
type Rule interface {
	// Stop says whether the round, counted from 1, is to be the last. Entries of
	// later rounds, if there are any, do not count.
	Stop(t *transcript.Transcript, round int) bool
}

// Reader is a Rule whose parameters decide what it looks at.
type Reader interface {
	Rule
	Reads() []Trace
}

// Annotator is a Rule that needs entries besides those that the protocol makes: labels
// or distances of messages. They are made before it is asked.
type Annotator interface {
	Rule
	// Annotations returns the steps that are missing at the end of a round; none if
	// the rule can be asked.
	Annotations(t *transcript.Transcript, round int) []transcript.Step
}

// Trace is something in a transcript that stopping rules look at.
type Trace string

// Traces. A stopping rule can stop the protocols that leave all that it looks at.
const (
	Decisions Trace = "decisions"
	Proposals Trace = "proposals" // in rounds after a decision as well
	States    Trace = "states"
	Messages  Trace = "messages" // of agents to each other, in rounds
	// Confidences in answers, which agents were asked to state.
	Confidences Trace = "confidences"
)

// Never runs all rounds: paper 1's baseline @10.
type Never struct{}

// Stop returns false: all rounds are run.
func (Never) Stop(*transcript.Transcript, int) bool { return false }

// WithoutEnd returns a rule that never stops and asks for the annotations of another.
func WithoutEnd(r Rule) Rule {
	if a, ok := r.(Annotator); ok {
		return endless{a}
	}
	return Never{}
}

type endless struct{ Annotator }

func (endless) Stop(*transcript.Transcript, int) bool { return false }
