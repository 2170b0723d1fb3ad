package decision_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// additive rules elect whoever has the greatest total; the others have a threshold.
var additive = map[string]decision.Rule{
	"plurality":         plurality(),
	"rated":             rated(),
	"rated 0..10":       ratedFrom(0, 10, false),
	"rated partial":     ratedFrom(1, 5, true),
	"ranked":            ranked(),
	"ranked partial":    rankedPartial(),
	"cumulative":        cumulative(),
	"cumulative agents": cumulativeOf(decision.PerAgent),
	"cumulative 25":     cumulativeOf(25),
	"cumulative up to":  made(decision.NewCumulative(decision.DefaultCumulative25())),
	"approval":          approval(),
	"borda":             borda(decision.BordaParams{}),
	"borda partial":     borda(decision.BordaParams{Partial: true}),
	"borda5":            borda(decision.DefaultBorda5()),
	"judge":             made(decision.NewJudge(decision.JudgeParams{})),
	"solution counting": made(decision.NewCounting(decision.CountingParams{})),
}

var threshold = map[string]decision.Rule{
	"unanimous": unanimous(), "majority": majority(),
	"majority consensus":      agreement(decision.MajorityConsensus()),
	"supermajority consensus": agreement(decision.SupermajorityConsensus()),
	"unanimity consensus":     agreement(decision.UnanimityConsensus()),
	"hybrid consensus":        agreement(decision.HybridConsensus()),
}

// least is how many of an electorate a threshold needs, by its words: more than
// half, more than two thirds, all.
var least = map[string]func(n int) int{
	"unanimous": func(n int) int { return n }, "majority": func(n int) int { return n/2 + 1 },
	"majority consensus":      func(n int) int { return n/2 + 1 },
	"supermajority consensus": func(n int) int { return (2*n + 2) / 3 },
	"unanimity consensus":     func(n int) int { return n },
	"hybrid consensus":        func(n int) int { return n }, // in round 0
}

func each(t *testing.T, rules map[string]decision.Rule, property func(*rapid.T, decision.Rule)) {
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, rule) })
		})
	}
}

// all holds every rule of the catalogue to a property, and variants of some.
func all(t *testing.T, property func(*rapid.T, decision.Rule)) {
	each(t, additive, property)
	each(t, threshold, property)
	each(t, catalogued(t), property)
}

// catalogued are the rules of the catalogue as they are without parameters.
func catalogued(t *testing.T) map[string]decision.Rule {
	rules := map[string]decision.Rule{}
	for _, r := range catalogue.Rules() {
		rule, err := r.New(func(any) error { return nil }, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		rules["the catalogue's "+r.Name] = rule
	}
	return rules
}

// Nobody's name counts.
func TestAnonymity(t *testing.T) {
	all(t, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
		q := p
		q.Ballots = rapid.Permutation(p.Ballots).Draw(t, "permuted")
		same(t, r.Tally(q), r.Tally(p))
	})
}

// Nobody wins where all abstain or stay away.
func TestNobodyWinsWithoutVotes(t *testing.T) {
	all(t, func(t *rapid.T, r decision.Rule) {
		p := decision.Profile{
			Candidates: rapid.IntRange(1, 5).Draw(t, "candidates"), Electorate: rapid.IntRange(1, 7).Draw(t, "electorate"),
			Ballots: of(rapid.IntRange(0, 3).Draw(t, "abstentions"), abstain),
		}
		if got := r.Tally(p).Winners; len(got) > 0 {
			t.Fatalf("winners are %v of %d abstentions", got, len(p.Ballots))
		}
	})
}

// No candidate's number counts.
func TestNeutrality(t *testing.T) {
	all(t, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
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
	})
}

// A winner that rises on one ballot, the others keeping their order or losing,
// still wins, and nobody joins it. This holds for all: they count sums.
func TestMonotonicity(t *testing.T) {
	all(t, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
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
	})
}

// A candidate that the whole electorate puts strictly first is the only winner.
func TestUnanimity(t *testing.T) {
	all(t, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
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
	})
}

// Two groups that agree on some winners elect exactly these together (Young
// 1975). It holds for sums; a threshold of the electorate moves with the group.
func TestReinforcement(t *testing.T) {
	each(t, additive, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
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
	})
}

