package regression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/acts"
)

// permutationTests returns the p-values of a model's terms if whole trajectories of
// score are exchanged between units whose collaborations are of the same
// conditions with a score in the same rounds: under the null any of them could
// have belonged to any other, with its trend and its dependence between rounds and
// between the replicates of an instance. Two-sided around the mean of the
// permutations, (1+#)/(times+1) (Phipson and Smyth 2010). Coefficients that differ
// by rounding only are equal: where those who may be exchanged show the pair in
// the same rounds, p is 1.
func (p *Pairs) permutationTests(m *Model, fit Fit, times int, seed uint64) ([]float64, error) {
	strata, movable := p.strataOf()
	if movable == 0 {
		return nil, fmt.Errorf("no two instances, or replicates of the only one, have a score in the same rounds, so " +
			"there is nothing to exchange")
	}
	drawn := p.fitPermutations(m, strata, times, seed)
	ps := make([]float64, len(fit.Terms))
	rounding := 1e-9 * floats.Norm(p.y, math.Inf(1))
	for j, t := range fit.Terms {
		betas := drawn.RawRowView(j)
		mean := stat.Mean(betas, nil)
		as := 1
		for _, beta := range betas {
			if math.Abs(beta-mean) >= math.Abs(t.Beta-mean)-rounding {
				as++
			}
		}
		ps[j] = float64(as) / float64(times+1)
	}
	return ps, nil
}

// strataOf returns the units between which trajectories may be exchanged, in the order
// of their first; a unit lists its collaborations, those with a score in the same
// rounds next to each other. movable counts the units that are not alone.
func (p *Pairs) strataOf() (strata [][][]int, movable int) {
	index := map[string]int{}
	for _, unit := range p.byUnit() {
		var key strings.Builder
		for _, run := range unit {
			key.WriteString(p.patternOf(run) + "\x01")
		}
		at, ok := index[key.String()]
		if !ok {
			at = len(strata)
			index[key.String()], strata = at, append(strata, nil)
		}
		strata[at] = append(strata[at], unit)
	}
	for _, s := range strata {
		if len(s) > 1 {
			movable += len(s)
		}
	}
	return strata, movable
}

// byUnit returns the collaborations of each unit, sorted by pattern.
func (p *Pairs) byUnit() [][]int {
	var units [][]int
	for run, n := range p.units {
		if n == len(units) {
			units = append(units, nil)
		}
		units[n] = append(units[n], run)
	}
	for _, unit := range units {
		slices.SortStableFunc(unit, func(a, b int) int { return strings.Compare(p.patternOf(a), p.patternOf(b)) })
	}
	return units
}

// patternOf returns equal text for collaborations of a condition with a score in the same rounds.
func (p *Pairs) patternOf(run int) string {
	return p.runs[run].Condition + "\x00" + definedRounds(p.runs[run])
}

// definedRounds writes down in which rounds score is.
func definedRounds(t acts.Trajectory) string {
	var s strings.Builder
	for _, r := range t.Rounds {
		if r.Score == nil {
			s.WriteByte('-')
		} else {
			s.WriteByte('+')
		}
	}
	return s.String()
}

// exchangeUnits writes one permutation of the outcomes into y.
func (p *Pairs) exchangeUnits(y []float64, strata [][][]int, r *rand.Rand) {
	for _, units := range strata {
		order := r.Perm(len(units))
		for i, unit := range units {
			for k, run := range unit {
				from := p.byRun[units[order[i]][k]]
				copy(y[p.byRun[run].from:p.byRun[run].after], p.y[from.from:from.after])
			}
		}
	}
}

// together is how many permutations are fitted in one product of matrices,
// which is many times faster than one after the other.
const together = 256

// fitPermutations fits permutations: coefficients by term and permutation.
func (p *Pairs) fitPermutations(m *Model, strata [][][]int, times int, seed uint64) *mat.Dense {
	drawn := mat.NewDense(len(m.names), times, nil)
	y := make([]float64, len(p.y))
	for from := 0; from < times; from += together {
		to := min(times, from+together)
		outcomes := mat.NewDense(len(p.y), to-from, nil)
		for b := from; b < to; b++ {
			p.exchangeUnits(y, strata, rand.New(rand.NewPCG(seed, uint64(b))))
			outcomes.SetCol(b-from, y)
		}
		var gradients mat.Dense
		gradients.Mul(m.x.T(), outcomes)
		drawn.Slice(0, len(m.names), from, to).(*mat.Dense).Copy(m.solveNormal(&gradients))
	}
	return drawn
}
