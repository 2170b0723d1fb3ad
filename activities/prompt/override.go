package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// CheckOverride returns an error for each file of a folder of templates that replaces none of
// known, such as a misspelt one, and for a folder without any. Files outside the folders of a pack
// are ignored, unless they are templates.
func CheckOverride(override fs.FS, known map[string]bool) (errs []error) {
	replaced := false
	err := fs.WalkDir(override, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		folder, base := path.Split(name)
		inPack := slices.Contains([]string{"env/", "protocol/", "rule/", "agent/", "score/"}, folder) &&
			!strings.HasPrefix(base, ".")
		replaced = replaced || known[name]
		if known[name] || !inPack && path.Ext(name) != ".tmpl" {
			return nil
		}
		hint := ""
		if near := nearestName(name, known); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		errs = append(errs, fmt.Errorf("%s replaces no template%s", name, hint))
		return nil
	})
	switch {
	case err != nil:
		errs = append(errs, err)
	case !replaced && len(errs) == 0:
		errs = append(errs, errors.New("no file in it replaces a template"))
	}
	return errs
}

// nearestName returns the known name that a misspelt one is for; empty if none is close.
func nearestName(name string, known map[string]bool) string {
	best, least := "", 4 // changes
	for _, candidate := range slices.Sorted(maps.Keys(known)) {
		if path.Base(candidate) == path.Base(name) {
			return candidate
		}
		if n := wording.Distance(name, candidate); n < least {
			best, least = candidate, n
		}
	}
	return best
}