// Abstaining is the same as staying away, and more voters who stay away change
// the thresholds only.
func TestAbstentions(t *testing.T) {
	all(t, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
		q := p
		q.Ballots = slices.DeleteFunc(slices.Clone(p.Ballots), func(b transcript.Ballot) bool { return b.Abstain })
		same(t, r.Tally(q), r.Tally(p))
	})
	each(t, additive, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
		q := p
		q.Electorate += 10
		same(t, r.Tally(q), r.Tally(p))
	})
	each(t, threshold, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
		p.Electorate += len(p.Ballots)
		if got := r.Tally(p).Winners; got != nil {
			t.Fatalf("half of the electorate elects %v", got)
		}
	})
}

// Tally agrees with whole numbers counted another way.
func TestTallyAgainstWholeNumbers(t *testing.T) {
	property := func(t *rapid.T, r decision.Rule, least func(int) int) {
		p := drawProfile(t, r)
		form := r.Ballot(p.Candidates, p.Electorate)
		counted := make([]int64, p.Candidates)
		for _, b := range p.Ballots {
			count(fmt.Sprintf("%T", r), form, b, counted)
		}
		most := max(1, slices.Max(counted))
		if least != nil {
			most = unit * int64(least(p.Electorate))
		}
		var want decision.Result
		for c, n := range counted {
			want.Scores = append(want.Scores, big.NewRat(n, unit))
			if n >= most {
				want.Winners = append(want.Winners, c)
			}
		}
		same(t, r.Tally(p), want)
	}
	each(t, additive, func(t *rapid.T, r decision.Rule) { property(t, r, nil) })
	for name, rule := range threshold {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { property(t, rule, least[name]) }) })
	}
}

// What one ballot gives is nothing for an abstention, and never less than that;
// the scores of a rule that adds up are sums of it.
func TestValue(t *testing.T) {
	all(t, func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
		for _, b := range p.Ballots {
			for c := range p.Candidates {
				if v := r.Value(b, c, p.Candidates); v.Sign() < 0 || b.Abstain && v.Sign() != 0 {
					t.Fatalf("ballot %+v gives %d %v", b, c, v)
				}
			}
		}
	})
	sums := func(t *rapid.T, r decision.Rule) {
		p := drawProfile(t, r)
		for c, score := range r.Tally(p).Scores {
			sum := new(big.Rat)
			for _, b := range p.Ballots {
				sum.Add(sum, r.Value(b, c, p.Candidates))
			}
			if sum.Cmp(score) != 0 {
				t.Fatalf("values of %d add up to %v, its score is %v", c, sum, score)
			}
		}
	}
	each(t, additive, sums)
	each(t, threshold, sums)
}

// Whatever Validate lets through can be counted, stray fields and all.
func counts(rules []decision.Rule) func(*rapid.T) {
	return func(t *rapid.T) {
		r := rapid.SampledFrom(rules).Draw(t, "rule")
		p := decision.Profile{
			Candidates: rapid.IntRange(0, 4).Draw(t, "candidates"),
			Electorate: rapid.IntRange(0, 4).Draw(t, "electorate"),
		}
		form := r.Ballot(p.Candidates, p.Electorate)
		for _, b := range rapid.SliceOfN(anything, 0, 12).Draw(t, "ballots") {
			if form.Validate(b) == nil && len(p.Ballots) < p.Electorate {
				p.Ballots = append(p.Ballots, b)
			}
		}
		got := r.Tally(p)
		if len(got.Scores) != p.Candidates || !slices.IsSorted(got.Winners) {
			t.Fatalf("%d candidates: %+v", p.Candidates, got)
		}
		for _, w := range got.Winners {
			if got.Scores[w].Sign() <= 0 {
				t.Fatalf("%d wins without support", w)
			}
		}
	}
}

func rules() []decision.Rule {
	return []decision.Rule{unanimous(), majority(), plurality(), rated(), ratedFrom(0, 2, false), ratedFrom(1, 3, true),
		ranked(), rankedPartial(), cumulative(), cumulativeOf(decision.PerAgent), cumulativeOf(2),
		approval(), borda(decision.BordaParams{}), borda(decision.BordaParams{Top: 2, Partial: true}),
		made(decision.NewCumulative(decision.DefaultCumulative25())), agreement(decision.SupermajorityConsensus())}
}

func TestTallyTakesWhatValidateAccepts(t *testing.T) {
	rapid.Check(t, counts(slices.Concat(rules(), slices.Collect(maps.Values(catalogued(t))))))
}

func FuzzTally(f *testing.F) { f.Fuzz(rapid.MakeFuzz(counts(rules()))) }
