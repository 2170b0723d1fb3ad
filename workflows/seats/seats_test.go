package seats_test

import (
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

func ptr(n int) *int { return &n }

// A draw is the seed's alone, without repetition, and each of a pool is drawn about
// as often as the others.
func TestDraw(t *testing.T) {
	drawn := make([]int, 5)
	for seed := range uint64(2000) {
		got := seats.Draw(5, 2, seed)
		if again := seats.Draw(5, 2, seed); !slices.Equal(got, again) || len(got) != 2 || got[0] == got[1] {
			t.Fatalf("seed %d: %v, then %v", seed, got, again)
		}
		for _, i := range got {
			drawn[i]++
		}
	}
	for i, n := range drawn { // 800 expected, standard deviation 22
		if n < 700 || n > 900 {
			t.Errorf("agent %d is drawn %d times of 2,000, want about 800", i, n)
		}
	}
}

// Shares become whole agents, half up; who has a stance already keeps it, and a
// larger share adds to the agents of a smaller one.
func TestShare(t *testing.T) {
	count := func(all []seats.Seat, stance string) (n int) {
		for _, s := range all {
			if s.Stance == stance {
				n++
			}
		}
		return n
	}
	for share, want := range map[float64]int{0: 0, 0.09: 0, 0.1: 1, 0.25: 1, 0.3: 2, 0.5: 3, 1: 5} {
		if got := count(seats.Share(make([]seats.Seat, 5), map[string]float64{seats.Stubborn: share}, 7), seats.Stubborn); got != want {
			t.Errorf("%v of 5 agents are %d, want %d", share, got, want)
		}
	}
	own := make([]seats.Seat, 5)
	own[2].Stance = seats.Wrong
	all := seats.Share(own, map[string]float64{seats.Stubborn: 0.4, seats.Adversarial: 0.4}, 7)
	if all[2].Stance != seats.Wrong || count(all, seats.Stubborn) != 2 || count(all, seats.Adversarial) != 2 {
		t.Errorf("%+v", all)
	}
	if own[0].Stance+own[1].Stance != "" {
		t.Error("the seats that were given have changed")
	}
	few := seats.Share(make([]seats.Seat, 10), map[string]float64{seats.Stubborn: 0.2}, 3)
	for i, s := range seats.Share(make([]seats.Seat, 10), map[string]float64{seats.Stubborn: 0.6}, 3) {
		if few[i].Stance == seats.Stubborn && s.Stance != seats.Stubborn {
			t.Errorf("agent %d is stubborn among two and not among six", i)
		}
	}
}

func TestCheck(t *testing.T) {
	for want, s := range map[string]seats.Seat{
		"memory is -1":                       {Memory: ptr(-1)},
		"votes is 1001":                      {Votes: ptr(1001)},
		`stance is "lazy"`:                   {Stance: "lazy"},
		"description is given":               {Description: "of few words"},
		"role is a text of 20001 characters": {Role: strings.Repeat("x", 20_001)},
	} {
		if errs := s.Check(); len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), want) {
			t.Errorf("%+v: %v, want %s", s, errs, want)
		}
	}
	if errs := (seats.Seat{Role: "nurse", Memory: ptr(0), Votes: ptr(0), Stance: seats.Wrong}).Check(); errs != nil {
		t.Error(errs)
	}
	for want, shares := range map[string]map[string]float64{
		"is not a stance": {"lazy": 0.1}, "is 1.5": {seats.Wrong: 1.5}, "add up to 1.1": {seats.Wrong: 0.6, seats.Stubborn: 0.5},
	} {
		if err := seats.CheckShares(shares); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", shares, err)
		}
	}
}

// A ballot counts as often as its agent has votes, a judge's once; if all agents are
// the electorate, so are those who cast none.
func TestWeigh(t *testing.T) {
	all := []seats.Seat{{Votes: ptr(3)}, {}, {Votes: ptr(0)}}
	first, second := transcript.Ballot{Choice: 0}, transcript.Ballot{Choice: 1}
	p := decision.Profile{Candidates: 2, Electorate: 3, Ballots: []transcript.Ballot{second, first, second}}
	got := seats.Weigh(all, p, []int{1, 0, 2}, 3)
	if got.Electorate != 4 || len(got.Ballots) != 4 || got.Ballots[0].Choice != 1 || got.Ballots[3].Choice != 0 {
		t.Errorf("%+v", got)
	}
	p.Ballots = p.Ballots[:1]
	if got := seats.Weigh(all, p, []int{1}, 3); got.Electorate != 4 || len(got.Ballots) != 1 {
		t.Errorf("with two who cast none: %+v", got)
	}
	p.Electorate = 1
	if got := seats.Weigh(all, p, []int{-1}, 3); got.Electorate != 1 || len(got.Ballots) != 1 {
		t.Errorf("of a judge: %+v", got)
	}
}

// Who has no seat, a judge among them, has one vote.
func TestWeight(t *testing.T) {
	all := []seats.Seat{{Votes: ptr(3)}, {}, {Votes: ptr(0)}}
	for agent, want := range map[int]int{-1: 1, 0: 3, 1: 1, 2: 0, 3: 1} {
		if got := seats.Weight(all, agent); got != want {
			t.Errorf("agent %d has %d, want %d", agent, got, want)
		}
	}
}

func TestSeatInWords(t *testing.T) {
	none := []string{}
	s := seats.Seat{Role: "doctor", Description: "old", Stance: "contrarian", Instructions: "listen", Style: "dry", Language: "French", Memory: ptr(2), Votes: ptr(3), Tools: &none}
	if got, want := s.String(), "doctor; old; contrarian; instructed: listen; style: dry; language: French; remembers 2 rounds; 3 votes; tools: none"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
