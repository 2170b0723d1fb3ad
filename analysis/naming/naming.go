// Package naming says what tables and figures are called: a name that says what
// each shows, the numbers that it has in the papers, and, for one version, the
// name that it had before.
package naming

import (
	"fmt"
	"slices"

	"roundtable/envs/wording"
)

// Named is a table or a figure that can be asked for.
type Named struct {
	Name   string
	Shows  string
	Needs  string   // what a campaign must have for it
	Former string   // its name before version 0.1, accepted until 0.2; "" if that is its name
	Papers []string // the numbers by which papers have it, see Numbers; no two of a list share one
}

// Numbers returns what a paper's tables or figures are called beside their names:
// Numbers(4, "table", 2, 3) is paper4/table-2 and paper4/table-3.
func Numbers(paper int, kind string, numbers ...int) []string {
	all := make([]string, len(numbers))
	for i, n := range numbers {
		all[i] = fmt.Sprintf("paper%d/%s-%d", paper, kind, n)
	}
	return all
}

// Of returns the names of a list, in its order.
func Of(list []Named) []string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.Name
	}
	return names
}

// Find returns what of the list is called so, by its name, a paper's number or its
// former name. The error names all, with what is accepted besides, and suggests the
// one that is most alike; what says what is listed: table, figure.
func Find(what string, list []Named, written string, besides ...string) (Named, error) {
	i := slices.IndexFunc(list, func(n Named) bool {
		return n.Name == written || slices.Contains(n.Papers, written) || written != "" && n.Former == written
	})
	if i >= 0 {
		return list[i], nil
	}
	names := append(Of(list), besides...)
	likely := slices.Clone(names)
	for _, n := range list {
		likely = append(likely, n.Papers...)
	}
	return Named{}, fmt.Errorf("there is no %s %q; there are %s%s", what, written, wording.And(names), wording.DidYouMean(written, likely))
}

// Renamed says, of a former name, what it is now; "" for any other name.
func (n Named) Renamed(what, written string) string {
	if n.Former == "" || written != n.Former {
		return ""
	}
	return fmt.Sprintf("%s %s is now called %s; the old name goes with version 0.2", what, written, n.Name)
}
