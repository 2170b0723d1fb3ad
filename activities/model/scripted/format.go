package scripted

import (
	"roundtable/activities/model"
	"roundtable/workflows/transcript"
)

// format is how the agent fills in answers of one form, and how they can be malformed.
type format struct {
	fill  func(a agent, d draws, s model.Scene) ([]byte, error)
	spoil spoiler // breaks the format for certain
}

var formats = map[transcript.Format]format{
	transcript.FormatText:   {fill: agent.writeText, spoil: sayNothing},
	transcript.FormatReply:  {fill: agent.writeReply, spoil: sayNothing},
	transcript.FormatAnswer: {fill: agent.writeSolution, spoil: sayProse},
	transcript.FormatMessage: {fill: agent.writeMessage, spoil: spoilOneWay(
		sayInstead(`{"target":7,"message":["hello"]}`),
		sayInstead(`{"target":["Nobody of that name"],"message":"What do you think?"}`),
		sayInstead(`{"target":[]}`))}, // it has no amounts, and lacks its text instead
	transcript.FormatProposal: {fill: agent.writeProposal, spoil: spoilOneWay(
		sayInstead(`{"reason_for_decision":"It is fair.","proposal":true}`),
		sayInstead(`{"reason_for_decision":"It is fair.","proposal":{"Nobody of that name":{"nothing":1}}}`),
		negativeProposal)},
	transcript.FormatBallot:   {fill: agent.writeBallot, spoil: spoilBallot},
	transcript.FormatEstimate: {fill: agent.writeEstimate, spoil: spoilBallot}, // no estimate has such names
	transcript.FormatPersona:  {fill: agent.writePersona, spoil: spoilBallot},
}

var spoilBallot = spoilOneWay(sayInstead(`{"reason_for_decision":"It is fair.","decision":true}`), unknownCandidate,
	negativeBallot)

func (a agent) writeText(d draws, s model.Scene) ([]byte, error) {
	return []byte(a.policyMessage(d, s).Text), nil
}

func (a agent) writeMessage(d draws, s model.Scene) ([]byte, error) {
	return messageJSON(a.policyMessage(d, s), s.Situation.Agents)
}
