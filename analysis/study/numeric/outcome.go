package numeric

import (
	"math"
	"slices"
)

// Width returns the largest range (max − min) over the coordinates.
func (s State) Width() float64 {
	width := 0.0
	for k := range s[0] {
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range s {
			low, high = min(low, x[k]), max(high, x[k])
		}
		width = max(width, high-low)
	}
	return width
}

// Mean returns the mean position of the agents, by coordinate.
func (s State) Mean() []float64 {
	mean := make([]float64, len(s[0]))
	for k := range mean {
		for _, x := range s {
			mean[k] += x[k]
		}
		mean[k] /= float64(len(s))
	}
	return mean
}

// First returns the state at the start.
func (p Path) First() State { return p.States[0] }

// Last returns the state at the end.
func (p Path) Last() State { return p.States[len(p.States)-1] }

// Reached returns the first time from which the width is at most epsilon until the end; 0 is the start. It
// returns false if the last width is larger.
func (p Path) Reached(epsilon float64) (time int, ok bool) {
	time = len(p.States)
	for time > 0 && p.States[time-1].Width() <= epsilon {
		time--
	}
	return time, time < len(p.States)
}

// Bias returns the mean at the end minus the mean at the start, by coordinate.
func (p Path) Bias() []float64 {
	bias, first := p.Last().Mean(), p.First().Mean()
	for k := range bias {
		bias[k] -= first[k]
	}
	return bias
}

// NormalisedBias returns the bias divided by the width at the start: signed on a line, its length in more
// dimensions. It is undefined if all agents start at the same point.
func (p Path) NormalisedBias() (float64, bool) {
	width := p.First().Width()
	if width == 0 {
		return 0, false
	}
	return signedLength(p.Bias()) / width, true
}

// signedLength returns the number itself on a line, and the length in more dimensions.
func signedLength(v []float64) float64 {
	if len(v) == 1 {
		return v[0]
	}
	return lengthOf(v)
}

// Period returns the smallest n ≥ 2 for which the last n states repeat the n before them, within tolerance in
// each coordinate: the states oscillate. It is 0 if there is none, or if the last two states are equal: they
// are at rest.
func (p Path) Period(tolerance float64) int {
	n := len(p.States)
	repeats := func(period int) bool {
		for t := n - period; t < n; t++ {
			if !p.States[t].isNear(p.States[t-period], tolerance) {
				return false
			}
		}
		return true
	}
	if n < 2 || repeats(1) {
		return 0
	}
	for period := 2; 2*period <= n; period++ {
		if repeats(period) {
			return period
		}
	}
	return 0
}

func (s State) isNear(other State, tolerance float64) bool {
	for i, x := range s {
		if !areNear(x, other[i], tolerance) {
			return false
		}
	}
	return true
}

func areNear(a, b []float64, tolerance float64) bool {
	for k := range a {
		if !(math.Abs(a[k]-b[k]) <= tolerance) {
			return false
		}
	}
	return true
}

// Clusters counts the groups in which each agent is at most gap away from another one, and farther from all
// others (single linkage).
func (s State) Clusters(gap float64) int {
	left := slices.Clone(s)
	clusters := 0
	for ; len(left) > 0; clusters++ {
		members := State{left[0]}
		left = left[1:]
		for i := 0; i < len(members); i++ { // members grow
			rest := left[:0:0]
			for _, x := range left {
				if distanceOf(members[i], x) <= gap {
					members = append(members, x)
				} else {
					rest = append(rest, x)
				}
			}
			left = rest
		}
	}
	return clusters
}

// Gathered returns after how many steps of motion the width stayed at most epsilon until the end; false if it
// never did, or if agents move without steps.
func (p Path) Gathered(epsilon float64) (steps int, ok bool) {
	if len(p.Steps) == 0 {
		return 0, false
	}
	per := len(p.Steps[0][0])
	total := len(p.Steps) * per
	for steps = total; steps > 0; steps-- {
		var s State
		for _, path := range p.Steps[(steps-1)/per] {
			s = append(s, path[(steps-1)%per])
		}
		if s.Width() > epsilon {
			break
		}
	}
	return min(steps+1, total), steps < total
}

func distanceOf(a, b []float64) float64 {
	d := make([]float64, len(a))
	for k := range a {
		d[k] = a[k] - b[k]
	}
	return lengthOf(d)
}

func lengthOf(v []float64) float64 {
	d := 0.0
	for _, x := range v {
		d = math.Hypot(d, x)
	}
	return d
}
