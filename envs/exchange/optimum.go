package exchange

import (
	"fmt"
	"math"
	"slices"
)

// greatestTotal returns the greatest total utility of any allocation, found in closed
// form where the exponents have one and numerically otherwise.
func greatestTotal(theta [][]float64, quantity []float64) (float64, error) {
	if v, ok := greatestIfAlike(theta, quantity); ok {
		return v, nil
	}
	if v, ok := greatestIfSpecialised(theta, quantity); ok {
		return v, nil
	}
	lower, upper := bracketGreatest(theta, quantity)
	if !(upper-lower <= 1e-7*upper) {
		return 0, fmt.Errorf("the greatest total utility is only known to lie from %v to %v; give exponents that "+
			"differ less in size", lower, upper)
	}
	return lower, nil
}

// greatestIfAlike: when all utilities are equal and concave an even split is best,
// K·Π_k (Q_k/K)^θ_k = K^(1-s)·Π_k Q_k^θ_k with s = Σ_k θ_k.
func greatestIfAlike(theta [][]float64, quantity []float64) (float64, bool) {
	k, s := float64(len(theta)), 0.0
	for i := range theta {
		if !slices.Equal(theta[i], theta[0]) {
			return 0, false
		}
	}
	for _, t := range theta[0] {
		s += t
	}
	return math.Pow(k, 1-s) * cobbDouglas(theta[0], quantity), true
}

// greatestIfSpecialised: agent i has α for good i and β for every other good, and there
// is as much of each good. By symmetry every agent then gets the share α/s of its own
// good and β/s of the others, s = α+(K-1)β. With α = 0.8, β = 0.2/(K-1) this is
// K·80^0.8·(20/(K-1))^0.2 for quantities of 100.
func greatestIfSpecialised(theta [][]float64, quantity []float64) (float64, bool) {
	k := len(theta)
	if k != len(quantity) {
		return 0, false
	}
	own, other, q := theta[0][0], theta[0][1], quantity[0]
	for i := range theta {
		for j, t := range theta[i] {
			if (i == j && t != own) || (i != j && t != other) || quantity[j] != q {
				return 0, false
			}
		}
	}
	s := own + float64(k-1)*other
	bundle := slices.Repeat([]float64{q * other / s}, k)
	bundle[0] = q * own / s
	return float64(k) * cobbDouglas(theta[0], bundle), true
}

// bracketGreatest brackets the greatest total utility: lower is that of an allocation,
// upper a bound by prices. A utility of degree s < 1 becomes one of degree 1 through a
// good of quantity 1 that nobody else wants, with exponent 1-s. With log prices
// y of whole stocks, duality then makes the problem
//
//	min Σ_k exp(y_k)  subject to  θ_i·y ≥ b_i = Σ_k θ_ik·log(θ_ik·Q_k) for every agent i:
//
// no agent can make more utility than it pays for. The multiplier of agent i
// is its utility. A barrier method solves it.
func bracketGreatest(theta [][]float64, quantity []float64) (lower, upper float64) {
	p := dualOf(theta, quantity)
	mu := float64(len(p.theta)) // any start will do; it shrinks until the bracket is narrow
	y := slices.Repeat([]float64{slices.Max(p.b) + 1}, p.n)
	upper = math.Inf(1)
	for range 120 {
		y = p.centreFrom(y, mu)
		lower = max(lower, p.primalTotal(y, mu))
		upper = min(upper, sumExp(y))
		if upper-lower <= 1e-11*upper {
			break
		}
		mu /= 4
	}
	return lower, upper
}

type dual struct {
	n        int // prices
	theta    [][]float64
	b        []float64
	quantity []float64
}

