package decision_test

import (
	"math"
	"slices"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// made is a rule, or the end of the test.
func made(r decision.Rule, err error) decision.Rule {
	if err != nil {
		panic(err)
	}
	return r
}

func unanimous() decision.Rule  { return made(decision.NewUnanimous(decision.UnanimousParams{})) }
func majority() decision.Rule   { return made(decision.NewMajority(decision.MajorityParams{})) }
func plurality() decision.Rule  { return made(decision.NewPlurality(decision.PluralityParams{})) }
func weighted() decision.Rule   { return made(decision.NewWeighted(decision.WeightedParams{})) }
func rated() decision.Rule      { return made(decision.NewRated(decision.DefaultRated())) }
func ranked() decision.Rule     { return made(decision.NewRanked(decision.RankedParams{})) }
func cumulative() decision.Rule { return made(decision.NewCumulative(decision.CumulativeParams{})) }

func ratedFrom(low, high int, partial bool) decision.Rule {
	return made(decision.NewRated(decision.RatedParams{Min: low, Max: high, Partial: partial}))
}

func rankedPartial() decision.Rule {
	return made(decision.NewRanked(decision.RankedParams{Partial: true}))
}

func cumulativeOf(p decision.Points) decision.Rule {
	return made(decision.NewCumulative(decision.CumulativeParams{Points: p}))
}

func approval() decision.Rule                            { return made(decision.NewApproval(decision.ApprovalParams{})) }
func borda(p decision.BordaParams) decision.Rule         { return made(decision.NewBorda(p)) }
func agreement(p decision.AgreementParams) decision.Rule { return made(decision.NewAgreement(p)) }

func choose(c int) transcript.Ballot       { return transcript.Ballot{Choice: c} }
func order(best ...int) transcript.Ballot  { return transcript.Ballot{Order: best} }
func give(points ...int) transcript.Ballot { return transcript.Ballot{Points: points} }

// sure is a choice of an answer whose tokens have this geometric mean probability.
func sure(c int, probability float64) transcript.Ballot {
	return transcript.Ballot{Choice: c, Weight: decision.WeightOf(math.Log(probability))}
}

func of(n int, b transcript.Ballot) []transcript.Ballot {
	return slices.Repeat([]transcript.Ballot{b}, n)
}

var abstain = transcript.Ballot{Abstain: true}

// The choice of a capital of Tennessee, electowiki, "Effects of different voting
// systems under similar circumstances": 100 voters live in four cities and want
// the capital near.
const memphis, nashville, chattanooga, knoxville = 0, 1, 2, 3

func tennessee(fromMemphis, fromNashville, fromChattanooga, fromKnoxville transcript.Ballot) [][]transcript.Ballot {
	return [][]transcript.Ballot{of(42, fromMemphis), of(26, fromNashville), of(15, fromChattanooga), of(17, fromKnoxville)}
}

var examples = []struct {
	name       string
	rule       decision.Rule
	candidates int
	electorate int
	ballots    [][]transcript.Ballot
	scores     []string
	winners    []int
}{
	{"Tennessee: the largest city has a plurality", plurality(), 4, 100,
		tennessee(choose(memphis), choose(nashville), choose(chattanooga), choose(knoxville)),
		[]string{"42", "26", "15", "17"}, []int{memphis}},
	{"one sure vote outweighs two unsure ones", weighted(), 2, 3, // Wang et al. 2023 §3.1, normalized weighted sum
		[][]transcript.Ballot{{sure(0, 0.4), sure(1, 0.9), sure(0, 0.45)}}, []string{"17/20", "9/10"}, []int{1}},
	{"equal weights are a plurality", weighted(), 2, 3,
		[][]transcript.Ballot{of(2, sure(0, 0.5)), of(1, sure(1, 0.5))}, []string{"1", "1/2"}, []int{0}},
	{"equal sums are a tie", weighted(), 2, 3,
		[][]transcript.Ballot{of(2, sure(0, 0.25)), of(1, sure(1, 0.5))}, []string{"1/2", "1/2"}, []int{0, 1}},
	{"a vote without a weight counts for nothing", weighted(), 2, 3,
		[][]transcript.Ballot{of(2, choose(0)), of(1, sure(1, 0.001)), {abstain}}, []string{"0", "1/1000"}, []int{1}},
	{"votes without weights elect nobody", weighted(), 2, 2, [][]transcript.Ballot{of(2, choose(0))}, []string{"0", "0"}, nil},
	{"Tennessee: nobody has a majority", majority(), 4, 100,
		tennessee(choose(memphis), choose(nashville), choose(chattanooga), choose(knoxville)),
		[]string{"42", "26", "15", "17"}, nil},
	{"Tennessee: the last step of the runoff has a majority", majority(), 4, 100, // Memphis 42, Knoxville 58
		tennessee(choose(memphis), choose(knoxville), choose(knoxville), choose(knoxville)),
		[]string{"42", "0", "0", "58"}, []int{knoxville}},
	{"Tennessee: reciprocal ranks favour the middle", ranked(), 4, 100,
		tennessee(
			order(memphis, nashville, chattanooga, knoxville),
			order(nashville, chattanooga, knoxville, memphis),
			order(chattanooga, knoxville, nashville, memphis),
			order(knoxville, chattanooga, nashville, memphis)),
		// 42+58/4, 42/2+26+32/3, 42/3+26/2+15+17/2, 42/4+26/3+15/2+17
		[]string{"113/2", "173/3", "101/2", "131/3"}, []int{nashville}},
	{"Tennessee: ratings by distance favour the middle", ratedFrom(0, 10, false), 4, 100,
		tennessee(give(10, 4, 2, 0), give(0, 10, 4, 2), give(0, 6, 10, 6), give(0, 5, 7, 10)),
		[]string{"420", "603", "457", "312"}, []int{nashville}},

	// Borda, Mémoire sur les élections au scrutin (1784), second example, 21 electors:
	// the plurality winner A is last of two thirds of them, and order of merit elects C.
	{"Borda: plurality elects A", plurality(), 3, 21,
		[][]transcript.Ballot{of(8, choose(0)), of(7, choose(1)), of(6, choose(2))},
		[]string{"8", "7", "6"}, []int{0}},
	{"Borda: reciprocal ranks elect C", ranked(), 3, 21,
		[][]transcript.Ballot{of(1, order(0, 1, 2)), of(7, order(0, 2, 1)), of(7, order(1, 2, 0)), of(6, order(2, 1, 0))},
		[]string{"37/3", "77/6", "40/3"}, []int{2}}, // 8+13/3, 7+7/2+7/3, 6+14/2+1/3

	// Condorcet, Essai (1785): a cycle leaves no neutral and anonymous rule a choice.
	{"Condorcet cycle: plurality ties", plurality(), 3, 3,
		[][]transcript.Ballot{{choose(0), choose(1), choose(2)}},
		[]string{"1", "1", "1"}, []int{0, 1, 2}},
	{"Condorcet cycle: reciprocal ranks tie", ranked(), 3, 3,
		[][]transcript.Ballot{{order(0, 1, 2), order(1, 2, 0), order(2, 0, 1)}},
		[]string{"11/6", "11/6", "11/6"}, []int{0, 1, 2}},
	{"Condorcet cycle: ratings tie", rated(), 3, 3,
		[][]transcript.Ballot{{give(5, 3, 1), give(1, 5, 3), give(3, 1, 5)}},
		[]string{"9", "9", "9"}, []int{0, 1, 2}},
	{"Condorcet cycle: points tie", cumulative(), 3, 3,
		[][]transcript.Ballot{{give(2, 1, 0), give(0, 2, 1), give(1, 0, 2)}},
		[]string{"3", "3", "3"}, []int{0, 1, 2}},

	// By hand, from the definitions in paper 1, appendix C.
	{"half is not a majority", majority(), 2, 4,
		[][]transcript.Ballot{{choose(0), choose(0), choose(1), choose(1)}}, []string{"2", "2"}, nil},
	{"a majority of ballots is none of the electorate", majority(), 2, 4,
		[][]transcript.Ballot{{choose(0), choose(0), abstain, abstain}}, []string{"2", "0"}, nil},
	{"three of five are a majority", majority(), 2, 5,
		[][]transcript.Ballot{{choose(1), choose(1), abstain, choose(1), choose(0)}}, []string{"1", "3"}, []int{1}},
	{"all of all", unanimous(), 3, 3,
		[][]transcript.Ballot{of(3, choose(2))}, []string{"0", "0", "3"}, []int{2}},
	{"an abstention prevents unanimity", unanimous(), 3, 3,
		[][]transcript.Ballot{of(2, choose(2)), {abstain}}, []string{"0", "0", "2"}, nil},
	{"so does a missing ballot", unanimous(), 3, 3,
		[][]transcript.Ballot{of(2, choose(2))}, []string{"0", "0", "2"}, nil},
	{"a plurality may be one vote", plurality(), 3, 5,
		[][]transcript.Ballot{of(4, abstain), {choose(1)}}, []string{"0", "1", "0"}, []int{1}},
	{"nobody votes", plurality(), 2, 2, [][]transcript.Ballot{of(2, abstain)}, []string{"0", "0"}, nil},
	{"nobody is there", unanimous(), 2, 0, nil, []string{"0", "0"}, nil},
	{"only zeros are not support", ratedFrom(0, 10, false), 2, 2,
		[][]transcript.Ballot{of(2, give(0, 0))}, []string{"0", "0"}, nil},
	{"a rating left out is 0", ratedFrom(1, 5, true), 3, 2,
		[][]transcript.Ballot{{give(-1, 5, 1), give(4, -1, 1)}}, []string{"4", "5", "2"}, []int{1}},
	{"a truncated ranking gives the rest nothing", rankedPartial(), 3, 3,
		[][]transcript.Ballot{{order(0), order(1, 0), order()}}, []string{"3/2", "1", "0"}, []int{0}},
	{"points may be heaped", cumulative(), 3, 3, // a minority's heap beats a majority's spread
		[][]transcript.Ballot{{give(1, 1, 1), give(0, 1, 2), give(3, 0, 0)}}, []string{"4", "2", "3"}, []int{0}},
	{"as many points as agents", cumulativeOf(decision.PerAgent), 2, 5,
		[][]transcript.Ballot{{give(5, 0), give(2, 3)}}, []string{"7", "3"}, []int{0}},
	{"25 points", cumulativeOf(25), 2, 2,
		[][]transcript.Ballot{{give(12, 13), give(13, 12)}}, []string{"25", "25"}, []int{0, 1}},

	// Floats break these ties: see TestFloatsWouldDecide.
	{"a half, a third and a sixth are one", rankedPartial(), 8, 3,
		[][]transcript.Ballot{{order(1, 0), order(2, 4, 0), order(3, 5, 6, 7, 4, 0)}},
		[]string{"1", "1", "1", "1", "7/10", "1/2", "1/3", "1/4"}, []int{0, 1, 2, 3}},
	{"mirrored rankings tie", ranked(), 3, 4,
		[][]transcript.Ballot{of(2, order(0, 1, 2)), of(2, order(2, 1, 0))}, []string{"8/3", "2", "8/3"}, []int{0, 2}},
}

func TestExamples(t *testing.T) {
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			p := decision.Profile{Candidates: x.candidates, Electorate: x.electorate, Ballots: slices.Concat(x.ballots...)}
			form := x.rule.Ballot(p.Candidates, p.Electorate)
			for i, b := range p.Ballots {
				if err := form.Validate(b); err != nil {
					t.Fatalf("ballot %d: %v", i, err)
				}
			}
			got := x.rule.Tally(p)
			var scores []string
			for _, s := range got.Scores {
				scores = append(scores, s.RatString())
			}
			if !slices.Equal(scores, x.scores) {
				t.Errorf("scores %v, want %v", scores, x.scores)
			}
			if !slices.Equal(got.Winners, x.winners) {
				t.Errorf("winners %v, want %v", got.Winners, x.winners)
			}
		})
	}
}

// Sums of float64 in the order of the ballots would find one winner in each of
// the last two examples.
func TestFloatsWouldDecide(t *testing.T) {
	sum := func(ranks ...float64) (s float64) {
		for _, r := range ranks {
			s += 1 / r
		}
		return s
	}
	if sum(1, 1, 3, 3) == sum(3, 3, 1, 1) || sum(2, 3, 6) == 1 {
		t.Fatal("float64 counts these exactly: the examples show nothing")
	}
}

// A weight is exp of the mean log-probability in millionths, above 0 and at most 1.
func TestWeightOf(t *testing.T) {
	for mean, want := range map[float64]int{
		0: 1_000_000, math.Log(0.5): 500_000, -1: 367_879, -1e-9: 1_000_000, -13.9: 1, -9999: 1, math.Inf(-1): 1, 0.5: 1_000_000,
	} {
		if got := decision.WeightOf(mean); got != want {
			t.Errorf("%v weighs %d millionths, want %d", mean, got, want)
		}
	}
}
