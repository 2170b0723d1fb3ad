package statistics_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"roundtable/analysis/referencetest"
	"roundtable/analysis/statistics"
	"roundtable/envs"
	"roundtable/envs/envtest"
	"roundtable/envs/exchange"
)

// trajectory is one run of the reference vectors: what was decided (null keeps
// what stood) and proposed, and all metrics, made with independent tools.
type trajectory struct {
	K, R      int
	Decisions [][][]float64
	Proposals [][][][]float64 // by round and agent
	Expected  struct {
		Shares     []float64          `json:"U_percent"`
		Total      map[string]float64 `json:"group_total_utility"`
		AUC        map[string]float64 `json:"auc_mean"`
		Sum        map[string]float64 `json:"auc_sum"`
		Fairness   *float64           `json:"fairness_percent"`
		Rigidity   *float64           `json:"rigidity_percent"`
		Slots      *float64           `json:"rationality_slots_percent"`
		Made       *float64           `json:"rationality_over_made_percent"`
		Comparable *float64           `json:"rationality_over_comparable_percent"`
		Counts     struct{ Rational, Slots, Made, Comparable int }
	}
}

func equal(t *testing.T, what string, got float64, ok bool, want *float64) {
	t.Helper()
	switch {
	case want == nil && ok:
		t.Errorf("%s = %v, want undefined", what, got)
	case want != nil && (!ok || math.Abs(got-*want) > 1e-9):
		t.Errorf("%s = %.12g (defined: %t), want %.12g", what, got, ok, *want)
	}
}

func TestReferenceTrajectories(t *testing.T) {
	var reference struct{ Trajectories []trajectory }
	referencetest.Read(t, "exchange_economy_reference.json", &reference)
	if len(reference.Trajectories) != 8 {
		t.Fatalf("%d trajectories", len(reference.Trajectories))
	}
	for i, x := range reference.Trajectories {
		t.Run(fmt.Sprint(i), func(t *testing.T) { check(t, x) })
	}
}

func check(t *testing.T, x trajectory) {
	e, err := exchange.New(exchange.Params{Agents: x.K, Tolerance: 1e-3}) // the reference writes two decimals
	if err != nil {
		t.Fatal(err)
	}
	var shares statistics.Shares
	var slots []statistics.Slot
	var keys []string
	var standing *envs.Score
	key := ""
	for r := range x.R {
		for agent, amounts := range x.Proposals[r] {
			var s statistics.Slot
			if amounts != nil {
				s.Own = &e.Score(envtest.ExchangeProposal(t, e, amounts)).Utilities[agent]
			}
			if standing != nil {
				s.Standing = &standing.Utilities[agent]
			}
			slots = append(slots, s)
		}
		if x.Decisions[r] != nil {
			p := envtest.ExchangeProposal(t, e, x.Decisions[r])
			score := e.Score(p)
			standing, key = &score, string(p)
		}
		keys = append(keys, key)
		if standing == nil {
			shares = append(shares, nil)
		} else {
			shares = append(shares, &standing.Value)
		}
	}
	want := x.Expected
	for r, u := range want.Shares {
		got, ok := shares.TotalUtility(r + 1)
		equal(t, fmt.Sprint("share of round ", r+1), got, ok, &u)
	}
	each := func(what string, values map[string]float64, f func(int) (float64, bool)) {
		if len(values) != 3 {
			t.Errorf("%s: %d values", what, len(values))
		}
		for n, v := range values {
			round, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := f(round)
			equal(t, what+"@"+n, got, ok, &v)
		}
	}
	each("total utility", want.Total, shares.TotalUtility)
	each("AUC", want.AUC, shares.AUC)
	each("AUC sum", want.Sum, shares.AUCSum)
	var utilities []float64
	if standing != nil {
		utilities = standing.Utilities
	}
	got, ok := statistics.Fairness(utilities)
	equal(t, "fairness", got, ok, want.Fairness)
	got, ok = shares.Rigidity()
	equal(t, "rigidity", got, ok, want.Rigidity)
	byDecision, ok := statistics.DecisionRigidity(keys)
	if !ok || byDecision > got {
		t.Errorf("rigidity by decision %v, by utility %v: an unchanged decision has an unchanged utility", byDecision, got)
	}
	counts := statistics.CountRational(slots)
	if counts != statistics.Rationality(want.Counts) {
		t.Errorf("counts %+v, want %+v", counts, want.Counts)
	}
	got, ok = counts.PerSlot()
	equal(t, "rationality by slot", got, ok, want.Slots)
	got, ok = counts.PerMade()
	equal(t, "rationality over made", got, ok, want.Made)
	got, ok = counts.PerComparable()
	equal(t, "rationality over comparable", got, ok, want.Comparable)
}

