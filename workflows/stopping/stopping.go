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

// Trace is something in a transcript that stopping rules look at.
type Trace string

// Traces. A stopping rule can stop the protocols that leave all that it looks at.
const (
	Decisions Trace = "decisions"
	Proposals Trace = "proposals" // in rounds after a decision as well
	States    Trace = "states"
	// Confidences in answers, which agents were asked to state.
	Confidences Trace = "confidences"
)

// Never runs all rounds: paper 1's baseline @10.
type Never struct{}

// Stop returns false: all rounds are run.
func (Never) Stop(*transcript.Transcript, int) bool { return false }

// accepted reports whether a proposal was selected in the round. That a proposal
// stands from an earlier round is not enough; that it was selected again is.
func accepted(t *transcript.Transcript, round int) bool {
	for _, e := range t.Entries {
		if e.Round == round && e.Kind == transcript.Decide && e.Act.Decision != nil && e.Act.Decision.Selected >= 0 {
			return true
		}
	}
	return false
}
