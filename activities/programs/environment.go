package programs

import (
	"regexp"
	"slices"
	"strings"
)

// secret matches the names of variables that hold what a program need not know: keys and
// their files, passwords, addresses of webhooks, headers of collectors.
var secret = regexp.MustCompile(`(?i)(^|_)(API)?(KEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(WEB)?HOOK)(_|$)|^(AWS|TEMPORAL|OTEL)_`)

// withoutSecrets returns an environment without keys: a program of a campaign is shown
// texts of models, and pays for nothing.
func withoutSecrets(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return secret.MatchString(name)
	})
}
