// Package namingtest checks a list of names.
package namingtest

import (
	"regexp"
	"testing"

	"roundtable/analysis/naming"
)

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// Check checks that names say something, that no two of them or of their aliases are
// alike, and that each former name of a list finds what it named.
func Check(t *testing.T, what string, list []naming.Named, former map[string]string) {
	t.Helper()
	seen := map[string]string{}
	for _, n := range list {
		if !kebab.MatchString(n.Name) || n.Shows == "" || n.Needs == "" {
			t.Errorf("%s %+v has no plain name, or does not say what it shows and needs", what, n)
		}
		for _, written := range append([]string{n.Name, n.Former}, n.Aliases()...) {
			if other, taken := seen[written]; taken && written != "" {
				t.Errorf("%q is %s %s and %s", written, what, other, n.Name)
			}
			seen[written] = n.Name
			if found, err := naming.Find(what, list, written); written != "" && (err != nil || found.Name != n.Name) {
				t.Errorf("%q finds %q, want %s (%v)", written, found.Name, n.Name, err)
			}
		}
		if n.Former != "" && former[n.Former] != n.Name {
			t.Errorf("%s was %q: that named %q", n.Name, n.Former, former[n.Former])
		}
	}
	for written, want := range former {
		found, err := naming.Find(what, list, written)
		if err != nil || found.Name != want {
			t.Errorf("the former %s %s is %q, want %s (%v)", what, written, found.Name, want, err)
		}
		if found.Renamed(what, written) == "" {
			t.Errorf("no note says that %s %s is now %s", what, written, want)
		}
	}
}
