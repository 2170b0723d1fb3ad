package protocol

import (
	"roundtable/envs"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Traits are what a protocol needs and promises. The zero value is that of one
// in which all agents take part and vote by a decision rule, ties are kept, and
// stopping rules find nothing to look at.
type Traits struct {
	// Members is the number of agents that take part, the first ones; 0 is all.
	Members int
	// Roles are its speakers that are not agents, such as a summarizer.
	Roles []string
	// Ruleless protocols decide without a decision rule, so a campaign names none.
	Ruleless bool
	// World protocols need an environment whose agents have states that move (envs.World).
	World bool
	// Estimates protocols ask what agents believe of a state (envs.Estimating).
	Estimates bool
	// Cues are those that it asks the environment in every collaboration. An environment that cannot
	// answer them is refused before any call.
	Cues []envs.Cue
	// Leaves lists what stopping rules find in the transcript; nil if the protocol ends by itself.
	Leaves []stopping.Trace
	// Tools are those that its agents can have.
	Tools []string
	// AtEnd says that it decides once, after its last round.
	AtEnd bool
	// AskedVote makes those who were asked for a ballot the electorate of a
	// decision, not all agents.
	AskedVote bool
	// Chat makes an agent's own earlier answers its turns in a chat.
	Chat bool
	// Reasons says that the other agents read reasons of proposals and ballots.
	Reasons bool
	// Strangers says that it can show agents the answers of strangers (HearsStrangers).
	Strangers bool
	// NoStrangers says why it cannot, as a clause.
	NoStrangers string
	// Authored are the agents whose personas a model writes, in the order in which
	// they are written.
	Authored []int
	// Persona returns the persona that the campaign gives an agent; false if it gives none. A neutral
	// persona has no role. nil means no agent has one.
	Persona func(agent int) (Persona, bool)
	// Ties returns what the count in a phase of a round does with several winners; nil means
	// TiesKeep.
	Ties func(round int, phase string) transcript.TieBreak
	// Standing returns the entry that stands without a vote, -1 if none; nil means the last vote.
	Standing func(*transcript.Transcript) int
}

// aboutThisInstance is why there are no strangers where what agents tell each other belongs together with what they
// propose and vote on.
const aboutThisInstance = "messages go there with proposals that the group votes on, and a stranger's are about " +
	"another instance"

// TieBreak returns what the count in a phase of a round does with several winners: see Ties.
func (t Traits) TieBreak(round int, phase string) transcript.TieBreak {
	if t.Ties == nil {
		return transcript.TiesKeep
	}
	return t.Ties(round, phase)
}

// breakAlways breaks all ties in one way.
func breakAlways(ties transcript.TieBreak) func(int, string) transcript.TieBreak {
	return func(int, string) transcript.TieBreak { return ties }
}
