package regression

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Logistic fits the log-odds of y by the columns of x (by row, without intercept). The penalty is ridge/2
// times the squared coefficients, without the intercept, so that the fit exists for separated data too. The
// intercept comes first in the result.
func Logistic(x [][]float64, y []bool, ridge float64) ([]float64, error) {
	if len(x) == 0 || len(x) != len(y) || !(ridge > 0) {
		return nil, fmt.Errorf("%d rows with %d outcomes and a ridge of %v; equally many and a ridge above 0 are needed", len(x), len(y), ridge)
	}
	k := len(x[0]) + 1
	beta := make([]float64, k)
	columns := make([]float64, k) // of a row, with the intercept's
	columns[0] = 1
	for range 100 {
		slope, curve := make([]float64, k), make([]float64, k*k) // filled here: a matrix checks each place
		for j := 1; j < k; j++ {
			slope[j], curve[j*k+j] = -ridge*beta[j], ridge
		}
		for i, row := range x {
			p := Probability(beta, row)
			residual := -p
			if y[i] {
				residual = 1 - p
			}
			copy(columns[1:], row)
			weight := max(p*(1-p), 1e-12)
			for j, column := range columns {
				slope[j] += residual * column
				weighted, line := weight*column, curve[j*k:(j+1)*k]
				for l := j; l < k; l++ {
					line[l] += weighted * columns[l]
				}
			}
		}
		gradient, hessian := mat.NewVecDense(k, slope), mat.NewSymDense(k, curve)
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

// Probability returns the probability of the outcome for a row, given the coefficients that Logistic returned.
func Probability(beta, row []float64) float64 {
	odds := beta[0]
	for j, v := range row {
		odds += beta[j+1] * v
	}
	return 1 / (1 + math.Exp(-odds))
}
