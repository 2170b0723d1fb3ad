package protocol

import (
	"fmt"
	"slices"

	"roundtable/envs"
)

// Topology says whom each agent hears. In JSON it is a word, or
// {"name": "random", "k": 2} and {"name": "explicit", "hears": [[1], [0, 2], [1]]}.
type Topology struct {
	Name  string  `json:"name"`
	K     int     `json:"k,omitempty"`     // random: peers that each agent hears
	Hears [][]int `json:"hears,omitempty"` // explicit: by agent, from 0
}

// UnmarshalJSON accepts both forms.
func (t *Topology) UnmarshalJSON(data []byte) error {
	*t = Topology{}
	type plain Topology
	if eitherForm(data, &t.Name, (*plain)(t)) != nil {
		return fmt.Errorf("%s is no topology; full, ring, star and tree are, {name: random, k: 2} and {name: explicit, hears: [[1], [0]]}", data)
	}
	return nil
}

// hears returns whom each of n agents hears, ascending. Full, ring, star and tree are
// those of Network. Random peers are drawn once for a collaboration.
func (t Topology) hears(n int, seed uint64) ([][]int, error) {
	switch t.Name {
	case "full", "ring", "star", "tree":
		return t.linked(n), nil
	case "random":
		return t.random(n, seed)
	case "explicit":
		return t.explicit(n)
	}
	return nil, fmt.Errorf("there is no topology %q; there are full, ring, star, tree, random and explicit", t.Name)
}

func (t Topology) linked(n int) [][]int {
	all := make([][]int, n)
	for i := range all {
		for j := range n {
			if i != j && (network{name: t.Name}).link(i, j, n) {
				all[i] = append(all[i], j)
			}
		}
	}
	return all
}

func (t Topology) random(n int, seed uint64) ([][]int, error) {
	if t.K < 1 || t.K >= n {
		return nil, fmt.Errorf("k is %d; each of %d agents can hear 1 to %d others", t.K, n, n-1)
	}
	all := make([][]int, n)
	for i := range all {
		for _, j := range envs.Stream(seed, "topology", i).Perm(n - 1)[:t.K] {
			if j >= i { // itself is left out
				j++
			}
			all[i] = append(all[i], j)
		}
		slices.Sort(all[i])
	}
	return all, nil
}

func (t Topology) explicit(n int) ([][]int, error) {
	if len(t.Hears) != n {
		return nil, fmt.Errorf("hears has %d lists; there is one for each of %d agents", len(t.Hears), n)
	}
	all := make([][]int, n)
	for i, peers := range t.Hears {
		for _, j := range peers {
			if j < 0 || j >= n || j == i {
				return nil, fmt.Errorf("hears says that agent %d hears agent %d; it can hear others from 0 to %d", i, j, n-1)
			}
		}
		all[i] = slices.Compact(slices.Sorted(slices.Values(peers)))
	}
	return all, nil
}
