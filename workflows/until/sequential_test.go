package until

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Values with the bounds that confseq 0.0.11 (Waudby-Smith's and Howard's Python package)
// gives: betting_mart with each of the bets c/m (c = 1/21 … 20/21), averaged, against each
// m = k/2000, running intersection, 40 on either side.
func TestBettingReference(t *testing.T) {
	x := []float64{.75, .5, 1, .25, .875, .75, .5, 1, 1, .625, .75, .5, .875, 1, .375, .75, .75, 1, .5, .875, .625, 1, .75, .5}
	capital := map[int][2]float64{1: {1.25, 1.75}, 6: {2.438143716481301, 17.790954221342556}, 12: {9.992232146936331, 117.42838193441912}, 24: {346.97207705479116, 6496.321507752729}}
	bounds := map[int]Interval{6: {.2705, .918}, 12: {.4315, .8835}, 24: {.5595, .853}}
	b, err := newBetting(-.5, .5, .05)
	if err != nil {
		t.Fatal(err)
	}
	shifted, err := newBetting(-1, 1, .05)
	if err != nil {
		t.Fatal(err)
	}
	above, below := newSide(.5), newSide(1-.9)
	for i, v := range x {
		above.add(v)
		below.add(1 - v)
		if err := b.Add(v - .5); err != nil {
			t.Fatal(err)
		}
		if err := shifted.Add(2*v - 1); err != nil {
			t.Fatal(err)
		}
		if want, ok := capital[i+1]; ok && (math.Abs(above.capitalNow()/want[0]-1) > 1e-12 || math.Abs(below.capitalNow()/want[1]-1) > 1e-12) {
			t.Errorf("capital after %d: %v against .5 and %v against .9, want %v", i+1, above.capitalNow(), below.capitalNow(), want)
		}
		want, ok := bounds[i+1]
		if !ok {
			continue
		}
		if got, _ := b.Interval(); math.Abs(got.Low+.5-want.Low) > 1e-12 || math.Abs(got.High+.5-want.High) > 1e-12 {
			t.Errorf("after %d: %v, want %v", i+1, got, want)
		}
		if got, _ := shifted.Interval(); math.Abs(got.Low-(2*want.Low-1)) > 1e-12 || math.Abs(got.High-(2*want.High-1)) > 1e-12 {
			t.Errorf("after %d, from -1 to 1: %v, want twice %v less 1", i+1, got, want)
		}
	}
}

// The mixture is integrated by scipy 1.13: the density of t given an effect (noncentral t)
// over a normal effect with deviation 1/2, divided by that without an effect, is 20 at the
// bounds; running intersection from the 20th value on.
func TestStudentReference(t *testing.T) {
	y := []float64{.3, -.1, .8, .5, .2, 1.1, .4, -.3, .6, .7, .2, .9, .35, .05, .75, -.2, .55, 1.3, .15, .45, .6, -.05, .85, .25, .5, .1, .7, .95, -.4, .65, .3, .2, 1.0, .55, .4, 0., .8, .6, -.15, .5}
	want := map[int]Interval{20: {.1098919543, .7601080457}, 30: {.2028702711, .6763670174}, 40: {.2337981747, .6266941524}}
	s, err := newStudent(.05)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range y {
		if err := s.Add(v); err != nil {
			t.Fatal(err)
		}
		got, ok := s.Interval()
		if ok != (i+1 >= BurnIn) {
			t.Fatalf("after %d values there is an interval: %v", i+1, ok)
		}
		if w, is := want[i+1]; is && (math.Abs(got.Low-w.Low) > 1e-7 || math.Abs(got.High-w.High) > 1e-7) {
			t.Errorf("after %d: %v, want %v", i+1, got, w)
		}
	}
	if s.Sign() != 1 {
		t.Errorf("a mean above 0 has the sign %d", s.Sign())
	}
	below, err := newStudent(.05)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range y {
		if i < BurnIn-1 && below.Sign() != 0 {
			t.Errorf("after %d values the sign is %d", i, below.Sign())
		}
		if err := below.Add(-v); err != nil {
			t.Fatal(err)
		}
	}
	if below.Sign() != -1 {
		t.Errorf("a mean below 0 has the sign %d", below.Sign())
	}
}

