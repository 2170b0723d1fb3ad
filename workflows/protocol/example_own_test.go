package protocol_test

import (
	"fmt"

	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// relay is a protocol of one's own: each agent in turn improves the proposal of the one
// before it, which is all that it sees; the last proposal stands.
type relay struct{ agents int }

func (r relay) Next(t *transcript.Transcript) protocol.Plan {
	n := len(t.Entries)
	if n == r.agents {
		return protocol.Plan{End: &protocol.Outcome{Standing: n - 1, Reason: "rounds", Round: n}}
	}
	step := transcript.Step{
		Kind: transcript.Ask, Speaker: transcript.Speaker{Index: n}, Round: n + 1, Phase: "improve",
		Audience: transcript.Everybody, Payload: transcript.Payload{Format: transcript.FormatText},
	}
	if n > 0 {
		step.Sees = []transcript.Range{{From: n - 1, To: n}}
	}
	return protocol.Plan{Steps: []transcript.Step{step}}
}

func (r relay) Rounds() int             { return r.agents }
func (r relay) Traits() protocol.Traits { return protocol.Traits{Ruleless: true} }

// A session runs it; activities/prompt/protocoltest checks one of one's own.
func ExampleProtocol() {
	session := protocol.NewSession(relay{agents: 3}, protocol.Setting{Agents: 3}, stopping.Never{})
	for session.Outcome() == nil {
		for _, p := range session.Pending() {
			fmt.Println("agent", p.Speaker.Index, "sees", p.Sees)
			if err := session.Record(p.Entry, transcript.Act{Status: transcript.Said, Key: "better"}); err != nil {
				panic(err)
			}
		}
	}
	fmt.Println("entry", session.Outcome().Standing, "stands")
	// Output:
	// agent 0 sees []
	// agent 1 sees [{0 1}]
	// agent 2 sees [{1 2}]
	// entry 2 stands
}
