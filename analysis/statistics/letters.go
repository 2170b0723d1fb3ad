package statistics

import "slices"

const (
	alphabet   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	mostGroups = 500 // while pairs are inserted; it ends with fewer
)

// Letters returns a compact letter display: letters for each of n conditions, so that two
// share one exactly if they do not differ. It inserts one differing pair after the
// other, splitting each letter that both have into two, and absorbs letters that
// another one contains (Piepho 2004). Letters follow the order of the conditions: the
// first one has "a". It returns nil if the alphabet does not suffice.
func Letters(n int, differ func(i, j int) bool) []string {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	groups := [][]int{all}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if differ(i, j) {
				groups = absorbGroups(insert(groups, i, j))
			}
			if len(groups) > mostGroups {
				return nil
			}
		}
	}
	slices.SortFunc(groups, slices.Compare)
	if len(groups) > len(alphabet) {
		return nil
	}
	letters := make([]string, n)
	for k, g := range groups {
		for _, i := range g {
			letters[i] += alphabet[k : k+1]
		}
	}
	return letters
}

// insert splits each group that holds both of two conditions that differ.
func insert(groups [][]int, i, j int) [][]int {
	without := func(g []int, out int) []int {
		return slices.DeleteFunc(slices.Clone(g), func(k int) bool { return k == out })
	}
	var split [][]int
	for _, g := range groups {
		if slices.Contains(g, i) && slices.Contains(g, j) {
			split = append(split, without(g, i), without(g, j))
		} else {
			split = append(split, g)
		}
	}
	return split
}

// absorbGroups leaves out each group that another one contains, and of equal ones all but the first.
func absorbGroups(groups [][]int) [][]int {
	var kept [][]int
	for a, g := range groups {
		within := func(b int, other []int) bool {
			if a == b || len(g) > len(other) || len(g) == len(other) && a < b {
				return false
			}
			return !slices.ContainsFunc(g, func(i int) bool { return !slices.Contains(other, i) })
		}
		absorbed := false
		for b, other := range groups {
			absorbed = absorbed || within(b, other)
		}
		if !absorbed {
			kept = append(kept, g)
		}
	}
	return kept
}
