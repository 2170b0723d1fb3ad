// Package protocol says who acts when and who sees what. A Protocol is a pure function from a
// Transcript to the steps that can be taken now. The same protocols run in the workflow, in
// activities (to know what an agent may see) and in verification.
package protocol

import (
	"embed"

	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// Prompts holds one folder of templates per protocol: system.tmpl, one for each phase, and parts
// that these include. Package activities/prompt describes their data.
//
//go:embed prompts
var Prompts embed.FS

// Protocol is built with its parameters and a Setting; it is pure.
type Protocol interface {
	// Next returns the steps that can be taken now, which are independent of each other, or the end.
	// It must not change t.
	Next(t *transcript.Transcript) Plan
	// Rounds returns the greatest possible number of rounds.
	Rounds() int
	// Traits returns what it needs and promises. The zero value of its type returns the traits that
	// parameters do not change.
	Traits() Traits
}

// Setting is what every protocol is built with besides its own parameters.
type Setting struct {
	Agents int
	Rule   decision.Rule
	// Seats say who the agents are, by index; nil if the campaign does not describe them.
	Seats []seats.Seat
	// Reasoning is how it asks; the zero value means in the protocol's own words.
	Reasoning Reasoning
	// Hears restricts whom agents hear; the zero value means as the protocol says.
	Hears Hearing
	// Seed is that of the treatment, for the protocol's random draws.
	Seed uint64
}

// Plan is either the next steps or the end; exactly one field is set.
type Plan struct {
	Steps []transcript.Step
	End   *Outcome
}

// Outcome is how a collaboration ended.
type Outcome struct {
	// Standing is the entry whose proposal is the final decision; -1 if there is none.
	Standing int
	// Reason is why it ended: "rounds", "stopped" (a stopping rule), or a word of the protocol's own.
	Reason string
	// Round is the last round.
	Round int
}