// Widths are below the range of the differences, twice that of the measure, which has one for
// betting alone.
func TestGoalRange(t *testing.T) {
	if least, most := (Question{Method: Betting, Low: -1, High: 3}).GoalRange(); least != 8*finest || most != 8 {
		t.Errorf("from %v to %v", least, most)
	}
	if least, most := (Question{}).GoalRange(); least != 0 || most != 0 {
		t.Errorf("without bounds from %v to %v", least, most)
	}
}

func TestWhatCannotBe(t *testing.T) {
	for _, bad := range [][3]float64{{0, 1, .05}, {1, 0, .05}, {-1, 1, 0}, {-1, 1, 1}, {-1, 1, math.NaN()}, {math.NaN(), 1, .05}} {
		if _, err := newBetting(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("NewBetting(%v) is accepted", bad)
		}
	}
	if _, err := newStudent(1); err == nil {
		t.Error("NewStudent(1) is accepted")
	}
	b, _ := newBetting(-1, 1, .05)
	for _, bad := range []float64{-1.01, 1.01, math.NaN()} {
		if err := b.Add(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if got, ok := b.Interval(); !ok || got != (Interval{-1, 1}) {
		t.Errorf("without a value: %v", got)
	}
	s, _ := newStudent(.05)
	for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if err := s.Add(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	for range 100 {
		if err := s.Add(0); err != nil {
			t.Fatal(err)
		}
	}
	if i, ok := s.Interval(); ok {
		t.Errorf("values without spread have the interval %v", i)
	}
	if got := s.Lacks(); !strings.Contains(got, "alike") {
		t.Errorf("without spread an interval lacks %q", got)
	}
}

// A bound that is looked at after every value is the one that is found from all values at
// once, by the definition: the greatest step whose bets have made enough at some time.
func TestBettingLooksAgreeWithTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, p := range []float64{0, .03, .4, .5, 1} {
		often, _ := newBetting(-1, 1, .05)
		for n := range 400 {
			v := -1.
			if r.Float64() < p {
				v = 1 - r.Float64()/4
			}
			if err := often.Add(v); err != nil {
				t.Fatal(err)
			}
			got, _ := often.Interval()
			if n%37 > 0 {
				continue
			}
			want := Interval{-1 + float64(excluded(often.values, false))/1000, 1 - float64(excluded(often.values, true))/1000}
			if want.Low > want.High {
				continue
			}
			if math.Abs(got.Low-want.Low) > 1e-12 || math.Abs(got.High-want.High) > 1e-12 {
				t.Fatalf("p = %v, after %d: %v, want %v", p, n+1, got, want)
			}
		}
	}
}

// excluded goes through the steps one by one.
func excluded(values []float64, mirrored bool) int {
	for step := 1; step < steps; step++ {
		s, most := newSide(float64(step)/steps), 1.
		for _, x := range values {
			if mirrored {
				x = 1 - x
			}
			s.add(x)
			most = max(most, s.capitalNow())
		}
		if most < 40 {
			return step - 1
		}
	}
	return steps - 1
}

// Values at a bound only, however many, leave an interval that holds the bound.
func TestBettingAtTheBounds(t *testing.T) {
	for _, v := range []float64{-1, 1} {
		b, _ := newBetting(-1, 1, .05)
		var widths []float64
		for n := range 20_000 {
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
			if n%50 > 0 {
				continue
			}
			i, _ := b.Interval()
			widths = append(widths, -i.Width())
			if i.Low > v || i.High < v {
				t.Fatalf("%v does not hold %v", i, v)
			}
		}
		if !slices.IsSorted(widths) || widths[len(widths)-1] < -.002 {
			t.Errorf("widths do not fall to near 0: the last is %v", -widths[len(widths)-1])
		}
	}
}

// Skewed values are waited for: in 3 of 30 values all the spread is.
func TestStudentWaitsForSkewedValues(t *testing.T) {
	s, _ := newStudent(.05)
	for n := range 400 {
		v := 0.
		if n%10 == 9 {
			v = 1
		}
		if err := s.Add(v); err != nil {
			t.Fatal(err)
		}
		// skewness of shares p of ones: (1-2p)²/(p(1-p)), 7.1 at p = 0.1
		if _, ok := s.Interval(); ok != (n+1 >= 280) && (n+1 < 260 || n+1 > 300) {
			t.Fatalf("after %d values there is an interval: %v", n+1, ok)
		}
	}
}
