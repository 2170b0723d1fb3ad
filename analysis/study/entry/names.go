package entry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs/wording"
)

// Named is a table or figure that can be requested by name.
type Named struct {
	Name   string
	Shows  string
	Needs  string     // what a campaign must have for it
	Papers []citation // where papers have it; no two of a list share a number
}

// citation is where a paper has something.
type citation struct {
	Paper   int
	Kind    string // table, figure
	Numbers []int  // ascending
}

// Numbers returns a list with one citation: the tables or figures (kind is "table" or "figure") of a paper
// with these numbers.
func Numbers(paper int, kind string, numbers ...int) []citation {
	return []citation{{paper, kind, numbers}}
}

// Aliases returns the other names by which it can be requested: paper4/table-2, paper4/table-3.
func (n Named) Aliases() []string {
	var all []string
	for _, c := range n.Papers {
		for _, number := range c.Numbers {
			all = append(all, fmt.Sprintf("paper%d/%s-%d", c.Paper, c.Kind, number))
		}
	}
	return all
}

// Cite returns where the papers have it, such as "paper 4, Tables 2 to 5, Figure 1"; "" if none has.
func (n Named) Cite() string {
	var all []string
	for i, c := range n.Papers {
		if i == 0 || n.Papers[i-1].Paper != c.Paper {
			all = append(all, fmt.Sprintf("paper %d", c.Paper))
		}
		kind := map[string]string{"table": "Table", "figure": "Figure"}[c.Kind]
		if len(c.Numbers) > 1 {
			kind += "s"
		}
		all = append(all, kind+" "+joinRanges(c.Numbers))
	}
	return strings.Join(all, ", ")
}

// joinRanges writes ascending numbers, three and more in a row as "2 to 5".
func joinRanges(numbers []int) string {
	var parts []string
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[0]+n {
			n++
		}
		if n < 3 {
			n = 1
			parts = append(parts, strconv.Itoa(numbers[0]))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", numbers[0], numbers[n-1]))
		}
		numbers = numbers[n:]
	}
	return wording.And(parts)
}

// Of returns the names in a list, in its order.
func Of(list []Named) []string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.Name
	}
	return names
}

// Find returns the element of list whose name or alias is written. The error, which calls it a what ("table",
// "figure"), lists all names and besides, other accepted words, and suggests the most similar one.
func Find(what string, list []Named, written string, besides ...string) (Named, error) {
	i := slices.IndexFunc(list, func(n Named) bool {
		return n.Name == written || slices.Contains(n.Aliases(), written)
	})
	if i >= 0 {
		return list[i], nil
	}
	names := append(Of(list), besides...)
	likely := slices.Clone(names)
	for _, n := range list {
		likely = append(likely, n.Aliases()...)
	}
	return Named{}, fmt.Errorf("unknown %s %q; expected %s%s", what, written, wording.Or(names),
		wording.DidYouMean(written, likely))
}
