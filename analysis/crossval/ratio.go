package crossval

import (
	"math"

	"roundtable/analysis/statistics"
)

// Compared holds the score of every collaboration of a condition at the stops of Baseline, a method
// and the Oracle; nil where it is not defined.
type Compared struct {
	Units                []string
	Base, Method, Oracle []*float64
}

// Closure is the share of the gap between Baseline and Oracle that a method closes, over
// collaborations in which all three have a score.
type Closure struct {
	Share   *float64 `json:"share"`   // nil if Unclear or N is 0
	SE      *float64 `json:"se"`      // of Share over units; nil for one
	N       int      `json:"n"`       // collaborations in which all three have a score
	Of      int      `json:"of"`      // all collaborations
	Unclear bool     `json:"unclear"` // the gap is not wider than its own error, so no share of it means anything
}

// Closed returns the gap closed over all conditions: Σ(method-base)/Σ(oracle-base) of their means.
// Averaging ratios of conditions would divide by zero where nothing can be gained.
func Closed(all []Compared) Closure {
	var c Closure
	var way, won deviations
	sizes := 0
	for _, one := range all {
		sizes = max(sizes, len(one.Units))
	}
	way.at, won.at = make(map[string]int, sizes), make(map[string]int, sizes)
	open, gained := 0.0, 0.0
	for _, one := range all {
		c.Of += len(one.Units)
		units, gaps, gains := one.pairedGains()
		c.N += len(units)
		if len(units) == 0 {
			continue
		}
		gap, gain := *meanOf(gaps), *meanOf(gains)
		open, gained = open+gap, gained+gain
		for i, unit := range units {
			way.add(unit, (gaps[i]-gap)/float64(len(units)))
			won.add(unit, (gains[i]-gain)/float64(len(units)))
		}
	}
	error, ok := way.standardError()
	if c.N == 0 {
		return c
	}
	if c.Unclear = open <= tie || !ok || open <= error*statistics.QuantileT(0.975, float64(len(way.off)-1)); c.Unclear {
		return c
	}
	share := gained / open
	for i := range won.off {
		won.off[i] = (won.off[i] - share*way.off[i]) / open
	}
	c.Share = &share
	if se, ok := won.standardError(); ok {
		c.SE = &se
	}
	return c
}

// pairedGains returns the gaps between baseline and Oracle, and what the method gains
// over the baseline, of the collaborations in which all three have a score.
func (c Compared) pairedGains() (units []string, gaps, gains []float64) {
	n := len(c.Units)
	units, gaps, gains = make([]string, 0, n), make([]float64, 0, n), make([]float64, 0, n)
	for i, unit := range c.Units {
		base, method, oracle := c.Base[i], c.Method[i], c.Oracle[i]
		if base != nil && method != nil && oracle != nil {
			units, gaps, gains = append(units, unit), append(gaps, *oracle-*base), append(gains, *method-*base)
		}
	}
	return units, gaps, gains
}

// MeanClosure returns the mean of closures over different collaborations, such as those of
// environments; it is Unclear if one of them has no Share.
func MeanClosure(all []Closure) Closure {
	var m Closure
	sum, squares, known := 0.0, 0.0, true
	for _, c := range all {
		m.N, m.Of = m.N+c.N, m.Of+c.Of
		if c.Share == nil {
			m.Unclear = true
			continue
		}
		sum += *c.Share
		if known = known && c.SE != nil; known {
			squares += *c.SE * *c.SE
		}
	}
	if k := float64(len(all)); k > 0 && !m.Unclear {
		m.Share = new(sum / k)
		if known {
			m.SE = new(math.Sqrt(squares) / k)
		}
	}
	return m
}

// deviations of a ratio, by unit in the order in which units come: the
// collaborations of several conditions that share one are one cluster.
type deviations struct {
	at  map[string]int
	off []float64
}

func (d *deviations) add(unit string, off float64) {
	if d.at == nil {
		d.at = map[string]int{}
	}
	n, ok := d.at[unit]
	if !ok {
		n = len(d.off)
		d.at[unit], d.off = n, append(d.off, 0)
	}
	d.off[n] += off
}

// standardError returns the standard error of the sum that deviates so; false for one unit.
func (d *deviations) standardError() (float64, bool) {
	m := float64(len(d.off))
	if m < 2 {
		return 0, false
	}
	squares := 0.0
	for _, off := range d.off {
		squares += off * off
	}
	return math.Sqrt(squares * m / (m - 1)), true
}
