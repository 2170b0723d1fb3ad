package transcript

import (
	"strings"
	"testing"
)

// Ballots at the bounds of their form, and beyond them; candidates are numbered from 1 in words.
func TestValidate(t *testing.T) {
	choose, rank, approve := BallotSpec{Kind: Choose, N: 3}, BallotSpec{Kind: Rank, N: 3}, BallotSpec{Kind: Approve, N: 3}
	rate, give := BallotSpec{Kind: Rate, N: 2, Min: 1, Max: 5}, BallotSpec{Kind: Distribute, N: 2, Points: 10}
	partial := func(s BallotSpec) BallotSpec { s.Partial = true; return s }
	for _, x := range []struct {
		spec   BallotSpec
		ballot Ballot
		want   string // in the error; "" for none
	}{
		{choose, Ballot{Choice: 0}, ""},
		{choose, Ballot{Choice: 2}, ""},
		{choose, Ballot{Choice: 3}, "no candidate 4; candidates are 1 to 3"},
		{choose, Ballot{Choice: -1}, "no candidate 0"},
		{choose, Ballot{Choice: 9, Abstain: true}, ""},
		{rate, Ballot{Points: []int{1, 5}}, ""},
		{rate, Ballot{Points: []int{0, 5}}, "candidate 1 is rated 0; ratings are whole numbers from 1 to 5"},
		{rate, Ballot{Points: []int{1, 6}}, "candidate 2 is rated 6"},
		{rate, Ballot{Points: []int{1}}, "1 candidates are given a number; there are 2"},
		{rate, Ballot{Points: []int{-1, 5}}, "is rated -1"},
		{partial(rate), Ballot{Points: []int{-1, 5}}, ""},
		{partial(rate), Ballot{Points: []int{-2, 5}}, "is rated -2"},
		{give, Ballot{Points: []int{0, 10}}, ""},
		{give, Ballot{Points: []int{4, 6}}, ""},
		{give, Ballot{Points: []int{4, 5}}, "add up to 9; they must add up to 10"},
		{give, Ballot{Points: []int{5, 6}}, "add up to 11; they must add up to 10"},
		{give, Ballot{Points: []int{-1, 11}}, "candidate 1 is given -1 points"},
		{give, Ballot{Points: []int{11, -1}}, "candidate 1 is given 11 points; points are whole numbers from 0 to 10"},
		{partial(give), Ballot{Points: []int{4, 5}}, ""},
		{partial(give), Ballot{Points: []int{4, 6}}, ""},
		{partial(give), Ballot{Points: []int{5, 6}}, "add up to 11; there are 10 to give"},
		{rank, Ballot{Order: []int{2, 0, 1}}, ""},
		{rank, Ballot{Order: []int{2, 0}}, "2 of 3 candidates are ranked; all must be"},
		{partial(rank), Ballot{Order: []int{2, 0}}, ""},
		{rank, Ballot{Order: []int{2, 0, 2}}, "candidate 3 is named twice"},
		{rank, Ballot{Order: []int{2, 0, 3}}, "no candidate 4"},
		{approve, Ballot{}, ""},
		{approve, Ballot{Order: []int{0, 2}}, ""},
		{approve, Ballot{Order: []int{-1}}, "no candidate 0"},
		{BallotSpec{Kind: "shout"}, Ballot{}, `unknown kind of ballot "shout"`},
	} {
		err := x.spec.Validate(x.ballot)
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v %+v: %v, want %q", x.spec, x.ballot, err, x.want)
		}
	}
}

// The last entry is the latest that matches, if one does.
func TestLast(t *testing.T) {
	talk := Transcript{Entries: []Entry{{Index: 0}, {Index: 1}, {Index: 2}}}
	for below, want := range map[int]int{3: 2, 2: 1, 0: -1} {
		e, ok := talk.Last(func(e Entry) bool { return e.Index < below })
		if ok != (want >= 0) || ok && e.Index != want {
			t.Errorf("the last below %d: %d, %v", below, e.Index, ok)
		}
	}
}

// An audience is everybody, some, or nobody.
func TestHears(t *testing.T) {
	one, other := Speaker{Index: 1}, Speaker{Role: "judge"}
	for name, x := range map[string]struct {
		of         Audience
		one, other bool
	}{
		"everybody": {Everybody, true, true}, "one": {Audience{Speakers: []Speaker{one}}, true, false}, "nobody": {Audience{}, false, false},
	} {
		if x.of.Hears(one) != x.one || x.of.Hears(other) != x.other {
			t.Errorf("%s: %v and %v hear", name, x.of.Hears(one), x.of.Hears(other))
		}
	}
}

func TestIsText(t *testing.T) {
	for format, want := range map[Format]bool{FormatText: true, FormatAnswer: true, FormatReply: true, FormatMessage: false, FormatProposal: false, FormatActs: false} {
		if format.IsText() != want {
			t.Errorf("%s: %v", format, !want)
		}
	}
}
