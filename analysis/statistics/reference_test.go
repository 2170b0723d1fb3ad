package statistics

import (
	"math"
	"slices"
	"testing"

	"roundtable/analysis/referencetest"
)

// same to nine digits; relative, so that it holds for p-values of 1e-100 too.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(math.Abs(want), 1e-300)) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// sameInterval to nine decimals: scipy and R themselves differ in the eleventh.
func sameInterval(t *testing.T, what string, got Interval, want [2]float64) {
	t.Helper()
	if math.Abs(got.Low-want[0]) > 1e-9 || math.Abs(got.High-want[1]) > 1e-9 {
		t.Errorf("%s is %+v, want %v", what, got, want)
	}
}

// scipy and statsmodels.
type vectors struct {
	Mean struct {
		X          []float64
		Indices    [][]int `json:"indices_1byte"`
		Mean, SE   float64
		BootSE     float64    `json:"boot_se"`
		Percentile [2]float64 `json:"percentile95"`
		Basic      [2]float64 `json:"basic95"`
		BCa        struct {
			Z0, Acceleration float64
			CI               [2]float64 `json:"ci95"`
		}
	} `json:"bootstrap_mean"`
	Welch struct {
		A, B           []float64
		T, DF, P, Diff float64
		CI             [2]float64 `json:"ci95"`
	}
	Paired struct {
		X, Y, D []float64
		T, P    float64
		CI      [2]float64                 `json:"ci95"`
		CC1     struct{ W_min, P float64 } `json:"wilcoxon_wilcox_cc1"`
	}
	Exact struct {
		D        []float64
		W_min, P float64
	} `json:"wilcoxon_exact"`
	Flip struct {
		D []float64
		P float64
	} `json:"sign_flip_exact"`
	Multiplicity struct {
		P, Holm []float64
		BH      []float64 `json:"fdr_bh"`
	}
	Tails []struct {
		T, DF float64
		P     float64 `json:"two_sided"`
	} `json:"distribution_tails"`
	Power struct {
		Paired []struct {
			D   float64 `json:"dz"`
			N   float64 `json:"n80"`
			N15 float64 `json:"n80_bonf15"`
		} `json:"paired_n_for"`
		Unpaired []struct {
			D   float64
			N   float64 `json:"n80"`
			N15 float64 `json:"n80_bonf15"`
		} `json:"unpaired_n_per_group_for"`
		Paper map[string]any
	}
}

func TestReferenceTests(t *testing.T) {
	var v vectors
	referencetest.Read(t, "stat_tests.json", &v)
	for _, x := range v.Tails {
		same(t, "tail", TwoSidedT(x.T, x.DF), x.P)
	}
	if len(v.Tails) != 30 {
		t.Errorf("%d tails", len(v.Tails))
	}
	w, err := Welch(sampleOf(v.Welch.A), sampleOf(v.Welch.B))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "Welch's t", w.T, v.Welch.T)
	same(t, "Welch's dof", w.DOF, v.Welch.DF)
	same(t, "Welch's p", w.P, v.Welch.P)
	same(t, "difference", w.Difference, v.Welch.Diff)
	sameInterval(t, "Welch's interval", w.CI, v.Welch.CI)
	p, err := Paired(v.Paired.D)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "paired t", p.T, v.Paired.T)
	same(t, "paired p", p.P, v.Paired.P)
	sameInterval(t, "paired interval", p.CI, v.Paired.CI)
	holm, err := Holm(v.Multiplicity.P)
	if err != nil {
		t.Fatal(err)
	}
	bh, err := BenjaminiHochberg(v.Multiplicity.P)
	if err != nil {
		t.Fatal(err)
	}
	for i := range holm {
		same(t, "Holm", holm[i], v.Multiplicity.Holm[i])
		same(t, "Benjamini-Hochberg", bh[i], v.Multiplicity.BH[i])
	}
}

