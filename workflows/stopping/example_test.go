package stopping_test

import (
	"fmt"

	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// votesAgree is a rule of one's own: it ends the talk after the first round in which all
// who vote choose the same candidate.
type votesAgree struct{}

func (votesAgree) Stop(t *transcript.Transcript, round int) bool {
	chosen := map[int]bool{}
	for _, e := range t.Entries {
		if e.Round == round && e.Act.Ballot != nil && !e.Act.Ballot.Abstain {
			chosen[e.Act.Ballot.Choice] = true
		}
	}
	return len(chosen) == 1
}

func ExampleRule() {
	vote := func(round, candidate int) transcript.Entry {
		return transcript.Entry{Step: transcript.Step{Round: round}, Act: transcript.Act{Ballot: &transcript.Ballot{Choice: candidate}}}
	}
	talk := &transcript.Transcript{Entries: []transcript.Entry{vote(1, 0), vote(1, 1), vote(2, 1), vote(2, 1)}}
	var rule stopping.Rule = votesAgree{}
	for round := 1; round <= 2; round++ {
		fmt.Println("ends after round", round, rule.Stop(talk, round))
	}
	// Output:
	// ends after round 1 false
	// ends after round 2 true
}
