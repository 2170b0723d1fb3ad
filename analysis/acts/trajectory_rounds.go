package acts

import (
	"fmt"

	"roundtable/workflows/stopping"
)

// Message is what one message of an agent does, as acts.
type Message struct {
	Round int // from 1
	Agent int // from 0
	Acts  Set
}

// Label sets the acts of all rounds from these messages. An agent without a message in a round has
// the empty set; several messages in one round count as one.
func (t *Trajectory) Label(messages []Message) error {
	for _, m := range messages {
		if m.Round < 1 || m.Round > len(t.Rounds) || m.Agent < 0 || m.Agent >= t.Agents {
			return fmt.Errorf("collaboration %s has no agent %d in a round %d; it has %d agents and %d rounds", t.ID,
				m.Agent, m.Round, t.Agents, len(t.Rounds))
		}
	}
	for i := range t.Rounds {
		t.Rounds[i].Acts = make([]Set, t.Agents)
	}
	for _, m := range messages {
		t.Rounds[m.Round-1].Acts[m.Agent] |= m.Acts
	}
	return nil
}

// Pair is an ordered pair of acts, one of the round before and one of the round
// that another agent answers with: 11 × the index of the first + that of the second.
type Pair = stopping.Pair

// PairCount is the number of pairs; Others is one of the acts.
const PairCount = stopping.PairCount

// Counts is how often each pair occurs in a round.
type Counts [PairCount]uint16

// Pairs returns how often each pair occurs in a round from 2 on, as stopping.Times counts; false if
// that round or the one before is not labelled.
func (t Trajectory) Pairs(round int) (Counts, bool) {
	var counts Counts
	if round < 2 || round > len(t.Rounds) {
		return counts, false
	}
	before, now := t.Rounds[round-2].Acts, t.Rounds[round-1].Acts
	if before == nil || now == nil {
		return counts, false
	}
	for p := range PairCount {
		counts[p] = uint16(stopping.Times(before, now, p))
	}
	return counts, true
}

// Seen returns what a stopping rule sees of each round.
func (t Trajectory) Seen() []stopping.Round {
	rounds := make([]stopping.Round, len(t.Rounds))
	for i, r := range t.Rounds {
		rounds[i] = stopping.Round{Agreed: r.Agreed, Proposals: r.Proposals, Acts: r.Acts, Agreement: r.Agreement,
			Distance: r.Distance}
	}
	return rounds
}