func dualOf(theta [][]float64, quantity []float64) dual {
	m := len(theta)
	p := dual{theta: make([][]float64, m), b: make([]float64, m)}
	for k, q := range quantity {
		if slices.ContainsFunc(theta, func(row []float64) bool { return row[k] > 0 }) {
			p.quantity = append(p.quantity, q)
			for i := range theta {
				p.theta[i] = append(p.theta[i], theta[i][k])
			}
		}
	}
	for i := range theta {
		s := 0.0
		for _, t := range p.theta[i] {
			s += t
		}
		if 1-s > 1e-9 {
			p.quantity = append(p.quantity, 1)
			for j := range theta {
				p.theta[j] = append(p.theta[j], 0)
			}
			p.theta[i][len(p.theta[i])-1] = 1 - s
		}
	}
	p.n = len(p.quantity)
	for i, row := range p.theta {
		for k, t := range row {
			if t > 0 {
				p.b[i] += t * (math.Log(t) + math.Log(p.quantity[k]))
			}
		}
	}
	return p
}

func (p dual) slackOf(i int, y []float64) float64 {
	g := -p.b[i]
	for k, t := range p.theta[i] {
		g += t * y[k]
	}
	return g
}

// barrierAt returns the objective at one mu; +Inf outside.
func (p dual) barrierAt(y []float64, mu float64) float64 {
	f := sumExp(y)
	for i := range p.theta {
		g := p.slackOf(i, y)
		if g <= 0 {
			return math.Inf(1)
		}
		f -= mu * math.Log(g)
	}
	return f
}

// centreFrom is Newton's method with backtracking.
func (p dual) centreFrom(y []float64, mu float64) []float64 {
	y = slices.Clone(y)
	for range 60 {
		gradient, hessian := p.derivativesAt(y, mu)
		step := solveCholesky(hessian, gradient)
		decrement := 0.0
		for k := range step {
			decrement += step[k] * gradient[k]
		}
		if !(decrement > 1e-10*mu) {
			break
		}
		f, t := p.barrierAt(y, mu), 1.0
		next := make([]float64, p.n)
		for ; t > 1e-12; t /= 2 {
			for k := range next {
				next[k] = y[k] - t*step[k]
			}
			if p.barrierAt(next, mu) <= f-0.1*t*decrement {
				break
			}
		}
		if t <= 1e-12 {
			break
		}
		y = next
	}
	return y
}

func (p dual) derivativesAt(y []float64, mu float64) ([]float64, [][]float64) {
	gradient, hessian := make([]float64, p.n), make([][]float64, p.n)
	for k := range hessian {
		hessian[k] = make([]float64, p.n)
		gradient[k] = math.Exp(y[k])
		hessian[k][k] = gradient[k]
	}
	for i, row := range p.theta {
		w := 1 / p.slackOf(i, y)
		for k, t := range row {
			if t == 0 {
				continue
			}
			gradient[k] -= mu * t * w
			for l, s := range row {
				hessian[k][l] += mu * t * w * s * w
			}
		}
	}
	return gradient, hessian
}

// primalTotal hands out goods as the multipliers say and adds up the utilities.
func (p dual) primalTotal(y []float64, mu float64) float64 {
	weight, demand := make([]float64, len(p.theta)), make([]float64, p.n)
	for i, row := range p.theta {
		weight[i] = mu / p.slackOf(i, y)
		for k, t := range row {
			demand[k] += weight[i] * t
		}
	}
	total := 0.0
	for i, row := range p.theta {
		bundle := make([]float64, p.n)
		for k, t := range row {
			bundle[k] = p.quantity[k] * weight[i] * t / demand[k]
		}
		total += cobbDouglas(row, bundle)
	}
	return total
}

// solveCholesky returns a Cholesky solution of a positive definite system; it overwrites h.
func solveCholesky(h [][]float64, v []float64) []float64 {
	n := len(v)
	x := slices.Clone(v)
	for i := range n {
		for j := range i + 1 {
			s := h[i][j]
			for k := range j {
				s -= h[i][k] * h[j][k]
			}
			if i == j {
				h[i][i] = math.Sqrt(max(s, 1e-300))
			} else {
				h[i][j] = s / h[j][j]
			}
		}
	}
	for i := range n {
		for k := range i {
			x[i] -= h[i][k] * x[k]
		}
		x[i] /= h[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= h[k][i] * x[k]
		}
		x[i] /= h[i][i]
	}
	return x
}

func sumExp(y []float64) float64 {
	s := 0.0
	for _, v := range y {
		s += math.Exp(v)
	}
	return s
}
