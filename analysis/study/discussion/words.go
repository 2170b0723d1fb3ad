package discussion

import (
	"strings"

	"roundtable/analysis/study/debate"
)

// Protocol is the name of the protocol of discussions.
const Protocol = "discussion"

// What the protocol calls its speakers, phases and ends.
const (
	personaRole    = "personas"
	talkPhase      = "talk"
	challengePhase = "challenge"
	newAnswerPhase = "new_answer" // of who has challenged, where that is a call of its own
	byConsensus    = "consensus"
	byVote         = "vote"
)

// Kinds of decision rules in paper 2.
const (
	kindVoting    = "voting"
	kindConsensus = "consensus"
)

// kindOf a rule, by its name.
func kindOf(rule string) string {
	switch {
	case strings.HasSuffix(rule, "_consensus"):
		return kindConsensus
	case rule == "judge" || rule == "solution_counting":
		return ""
	}
	return kindVoting
}

// isAlone says that a condition is one agent's single answer.
func isAlone(settings map[string]string) bool {
	return settings["protocol"] == debate.Protocol && settings["protocol.agents"] == "1" &&
		settings["protocol.rounds"] == "0"
}

// isUnprompted says that a single agent was not asked to think step by step.
func isUnprompted(settings map[string]string) bool {
	return settings["protocol.chain_of_thought"] == "false"
}

// Values of by in ScalingLines: what discussions are scaled by.
const (
	ByRounds = "rounds before the vote"
	ByAgents = "agents"
)

// scalingAxes of scaling.
func scalingAxes() []axis {
	return []axis{
		{ByRounds, []string{"protocol.vote_from", "protocol.rounds"}},
		{ByAgents, []string{"env.agents"}},
	}
}
