package until

import (
	"fmt"
	"math"
)

const (
	// prior is how many values the guess is worth that a mean is one half of a standard
	// deviation away: effects of that size are found soonest.
	prior = 4
	// BurnIn is the fewest values from which the method asymptotic makes an interval, as its level
	// holds for large samples. A larger one does not protect from what has not been seen yet: with
	// 50, values with a rare large one in 33 still exceed a level of 5 %, and an effect of half a
	// standard deviation would take a third longer.
	BurnIn = 20
	// skewedSum is how many values it waits for times the square of their skewness (Cochran
	// asks for 25 at a fixed n): with it, normal, exponential and log-normal values keep the level.
	skewedSum = 40
)

// studentSequence is the confidence sequence of a mean whose values have no bounds: a normal
// mixture over standardised effects, as the asymptotic confidence sequences of
// Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024, Annals of Statistics 52), with
// the deviation estimated as in the mixture t of Lai (1976) and Lindon, Ham, Tingley and
// Bojinov (2022), which is exact at any n for normal values and has the same limit.
type studentSequence struct {
	alpha   float64
	n       int
	mean    float64
	squares float64 // sum of squared distances from the mean
	cubes   float64 // and of their cubes
	within  Interval
	known   bool
	lacks   string // why the last value gave no interval
}

// newStudent returns the sequence of level 1-alpha.
func newStudent(alpha float64) (*studentSequence, error) {
	if !isLevel(alpha) {
		return nil, fmt.Errorf("level %v; a level is between 0 and 1", alpha)
	}
	return &studentSequence{alpha: alpha}, nil
}

// Add takes the next value; the error says that it is not a number.
func (s *studentSequence) Add(value float64) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return fmt.Errorf("%v is not a number", value)
	}
	s.n++
	n := float64(s.n)
	step := value - s.mean
	s.mean += step / n
	square := step * (value - s.mean)
	s.cubes += square*step*(n-2)/n - 3*step/n*s.squares
	s.squares += square
	half, lacks := s.halfWidth()
	if lacks != "" {
		s.lacks = lacks
		return nil
	}
	next := Interval{s.mean - half, s.mean + half}
	if s.known {
		next = Interval{max(next.Low, s.within.Low), min(next.High, s.within.High)}
	}
	if next.Low <= next.High { // nothing is left otherwise: the last one stays
		s.within, s.known = next, true
	}
	return nil
}

// halfWidth returns half the width of the interval at this time, or why there is none yet.
func (s *studentSequence) halfWidth() (half float64, lacks string) {
	n := float64(s.n)
	switch {
	case s.n < BurnIn:
		return 0, tooFew
	case s.squares <= 1e-18*n*s.mean*s.mean:
		return 0, "the differences are all alike, so how they vary is not known"
	case s.squares*s.squares*s.squares < skewedSum*s.cubes*s.cubes: // n < 40 skewness²
		return 0, fmt.Sprintf("fewer than %d times the square of their skewness", skewedSum)
	}
	shrink := prior / (prior + n)
	c := math.Pow(s.alpha*math.Sqrt(shrink), -2/n)
	if c*shrink >= 1 {
		return 0, "too few for so small a level"
	}
	// E(t) = sqrt(k)·((1+u)/(1+ku))^(n/2) with u = t²/(n-1), k = g/(g+n), is 1/alpha at this u.
	u := (c - 1) / (1 - c*shrink)
	return math.Sqrt(u * s.squares / n), ""
}

// tooFew says that Student waits for BurnIn values.
var tooFew = fmt.Sprintf("fewer than %d differences", BurnIn)

// Interval holds the mean at all times with probability 1-alpha; false if there is none yet.
func (s *studentSequence) Interval() (Interval, bool) { return s.within, s.known }

// Lacks says why there is no interval; "" if there is one.
func (s *studentSequence) Lacks() string {
	switch {
	case s.known:
		return ""
	case s.n == 0:
		return tooFew
	}
	return s.lacks
}

// Sign returns 1 or -1 once the mean is known to be above or below 0, else 0.
func (s *studentSequence) Sign() int {
	switch {
	case s.known && s.within.Low > 0:
		return 1
	case s.known && s.within.High < 0:
		return -1
	}
	return 0
}
