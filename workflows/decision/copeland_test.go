package decision_test

import (
	"slices"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/ruletest"
	"roundtable/workflows/transcript"
)

func copeland(partial bool) decision.Rule {
	return made(decision.NewCopeland(decision.CopelandParams{Partial: partial}))
}

func TestCopeland(t *testing.T) {
	for name, rule := range map[string]decision.Rule{"all ranked": copeland(false), "partial": copeland(true)} {
		t.Run(name, func(t *testing.T) { ruletest.Run(t, rule, ruletest.Options{}) })
	}
}

// Tennessee is the published example with a Condorcet winner (Wikipedia,
// "Copeland's method": 3, 2, 1 and 0 wins); Borda's electors are those of 1784,
// whose pairs he counts himself: B beats A by 13 to 8, C beats A by 13 to 8 and B
// by 13 to 8. The others are counted by hand.
func TestCopelandExamples(t *testing.T) {
	for name, x := range map[string]struct {
		rule    decision.Rule
		n       int
		ballots [][]transcript.Ballot
		scores  []string
		winners []int
	}{
		"Tennessee": {copeland(false), 4, tennessee(
			order(memphis, nashville, chattanooga, knoxville),
			order(nashville, chattanooga, knoxville, memphis),
			order(chattanooga, knoxville, nashville, memphis),
			order(knoxville, chattanooga, nashville, memphis),
		), []string{"0", "3", "2", "1"}, []int{nashville}},
		"Borda: C beats both": {copeland(false), 3,
			[][]transcript.Ballot{of(1, order(0, 1, 2)), of(7, order(0, 2, 1)), of(7, order(1, 2, 0)), of(6, order(2, 1, 0))},
			[]string{"0", "1", "2"}, []int{2}},
		"Condorcet cycle": {copeland(false), 3, [][]transcript.Ballot{{order(0, 1, 2), order(1, 2, 0), order(2, 0, 1)}}, []string{"1", "1", "1"}, []int{0, 1, 2}},
		// 41:59, 71:29, 61:39 and 71:0 for A; 30:60, 30:70, 59:41 for B; 60:10, 29:71 for C; 39:61 for D
		"who is left out comes last": {copeland(true), 5,
			[][]transcript.Ballot{of(31, order(0, 4, 2, 3, 1)), of(30, order(1, 0, 4)), of(29, order(2, 3, 1)), of(10, order(3, 0, 4))},
			[]string{"3", "2", "2", "1", "2"}, []int{0}},
		"an even duel":              {copeland(false), 3, [][]transcript.Ballot{{order(0, 1, 2), order(1, 0, 2), abstain}}, []string{"3/2", "3/2", "0"}, []int{0, 1}},
		"one candidate alone":       {copeland(false), 1, [][]transcript.Ballot{{order(0)}}, []string{"0"}, []int{0}},
		"nobody ranks anything":     {copeland(true), 2, [][]transcript.Ballot{of(2, order())}, []string{"1/2", "1/2"}, nil},
		"nobody votes, all abstain": {copeland(false), 2, [][]transcript.Ballot{of(2, abstain)}, []string{"1/2", "1/2"}, nil},
	} {
		ballots := slices.Concat(x.ballots...)
		checkBallots(t, name, x.rule, x.n, ballots)
		got := x.rule.Tally(decision.Profile{Candidates: x.n, Electorate: len(ballots), Ballots: ballots})
		var scores []string
		for _, s := range got.Scores {
			scores = append(scores, s.RatString())
		}
		if !slices.Equal(scores, x.scores) || !slices.Equal(got.Winners, x.winners) {
			t.Errorf("%s: %v, winners %v; want %v, %v", name, scores, got.Winners, x.scores, x.winners)
		}
	}
}
