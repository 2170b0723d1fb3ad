package recount

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
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

// An abstention needs no weight, so a vote of which no cast ballot has one cannot be weighed.
func TestWeighingNeedsAWeight(t *testing.T) {
	weighted, err := decision.NewWeighted(decision.WeightedParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		ballots []transcript.Ballot
		untold  bool
	}{
		{[]transcript.Ballot{{Choice: 1}, {Abstain: true}}, true},
		{[]transcript.Ballot{{Choice: 1, Weight: 500_000}, {Abstain: true}}, false},
		{[]transcript.Ballot{{Choice: 1, Weight: 1}, {Choice: 1}}, false},
		{[]transcript.Ballot{{Abstain: true}, {Abstain: true}}, false},
	} {
		vote := Vote{Keys: []string{"A", "B"}, Ballot: weighted.Ballot(2, 2), Profile: decision.Profile{Candidates: 2, Electorate: 2, Round: 1, Ballots: x.ballots},
			Break: func([]int) int { return -1 }}
		o := RetallyOptions{Draw: func(record.Collaboration, int) *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }}
		if _, _, _, err := countVote(vote, record.Collaboration{}, weighted, o); (err != nil) != x.untold {
			t.Errorf("%+v: %v", x.ballots, err)
		}
	}
}

// A vote without a valid ballot is a vote, which no rule decides otherwise. What comes before it
// is not the last one: where that differs, the final decision is not known.
func TestVotesWithoutAValidBallot(t *testing.T) {
	plurality, err := decision.NewPlurality(decision.PluralityParams{})
	if err != nil {
		t.Fatal(err)
	}
	majority, err := decision.NewMajority(decision.MajorityParams{})
	if err != nil {
		t.Fatal(err)
	}
	settings := func(record.Collaboration) (Counting, error) {
		return Counting{Rule: plurality, Break: func(winners []int, _ int, _ string) int {
			if len(winners) == 0 {
				return -1
			}
			return winners[0]
		}}, nil
	}
	for _, x := range []struct {
		rounds        []string // what each agent votes for; - for nothing
		votes, differ int
		known         bool
	}{
		{[]string{"AABC"}, 1, 1, true},
		{[]string{"AABC", "----"}, 2, 1, false},
		{[]string{"----"}, 1, 0, true},
		{[]string{"----", "AABC"}, 2, 1, true},
	} {
		rows := votesOf(t, x.rounds)
		got, err := Retally(rows, settings, majority, RetallyOptions{Draw: func(record.Collaboration, int) *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }})
		if err != nil || got.Votes != x.votes || got.Differ != x.differ || got.Known != x.known {
			t.Errorf("%v: %+v %v", x.rounds, got, err)
		}
	}
}

// votesOf returns the rows of a collaboration that votes by plurality in each round.
func votesOf(t *testing.T, rounds []string) record.Rows {
	t.Helper()
	rows := record.Rows{Collaborations: []record.Collaboration{{Agents: int32(len(rounds[0])), EndReason: endedByRounds}}}
	add := func(round, agent int, kind transcript.Kind, format transcript.Format, act transcript.Act) int32 {
		data, err := json.Marshal(act)
		if err != nil {
			t.Fatal(err)
		}
		text, who, entry := string(data), int32(agent), int32(len(rows.Turns))
		rows.Turns = append(rows.Turns, record.Turn{Entry: entry, Round: int32(round), Kind: kind.String(), Format: string(format), Agent: &who, DataJSON: &text})
		return entry
	}
	for i, votes := range rounds {
		round, standing := i+1, -1
		var keys []string
		for c := range 3 {
			key := fmt.Sprintf("%c%d", 'A'+c, round)
			if entry := add(round, c, transcript.Ask, transcript.FormatProposal, transcript.Act{Key: key}); c == 0 {
				standing = int(entry)
			}
			keys = append(keys, key)
		}
		for a, choice := range votes {
			b := transcript.Ballot{Choice: int(choice - 'A'), Abstain: choice == '-'}
			entry := add(round, a, transcript.Ask, transcript.FormatBallot, transcript.Act{Ballot: &b})
			row := record.Ballot{Round: int32(round), Entry: entry, Agent: int32(a), Abstained: b.Abstain}
			for c := 0; c < 3 && (c == 0 || !b.Abstain); c++ {
				if !b.Abstain {
					value := map[bool]int{true: 1}[c == b.Choice]
					row.Candidate, row.CandidateKey, row.Value, row.ValueExact = new(int32(c)), &keys[c], new(float64(value)), new(fmt.Sprint(value))
				}
				rows.Ballots = append(rows.Ballots, row)
			}
		}
		d := transcript.Decision{Winners: []int{0}, Standing: standing, Key: keys[0]}
		if votes == "----" {
			d = transcript.Decision{Selected: -1, Standing: -1}
			if before := slices.IndexFunc(rows.Turns, func(u record.Turn) bool { return u.Kind == transcript.Decide.String() }); before >= 0 {
				d.Standing, d.Key = 0, "A1"
			}
		}
		rows.Rounds = append(rows.Rounds, record.Round{Round: int32(round), Winners: int32(len(d.Winners)), DecisionKey: &d.Key})
		rows.Collaborations[0].DecisionKey = &d.Key
		add(round, 0, transcript.Decide, "", transcript.Act{Decision: &d})
	}
	return rows
}
