package ruletest

import (
	"slices"

	"pgregory.net/rapid"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// malformed is a ballot that need not fit any form.
var malformed = rapid.Custom(func(t *rapid.T) transcript.Ballot {
	few := func(low int, label string) []int {
		return rapid.SliceOfN(rapid.IntRange(low, 4), 0, 4).Draw(t, label)
	}
	return transcript.Ballot{
		Abstain: rapid.IntRange(0, 9).Draw(t, "abstain") == 9,
		Choice:  rapid.IntRange(-1, 4).Draw(t, "choice"),
		Points:  few(-2, "points"),
		Order:   few(-1, "order"),
	}
})

// Profile draws the votes of up to 7 voters, some of whom abstain or stay away, and up to 5 candidates.
func Profile(t *rapid.T, r decision.Rule) decision.Profile {
	p := decision.Profile{
		Candidates: rapid.IntRange(1, 5).Draw(t, "candidates"),
		Electorate: rapid.IntRange(1, 7).Draw(t, "electorate"),
	}
	p.Ballots = drawBallots(t, r.Ballot(p.Candidates, p.Electorate), p.Electorate)
	return p
}

func drawBallots(t *rapid.T, form transcript.BallotSpec, most int) []transcript.Ballot {
	var ballots []transcript.Ballot
	for range rapid.IntRange(0, most).Draw(t, "voters") {
		b := Ballot(t, form)
		valid(t, form, b)
		ballots = append(ballots, b)
	}
	return ballots
}

// Ballot draws one that the form accepts; what an abstention says besides must not count.
func Ballot(t *rapid.T, form transcript.BallotSpec) transcript.Ballot {
	b := drawVote(t, form)
	b.Abstain = rapid.IntRange(0, 5).Draw(t, "abstains") == 5
	return b
}

func drawVote(t *rapid.T, form transcript.BallotSpec) transcript.Ballot {
	candidate := rapid.IntRange(0, form.N-1)
	switch form.Kind {
	case transcript.Choose:
		return transcript.Ballot{Choice: candidate.Draw(t, "choice"), Weight: rapid.IntRange(0, 1_000_000).Draw(t, "weight")}
	case transcript.Rate:
		return pointing(rapid.SliceOfN(rating(form), form.N, form.N).Draw(t, "ratings")...)
	case transcript.Rank:
		places := rapid.Permutation(numbers(form.N)).Draw(t, "ranking")
		if form.Partial {
			places = places[:rapid.IntRange(0, form.N).Draw(t, "ranked")]
		}
		return ranking(places...)
	case transcript.Approve:
		return ranking(slices.DeleteFunc(numbers(form.N),
			func(int) bool { return rapid.Bool().Draw(t, "left out") })...)
	case transcript.Distribute:
		points, least := make([]int, form.N), form.Points
		if form.Partial {
			least = 0
		}
		for range rapid.IntRange(least, form.Points).Draw(t, "given") {
			points[candidate.Draw(t, "point")]++
		}
		return pointing(points...)
	}
	panic("no generator for ballots of kind " + form.Kind)
}

func rating(form transcript.BallotSpec) *rapid.Generator[int] {
	scale := rapid.IntRange(form.Min, form.Max)
	if form.Partial {
		return rapid.OneOf(scale, rapid.Just(-1))
	}
	return scale
}

// favouring returns a ballot that puts c strictly above all others.
func favouring(t *rapid.T, form transcript.BallotSpec, c int) transcript.Ballot {
	switch form.Kind {
	case transcript.Choose:
		return transcript.Ballot{Choice: c, Weight: rapid.IntRange(1, 1_000_000).Draw(t, "weight")}
	case transcript.Rate:
		ratings := rapid.SliceOfN(rapid.IntRange(form.Min, form.Max-1), form.N, form.N).Draw(t, "ratings")
		ratings[c] = form.Max
		return pointing(ratings...)
	case transcript.Rank:
		rest := slices.DeleteFunc(numbers(form.N), func(x int) bool { return x == c })
		if len(rest) > 0 {
			rest = rapid.Permutation(rest).Draw(t, "rest")
		}
		return ranking(append([]int{c}, rest...)...)
	case transcript.Approve:
		return ranking(c)
	}
	points := make([]int, form.N)
	points[c] = form.Points
	return pointing(points...)
}

// raised returns the ballot with w higher and nobody else.
func raised(t *rapid.T, form transcript.BallotSpec, b transcript.Ballot, w int) transcript.Ballot {
	switch form.Kind {
	case transcript.Choose:
		return transcript.Ballot{Choice: w, Weight: b.Weight}
	case transcript.Rate:
		ratings := slices.Clone(b.Points)
		ratings[w] = rapid.IntRange(max(form.Min, ratings[w]), form.Max).Draw(t, "raised")
		return pointing(ratings...)
	case transcript.Rank:
		place := slices.Index(b.Order, w)
		rest := slices.DeleteFunc(slices.Clone(b.Order), func(x int) bool { return x == w })
		if place < 0 {
			place = len(rest)
		}
		return ranking(slices.Insert(rest, rapid.IntRange(0, place).Draw(t, "place"), w)...)
	case transcript.Approve:
		with := append(slices.DeleteFunc(slices.Clone(b.Order), func(x int) bool { return x == w }), w)
		slices.Sort(with)
		return ranking(with...)
	}
	points := slices.Clone(b.Points)
	from := rapid.IntRange(0, form.N-1).Draw(t, "from")
	moved := rapid.IntRange(0, points[from]).Draw(t, "moved")
	points[from] -= moved
	points[w] += moved
	return pointing(points...)
}

// renamed returns the ballot with candidate c called to[c].
func renamed(b transcript.Ballot, to []int) transcript.Ballot {
	r := transcript.Ballot{Abstain: b.Abstain, Choice: to[b.Choice], Weight: b.Weight}
	if b.Points != nil {
		r.Points = make([]int, len(b.Points))
	}
	for c, n := range b.Points {
		r.Points[to[c]] = n
	}
	for _, c := range b.Order {
		r.Order = append(r.Order, to[c])
	}
	return r
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func ranking(best ...int) transcript.Ballot    { return transcript.Ballot{Order: best} }
func pointing(points ...int) transcript.Ballot { return transcript.Ballot{Points: points} }
