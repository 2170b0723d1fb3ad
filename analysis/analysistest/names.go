package analysistest

import (
	"regexp"
	"testing"

	"roundtable/analysis/study/entry"
)

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// CheckNames checks that names say something, and that no two of them or of their
// aliases are alike.
func CheckNames(t *testing.T, what string, list []entry.Named) {
	t.Helper()
	seen := map[string]string{}
	for _, n := range list {
		if !kebab.MatchString(n.Name) || n.Shows == "" || n.Needs == "" {
			t.Errorf("%s %+v has no plain name, or does not say what it shows and needs", what, n)
		}
		for _, written := range append([]string{n.Name}, n.Aliases()...) {
			if other, taken := seen[written]; taken {
				t.Errorf("%q is %s %s and %s", written, what, other, n.Name)
			}
			seen[written] = n.Name
			if found, err := entry.Find(what, list, written); err != nil || found.Name != n.Name {
				t.Errorf("%q finds %q, want %s (%v)", written, found.Name, n.Name, err)
			}
		}
	}
}
