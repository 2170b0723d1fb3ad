package recount

import (
	"math/rand/v2"
	"testing"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// TestRulesDisagree: one profile of nine voters on which plurality selects the candidate
// that loses every pair (Borda's paradox of 1781, here 4 A>B>C, 3 B>C>A, 2 C>B>A).
func TestRulesDisagree(t *testing.T) {
	var ballots []transcript.Ballot
	for n, order := range map[int][]int{4: {0, 1, 2}, 3: {1, 2, 0}, 2: {2, 1, 0}} {
		for range n {
			ballots = append(ballots, transcript.Ballot{Order: order})
		}
	}
	ranked, err := decision.NewRanked(decision.RankedParams{})
	if err != nil {
		t.Fatal(err)
	}
	vote := Vote{
		Keys: []string{"A", "B", "C"}, Ballot: ranked.Ballot(3, 9), Profile: decision.Profile{Candidates: 3, Electorate: 9, Round: 1, Ballots: ballots},
		Break: func(winners []int) int {
			if len(winners) == 1 {
				return winners[0]
			}
			return -1
		},
	}
	for _, tc := range []struct {
		rule func() (decision.Rule, error)
		o    RetallyOptions
		want int
	}{
		{func() (decision.Rule, error) { return decision.NewPlurality(decision.PluralityParams{}) }, RetallyOptions{}, 0},
		{func() (decision.Rule, error) { return decision.NewMajority(decision.MajorityParams{}) }, RetallyOptions{}, -1},               // 4 of 9
		{func() (decision.Rule, error) { return decision.NewBorda(decision.BordaParams{}) }, RetallyOptions{}, 1},                      // 8, 12, 7
		{func() (decision.Rule, error) { return decision.NewCopeland(decision.CopelandParams{}) }, RetallyOptions{}, 1},                // 5:4 against A, 7:2 against C
		{func() (decision.Rule, error) { return decision.NewApproval(decision.ApprovalParams{}) }, RetallyOptions{ApproveFirst: 2}, 1}, // 4, 9, 5
	} {
		rule, err := tc.rule()
		if err != nil {
			t.Fatal(err)
		}
		tc.o.Draw = func(record.Collaboration, int) *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
		got, drawn, how, err := countVote(vote, record.Collaboration{}, rule, tc.o)
		if err != nil || got != tc.want || drawn != 0 {
			t.Errorf("%s (%s): candidate %d, want %d (%d drawn, %v)", rule.Words().Name, how, got, tc.want, drawn, err)
		}
	}
}
