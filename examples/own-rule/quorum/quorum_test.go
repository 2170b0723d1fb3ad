package quorum_test

import (
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/ruletest"
	"roundtable/workflows/transcript"

	"example.com/own-rule/quorum"
)

func TestQuorum(t *testing.T) {
	rule, err := quorum.New(quorum.Params{Percent: 60})
	if err != nil {
		t.Fatal(err)
	}
	ruletest.Run(t, rule, ruletest.Options{})
	for abstain, winners := range map[int]int{0: 1, 2: 1, 3: 0} {
		ballots := make([]transcript.Ballot, 5)
		for i := range abstain {
			ballots[i].Abstain = true
		}
		got := rule.Tally(decision.Profile{Candidates: 2, Electorate: 5, Ballots: ballots})
		if len(got.Winners) != winners {
			t.Errorf("%d of 5 abstain: winners %v, want %d", abstain, got.Winners, winners)
		}
	}
	if _, err := quorum.New(quorum.Params{}); err == nil {
		t.Error("a quorum of nobody is accepted")
	}
}
