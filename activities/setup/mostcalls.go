package setup

import (
	"fmt"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// MostCalls returns the most calls of one collaboration of a condition, re-asks
// not counted: everybody always proposes something new and nothing stops early.
func MostCalls(plugins catalogue.Catalogue, c plan.Condition, agents int) (int, error) {
	c.Stop = plan.Choice{Name: "never"}
	s, err := c.Session(plugins, agents, 0)
	if err != nil {
		return 0, err
	}
	calls := 0
	for s.Outcome() == nil {
		for _, p := range s.Pending() {
			if p.Kind == transcript.Ask {
				calls++
			}
			if err := s.Record(p.Entry, busiestAct(p)); err != nil {
				return 0, err
			}
		}
	}
	return calls, nil
}

func busiestAct(p protocol.Pending) transcript.Act {
	return transcript.Act{Status: transcript.Said, Key: fmt.Sprint(p.Entry), Ballot: &transcript.Ballot{Abstain: true}}
}
