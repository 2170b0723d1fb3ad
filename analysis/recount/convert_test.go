package recount

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

var (
	choice   = transcript.BallotSpec{Kind: transcript.Choose, N: 3}
	ranking  = transcript.BallotSpec{Kind: transcript.Rank, N: 3}
	partial  = transcript.BallotSpec{Kind: transcript.Rank, N: 3, Partial: true}
	rating   = transcript.BallotSpec{Kind: transcript.Rate, N: 3, Min: 0, Max: 10}
	approval = transcript.BallotSpec{Kind: transcript.Approve, N: 3}
	points   = transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 3}
)

func TestConvert(t *testing.T) {
	seven := 7
	for _, tc := range []struct {
		name     string
		from, to transcript.BallotSpec
		o        RetallyOptions
		ballot   transcript.Ballot
		want     transcript.Ballot
		how      string
	}{
		{"choice as cast", choice, choice, RetallyOptions{}, transcript.Ballot{Choice: 2}, transcript.Ballot{Choice: 2}, "as cast"},
		{"first of a ranking", ranking, choice, RetallyOptions{}, transcript.Ballot{Order: []int{2, 0, 1}}, transcript.Ballot{Choice: 2}, "first of each ranking"},
		{"best rated", rating, choice, RetallyOptions{}, transcript.Ballot{Points: []int{3, 9, 4}}, transcript.Ballot{Choice: 1}, "best rated"},
		{"order of ratings", rating, ranking, RetallyOptions{}, transcript.Ballot{Points: []int{3, 9, 4}}, transcript.Ballot{Order: []int{1, 2, 0}}, "by rating"},
		{"a rating of the least is one", rating, ranking, RetallyOptions{}, transcript.Ballot{Points: []int{0, 9, 4}}, transcript.Ballot{Order: []int{1, 2, 0}}, "by rating"},
		{"halfway approves", rating, approval, RetallyOptions{}, transcript.Ballot{Points: []int{4, 5, 10}}, transcript.Ballot{Order: []int{1, 2}}, "from 5 on"},
		{"7 approves", rating, approval, RetallyOptions{ApproveFrom: &seven}, transcript.Ballot{Points: []int{4, 6, 10}}, transcript.Ballot{Order: []int{2}}, "from 7 on"},
		{"nobody is approved", rating, approval, RetallyOptions{}, transcript.Ballot{Points: []int{0, 1, 2}}, transcript.Ballot{Order: []int{}}, "from 5 on"},
		{"points order", points, partial, RetallyOptions{}, transcript.Ballot{Points: []int{1, 2, 0}}, transcript.Ballot{Order: []int{1, 0}}, "by points"},
		{"any point approves", points, approval, RetallyOptions{}, transcript.Ballot{Points: []int{1, 2, 0}}, transcript.Ballot{Order: []int{0, 1}}, "1 point or more"},
		{"the choice is approved", choice, approval, RetallyOptions{}, transcript.Ballot{Choice: 1}, transcript.Ballot{Order: []int{1}}, "choice alone"},
		{"the choice is ranked", choice, partial, RetallyOptions{}, transcript.Ballot{Choice: 1}, transcript.Ballot{Order: []int{1}}, "choice alone"},
		{"first two approved", ranking, approval, RetallyOptions{ApproveFirst: 2}, transcript.Ballot{Order: []int{2, 0, 1}}, transcript.Ballot{Order: []int{0, 2}}, "first 2"},
		{"an abstention stays one", rating, choice, RetallyOptions{}, transcript.Ballot{Abstain: true}, transcript.Ballot{Abstain: true}, "best rated"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := convert(tc.from, tc.to, tc.o)
			if err != nil {
				t.Fatal(err)
			}
			got, drawn := c.ballot(tc.ballot, envs.Stream(1, "test"))
			if !reflect.DeepEqual(got, tc.want) || drawn || !strings.Contains(c.Name, tc.how) {
				t.Errorf("%q: %+v (drawn: %v), want %+v", c.Name, got, drawn, tc.want)
			}
		})
	}
}

// What a ballot does not tell is refused, not made up.
func TestNotTold(t *testing.T) {
	for _, tc := range []struct {
		from, to transcript.BallotSpec
		want     string
	}{
		{choice, ranking, "do not rank the others"},
		{choice, rating, "choices of one candidate do not say ratings from 0 to 10"},
		{ranking, points, "rankings do not say 3 points"},
		{ranking, approval, "--approve-first"},
		{approval, choice, "approvals do not say who comes first"},
		{approval, ranking, "approvals do not say rankings"},
		{rating, transcript.BallotSpec{Kind: transcript.Rate, N: 3, Min: 1, Max: 5}, "ratings from 0 to 10 do not say ratings from 1 to 5"},
	} {
		if _, err := convert(tc.from, tc.to, RetallyOptions{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v to %v: %v, want %q", tc.from.Kind, tc.to.Kind, err, tc.want)
		}
	}
}

// Every conversion makes ballots that its rule takes, keeps who is strictly better first,
// and says when it draws.
func TestConversionsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		rate := transcript.BallotSpec{Kind: transcript.Rate, N: n, Min: 0, Max: 4}
		b := transcript.Ballot{Points: rapid.SliceOfN(rapid.IntRange(0, 4), n, n).Draw(t, "ratings")}
		for _, to := range []transcript.BallotSpec{
			{Kind: transcript.Choose, N: n}, {Kind: transcript.Rank, N: n}, {Kind: transcript.Rank, N: n, Partial: true}, {Kind: transcript.Approve, N: n},
		} {
			c, err := convert(rate, to, RetallyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, drawn := c.ballot(b, envs.Stream(rapid.Uint64().Draw(t, "seed"), "test"))
			if err := to.Validate(got); err != nil {
				t.Fatalf("%s of %v: %v", c.Name, b.Points, err)
			}
			order := got.Order
			if to.Kind == transcript.Choose {
				if order = []int{got.Choice}; b.Points[got.Choice] != slices.Max(b.Points) {
					t.Fatalf("of %v, %d is chosen", b.Points, got.Choice)
				}
			}
			if to.Kind == transcript.Rank && !slices.IsSortedFunc(order, func(x, y int) int { return b.Points[y] - b.Points[x] }) {
				t.Fatalf("%v are ordered %v", b.Points, order)
			}
			distinct := slices.Compact(slices.Sorted(slices.Values(b.Points)))
			if ties := len(distinct) < n; to.Kind == transcript.Rank && drawn != ties {
				t.Fatalf("%v: drawn is %v", b.Points, drawn)
			}
		}
	})
}
