package statistics

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm adjusts the p-values of one declared family so that the chance of any
// false rejection stays at the level (Holm 1979). The order is kept.
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

// BenjaminiHochberg adjusts p-values so that the expected share of false ones
// among the rejections stays at the level (Benjamini and Hochberg 1995). The order is kept.
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
