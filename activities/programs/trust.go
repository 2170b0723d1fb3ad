package programs

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// TrustEnv names the commands that campaigns may run, since a campaign file or
// a recorded plan may be somebody else's: whole commands, their parts joined by spaces,
// with commas between commands; * is every one.
const TrustEnv = "ROUNDTABLE_PROGRAMS"

// CheckTrusted returns an error that says what to set if a command is not trusted.
func CheckTrusted(command []string) error {
	given := strings.Split(os.Getenv(TrustEnv), ",")
	for i := range given {
		given[i] = strings.TrimSpace(given[i])
	}
	whole := strings.Join(command, " ")
	if slices.Contains(given, "*") || slices.Contains(given, whole) {
		return nil
	}
	return fmt.Errorf("the campaign runs a program on this machine; if you trust it: export %s=%s", TrustEnv, quoted(whole))
}

// quoted returns a text as a shell takes it.
func quoted(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("./_-", r) && (r < '0' || r > 'z') }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
