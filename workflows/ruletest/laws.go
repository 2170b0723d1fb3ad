package ruletest

import (
	"math/big"
	"slices"

	"pgregory.net/rapid"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

func checkAnonymity(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	q := p
	q.Ballots = rapid.Permutation(p.Ballots).Draw(t, "permuted")
	same(t, r.Tally(q), r.Tally(p))
}

func checkNeutrality(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	to := rapid.Permutation(numbers(p.Candidates)).Draw(t, "to")
	q := p
	q.Ballots = nil
	for _, b := range p.Ballots {
		q.Ballots = append(q.Ballots, renamed(b, to))
	}
	want := decision.Result{Scores: make([]*big.Rat, p.Candidates)}
	got := r.Tally(p)
	for _, w := range got.Winners {
		want.Winners = append(want.Winners, to[w])
	}
	slices.Sort(want.Winners)
	for c, s := range got.Scores {
		want.Scores[to[c]] = s
	}
	same(t, r.Tally(q), want)
}

// checkTies counts a ballot once for each way to turn the candidates around, so
// that each stands in each place.
func checkTies(t *rapid.T, r decision.Rule) {
	n := rapid.IntRange(1, 5).Draw(t, "candidates")
	p := decision.Profile{Candidates: n, Electorate: n}
	b := drawVote(t, r.Ballot(n, n))
	for by := range n {
		to := numbers(n)
		for c := range to {
			to[c] = (c + by) % n
		}
		p.Ballots = append(p.Ballots, renamed(b, to))
	}
	if got := r.Tally(p).Winners; len(got) != 0 && len(got) != n {
		t.Fatalf("the ballots do not tell %d candidates apart: winners are %v", n, got)
	}
}

func checkMonotonicity(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	before := r.Tally(p)
	if len(before.Winners) == 0 || len(p.Ballots) == 0 {
		return
	}
	w := rapid.SampledFrom(before.Winners).Draw(t, "winner")
	i := rapid.IntRange(0, len(p.Ballots)-1).Draw(t, "ballot")
	if p.Ballots[i].Abstain {
		return
	}
	form := r.Ballot(p.Candidates, p.Electorate)
	q := p
	q.Ballots = slices.Clone(p.Ballots)
	q.Ballots[i] = raised(t, form, p.Ballots[i], w)
	valid(t, form, q.Ballots[i])
	after := r.Tally(q)
	if !slices.Contains(after.Winners, w) {
		t.Fatalf("%d won and rose: winners are %v", w, after.Winners)
	}
	for _, x := range after.Winners {
		if !slices.Contains(before.Winners, x) {
			t.Fatalf("%d joined the winners when %d rose", x, w)
		}
	}
}

func checkUnanimity(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	c := rapid.IntRange(0, p.Candidates-1).Draw(t, "favourite")
	form := r.Ballot(p.Candidates, p.Electorate)
	p.Ballots = nil
	for range p.Electorate {
		p.Ballots = append(p.Ballots, favouring(t, form, c))
		valid(t, form, p.Ballots[len(p.Ballots)-1])
	}
	if got := r.Tally(p).Winners; !slices.Equal(got, []int{c}) {
		t.Fatalf("all prefer %d: winners are %v", c, got)
	}
}

func checkSums(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	result := r.Tally(p)
	for c, score := range result.Scores {
		sum := new(big.Rat)
		for _, b := range p.Ballots {
			sum.Add(sum, r.Value(b, c, p.Candidates))
		}
		if sum.Cmp(score) != 0 {
			t.Fatalf("values of %d add up to %v, its score is %v", c, sum, score)
		}
	}
	q := p
	q.Electorate += 10
	same(t, r.Tally(q), result)
}

func checkReinforcement(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	q := p
	q.Ballots = drawBallots(t, r.Ballot(p.Candidates, p.Electorate), p.Electorate)
	both := p
	both.Ballots = slices.Concat(p.Ballots, q.Ballots)
	var common []int
	for _, w := range r.Tally(p).Winners {
		if slices.Contains(r.Tally(q).Winners, w) {
			common = append(common, w)
		}
	}
	if got := r.Tally(both).Winners; common != nil && !slices.Equal(got, common) {
		t.Fatalf("both groups elect %v, together they elect %v", common, got)
	}
}

// same fails unless two results have the same winners and scores.
func same(t *rapid.T, got, want decision.Result) {
	if !slices.Equal(got.Winners, want.Winners) {
		t.Fatalf("winners %v, want %v", got.Winners, want.Winners)
	}
	if !slices.EqualFunc(got.Scores, want.Scores, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
		t.Fatalf("scores %v, want %v", got.Scores, want.Scores)
	}
}

func valid(t *rapid.T, form transcript.BallotSpec, b transcript.Ballot) {
	if err := form.Validate(b); err != nil {
		t.Fatalf("ballot %+v: %v", b, err)
	}
}
