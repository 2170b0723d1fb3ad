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
	"roundtable/workflows/ruletest"
	"roundtable/workflows/transcript"
)

// additive rules elect the candidate with the greatest total; the others have a threshold.
var additive = map[string]decision.Rule{
	"plurality":         plurality(),
	"weighted":          weighted(),
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

// Every rule of the catalogue, and variants of some, keeps the laws of its class.
func TestRules(t *testing.T) {
	for name, rule := range additive {
		t.Run(name, func(t *testing.T) { ruletest.Run(t, rule, ruletest.Options{Additive: true}) })
	}
	for _, rules := range []map[string]decision.Rule{threshold, catalogued(t)} {
		for name, rule := range rules {
			t.Run(name, func(t *testing.T) { ruletest.Run(t, rule, ruletest.Options{}) })
		}
	}
}

// catalogued are the rules of the catalogue as they are without parameters.
func catalogued(t *testing.T) map[string]decision.Rule {
	rules := map[string]decision.Rule{}
	for _, r := range catalogue.Builtin().Rules {
		rule, err := r.New(func(any) error { return nil }, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		rules["the catalogue's "+r.Name] = rule
	}
	return rules
}

// Tally agrees with whole numbers counted another way.
func TestTallyAgainstWholeNumbers(t *testing.T) {
	property := func(t *rapid.T, r decision.Rule, least func(int) int) {
		p := ruletest.Profile(t, r)
		form := r.Ballot(p.Candidates, p.Electorate)
		counted := make([]int64, p.Candidates)
		for _, b := range p.Ballots {
			count(fmt.Sprintf("%T", r), form, b, counted)
		}
		most, units := max(1, slices.Max(counted)), int64(unit)
		if decision.Weighs(r) {
			units *= 1_000_000
		}
		if least != nil {
			most = unit * int64(least(p.Electorate))
		}
		var want decision.Result
		for c, n := range counted {
			want.Scores = append(want.Scores, big.NewRat(n, units))
			if n >= most {
				want.Winners = append(want.Winners, c)
			}
		}
		got := r.Tally(p)
		if !slices.Equal(got.Winners, want.Winners) || !slices.EqualFunc(got.Scores, want.Scores, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
	for name, rule := range additive {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { property(t, rule, nil) }) })
	}
	for name, rule := range threshold {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { property(t, rule, least[name]) }) })
	}
}

// Half of an electorate elects nobody where a threshold counts all of it.
func TestThresholdsCountWhoStaysAway(t *testing.T) {
	for name, rule := range threshold {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := ruletest.Profile(t, rule)
				p.Electorate += len(p.Ballots)
				if got := rule.Tally(p).Winners; got != nil {
					t.Fatalf("half of the electorate elects %v", got)
				}
			})
		})
	}
}

// unit is the least common multiple of the ranks 1 to 5.
const unit = 60

// count adds what a ballot gives each candidate, in units.
func count(rule string, form transcript.BallotSpec, b transcript.Ballot, counted []int64) {
	if b.Abstain {
		return
	}
	switch {
	case rule == "decision.weighted":
		counted[b.Choice] += unit * int64(b.Weight)
	case form.Kind == transcript.Choose:
		counted[b.Choice] += unit
	}
	for c, n := range b.Points {
		counted[c] += unit * int64(max(0, n))
	}
	for place, c := range b.Order {
		switch rule {
		case "decision.approval":
			counted[c] += unit
		case "decision.borda": // with at most five candidates every place counts
			counted[c] += unit * int64(form.N-place)
		default:
			counted[c] += unit / int64(place+1)
		}
	}
}

func FuzzTally(f *testing.F) {
	var rules []decision.Rule
	for _, class := range []map[string]decision.Rule{additive, threshold} {
		for _, name := range slices.Sorted(maps.Keys(class)) {
			rules = append(rules, class[name])
		}
	}
	ruletest.Fuzz(f, rules...)
}
