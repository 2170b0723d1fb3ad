package programs

import (
	"regexp"
	"slices"
	"strings"
)

// secret matches the names of variables that hold what a program need not know.
var secret = regexp.MustCompile(`(?i)(_KEY|_TOKEN|_SECRET|_PASSWORD)$|^AWS_`)

// withoutSecrets returns an environment without keys: a program of a campaign is shown
// texts of models, and pays for nothing.
func withoutSecrets(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return secret.MatchString(name)
	})
}
