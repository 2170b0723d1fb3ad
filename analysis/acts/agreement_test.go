package acts

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got *float64, want, within float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > within {
		t.Errorf("%s is %v, want %v", what, shown(got), want)
	}
}

func shown(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// TestKappaTables: two by two tables a, b, c, d (both yes, first only, second
// only, both no) that statistics texts use to show how kappa behaves.
func TestKappaTables(t *testing.T) {
	for _, c := range []struct {
		table [4]int
		want  float64
	}{
		{[4]int{20, 5, 10, 15}, .4},
		{[4]int{45, 15, 25, 15}, 0.130434782608},
		{[4]int{25, 35, 5, 35}, 0.259259259259},
	} {
		var a, b []bool
		for i, n := range c.table {
			for range n {
				a, b = append(a, i < 2), append(b, i%2 == 0)
			}
		}
		near(t, "kappa", Kappa(a, b), c.want, 1e-9)
	}
	if k := Kappa([]int{1, 1}, []int{1, 1}); k != nil {
		t.Errorf("kappa of one category is %v; chance explains it", *k)
	}
	if k := Kappa[int](nil, nil); k != nil {
		t.Errorf("kappa of nothing is %v", *k)
	}
}

// Two values are enough for alpha, by hand: observed and expected disagreement are one pair's. Likewise
// weighted kappa: 1 - n times the squared differences over those of all pairs.
func TestFewValues(t *testing.T) {
	near(t, "alpha of one unit", Alpha([][]int{{1, 2}, {3}}, Nominal[int]), 0, 1e-12)
	for _, units := range [][][]int{nil, {{1}, {2}}, {{1, 1}, {1, 1}}} {
		if a := Alpha(units, Nominal[int]); a != nil {
			t.Errorf("alpha of %v is %v", units, *a)
		}
	}
	near(t, "weighted kappa", WeightedKappa([]float64{1, 2}, []float64{2, 2}), 0, 1e-12)
	near(t, "weighted kappa that agrees", WeightedKappa([]float64{1, 2}, []float64{1, 2}), 1, 1e-12)
	near(t, "weighted kappa of one unit", WeightedKappa([]float64{1}, []float64{2}), 0, 1e-12)
	for _, k := range []*float64{WeightedKappa([]float64{3, 3}, []float64{3, 3}), WeightedKappa(nil, nil), WeightedKappa([]float64{1}, nil)} {
		if k != nil {
			t.Errorf("weighted kappa of nothing, or of one score throughout, is %v", *k)
		}
	}
}

// TestAlphaKrippendorff: the examples of Krippendorff (2011), "Computing
// Krippendorff's Alpha-Reliability": B (binary, two observers, no value
// missing) and C (nominal, four observers, missing values; its interval
// figure too). Zeros are missing.
func TestAlphaKrippendorff(t *testing.T) {
	observers := [4][12]int{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3},
		{0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0},
	}
	units := make([][]int, 12)
	for _, o := range observers {
		for i, v := range o {
			if v > 0 {
				units[i] = append(units[i], v)
			}
		}
	}
	near(t, "nominal alpha", Alpha(units, Nominal), .743, 5e-4)
	near(t, "interval alpha", Alpha(units, func(a, b int) float64 { return float64((a - b) * (a - b)) }), .849, 5e-4)
	meg, owen := [10]int{0, 1, 0, 0, 0, 0, 0, 0, 1, 0}, [10]int{1, 1, 1, 0, 0, 1, 0, 0, 0, 0}
	pairs := make([][]int, len(meg))
	for i := range meg {
		pairs[i] = []int{meg[i], owen[i]}
	}
	near(t, "binary alpha", Alpha(pairs, Nominal), .095, 5e-4)
	for _, none := range [][][]int{nil, {{1}, {2}}, {{3, 3}, {3, 3}}} {
		if a := Alpha(none, Nominal); a != nil {
			t.Errorf("alpha of %v is %v; it is not defined", none, *a)
		}
	}
}

// TestMASI: Passonneau (2006), worked by hand.
func TestMASI(t *testing.T) {
	set := func(names ...string) Set { s, _ := Of(names...); return s }
	a := set("Inform", "Request")
	for _, c := range []struct {
		b    Set
		want float64
	}{
		{a, 0}, {set("Inform"), 1 - 1./2*2/3}, {set("Inform", "Accept"), 1 - 1./3*1/3},
		{set("Accept"), 1}, {set("Inform", "Request", "Confirm", "Accept"), 1 - 2./4*2/3},
	} {
		if got := MASI(a, c.b); math.Abs(got-c.want) > 1e-12 || MASI(c.b, a) != got {
			t.Errorf("distance of %v and %v is %v, want %v", a.Names(), c.b.Names(), got, c.want)
		}
	}
}

// TestAgreeReference compares with NLTK and the Python package krippendorff
// on made-up labels; testdata says how.
func TestAgreeReference(t *testing.T) {
	data, err := os.ReadFile("testdata/agreement.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Units [][][]string
		All   float64 `json:"alpha_masi"`
		Alpha map[string]*float64
		Kappa map[string]*float64
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	units := talk(t, want.Units)
	pairs := make([][]Set, len(units))
	for i, u := range units {
		pairs[i] = u[:2]
	}
	three, two := Agree(units), Agree(pairs)
	near(t, "alpha of all acts", three[0].Alpha, want.All, 1e-9)
	for i, a := range three[1:] {
		if w := want.Alpha[a.Act]; w != nil {
			near(t, "alpha of "+a.Act, a.Alpha, *w, 1e-9)
		} else if a.Alpha != nil {
			t.Errorf("alpha of %s is %v; all labels are alike", a.Act, *a.Alpha)
		}
		if a.Kappa != nil {
			t.Errorf("%s: kappa of three labellers", a.Act)
		}
		if k, w := two[i+1].Kappa, want.Kappa[a.Act]; w != nil {
			near(t, "kappa of "+a.Act, k, *w, 1e-9)
		} else if k != nil {
			t.Errorf("kappa of %s is %v; all labels are alike", a.Act, *k)
		}
	}
}

// TestAgreementBounds: labellers who agree have 1, nobody more; order does not matter.
func TestAgreementBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var units, equal, turned [][]Set
		for range rapid.IntRange(0, 12).Draw(t, "units") {
			a := Set(rapid.Uint16Range(1, 1<<N-1).Draw(t, "a"))
			b := Set(rapid.Uint16Range(0, 1<<N-1).Draw(t, "b"))
			units, equal, turned = append(units, []Set{a, b}), append(equal, []Set{a, a}), append(turned, []Set{b, a})
		}
		got, back := Agree(units), Agree(turned)
		for i, a := range got {
			for _, v := range []*float64{a.Alpha, a.Kappa, a.Same} {
				if v != nil && (math.IsNaN(*v) || *v > 1+1e-12 || *v < -1.000001 && a.Kappa != nil) {
					t.Fatalf("%+v", a)
				}
			}
			if b := back[i]; (a.Alpha == nil) != (b.Alpha == nil) || a.Alpha != nil && math.Abs(*a.Alpha-*b.Alpha) > 1e-12 {
				t.Fatalf("%s: alpha %v, turned %v", a.Act, shown(a.Alpha), shown(b.Alpha))
			}
		}
		for _, a := range Agree(equal) {
			if a.Alpha != nil && *a.Alpha != 1 || a.Kappa != nil && *a.Kappa != 1 || a.Same != nil && *a.Same != 1 {
				t.Fatalf("equal labels: %+v", a)
			}
		}
	})
}