func number(v float64) *float64 { return &v }

func TestByHand(t *testing.T) {
	s := statistics.Shares{nil, number(0.5), number(0.5), number(0.8), number(0.8 + 1e-10)}
	for _, x := range []struct {
		what string
		got  func() (float64, bool)
		want *float64
	}{
		{"utility before the decision", func() (float64, bool) { return s.TotalUtility(1) }, number(0)},
		{"utility@4", func() (float64, bool) { return s.TotalUtility(4) }, number(80)},
		{"utility beyond the run", func() (float64, bool) { return s.TotalUtility(6) }, nil},
		{"utility@0", func() (float64, bool) { return s.TotalUtility(0) }, nil},
		{"AUC@4", func() (float64, bool) { return s.AUC(4) }, number(45)},
		{"AUC sum@4", func() (float64, bool) { return s.AUCSum(4) }, number(1.8)},
		{"AUC beyond the run", func() (float64, bool) { return s.AUC(6) }, nil},
		{"rigidity: rounds 1, 3 and 5", s.Rigidity, number(60)},
		{"rigidity of nothing", statistics.Shares{}.Rigidity, nil},
		{"rigidity by decision: the last is another of equal worth", func() (float64, bool) {
			return statistics.DecisionRigidity([]string{"", "a", "a", "b", "c"})
		}, number(40)},
		{"fairness", func() (float64, bool) { return statistics.Fairness([]float64{30, 40, 50}) }, number(60)},
		{"fairness with one empty", func() (float64, bool) { return statistics.Fairness([]float64{0, 40}) }, number(0)},
		{"fairness of nothing to anybody", func() (float64, bool) { return statistics.Fairness([]float64{0, 0}) }, nil},
		{"fairness without a decision", func() (float64, bool) { return statistics.Fairness(nil) }, nil},
		{"not yet agreed@1", func() (float64, bool) {
			return statistics.NotYetAgreed([]statistics.Shares{s, {number(1)}, {nil}, {}}, 1)
		}, number(200.0 / 3)},
		{"not yet agreed@9", func() (float64, bool) {
			return statistics.NotYetAgreed([]statistics.Shares{s, {number(1)}, {nil}, {}}, 9)
		}, number(100.0 / 3)},
		{"not yet agreed of no runs", func() (float64, bool) { return statistics.NotYetAgreed(nil, 1) }, nil},
	} {
		got, ok := x.got()
		equal(t, x.what, got, ok, x.want)
	}
}

func TestRationalByHand(t *testing.T) {
	c := statistics.CountRational([]statistics.Slot{
		{Own: number(2), Standing: number(1)},         // better
		{Own: number(1), Standing: number(1)},         // equal
		{Own: number(1 + 1e-10), Standing: number(1)}, // equal
		{Own: number(0), Standing: number(1)},         // worse
		{Own: number(9)},                              // nothing to compare with
		{Standing: number(1)},                         // skipped
		{},
	})
	if want := (statistics.Rationality{Rational: 1, Slots: 7, Made: 5, Comparable: 4}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	got, ok := c.PerSlot()
	equal(t, "by slot", got, ok, number(100.0/7))
	got, ok = statistics.Rationality{Slots: 3}.PerComparable()
	equal(t, "over nothing comparable", got, ok, nil)
}
