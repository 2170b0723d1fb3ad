package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// 34 pairs find half a standard deviation with power 0.8 at 0.05, two-sided
// (Cohen 1988, table 2.4.1, and G*Power: 0.8078); 33 do not.
func TestPowerOfAPairedTest(t *testing.T) {
	design := Design{Paired: true, Alpha: 0.05}
	if p := design.Power(0.5, 34); math.Abs(p-0.8078) > 5e-5 {
		t.Errorf("34 pairs have power %.4f, want 0.8078", p)
	}
	if n, err := design.Size(0.5, 0.8); err != nil || math.Ceil(n) != 34 {
		t.Errorf("%v pairs are needed (%v), want 34", n, err)
	}
}

// A difference counts on both sides: its sign does not matter, and a null
// difference on the other side is as far.
func TestSignFlipHasTwoSides(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{12, 40} { // all signs, and drawn ones
		d, negative := make([]float64, n), make([]float64, n)
		for i := range d {
			d[i] = 0.2 + draw.NormFloat64()
			negative[i] = -d[i]
		}
		p, err := SignFlip(d, 9999, 1)
		if err != nil {
			t.Fatal(err)
		}
		other, err := SignFlip(negative, 9999, 1)
		if err != nil || p != other {
			t.Errorf("%d differences: p %v, and %v with other signs (%v)", n, p, other, err)
		}
		paired, err := Paired(d)
		if err != nil || math.Abs(p-paired.P) > 0.05 {
			t.Errorf("%d differences: p %v, Student's test says %v (%v)", n, p, paired.P, err)
		}
	}
}

// Of a mean the acceleration is the skewness over 6√n (Efron and Tibshirani
// 1993, equation 14.15); an interval of data with a long right tail lies to the
// right of the percentile interval.
func TestAccelerationOfSkewedData(t *testing.T) {
	values := make([]float64, 30)
	for i := range values {
		values[i] = math.Exp(float64(i) / 8)
	}
	b, err := Bootstrap(len(values), Mean(values), 4000, 1)
	if err != nil {
		t.Fatal(err)
	}
	mean, squares, cubes := b.Estimate, 0.0, 0.0
	for _, v := range values {
		squares, cubes = squares+math.Pow(v-mean, 2), cubes+math.Pow(v-mean, 3)
	}
	if want := cubes / (6 * math.Pow(squares, 1.5)); math.Abs(b.Acceleration-want) > 1e-9 || want < 0.01 {
		t.Errorf("acceleration %v, want %v", b.Acceleration, want)
	}
	if b.BCa.Low <= b.Percentile.Low || b.BCa.High <= b.Percentile.High {
		t.Errorf("BCa %+v, percentile %+v", b.BCa, b.Percentile)
	}
}
