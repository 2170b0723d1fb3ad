package regression

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Logistic fits the log-odds of an outcome by columns, with half a ridge times the
// squared coefficients (the intercept excepted) as penalty, so that it exists for
// separated data too. x is by row; the intercept comes first in what is returned.
func Logistic(x [][]float64, y []bool, ridge float64) ([]float64, error) {
	if len(x) == 0 || len(x) != len(y) || !(ridge > 0) {
		return nil, fmt.Errorf("%d rows with %d outcomes and a ridge of %v; equally many and a ridge above 0 are needed", len(x), len(y), ridge)
	}
	k := len(x[0]) + 1
	beta := make([]float64, k)
	for range 100 {
		gradient, hessian := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
		for j := 1; j < k; j++ {
			gradient.SetVec(j, -ridge*beta[j])
			hessian.SetSym(j, j, ridge)
		}
		for i, row := range x {
			p := Probability(beta, row)
			residual := -p
			if y[i] {
				residual = 1 - p
			}
			at := func(j int) float64 {
				if j == 0 {
					return 1
				}
				return row[j-1]
			}
			for j := range k {
				gradient.SetVec(j, gradient.AtVec(j)+residual*at(j))
				for l := j; l < k; l++ {
					hessian.SetSym(j, l, hessian.At(j, l)+max(p*(1-p), 1e-12)*at(j)*at(l))
				}
			}
		}
		var cholesky mat.Cholesky
		if !cholesky.Factorize(hessian) {
			return nil, errors.New("all outcomes are the same, so nothing tells them apart")
		}
		var step mat.VecDense
		if err := cholesky.SolveVecTo(&step, gradient); err != nil {
			return nil, err
		}
		longest := 0.0
		for j := range k {
			beta[j] += step.AtVec(j)
			longest = max(longest, math.Abs(step.AtVec(j)))
		}
		if longest < 1e-10 {
			return beta, nil
		}
	}
	return nil, errors.New("the logistic regression does not converge")
}

// Probability of an outcome by a fit of Logistic.
func Probability(beta, row []float64) float64 {
	odds := beta[0]
	for j, v := range row {
		odds += beta[j+1] * v
	}
	return 1 / (1 + math.Exp(-odds))
}
