package statistics

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm returns the p-values of one declared family adjusted so that rejecting those below a level keeps the
// chance of any false rejection at that level (Holm 1979), in the order of p.
func Holm(p []float64) ([]float64, error) {
	order, err := ascendingOrder(p)
	adjusted := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = worst
	}
	return adjusted, err
}

// BenjaminiHochberg returns p-values adjusted so that rejecting those below a level keeps the expected share
// of false rejections at that level (Benjamini and Hochberg 1995), in the order of p.
func BenjaminiHochberg(p []float64) ([]float64, error) {
	order, err := ascendingOrder(p)
	adjusted := make([]float64, len(p))
	best := 1.0
	for rank, i := range slices.Backward(order) {
		best = min(best, p[i]*float64(len(p))/float64(rank+1))
		adjusted[i] = best
	}
	return adjusted, err
}

func ascendingOrder(p []float64) ([]int, error) {
	order := make([]int, len(p))
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("p-value %d of the family is %v; it must be between 0 and 1", i+1, v)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order, nil
}
