package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// conditions of n paired units: each unit has its own difficulty, and each
// condition adds its own constant.
func conditions(n int, seed uint64, gains ...float64) []Series {
	draw := rand.New(rand.NewPCG(seed, 1))
	difficulty := make([]float64, n)
	for i := range difficulty {
		difficulty[i] = draw.NormFloat64()
	}
	var list []Series
	for k, gain := range gains {
		s := Series{Name: fmt.Sprint("rule", k), Values: map[string]float64{}}
		for i, d := range difficulty {
			s.Values[fmt.Sprint("i", i)] = d + gain + 0.2*draw.NormFloat64()
		}
		list = append(list, s)
	}
	return list
}

// every pair of conditions.
func every(series []Series) []Contrast {
	all, _ := Pairs(series)
	return all
}

// A rule that is better by 0.2 where units differ by 1 is found in pairs, with
// its size in the interval; two equal rules are not told apart.
func TestPlantedDifferenceIsFound(t *testing.T) {
	series := conditions(60, 1, 0, 0, 0.2)
	list, err := Compare(series, Family{Contrasts: every(series), Resamples: 2000, Flips: 5000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 {
		t.Fatalf("%d comparisons", len(list))
	}
	for _, c := range list {
		planted := 0.0
		if c.B == "rule2" {
			planted = -0.2
		}
		if found := *c.Holm < 0.05; found != (planted != 0) || c.N != 60 || c.Unpaired != 0 || (*c.Wilcoxon < 0.05) != found {
			t.Errorf("%s against %s: Holm %v, Wilcoxon %v, n %d", c.A, c.B, *c.Holm, *c.Wilcoxon, c.N)
		}
		if c.BCa.Low > planted || c.BCa.High < planted || math.Abs(*c.Difference-planted) > *c.Detectable {
			t.Errorf("%s against %s: %v in %+v, planted were %v", c.A, c.B, *c.Difference, *c.BCa, planted)
		}
		if (*c.Needed < 60) != (planted != 0) || *c.Needed != math.Trunc(*c.Needed) {
			t.Errorf("%s against %s: %v pairs are needed", c.A, c.B, *c.Needed)
		}
	}
}

// Where nothing is planted, one test in twenty rejects, and intervals cover.
func TestNullDifferencesRejectAtTheirRate(t *testing.T) {
	const campaigns = 200
	rejected, ranked, covered := 0, 0, 0
	for seed := range uint64(campaigns) {
		series := conditions(15, 100+seed, 0, 0)
		list, err := Compare(series, Family{Contrasts: every(series), Resamples: 200, Flips: 999, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		c := list[0]
		if *c.SignFlip <= 0.05 {
			rejected++
		}
		if *c.Wilcoxon <= 0.05 {
			ranked++
		}
		if c.BCa.Low <= 0 && c.BCa.High >= 0 {
			covered++
		}
	}
	// Binomial(200, 0.05): mean 10, standard deviation 3.1. With 15 pairs bootstrap
	// intervals cover a little less than they say.
	if math.Abs(float64(rejected)-10) > 3*3.1 || math.Abs(float64(ranked)-10) > 3*3.1 {
		t.Errorf("of %d null campaigns sign flips reject %d and ranks %d", campaigns, rejected, ranked)
	}
	if share := float64(covered) / campaigns; share < 0.86 || share > 0.98 {
		t.Errorf("intervals cover in %.3f", share)
	}
}

func TestComparisonsExplain(t *testing.T) {
	series := []Series{
		{Name: "a", Values: map[string]float64{"x": 1, "y": 2, "z": 3}},
		{Name: "b", Values: map[string]float64{"x": 0, "y": 1, "w": 3}}, // each better by 1
		{Name: "c", Values: map[string]float64{"v": 1}},
		{Name: "d", Values: map[string]float64{"x": 5}},
	}
	list, err := Compare(series, Family{Contrasts: []Contrast{{"a", "b"}, {"a", "c"}, {"a", "d"}, {"a", "a"}}, Resamples: 200, Flips: 200})
	if err != nil {
		t.Fatal(err)
	}
	ab, ac, ad, aa := list[0], list[1], list[2], list[3]
	if ab.N != 2 || ab.Unpaired != 2 || *ab.Difference != 1 || ab.BCa != nil || ab.Detectable != nil || !strings.Contains(ab.Notes[0], "without spread") || *ab.SignFlip != 0.5 {
		t.Errorf("%+v", ab)
	}
	if ac.N != 0 || ac.Difference != nil || ac.Holm != nil || ac.Notes[0] != "no unit is in both" {
		t.Errorf("%+v", ac)
	}
	if ad.N != 1 || *ad.Difference != -4 || ad.SE != nil || *ad.SignFlip != 1 {
		t.Errorf("%+v", ad)
	}
	if *aa.Difference != 0 || *aa.SignFlip != 1 || *aa.Wilcoxon != 1 || aa.Needed != nil {
		t.Errorf("%+v", aa)
	}
	for says, s := range map[string][]Series{
		`two series "a"`:                 {series[0], series[0]},
		`unknown series "b"; expected a`: {series[0]},
	} {
		if _, err := Compare(s, Family{Contrasts: []Contrast{{"a", "b"}}}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// The pairs needed have the power that is asked for, and one less has not.
func TestNeededPairsAreRoundedUp(t *testing.T) {
	for seed := range uint64(20) {
		series := conditions(12, seed, 0, 0.2)
		list, err := Compare(series, Family{Contrasts: every(series), Resamples: 200, Flips: 200})
		if err != nil {
			t.Fatal(err)
		}
		c := list[0]
		effect := math.Abs(*c.Difference) / (*c.SE * math.Sqrt(12))
		design := Design{Paired: true, Alpha: 0.05}
		if n := *c.Needed; n > 2 && (design.Power(effect, n) < power-1e-9 || design.Power(effect, n-1) >= power) {
			t.Errorf("%v pairs have power %.4f, and one less %.4f", n, design.Power(effect, n), design.Power(effect, n-1))
		}
	}
}

// The smallest difference that can be found grows with the family.
func TestDetectableIsForTheFamily(t *testing.T) {
	series := conditions(30, 3, 0, 0, 0)
	var found [2]float64
	for i, contrasts := range [][]Contrast{every(series)[:1], every(series)} {
		list, err := Compare(series, Family{Contrasts: contrasts, Resamples: 200, Flips: 200})
		if err != nil {
			t.Fatal(err)
		}
		found[i] = *list[0].Detectable / (*list[0].SE * math.Sqrt(30))
	}
	for i, alpha := range []float64{0.05, 0.05 / 3} {
		if got := (Design{Paired: true, Alpha: alpha}).Power(found[i], 30); math.Abs(got-0.8) > 1e-6 {
			t.Errorf("family %d: power %.4f of what is called detectable", i, got)
		}
	}
}

// Sums of the same terms in another order are not difference, and conditions
// without a unit in common are not pair of the family.
func TestRoundingIsNoDifference(t *testing.T) {
	series := []Series{{Name: "a", Values: map[string]float64{}}, {Name: "b", Values: map[string]float64{}}, {Name: "c", Values: map[string]float64{"other": 1}}}
	for i := range 30 {
		unit := fmt.Sprint("i", i)
		series[0].Values[unit], series[1].Values[unit] = 0.3, 0.3-1e-16*float64(i+1)
	}
	contrasts, apart := Pairs(series)
	if len(contrasts) != 1 || apart != 2 {
		t.Errorf("%v are compared, %d are not", contrasts, apart)
	}
	list, err := Compare(series, Family{Contrasts: contrasts, Resamples: 200, Flips: 999, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if c := list[0]; *c.SignFlip != 1 || *c.Wilcoxon != 1 || c.Needed != nil || c.BCa != nil {
		t.Errorf("two equal conditions: sign flip %v, Wilcoxon %v, needed %v", *c.SignFlip, *c.Wilcoxon, c.Needed)
	}
}

// Stars in tenths have the interval of ten times as many whole stars: a resample
// with the mean of all is one also if its sum has another last digit.
func TestTiesOfResamples(t *testing.T) {
	tenths, whole := make([]float64, 25), make([]float64, 25)
	for i := range whole {
		whole[i] = float64(i%7 - 2)
		tenths[i] = whole[i] / 10
	}
	of := func(values []float64) Bootstrapped {
		b, err := Bootstrap(len(values), Mean(values), 2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	a, b := of(tenths), of(whole)
	if a.Bias != b.Bias || math.Abs(10*a.BCa.Low-b.BCa.Low) > 1e-9 || math.Abs(10*a.BCa.High-b.BCa.High) > 1e-9 {
		t.Errorf("bias %v and %v, intervals %+v and %+v", a.Bias, b.Bias, a.BCa, b.BCa)
	}
}

func BenchmarkCompare(b *testing.B) {
	series := conditions(100, 1, 0, 0.1, 0.1, 0.2, 0, 0)
	for b.Loop() {
		if _, err := Compare(series, Family{Contrasts: every(series), Resamples: 9999, Flips: 9999, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
