package programs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"roundtable/analysis/lake/store"
)

// TrustEnv names the programs that campaigns may run, since a campaign file or a recorded plan may be
// somebody else's: what TrustOf returns of each, with commas between; * is every one.
const TrustEnv = "ROUNDTABLE_PROGRAMS"

var trustMark = regexp.MustCompile(`#([0-9a-f]{32})`)

// TrustOf returns what trusts a command that is started in a folder, for TrustEnv: the command and the
// folder, for people, and a hash of both and of the files that the command's words name.
func TrustOf(folder string, command []string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	bound := []any{folder, command}
	for _, word := range command {
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		if f, err := store.OpenFile(path); err == nil {
			h := sha256.New()
			_, err = io.Copy(h, f)
			if err = cmp.Or(err, f.Close()); err != nil {
				return "", err
			}
			bound = append(bound, word, hex.EncodeToString(h.Sum(nil)))
		}
	}
	text, err := json.Marshal(bound)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s #%x", plainly.Replace(strings.Join(command, " ")+" in "+folder), sum[:16]), nil
}

// plainly leaves out of a stranger's words what would trust other programs where they are exported.
var plainly = strings.NewReplacer(",", " ", "#", " ")

// CheckTrusted returns an error that says what to set if a command that is to be started in a folder
// is not trusted there, as its files are now.
func CheckTrusted(folder string, command []string) error {
	given := os.Getenv(TrustEnv)
	if slices.ContainsFunc(strings.Split(given, ","),
		func(entry string) bool { return strings.TrimSpace(entry) == "*" }) {
		return nil
	}
	entry, err := TrustOf(folder, command)
	if err != nil {
		return err
	}
	for _, found := range trustMark.FindAllString(given, -1) {
		if strings.HasSuffix(entry, found) {
			return nil
		}
	}
	return fmt.Errorf("the campaign runs a program on this machine, %s; if you trust it as it is now: export %s=%s",
		strings.Join(command, " "), TrustEnv, quoteShell(entry))
}

// quoteShell returns a text as a shell takes it.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
