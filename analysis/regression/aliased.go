package regression

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// aliasedTerms groups the terms that stand in for one another: j and k belong
// together if the projection on what the data leave open, I - VV', links them.
func aliasedTerms(names []string, v *mat.Dense) [][]string {
	group := make([]int, len(names))
	for i := range group {
		group[i] = i
	}
	open := make([]bool, len(names))
	for i := range names {
		open[i] = 1-floats.Dot(v.RawRowView(i), v.RawRowView(i)) >= determined
		for j := range i {
			if open[i] && open[j] && math.Abs(floats.Dot(v.RawRowView(i), v.RawRowView(j))) > determined {
				joinGroups(group, group[j], group[i])
			}
		}
	}
	byGroup := map[int][]string{}
	var order []int
	for i, name := range names {
		if !open[i] {
			continue
		}
		if byGroup[group[i]] == nil {
			order = append(order, group[i])
		}
		byGroup[group[i]] = append(byGroup[group[i]], name)
	}
	groups := make([][]string, len(order))
	for i, g := range order {
		groups[i] = byGroup[g]
	}
	return groups
}

func joinGroups(group []int, into, from int) {
	for i, g := range group {
		if g == from {
			group[i] = into
		}
	}
}
