package exchange

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestNumericMeetsClosedForm: the numeric maximum of economies that have a closed form.
func TestNumericMeetsClosedForm(t *testing.T) {
	for _, name := range []string{"asymmetric", "symmetric", "symmetric_as_printed", "uniform"} {
		for _, k := range []int{2, 3, 4, 5, 6, 12} {
			theta, err := presetExponents(name, k)
			if err != nil {
				t.Fatal(err)
			}
			q := make([]float64, k)
			for i := range q {
				q[i] = 100
			}
			want, err := greatestTotal(theta, q)
			if err != nil {
				t.Fatal(err)
			}
			lower, upper := bracketGreatest(theta, q)
			if math.Abs(lower-want) > 1e-7*want || math.Abs(upper-want) > 1e-7*want {
				t.Errorf("%s of %d: from %.12g to %.12g, closed form %.12g", name, k, lower, upper, want)
			}
		}
	}
}

// An economy of specialists has the closed form only while all are alike.
func TestSpecialists(t *testing.T) {
	for what, change := range map[string]func(theta [][]float64, q []float64){
		"": func([][]float64, []float64) {}, "own": func(theta [][]float64, _ []float64) { theta[1][1] += .01 },
		"other": func(theta [][]float64, _ []float64) { theta[2][1] += .01 }, "quantity": func(_ [][]float64, q []float64) { q[2] = 90 },
	} {
		theta, err := presetExponents("asymmetric", 3)
		if err != nil {
			t.Fatal(err)
		}
		q := []float64{100, 100, 100}
		change(theta, q)
		if _, ok := greatestIfSpecialised(theta, q); ok != (what == "") {
			t.Errorf("with another %s: it has the closed form: %t", what, ok)
		}
	}
}

// TestNumericIsCertified: random economies, some with agents who best get
// nothing, have a narrow bracket that no random allocation beats.
func TestNumericIsCertified(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 60 {
		k, goods := 2+r.IntN(5), 1+r.IntN(5)
		theta, q := make([][]float64, k), make([]float64, goods)
		for g := range q {
			q[g] = math.Exp(4 * r.NormFloat64())
		}
		for i := range theta {
			theta[i] = make([]float64, goods)
			sum := 0.0
			for g := range theta[i] {
				theta[i][g] = math.Pow(r.Float64(), 3)
				if r.IntN(5) == 0 && g > 0 {
					theta[i][g] = 0
				}
				sum += theta[i][g]
			}
			degree := []float64{1, 1, 0.999999, 0.9, 0.3}[r.IntN(5)]
			for g := range theta[i] {
				theta[i][g] *= degree / sum
			}
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			lower, upper := bracketGreatest(theta, q)
			if !(lower > 0 && lower <= upper*(1+1e-12) && upper-lower <= 1e-7*upper) {
				t.Fatalf("from %.12g to %.12g for %v, %v", lower, upper, theta, q)
			}
			for range 300 {
				if u := total(theta, q, r); u > upper*(1+1e-9) {
					t.Fatalf("an allocation has %.12g, above %.12g", u, upper)
				}
			}
		})
	}
}

// total of a random allocation.
func total(theta [][]float64, q []float64, r *rand.Rand) float64 {
	a := make([][]float64, len(theta))
	for i := range a {
		a[i] = make([]float64, len(q))
	}
	for g := range q {
		sum := 0.0
		for i := range a {
			a[i][g] = math.Pow(r.Float64(), 4)
			sum += a[i][g]
		}
		for i := range a {
			a[i][g] *= q[g] / sum
		}
	}
	u := 0.0
	for i := range a {
		u += cobbDouglas(theta[i], a[i])
	}
	return u
}

func TestFiftyAgents(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	theta, q := make([][]float64, 50), make([]float64, 50)
	for i := range theta {
		theta[i] = make([]float64, 50)
		sum := 0.0
		for g := range theta[i] {
			theta[i][g], q[g] = r.ExpFloat64(), 100
			sum += theta[i][g]
		}
		for g := range theta[i] {
			theta[i][g] *= 0.95 / sum
		}
	}
	if lower, upper := bracketGreatest(theta, q); !(upper-lower <= 1e-7*upper) {
		t.Errorf("from %v to %v", lower, upper)
	}
}
