package acts_test

import (
	"fmt"

	"roundtable/analysis/acts"
)

// Two coders agree on four of five messages.
func ExampleKappa() {
	a := []string{"inform", "propose", "propose", "agree", "agree"}
	b := []string{"inform", "propose", "inform", "agree", "agree"}
	fmt.Printf("%.3f\n", *acts.Kappa(a, b))
	// Output:
	// 0.706
}
