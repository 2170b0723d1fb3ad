package envs

import (
	"fmt"

	"roundtable/envs/wording"
)

// NewPolicyError returns the error for a name that is not one of the environment's policies.
func NewPolicyError(environment, name string, policies []string) error {
	return fmt.Errorf("%s: unknown policy %.40q; expected %s%s", environment, name, wording.Or(policies),
		wording.DidYouMean(name, policies))
}
