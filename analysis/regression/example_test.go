package regression_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"roundtable/analysis/regression"
)

// An outcome on two columns, of which the second is twice the first: neither can be told
// from the other.
func ExampleLeastSquares() {
	columns := mat.NewDense(4, 2, []float64{1, 2, 2, 4, 3, 6, 4, 8})
	fit, err := regression.LeastSquares([]string{"messages", "words"}, columns, []float64{3, 5, 7, 9})
	if err != nil {
		panic(err)
	}
	fmt.Println("rank", fit.Rank, "of", len(fit.Terms), "terms, aliased", fit.Aliased)
	// Output:
	// rank 2 of 3 terms, aliased [[messages words]]
}
