package gold

import (
	"errors"
	"fmt"
	"math"
)

// Moments are a unit's part of the equations Σ(B − Gθ) = 0 in k unknowns. The zero
// value is a unit that tells nothing, or that the machine has not labelled.
type Moments struct {
	G []float64 // k × k, symmetric, row by row
	B []float64 // k
}

// AddRow adds a row of least squares: regressors x, including the intercept, outcome y and weight.
func (m *Moments) AddRow(x []float64, y, weight float64) {
	k := len(x)
	if m.G == nil {
		m.G, m.B = make([]float64, k*k), make([]float64, k)
	}
	for i, a := range x {
		if a == 0 {
			continue
		}
		m.B[i] += weight * a * y
		for j, b := range x {
			m.G[i*k+j] += weight * a * b
		}
	}
}

// Unit is drawn as a whole or not at all. Estimates need all units that could have been drawn, even
// those without data: they determine the probabilities.
type Unit struct {
	Cluster int // units of one cluster may depend on each other
	Stratum int // within it, all units were drawn with the same probability
	Machine Moments
	Gold    *Moments // nil if it was not drawn
}

// Estimate is the corrected estimate of one unknown.
type Estimate struct {
	Value float64 `json:"value"`
	SE    float64 `json:"se"`   // over clusters, with the errors of the machine and of the draw
	Low   float64 `json:"low"`  // of the 95 % interval, by Student's t
	High  float64 `json:"high"` // likewise
	// Lambda is the weight of the machine's labels: 0 is gold alone, 1 all of them.
	Lambda float64    `json:"lambda"`
	Alone  *goldAlone `json:"gold_alone"` // nil if gold alone does not determine it
	Drawn  int        `json:"drawn"`      // units with gold
	DOF    int        `json:"dof"`        // clusters with gold, minus groups of strata that share a mean
}

// goldAlone is what gold labels say without the machine's.
type goldAlone struct {
	Value float64 `json:"value"`
	SE    float64 `json:"se"`
}

// FewShown is the least number of drawn units in which gold must show something, and in which it
// must not show it throughout, for a share or an effect of it to be estimated: normal intervals are
// too narrow for what is almost never, or almost always, seen.
const FewShown = 5

// FewForSlope is the least number of units with gold labels that an effect needs: with fewer, the
// jackknife has too few clusters, and 95 % intervals cover the truth in 77 to 90 % of cases.
const FewForSlope = 40

// Errors of samples that tell too little.
var (
	ErrNoGold  = errors.New("no unit has gold labels")
	ErrFewGold = errors.New("gold labels of at least 2 clusters (collaborations, or what errors are clustered " +
		"by) are needed, so that something can be said of how much they vary")
	ErrBareStratum = errors.New("nothing of a stratum has gold labels, so nothing can be said of it")
	ErrFewShown    = fmt.Errorf("gold labels show it in fewer than %d of the drawn units, or in all but as few", FewShown)
	ErrFewForSlope = fmt.Errorf("an effect needs %d drawn units with gold labels, or its interval is too narrow", FewForSlope)
	ErrUnsettled   = errors.New("the gold labels do not determine it: they show nothing, or too little, of what it " +
		"is a share or an effect of")
)

// Naive returns the solution θ by the machine's labels alone, as if they were right.
func Naive(units []Unit) ([]float64, error) {
	s := newSystem(widthOf(units))
	for _, u := range units {
		s.add(u.Machine, 1)
	}
	return s.solve()
}

// SolveSlopes is Solve for effects; it returns ErrFewForSlope if too few units have gold labels.
func SolveSlopes(units []Unit) ([]Estimate, error) {
	coded := 0
	for _, u := range units {
		if u.Gold != nil {
			coded++
		}
	}
	e, err := Solve(units)
	if err == nil && coded < FewForSlope {
		return nil, ErrFewForSlope
	}
	return e, err
}

// ShareUnit is a unit's numerator and denominator of a share, by the machine and, if it was drawn,
// by gold.
type ShareUnit struct {
	Cluster, Stratum int
	Machine          [2]float64
	Gold             *[2]float64
}

// EstimateShare returns the corrected estimate of Σ numerators / Σ denominators, from 0 to 1. A
// rate is a share whose denominators are counts. The interval is made on the logistic scale, where
// shares near 0 and 1 are less skewed, unless the share itself is at a bound. With ErrFewShown it
// returns a value without an interval.
func EstimateShare(units []ShareUnit) (Estimate, error) {
	all := make([]Unit, len(units))
	for i, u := range units {
		all[i] = Unit{Cluster: u.Cluster, Stratum: u.Stratum, Machine: shareMoments(u.Machine)}
		if u.Gold != nil {
			m := shareMoments(*u.Gold)
			all[i].Gold = &m
		}
	}
	e, err := Solve(all)
	if err != nil {
		return Estimate{}, err
	}
	one := e[0]
	if !isTelling(units) {
		return Estimate{Value: min(max(one.Value, 0), 1), Drawn: one.Drawn}, ErrFewShown
	}
	if p := one.Value; p > 0 && p < 1 {
		half := (one.High - one.Low) / 2 / (p * (1 - p))
		odds := math.Log(p / (1 - p))
		one.Low, one.High = 1/(1+math.Exp(half-odds)), 1/(1+math.Exp(-half-odds))
	}
	for _, v := range []*float64{&one.Value, &one.Low, &one.High} {
		*v = min(max(*v, 0), 1)
	}
	return one, nil
}

// isTelling reports whether gold shows something often enough, and not always.
func isTelling(units []ShareUnit) bool {
	some, not := 0, 0
	for _, u := range units {
		if u.Gold != nil && u.Gold[0] > 0 {
			some++
		}
		if u.Gold != nil && u.Gold[0] < u.Gold[1] {
			not++
		}
	}
	return some >= FewShown && not >= FewShown
}

func shareMoments(r [2]float64) Moments { return Moments{G: []float64{r[1]}, B: []float64{r[0]}} }

func widthOf(units []Unit) int {
	for _, u := range units {
		if u.Gold != nil && u.Gold.B != nil {
			return len(u.Gold.B)
		}
		if u.Machine.B != nil {
			return len(u.Machine.B)
		}
	}
	return 0
}

// checkUnits reports moments that do not fit each other.
func checkUnits(units []Unit, k int) error {
	for i, u := range units {
		for _, m := range []*Moments{&u.Machine, u.Gold} {
			if m != nil && m.B != nil && (len(m.B) != k || len(m.G) != k*k) {
				return fmt.Errorf("unit %d has %d and %d moments; %d and %d are expected", i, len(m.B),
					len(m.G), k, k*k)
			}
		}
	}
	return nil
}
