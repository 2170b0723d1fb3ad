package statistics

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"roundtable/envs/wording"
)

// Series is what one condition achieved, by observation (instance and replicate).
// The same observation in two conditions is a pair: the same problem from the same
// start. What belongs to one unit, such as replicates of an instance, counts as one.
type Series struct {
	Name   string
	Values map[string]float64 // by observation
	Units  map[string]string  // of observations; one that is not named is a unit of its own
}

// unitOf that an observation belongs to.
func (s Series) unitOf(observation string) string { return cmp.Or(s.Units[observation], observation) }

// Contrast is two conditions of a declared family, by name.
type Contrast struct{ A, B string }

// Family declares the comparisons before anybody looks at the data.
type Family struct {
	Contrasts []Contrast
	Resamples int    // of the bootstrap
	Flips     int    // of signs, for more than 20 pairs
	Seed      uint64 // of both
}

// Pairs returns all pairs of conditions that have a unit in common, in their order; apart is the number of
// pairs that have none.
func Pairs(series []Series) (all []Contrast, apart int) {
	for i, a := range series {
		for _, b := range series[i+1:] {
			if haveCommon(a.Values, b.Values) {
				all = append(all, Contrast{a.Name, b.Name})
			} else {
				apart++
			}
		}
	}
	return all, apart
}

func haveCommon(a, b map[string]float64) bool {
	for unit := range a {
		if _, ok := b[unit]; ok {
			return true
		}
	}
	return false
}

// Comparison is the difference A - B over units; each unit's value is the mean over the observations that both
// conditions have.
type Comparison struct {
	Contrast
	N          int       `json:"n"`          // pairs
	Unpaired   int       `json:"unpaired"`   // observations of one of the two only: left out
	Difference *float64  `json:"difference"` // mean; nil without pairs
	SE         *float64  `json:"se"`
	Student    *Interval `json:"student"` // 95 %, by Student's t over units
	BCa        *Interval `json:"bca"`     // 95 %, bootstrap over units; too narrow for few units or heavy tails
	SignFlip   *float64  `json:"p_sign_flip"`
	Wilcoxon   *float64  `json:"p_wilcoxon"`
	Holm       *float64  `json:"p_holm"` // of SignFlip within the family
	// smallest difference that this n finds with power 0.8, at 0.05 over the family
	Detectable *float64 `json:"detectable"`
	// pairs that would find the observed difference so, rounded up; nil if there is none
	Needed *float64 `json:"needed"`
	Notes  []string `json:"notes,omitempty"`
}

const power = 0.8

// Compare compares each contrast of a family. What cannot be computed is nil, and a note says why.
func Compare(series []Series, f Family) ([]Comparison, error) {
	byName := map[string]Series{}
	for _, s := range series {
		if _, twice := byName[s.Name]; twice {
			return nil, fmt.Errorf("there are two series %q", s.Name)
		}
		byName[s.Name] = s
	}
	list := make([]Comparison, len(f.Contrasts))
	var ps []float64
	var at []int
	for i, c := range f.Contrasts {
		for _, name := range []string{c.A, c.B} {
			if _, ok := byName[name]; !ok {
				return nil, fmt.Errorf("unknown series %q; expected %s", name,
					wording.Or(slices.Sorted(maps.Keys(byName))))
			}
		}
		list[i] = f.comparePair(c, byName[c.A], byName[c.B])
		if p := list[i].SignFlip; p != nil {
			ps, at = append(ps, *p), append(at, i)
		}
	}
	adjusted, err := Holm(ps)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		list[i].Holm = &adjusted[k]
	}
	return list, nil
}

// differencesByUnit by unit: the mean over the observations that both have, which is
// how many they are.
func differencesByUnit(a, b Series) (d []float64, both int) {
	byUnit := map[string][]float64{}
	for _, observation := range slices.Sorted(maps.Keys(a.Values)) {
		if other, ok := b.Values[observation]; ok {
			unit := a.unitOf(observation)
			byUnit[unit] = append(byUnit[unit], a.Values[observation]-other)
			both++
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(byUnit)) { // by order, so that a seed always draws the same
		d = append(d, stat.Mean(byUnit[unit], nil))
	}
	return evenOut(d), both
}

func (f Family) comparePair(c Contrast, a, b Series) Comparison {
	r := Comparison{Contrast: c}
	d, both := differencesByUnit(a, b)
	r.N, r.Unpaired = len(d), len(a.Values)+len(b.Values)-2*both
	if len(d) == 0 {
		r.Notes = append(r.Notes, "no unit is in both")
		return r
	}
	note := func(err error) bool {
		if err != nil {
			r.Notes = append(r.Notes, err.Error())
		}
		return err == nil
	}
	mean, _ := meanSE(d)
	r.Difference = &mean
	if test, err := Paired(d); err == nil { // Bootstrap says why there is none
		r.Student = &test.CI
	}
	if boot, err := Bootstrap(len(d), Mean(d), f.Resamples, f.Seed); note(err) {
		r.BCa = &boot.BCa
	}
	if p, err := SignFlip(d, f.Flips, f.Seed); note(err) {
		r.SignFlip = &p
	}
	if w, err := Wilcoxon(d); note(err) {
		r.Wilcoxon = &w.P
	}
	if len(d) > 1 {
		f.sizeUp(&r, d, note)
	}
	return r
}

// sizeUp says what a family of this size can find with these pairs.
func (f Family) sizeUp(r *Comparison, d []float64, note func(error) bool) {
	mean, se := meanSE(d)
	sd := se * math.Sqrt(float64(len(d)))
	if sd == 0 {
		return // Bootstrap has said that there is no spread
	}
	r.SE = &se
	design := Design{Paired: true, Alpha: 0.05 / float64(len(f.Contrasts))}
	if effect, err := design.Detectable(float64(len(d)), power); note(err) {
		r.Detectable = new(effect * sd)
	}
	if mean == 0 {
		return
	}
	if n, err := design.Size(mean/sd, power); note(err) {
		r.Needed = new(math.Ceil(n - 1e-9)) // one pair less would not do; less of a pair is rounding
	}
}
