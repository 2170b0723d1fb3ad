// Package protocol says who acts when and who sees what. A Protocol is a pure
// function from a Transcript to the steps that can be taken now; one file
// holds one protocol. The same protocols run in the workflow, in activities
// (to know what an agent may see) and in verification.
package protocol

import (
	"embed"

	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// Prompts holds one folder of templates a protocol: system.tmpl, one for each
// phase, and parts that these include. activities/prompt says what data they get.
//
//go:embed prompts
var Prompts embed.FS

// Protocol is built with its parameters and a Setting; it is pure.
type Protocol interface {
	// Next is the steps that can be taken now, which are independent of each
	// other, or the end. It must not change the transcript.
	Next(t *transcript.Transcript) Plan
	// Rounds is the greatest number of rounds there can be.
	Rounds() int
	// Traits are what it needs and promises. Of a protocol that was not built, they
	// are those that its parameters do not change.
	Traits() Traits
}

// Setting is what every protocol is built with besides its own parameters.
type Setting struct {
	Agents int
	Rule   decision.Rule
	// Seats say who the agents are, by agent; nothing if the campaign says nothing.
	Seats []seats.Seat
	// Reasoning is how it asks; the zero value is in its own words.
	Reasoning Reasoning
	// Hears is whom agents hear at all; the zero value is whom the protocol lets them hear.
	Hears Hearing
	// Seed of the collaboration's treatment: orders that belong to the protocol.
	Seed uint64
}

// Plan is exactly one of the two.
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
