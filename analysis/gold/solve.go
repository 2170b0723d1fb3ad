package gold

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"roundtable/analysis/statistics"
)

// singular is the condition number from which equations count as undetermined.
const singular = 1e8

// rounds of tuning λ at the solution that the last one gave.
const rounds = 2

// Solve returns the corrected estimate of every unknown, each with its own λ.
func Solve(units []Unit) ([]Estimate, error) {
	k := widthOf(units)
	if k == 0 {
		return nil, ErrNoGold
	}
	if err := checkUnits(units, k); err != nil {
		return nil, err
	}
	d, err := newDesign(units)
	if err != nil {
		return nil, err
	}
	p := &problem{design: d, units: units, k: k, gold: newSystem(k), rest: newSystem(k)}
	for i, u := range units {
		p.rest.add(u.Machine, 1)
		if u.Gold != nil {
			p.gold.add(*u.Gold, d.weightOf(i))
			p.rest.add(u.Machine, -d.weightOf(i))
		}
	}
	all := make([]Estimate, k)
	for j := range all {
		if all[j], err = p.estimate(j); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// problem is Σ gold·R/π + λ·(Σ machine − Σ machine·R/π).
type problem struct {
	*design
	units []Unit
	k     int
	gold  *system
	rest  *system // of which λ counts
}

// estimate of one unknown: the λ of smallest variance, unless gold alone is as good.
func (p *problem) estimate(j int) (Estimate, error) {
	alone, aloneErr := p.solveAt(j, 0)
	best, bestErr := p.solveAt(j, 1)
	if aloneErr != nil && bestErr != nil {
		return Estimate{}, aloneErr
	}
	for range rounds {
		from := best
		if bestErr != nil {
			from = alone
		}
		both, rest := from.sumsOf()
		if best, bestErr = p.solveAt(j, from.tunedLambda(-1, both, rest)); bestErr != nil {
			break
		}
	}
	se := best.standardError(true)
	if aloneErr == nil && (bestErr != nil || se > alone.standardError(false)) {
		best, se = alone, alone.standardError(false)
	} else if bestErr != nil {
		return Estimate{}, bestErr
	}
	t := statistics.QuantileT(0.975, float64(p.dof))
	e := Estimate{Value: best.value, SE: se, Lambda: best.lambda, Drawn: p.drawn, DOF: p.dof}
	e.Low, e.High = e.Value-t*e.SE, e.Value+t*e.SE
	if aloneErr == nil {
		e.Alone = &goldAlone{Value: alone.value, SE: alone.standardError(false)}
	}
	return e, nil
}

// solution for one unknown at one λ, with what each cluster adds to its variance.
type solution struct {
	lambda, value float64
	gold, rest    []float64 // by cluster: influences, of which the second counts λ times
}

// tunedLambda returns the λ of smallest variance, from 0 to 1, without one of the clusters; -1 is none.
func (s solution) tunedLambda(without int, both, rest float64) float64 {
	if without >= 0 {
		both -= s.gold[without] * s.rest[without]
		rest -= s.rest[without] * s.rest[without]
	}
	if rest <= 0 {
		return 0
	}
	return min(max(-both/rest, 0), 1)
}

// sumsOf returns Σ gold·rest and Σ rest².
func (s solution) sumsOf() (both, rest float64) {
	return floats.Dot(s.gold, s.rest), floats.Dot(s.rest, s.rest)
}

// standardError is over clusters. Where λ was tuned, each cluster meets the λ that the others would have
// chosen: a λ judged by the clusters that it was chosen on seems better than it is.
func (s solution) standardError(tuned bool) float64 {
	both, rest := s.sumsOf()
	sum := 0.0
	for c := range s.gold {
		lambda := s.lambda
		if tuned {
			lambda = s.tunedLambda(c, both, rest)
		}
		d := s.gold[c] + float64(lambda*s.rest[c])
		sum += float64(d * d)
	}
	g := float64(len(s.gold))
	return math.Sqrt(sum * (g - 1) / g)
}

// solveAt solves with one λ.
func (p *problem) solveAt(j int, lambda float64) (solution, error) {
	all := newSystem(p.k)
	all.combineSystems(p.gold, p.rest, lambda)
	theta, err := all.solve()
	if err != nil {
		return solution{}, err
	}
	s := solution{lambda: lambda, value: theta[j], gold: make([]float64, p.clusters), rest: make([]float64, p.clusters)}
	influence, err := all.inverseRow(j)
	if err != nil {
		return s, err
	}
	byHand, rest := p.clusterResiduals(theta)
	for c := range byHand {
		row := influence
		if p.hasGold[c] { // as if the cluster were deleted: few clusters weigh much
			without := newSystem(p.k)
			without.combineSystems(all, p.clusterSystem(c, lambda), -1)
			if row, err = without.inverseRow(j); err != nil {
				return s, err
			}
		}
		s.gold[c], s.rest[c] = floats.Dot(row, byHand[c]), floats.Dot(row, rest[c])
	}
	return s, nil
}

// clusterSystem returns the part that a cluster has in the equations.
func (p *problem) clusterSystem(c int, lambda float64) *system {
	s := newSystem(p.k)
	for _, i := range p.members[c] {
		u := p.units[i]
		s.add(u.Machine, lambda)
		if u.Gold != nil {
			s.add(*u.Gold, p.weightOf(i))
			s.add(u.Machine, -lambda*p.weightOf(i))
		}
	}
	return s
}

// clusterResiduals returns each cluster's sum of B − Gθ, by gold and by the rest. Within a
// group of strata deviations from its mean by the drawn units are weighted, not the values: their
// number is fixed, so the mean itself does not vary with it.
func (p *problem) clusterResiduals(theta []float64) (byHand, rest [][]float64) {
	k := p.k
	right, machine := newVectors(len(p.groups), k), newVectors(len(p.groups), k) // means by drawn units
	for i, u := range p.units {
		if u.Gold != nil {
			s := p.strata[p.stratum[i]]
			weight := float64(s.units) / float64(p.groups[s.group].units) / float64(s.drawn)
			u.Gold.addResidual(right[s.group], theta, weight)
			u.Machine.addResidual(machine[s.group], theta, weight)
		}
	}
	byHand, rest = newVectors(p.clusters, k), newVectors(p.clusters, k)
	for i, u := range p.units {
		c, h := p.cluster[i], p.strata[p.stratum[i]].group
		floats.Add(byHand[c], right[h])
		floats.Sub(rest[c], machine[h])
		u.Machine.addResidual(rest[c], theta, 1)
		if u.Gold != nil {
			w := p.weightOf(i) * p.groups[h].spread
			u.Gold.addResidual(byHand[c], theta, w)
			floats.AddScaled(byHand[c], -w, right[h])
			u.Machine.addResidual(rest[c], theta, -w)
			floats.AddScaled(rest[c], w, machine[h])
		}
	}
	return byHand, rest
}

func newVectors(n, k int) [][]float64 {
	all, data := make([][]float64, n), make([]float64, n*k)
	for i := range all {
		all[i] = data[i*k : (i+1)*k]
	}
	return all
}

// addResidual adds weight·(B − Gθ) to a vector.
func (m Moments) addResidual(to, theta []float64, weight float64) {
	k := len(m.B)
	for i, b := range m.B {
		for j, g := range m.G[i*k : (i+1)*k] {
			b -= float64(g * theta[j])
		}
		to[i] += float64(weight * b)
	}
}

// system is the equations Gθ = b.
type system struct {
	g *mat.SymDense
	b *mat.VecDense
}

func newSystem(k int) *system {
	if k == 0 {
		k = 1
	}
	return &system{mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)}
}

func (s *system) add(m Moments, weight float64) {
	k := len(m.B)
	for i := range k {
		s.b.SetVec(i, s.b.AtVec(i)+float64(weight*m.B[i]))
		for j := i; j < k; j++ {
			s.g.SetSym(i, j, s.g.At(i, j)+float64(weight*m.G[i*k+j]))
		}
	}
}

func (s *system) combineSystems(byHand, rest *system, lambda float64) {
	var scaled mat.SymDense
	scaled.ScaleSym(lambda, rest.g)
	s.g.AddSym(byHand.g, &scaled)
	s.b.AddScaledVec(byHand.b, lambda, rest.b)
}

// factorize fails where G is not positive definite: sums of squares always are.
func (s *system) factorize() (*mat.Cholesky, error) {
	var c mat.Cholesky
	if !c.Factorize(s.g) || c.Cond() > singular {
		return nil, ErrUnsettled
	}
	return &c, nil
}

func (s *system) solve() ([]float64, error) {
	c, err := s.factorize()
	if err != nil {
		return nil, err
	}
	var theta mat.VecDense
	if err := c.SolveVecTo(&theta, s.b); err != nil {
		return nil, ErrUnsettled
	}
	return theta.RawVector().Data, nil
}

// inverseRow returns row j of G⁻¹: what the equations are worth to unknown j.
func (s *system) inverseRow(j int) ([]float64, error) {
	c, err := s.factorize()
	if err != nil {
		return nil, err
	}
	unit := mat.NewVecDense(s.b.Len(), nil)
	unit.SetVec(j, 1)
	var row mat.VecDense
	if err := c.SolveVecTo(&row, unit); err != nil {
		return nil, ErrUnsettled
	}
	return row.RawVector().Data, nil
}