func TestReferenceSigns(t *testing.T) {
	var v vectors
	referencetest.Read(t, "stat_tests.json", &v)
	d, err := Differences(v.Paired.Y, v.Paired.X) // ties survive rounding
	if err != nil {
		t.Fatal(err)
	}
	corrected, err := Wilcoxon(d)
	if err != nil || corrected.Exact {
		t.Errorf("differences with ties: %+v %v", corrected, err)
	}
	same(t, "W", corrected.W, v.Paired.CC1.W_min)
	same(t, "p with continuity", corrected.P, v.Paired.CC1.P)
	exact, err := Wilcoxon(v.Exact.D)
	if err != nil || !exact.Exact || exact.W != v.Exact.W_min {
		t.Errorf("%+v %v", exact, err)
	}
	same(t, "exact p", exact.P, v.Exact.P)
	flip, err := SignFlip(v.Flip.D, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "sign flip", flip, v.Flip.P)
}

func TestReferenceBootstrap(t *testing.T) {
	var v vectors
	referencetest.Read(t, "stat_tests.json", &v)
	m := v.Mean
	b, err := bootstrapFrom(len(m.X), Mean(m.X), slices.Values(m.Indices))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "mean", b.Estimate, m.Mean)
	same(t, "standard error", sampleOf(m.X).SE, m.SE)
	same(t, "bootstrap standard error", b.SE, m.BootSE)
	sameInterval(t, "percentile", b.Percentile, m.Percentile)
	sameInterval(t, "basic", b.Basic, m.Basic)
	same(t, "bias", b.Bias, m.BCa.Z0)
	same(t, "acceleration", b.Acceleration, m.BCa.Acceleration)
	sameInterval(t, "BCa", b.BCa, m.BCa.CI)
}

// statsmodels solves for n to eight digits.
func TestReferencePower(t *testing.T) {
	var v vectors
	referencetest.Read(t, "stat_tests.json", &v)
	check := func(d Design, effect, want float64) {
		t.Helper()
		n, err := d.Size(effect, 0.8)
		if err != nil || math.Abs(n-want) > 1e-7*want {
			t.Errorf("%+v of %v needs %.10g (%v), want %.10g", d, effect, n, err, want)
		}
		back, err := d.Detectable(n, 0.8)
		if err != nil || math.Abs(back-effect) > 1e-9 {
			t.Errorf("%+v with %v finds %v (%v), want %v", d, n, back, err, effect)
		}
	}
	for i, p := range v.Power.Paired {
		check(Design{Paired: true, Alpha: 0.05}, p.D, p.N)
		check(Design{Paired: true, Alpha: 0.05 / 15}, p.D, p.N15)
		u := v.Power.Unpaired[i]
		check(Design{Alpha: 0.05}, u.D, u.N)
		check(Design{Alpha: 0.05 / 15}, u.D, u.N15)
	}
	// The reference takes (1.96+0.8416)·sd·√(2/n), the large-sample value; ours is Student's.
	large := v.Power.Paper["mde80_unpaired_n100_recsys"].(float64)
	effect, err := Design{Alpha: 0.05}.Detectable(100, 0.8)
	if got := effect * 0.85; err != nil || got < large || got > 1.01*large {
		t.Errorf("detectable difference %v (%v), large-sample value %v", got, err, large)
	}
}

// Pairwise Welch tests of the printed Table 1 of paper 1, total utility@10, with Holm's correction.
func TestReferenceTable1(t *testing.T) {
	var v struct {
		Pairs []struct {
			A, B           string
			T, DF, P, Holm float64
		} `json:"paper_table1_U10_pairs"`
	}
	referencetest.Read(t, "stat_tests.json", &v)
	printed := map[string]Sample{
		"unanimous": {48.48, 3.86, 100}, "majority": {79.61, 0.88, 100}, "plurality": {76.95, 1.24, 100},
		"rated": {79.91, 0.83, 100}, "ranked": {78.40, 1.46, 100}, "cumulative": {78.45, 1.15, 100},
	}
	var ps, want []float64
	for _, c := range v.Pairs {
		w, err := Welch(printed[c.A], printed[c.B])
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.A+" against "+c.B, w.T, c.T)
		same(t, "dof", w.DOF, c.DF)
		same(t, "p", w.P, c.P)
		ps, want = append(ps, w.P), append(want, c.Holm)
	}
	holm, err := Holm(ps)
	if err != nil || len(holm) != 15 {
		t.Fatal(holm, err)
	}
	for i := range holm {
		same(t, "Holm", holm[i], want[i])
	}
}

// sampleOf returns the mean, standard error and n of x.
func sampleOf(x []float64) Sample {
	mean, se := meanSE(evenOut(x))
	return Sample{mean, se, len(x)}
}
