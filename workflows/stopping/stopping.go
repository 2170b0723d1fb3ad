// Package stopping decides when a collaboration ends before its last round. Rules are pure: they
// read the compact acts of a transcript, so the workflow and the analysis of finished
// collaborations ask the same rule.
package stopping

import "roundtable/workflows/transcript"

// Rule is a stopping rule; it is called at the end of each round.
type Rule interface {
	// Stop reports whether the round, counted from 1, is to be the last. Entries of later rounds, if
	// any, are ignored.
	Stop(t *transcript.Transcript, round int) bool
}

// Reader is a Rule whose parameters decide what it looks at.
type Reader interface {
	Rule
	Reads() []Trace
}

// Annotator is a Rule that needs annotations, entries besides those of the protocol: labels or
// distances of messages. They are made before Stop is called.
type Annotator interface {
	Rule
	// Annotations returns the annotations that Stop still needs at the end of a round, as steps; nil
	// if it can be called.
	Annotations(t *transcript.Transcript, round int) []transcript.Step
}

// Trace is something in a transcript that stopping rules look at.
type Trace string

// Values of Trace. A stopping rule fits a protocol whose transcripts have everything that it looks at.
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

// WithoutEnd returns a rule that never stops; if r is an Annotator, it asks for the same annotations.
func WithoutEnd(r Rule) Rule {
	if a, ok := r.(Annotator); ok {
		return endless{a}
	}
	return Never{}
}

type endless struct{ Annotator }

func (endless) Stop(*transcript.Transcript, int) bool { return false }
