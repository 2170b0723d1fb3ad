package protocol_test

import (
	"fmt"

	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// A session drives a protocol without a model: whatever is pending gets an act,
// until there is an outcome. Here two agents and the environment answer a Delphi.
func ExampleSession() {
	set := protocol.Setting{Agents: 2}
	delphi, err := protocol.NewDelphi(protocol.DefaultDelphi(), set)
	if err != nil {
		panic(err)
	}
	session := protocol.NewSession(delphi, set, stopping.Never{})
	for session.Outcome() == nil {
		for _, p := range session.Pending() {
			fmt.Printf("entry %d, round %d: %s\n", p.Entry, p.Round, p.Phase)
			if err := session.Record(p.Entry, transcript.Act{Status: transcript.Said, Key: "7"}); err != nil {
				panic(err)
			}
		}
	}
	fmt.Println(session.Outcome().Reason)
	// Output:
	// entry 0, round 1: estimate
	// entry 1, round 1: estimate
	// entry 2, round 1: feedback
	// entry 3, round 2: estimate
	// entry 4, round 2: estimate
	// entry 5, round 2: feedback
	// stable
}
