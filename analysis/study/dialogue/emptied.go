package dialogue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Emptied counts the corrected figures that a table leaves empty, by reason.
type Emptied map[string]int

// Add counts a figure that is empty because of err; nil counts nothing.
func (e Emptied) Add(err error) {
	if err != nil {
		e[err.Error()]++
	}
}

// note says how many there are and why, the most frequent reason first; "" if there are none.
func (e Emptied) note() string {
	reasons := slices.SortedFunc(maps.Keys(e),
		func(a, b string) int { return cmp.Or(cmp.Compare(e[b], e[a]), cmp.Compare(a, b)) })
	if len(reasons) == 0 {
		return ""
	}
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%d because %s", e[r], r)
	}
	return "Figures with gold that are empty or without an interval: " + strings.Join(reasons, "; ") + "."
}
