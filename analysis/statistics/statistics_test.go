package statistics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Without reference vectors: worked out by hand.
func TestByHand(t *testing.T) {
	d := []float64{1, 2, 3, -4} // signs of {1,2,3,4}: |sum| >= 2 in 12 of 16; ranks of the negative sum to 4
	p, err := SignFlip(d, 0, 0)
	if err != nil || p != 14.0/16 {
		t.Errorf("sign flip %v %v", p, err)
	}
	w, err := Wilcoxon(d)
	// Sums of ranks at most 4: {}, 1, 2, 3, 4, 1+2, 1+3: 7 of 16, both sides 14.
	if err != nil || w != (SignedRank{W: 4, N: 4, P: 14.0 / 16, Exact: true}) {
		t.Errorf("%+v %v", w, err)
	}
	// Ranks 1, 2.5, 2.5, 4.5, 4.5, the first of them negative: (7.5 - 1 - 0.5) / sqrt(13.5), as R's wilcox.test has it.
	if w, err := Wilcoxon([]float64{3, 3, -1, 2, 2}); err != nil || w.W != 1 || w.Exact || math.Abs(w.P-0.1024704) > 1e-7 {
		t.Errorf("with ties: %+v %v", w, err)
	}
	test, err := Paired([]float64{1, 2, 3}) // mean 2, sd 1
	if err != nil || math.Abs(test.T-2*math.Sqrt(3)) > 1e-12 || test.DOF != 2 {
		t.Errorf("%+v %v", test, err)
	}
	if q := Quantile([]float64{1, 2, 4}, 0.75); q != 3 {
		t.Errorf("quantile %v, want 3", q)
	}
	holm, err := Holm([]float64{0.04, 0.01, 0.03})
	if err != nil || !slices.Equal(holm, []float64{0.06, 0.03, 0.06}) {
		t.Errorf("Holm %v %v", holm, err)
	}
	bh, err := BenjaminiHochberg([]float64{0.04, 0.01, 0.03})
	if err != nil || bh[0] != 0.04 || math.Abs(bh[1]-0.03) > 1e-15 || bh[2] != 0.04 {
		t.Errorf("Benjamini-Hochberg %v %v", bh, err)
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	nan := math.NaN()
	for says, f := range map[string]func() error{
		"at least 2 pairs":             func() error { _, err := Paired([]float64{1}); return err },
		"all 3 differences are 2":      func() error { _, err := Paired([]float64{2, 2, 2}); return err },
		"value 2 is NaN":               func() error { _, err := Paired([]float64{2, nan}); return err },
		"3 and 1 values are not pairs": func() error { _, err := Differences([]float64{1, 2, 3}, []float64{1}); return err },
		"at least 2 values on both":    func() error { _, err := Welch(Sample{N: 1}, Sample{N: 5}); return err },
		"neither sample has":           func() error { _, err := Welch(Sample{N: 3}, Sample{N: 5}); return err },
		"p-value 1 of the family":      func() error { _, err := Holm([]float64{nan}); return err },
		"p-value 2 of the family is 2": func() error { _, err := BenjaminiHochberg([]float64{1, 2}); return err },
		"no differences to be ranked":  func() error { _, err := Wilcoxon(nil); return err },
		"value 1 is +Inf":              func() error { _, err := Wilcoxon([]float64{math.Inf(1)}); return err },
		"0 differences and":            func() error { _, err := SignFlip(nil, 1000, 1); return err },
		"21 differences and 0":         func() error { _, err := SignFlip(make([]float64, 21), 0, 1); return err },
		"it has 100 and 1":             func() error { _, err := Bootstrap(1, Mean([]float64{1}), 100, 1); return err },
		"is 3 in all resamples":        func() error { _, err := Bootstrap(2, Mean([]float64{3, 3}), 100, 1); return err },
		"not defined for these 3": func() error {
			_, err := Bootstrap(3, func([]int) (float64, bool) { return 0, false }, 100, 1)
			return err
		},
		"not defined in":              func() error { _, err := Bootstrap(3, missingWithout(2), 100, 1); return err },
		"no number of collaborations": func() error { _, err := Design{Alpha: 0.05}.Size(0, 0.8); return err },
		"level 0 and power":           func() error { _, err := Design{}.Size(1, 0.8); return err },
		"1 collaborations find":       func() error { _, err := Design{Alpha: 0.05}.Detectable(1, 0.8); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// missingWithout is a statistic that needs one collaboration.
func missingWithout(i int) Statistic {
	return func(index []int) (float64, bool) { return float64(index[0]), slices.Contains(index, i) }
}

// All signs of differences, and drawn ones, say the same; the enumeration of
// ranks says what the enumeration of signs says of the ranks themselves.
func TestSignsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := evenOut(rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 12).Draw(t, "d"))
		p, err := SignFlip(d, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		negated := slices.Clone(d)
		for i := range negated {
			negated[i] *= -1
		}
		if q, _ := SignFlip(negated, 0, 0); math.Abs(p-q) > 1e-12 || p <= 0 || p > 1 {
			t.Errorf("p is %v, and %v with all signs changed", p, q)
		}
		r, err := newRanks(d)
		if err != nil || r.n == 0 || r.ties > 0 {
			return
		}
		ranked := make([]float64, 0, r.n)
		order := slices.DeleteFunc(slices.Clone(d), func(v float64) bool { return v == 0 })
		for _, v := range order {
			rank := 0.0
			for _, other := range order {
				if math.Abs(other) <= math.Abs(v) {
					rank++
				}
			}
			ranked = append(ranked, math.Copysign(rank, v))
		}
		q, err := SignFlip(ranked, 0, 0)
		if w := r.exactTest(); err != nil || math.Abs(w.P-q) > 1e-12 {
			t.Errorf("Wilcoxon of %v: %v by rank sums, %v by signs (%v)", d, w.P, q, err)
		}
	})
}

func TestDrawnSigns(t *testing.T) {
	d := make([]float64, 70)
	for i := range d {
		d[i] = 0.2 + math.Sin(float64(i)*1.7)
	}
	p, err := SignFlip(d, 20000, 3)
	if err != nil {
		t.Fatal(err)
	}
	test, err := Paired(d)
	if err != nil || math.Abs(p-test.P) > 0.02 {
		t.Errorf("drawn signs say %v, Student %v (%v)", p, test.P, err)
	}
	if again, _ := SignFlip(d, 20000, 3); again != p {
		t.Error("the same seed draws other signs")
	}
}

// Adjusted p-values keep the order, are not smaller, and Holm's are not smaller
// than Benjamini and Hochberg's.
func TestAdjustmentProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "p")
		holm, err := Holm(p)
		if err != nil {
			t.Fatal(err)
		}
		bh, err := BenjaminiHochberg(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if bh[i] < p[i]-1e-15 || holm[i] < bh[i]-1e-15 || holm[i] > 1 {
				t.Errorf("%v: Benjamini-Hochberg %v, Holm %v", p[i], bh[i], holm[i])
			}
			for j := range p {
				if p[i] < p[j] && (holm[i] > holm[j] || bh[i] > bh[j]) {
					t.Errorf("%v and %v change places", p[i], p[j])
				}
			}
		}
	})
}

