package statistics

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// ICC returns the intraclass correlation of values in clusters: the one-way random
// effects estimate (MSB - MSW) / (MSB + (k-1) MSW), with the mean size k of unequal
// clusters corrected for their spread (Donner 1986). Layers have means of their own
// and are pooled; clusters of one layer must be independent of each other.
func ICC(layers ...[][]float64) (float64, error) {
	between, within, dofBetween, dofWithin, sizes := 0., 0., 0., 0., 0.
	for _, clusters := range layers {
		var all []float64
		squares := 0.
		for _, c := range clusters {
			all = append(all, c...)
			squares += float64(len(c) * len(c))
		}
		n := float64(len(all))
		if n == 0 {
			continue
		}
		mean := stat.Mean(all, nil)
		for _, c := range clusters {
			own := stat.Mean(c, nil)
			between += float64(len(c)) * (own - mean) * (own - mean)
			for _, v := range c {
				within += (v - own) * (v - own)
			}
		}
		dofBetween, dofWithin = dofBetween+float64(len(clusters)-1), dofWithin+n-float64(len(clusters))
		sizes += n - squares/n
	}
	if dofBetween < 1 || dofWithin < 1 {
		return 0, errors.New("a correlation within clusters needs two clusters, and one of several values")
	}
	msb, msw, k := between/dofBetween, within/dofWithin, sizes/dofBetween
	if msb+msw < rounding {
		return 0, errors.New("all values are the same")
	}
	return (msb - msw) / (msb + (k-1)*msw), nil
}

// EffectiveVotes returns how many independent votes are worth as much as n votes whose errors have the
// correlation rho: n/(1+(n-1)rho). A negative rho counts as 0.
func EffectiveVotes(n, rho float64) float64 { return n / (1 + (n-1)*max(0, rho)) }

// Condorcet returns the probability that more than half of n independent votes are right if each is right with
// probability p; half of the ties count as right. It interpolates between whole n.
func Condorcet(p, n float64) float64 {
	low := math.Floor(max(1, n))
	rest := max(1, n) - low
	return (1-rest)*wholeJury(p, low) + rest*wholeJury(p, low+1)
}

// wholeJury of n votes: one more than an odd number of them changes nothing but ties.
func wholeJury(p, n float64) float64 {
	half := math.Ceil(n / 2)
	return mathext.RegIncBeta(half, half, p)
}
