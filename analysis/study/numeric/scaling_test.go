package numeric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/study/numeric"
)

// averagers are the means of uniform starts from 0 to 100 of groups of 2, 4, 6
// and 8, where a smaller group starts as the first agents of a larger one.
func averagers(rng *rand.Rand, runs int) []numeric.Sized {
	sizes := []numeric.Sized{{Agents: 2}, {Agents: 4}, {Agents: 6}, {Agents: 8}}
	for run := range runs {
		sum := 0.0
		for n := 1; n <= 8; n++ {
			sum += 100 * rng.Float64()
			if n%2 == 0 {
				size := &sizes[n/2-1]
				size.Values, size.Pairs = append(size.Values, sum/float64(n)), append(size.Pairs, fmt.Sprint(run))
			}
		}
	}
	return sizes
}

// TestScale: the variance of the mean of n uniform numbers is 100²/(12n), so
// the exponent is −1 and one start's variance 833.3. The 95 % intervals hold
// these in about 95 of 100 samples, though values are neither normal nor
// independent between sizes; with 400 samples 92 to 98 % is within 3 errors.
func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	const samples = 400
	exponent, single, widest := 0, 0, 0.0
	for range samples {
		s, ok := numeric.Scale(averagers(rng, 300))
		if !ok {
			t.Fatal("not defined")
		}
		if s.Exponent.Low <= -1 && -1 <= s.Exponent.High {
			exponent++
		}
		if s.Single.Low <= 1e4/12 && 1e4/12 <= s.Single.High {
			single++
		}
		widest = max(widest, s.Exponent.High-s.Exponent.Low)
	}
	for what, hits := range map[string]int{"exponent": exponent, "variance of one": single} {
		if hits < 0.92*samples || hits > 0.98*samples {
			t.Errorf("%d of %d intervals hold the %s", hits, samples, what)
		}
	}
	if widest > 0.4 {
		t.Errorf("an interval of the exponent is %v wide", widest)
	}
}

// TestScaleByHand: variances 8 and 2 of two and four agents lie on 32·n⁻². Of
// two values both are equally far from their mean, so neither has more
// influence than the other, and the interval has no width.
func TestScaleByHand(t *testing.T) {
	two := numeric.Sized{Agents: 2, Values: []float64{-2, 2}, Pairs: []string{"a", "b"}}
	four := numeric.Sized{Agents: 4, Values: []float64{4, 6}, Pairs: []string{"a", "b"}}
	s, ok := numeric.Scale([]numeric.Sized{two, four})
	if !ok {
		t.Fatal("not defined")
	}
	nearly(t, "the exponent", s.Exponent.Value, -2, 1e-12)
	nearly(t, "the variance of one", s.Single.Value, 32, 1e-9)
	nearly(t, "the interval", s.Exponent.High-s.Exponent.Low, 0, 1e-9)
	same := numeric.Sized{Agents: 6, Values: []float64{5, 5, 5}, Pairs: []string{"a", "b", "c"}}
	if s, ok := numeric.Scale([]numeric.Sized{two, four, same}); !ok || len(s.Agents) != 2 || math.Abs(s.Exponent.Value+2) > 1e-12 {
		t.Errorf("%+v: a size without variance counts", s)
	}
	if _, ok := numeric.Scale([]numeric.Sized{two, same}); ok {
		t.Error("one variance makes a line")
	}
}