// Student's quantile for 4 degrees of freedom is 2.776.
func TestMeanInterval(t *testing.T) {
	mean, within := MeanInterval([]float64{1, 2, 3, 4, 5})
	if half := 2.7764451 * math.Sqrt(2.5/5); within == nil || mean != 3 || math.Abs(within.High-3-half) > 1e-6 || math.Abs(within.Low-3+half) > 1e-6 {
		t.Error(mean, within)
	}
	for _, values := range [][]float64{{1}, {0, 0}, {1, 1, 1}} {
		if mean, within := MeanInterval(values); mean != values[0] || within != nil {
			t.Errorf("of %v: %v %+v", values, mean, within)
		}
	}
}

// Three of three are no certainty: 0.025^(1/3) is 0.2924, as Clopper and Pearson have it; and
// scipy.stats.binomtest(0, 10).proportion_ci() is 0 to 0.3085.
func TestNoIntervalFromNoSpread(t *testing.T) {
	ratio := func(values ...float64) *Ratio {
		var all [][2]float64
		for _, v := range values {
			all = append(all, [2]float64{v, 1})
		}
		return RatioOf(all)
	}
	for _, x := range []struct {
		values    []float64
		low, high float64 // 0 to 0 for none
	}{
		{[]float64{1, 1, 1}, .292402, 1}, {make([]float64, 10), 0, .308497}, {[]float64{.5, .5}, 0, 0}, {[]float64{1}, 0, 0}, {[]float64{.1 + .2, .3, .3 + 1e-15}, 0, 0},
		{[]float64{1, 1, 1, 0}, 0, 1},
	} {
		r := ratio(x.values...)
		spread := slices.Max(x.values)-slices.Min(x.values) > 1e-9
		if (r.SE != nil) != spread || (r.Interval() != nil) != spread {
			t.Errorf("of %v: %+v", x.values, r)
		}
		within := r.ShareInterval()
		if (within != nil) != (x.high > 0) || within != nil && (math.Abs(within.Low-x.low) > 1e-6 || math.Abs(within.High-x.high) > 1e-6) {
			t.Errorf("of %v: %+v", x.values, within)
		}
	}
}

// Gains that differ only by the order of their sums are equal: there is no test
// of them, and no interval, and differences of 1e-16 are 0.
func TestRoundingIsNoSpread(t *testing.T) {
	gains := []float64{.1 + .2, .3, .3 + 1e-15, .3 - 1e-15, .3}
	if test, err := Paired(gains); err == nil || !strings.Contains(err.Error(), "without spread") {
		t.Errorf("Student's test of equal gains: %+v %v", test, err)
	}
	if test, err := Paired([]float64{.1, .1, .1}); err == nil {
		t.Errorf("Student's test of 0.1 three times, whose mean is not 0.1: %+v", test)
	}
	if mean, within := MeanInterval(gains); within != nil {
		t.Errorf("their interval: %v %+v", mean, within)
	}
	if test, err := Welch(sampleOf(gains), sampleOf([]float64{.1, .1, .1})); err == nil {
		t.Errorf("Welch's test of two samples without spread: %+v", test)
	}
	if p, err := SignFlip([]float64{1e-16, 2e-16, 1e-16, 3e-16, 1e-16, 1e-16}, 0, 0); err != nil || p != 1 {
		t.Errorf("sign flip of rounding: %v %v", p, err)
	}
	if w, err := Wilcoxon([]float64{1e6 * (.3 - .2), -1e6 * (.2 - .1), 1e-5, 4}); err != nil || w.Zeros != 1 || w.W != 2.5 {
		t.Errorf("ranks of 100000, -100000, 0 and 4: %+v %v", w, err)
	}
	if line, err := LineOf([]float64{1, 2, 3, 4, 5}, gains); err == nil {
		t.Errorf("a line through equal values: %+v", line)
	}
	if test, err := Paired([]float64{.3, .3, .3 + 1e-6}); err != nil || test.P > 1e-3 {
		t.Errorf("a spread of 1e-6 is one: %+v %v", test, err)
	}
	if got := evenOut([]float64{math.Inf(1), 1}); !math.IsInf(got[0], 1) || got[1] != 1 {
		t.Errorf("an infinite value: %v", got)
	}
}
