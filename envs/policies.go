package envs

import (
	"fmt"
	"strings"

	"roundtable/envs/wording"
)

// NoPolicy returns the error of a name that is none of the environment's policies.
func NoPolicy(environment, name string, policies []string) error {
	are := "are"
	if len(policies) == 1 {
		are = "is"
	}
	return fmt.Errorf("%s: there is no policy %.40q; there %s %s%s", environment, name, are, strings.Join(policies, ", "), wording.DidYouMean(name, policies))
}
