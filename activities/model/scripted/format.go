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
	transcript.FormatText:   {fill: agent.text, spoil: empty},
	transcript.FormatReply:  {fill: agent.reply, spoil: empty},
	transcript.FormatAnswer: {fill: agent.solution, spoil: prose},
	transcript.FormatMessage: {fill: agent.message, spoil: spoilOneWay(
		say(`{"target":7,"message":["hello"]}`),
		say(`{"target":["Nobody of that name"],"message":"What do you think?"}`),
		say(`{"target":[]}`))}, // it has no amounts, and lacks its text instead
	transcript.FormatProposal: {fill: agent.proposal, spoil: spoilOneWay(
		say(`{"reason_for_decision":"It is fair.","proposal":true}`),
		say(`{"reason_for_decision":"It is fair.","proposal":{"Nobody of that name":{"nothing":1}}}`),
		negativeProposal)},
	transcript.FormatBallot:   {fill: agent.ballot, spoil: spoilBallot},
	transcript.FormatEstimate: {fill: agent.estimate, spoil: spoilBallot}, // no estimate has such names
	transcript.FormatPersona:  {fill: agent.persona, spoil: spoilBallot},
}

var spoilBallot = spoilOneWay(say(`{"reason_for_decision":"It is fair.","decision":true}`), unknownCandidate, negativeBallot)

func (a agent) text(d draws, s model.Scene) ([]byte, error) {
	return []byte(a.words(d, s).Text), nil
}

func (a agent) message(d draws, s model.Scene) ([]byte, error) {
	return message(a.words(d, s), s.Situation.Agents)
}
