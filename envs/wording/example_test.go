package wording_test

import (
	"fmt"

	"roundtable/envs/wording"
)

// What an error says is accepted, and what was perhaps meant.
func ExampleDidYouMean() {
	rules := []string{"majority", "plurality", "unanimous"}
	fmt.Printf("unknown rule %q; expected %s%s\n", "pluralty", wording.Or(rules), wording.DidYouMean("pluralty", rules))
	// Output:
	// unknown rule "pluralty"; expected majority, plurality or unanimous; did you mean plurality?
}
