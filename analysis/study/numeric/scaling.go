package numeric

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/statistics"
)

// Sized holds one value per unit for groups of one size. Equal Pairs in several sizes began from the same draw
// of starts.
type Sized struct {
	Agents int
	Values []float64
	Pairs  []string // as many as Values
}

// scaling is how a variance changes with the number of agents, as the line
// ln variance = ln Single + Exponent·ln agents. For the mean of independent
// starts the exponent is −1, and Single the variance of one start.
type scaling struct {
	Exponent, Single estimate
	Agents           []int // the sizes that it rests on
}

// estimate has a 95 % interval.
type estimate struct {
	Value float64
	interval
}

// leastVariance is less than any that is more than rounding: positions have 12 digits.
const leastVariance = 1e-12

// Scale fits a line to the variance by the number of agents, by least squares over sizes. Its standard errors
// come from each run's influence on the variances, summed over the sizes that share its draw of starts: they
// assume neither normal values nor independent sizes. It is undefined for fewer than two sizes with a
// variance.
func Scale(sizes []Sized) (scaling, bool) {
	var s scaling
	var x []float64
	var used []Sized
	for _, size := range sizes {
		if v, _, ok := Variance(size.Values); ok && v > leastVariance {
			s.Agents = append(s.Agents, size.Agents)
			x, used = append(x, math.Log(float64(size.Agents))), append(used, size)
		}
	}
	if len(used) < 2 || stat.Variance(x, nil) == 0 {
		return s, false
	}
	mean, squares := stat.Mean(x, nil), stat.Variance(x, nil)*float64(len(x)-1)
	slope, level := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		slope[i] = (x[i] - mean) / squares
		level[i] = 1/float64(len(x)) - mean*slope[i]
	}
	s.Exponent = combineVariances(slope, used)
	ln := combineVariances(level, used)
	s.Single = estimate{math.Exp(ln.Value), interval{math.Exp(ln.Low), math.Exp(ln.High)}}
	return s, true
}

// combineVariances returns a weighted sum of the sizes' log variances.
func combineVariances(weights []float64, sizes []Sized) estimate {
	var e estimate
	var influence []float64 // by pair
	pairs := map[string]int{}
	for i, size := range sizes {
		n := float64(len(size.Values))
		mean, variance := stat.MeanVariance(size.Values, nil)
		e.Value += weights[i] * math.Log(variance)
		for j, v := range size.Values {
			at, known := pairs[size.Pairs[j]]
			if !known {
				at = len(influence)
				pairs[size.Pairs[j]], influence = at, append(influence, 0)
			}
			influence[at] += weights[i] * ((v-mean)*(v-mean)/variance/(n-1) - 1/n)
		}
	}
	n := float64(len(influence))
	squares := 0.0
	for _, v := range influence {
		squares += v * v
	}
	half := statistics.QuantileT(0.975, n-1) * math.Sqrt(squares*n/(n-1))
	e.interval = interval{e.Value - half, e.Value + half}
	return e
}
