package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/envs"
)

// Network says who hears whom in each round: a name, a matrix (row hears
// column where it is 1), or a list of these that rounds take in turn, again
// from the first after the last. Agents do not hear themselves by it: they
// always know where they are.
//
//	full    everybody hears everybody
//	star    the first agent hears all and is heard by all
//	tree    each hears its parent, (i-1)/2 counted from 0, and its two children
//	line    each hears its neighbours by index; ring also the last the first
//	leader  directed: all hear the first agent, which hears nobody (Fig. 9a)
//	chain   directed: each hears the one before it only
//	random  each pair hears each other with a probability, drawn once a collaboration and place in the list
type Network []network

type network struct {
	name   string
	matrix [][]float64
}

// networkNames returns the names of the networks; see Network.
func networkNames() []string {
	return []string{"full", "star", "tree", "line", "ring", "leader", "chain", "random"}
}

// UnmarshalJSON takes the three forms.
func (w *Network) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if one, err := readNetwork(data); err == nil {
		*w = Network{one}
		return nil
	}
	if json.Unmarshal(data, &list) != nil || len(list) == 0 {
		return errNetwork
	}
	*w = nil
	for _, item := range list {
		one, err := readNetwork(item)
		if err != nil {
			return err
		}
		*w = append(*w, one)
	}
	return nil
}

// MarshalJSON writes the form that UnmarshalJSON takes.
func (w Network) MarshalJSON() ([]byte, error) {
	list := make([]any, len(w))
	for i, n := range w {
		if list[i] = n.name; n.matrix != nil {
			list[i] = n.matrix
		}
	}
	if len(list) == 1 {
		return json.Marshal(list[0])
	}
	return json.Marshal(list)
}

var errNetwork = errors.New("a network is one of " + strings.Join(networkNames(), ", ") +
	", a matrix of 0 and 1 by rows (who hears) and columns (who is heard), or a list of these by round")

func readNetwork(data []byte) (network, error) {
	var n network
	if json.Unmarshal(data, &n.name) == nil && string(data) != "null" {
		return n, nil
	}
	if json.Unmarshal(data, &n.matrix) != nil || len(n.matrix) == 0 {
		return n, errNetwork
	}
	return n, nil
}

func (w Network) check(agents int) error {
	if len(w) == 0 {
		return errNetwork
	}
	for _, n := range w {
		if n.matrix == nil && !slices.Contains(networkNames(), n.name) {
			return fmt.Errorf("network is %q; expected %s, or a matrix, or a list of these by round", n.name,
				strings.Join(networkNames(), ", "))
		}
		if n.matrix == nil {
			continue
		}
		if len(n.matrix) != agents || slices.ContainsFunc(n.matrix,
			func(row []float64) bool { return len(row) != agents }) {
			return fmt.Errorf("network is not a matrix of %d rows and columns, one for each agent", agents)
		}
		for i, row := range n.matrix {
			if slices.ContainsFunc(row, func(v float64) bool { return v != 0 && v != 1 }) {
				return fmt.Errorf("network is wrong in row %d: %v; a matrix holds 0 and 1 only", i+1, row)
			}
		}
	}
	return nil
}

// linksIn of a round, counted from 0: who hears whom.
func (w Network) linksIn(round int, set Setting, probability float64) [][]bool {
	place := round % len(w)
	n, agents := w[place], set.Agents
	hears := make([][]bool, agents)
	for i := range hears {
		hears[i] = make([]bool, agents)
	}
	draw := envs.Stream(set.Seed, "network", place)
	for i := range agents {
		for j := range i {
			hears[i][j], hears[j][i] = n.link(i, j, agents), n.link(j, i, agents)
			if n.name == "random" {
				both := draw.Float64() < probability
				hears[i][j], hears[j][i] = both, both
			}
		}
	}
	return hears
}

// link reports whether agent i hears agent j.
func (n network) link(i, j, agents int) bool {
	switch apart := max(i, j) - min(i, j); n.name {
	case "full":
		return true
	case "star":
		return i == 0 || j == 0
	case "tree":
		return (max(i, j)-1)/2 == min(i, j)
	case "line":
		return apart == 1
	case "ring":
		return apart == 1 || apart == agents-1
	case "leader":
		return j == 0
	case "chain":
		return j == i-1
	}
	return n.matrix != nil && n.matrix[i][j] == 1
}

// Delay is how many rounds old what is seen of others is: one number, or a
// matrix by listener and speaker. What happened before the first round is
// always seen.
type Delay [][]int

// UnmarshalJSON takes both forms.
func (d *Delay) UnmarshalJSON(data []byte) error {
	var one int
	if json.Unmarshal(data, &one) == nil && string(data) != "null" {
		*d = Delay{{one}}
		return nil
	}
	var matrix [][]int
	if json.Unmarshal(data, &matrix) != nil {
		return errors.New("a delay is a whole number of rounds, or a matrix of them by listener and speaker")
	}
	*d = matrix
	return nil
}

func (d Delay) check(agents int) error {
	single := len(d) == 0 || len(d) == 1 && len(d[0]) == 1
	if !single && (len(d) != agents || slices.ContainsFunc(d, func(row []int) bool { return len(row) != agents })) {
		return fmt.Errorf("delay is neither a whole number nor a matrix of %d rows and columns, one for each agent", agents)
	}
	for _, row := range d {
		if slices.ContainsFunc(row, func(v int) bool { return v < 0 || v > mostRounds }) {
			return fmt.Errorf("delay is wrong: %v; delays are from 0 to %d rounds", row, mostRounds)
		}
	}
	return nil
}

func (d Delay) delayOf(listener, speaker int) int {
	switch {
	case len(d) == 0:
		return 0
	case len(d) == 1:
		return d[0][0]
	}
	return d[listener][speaker]
}

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
		return fmt.Errorf("%s is not a topology; full, ring, star and tree are, {name: random, k: 2} and {name: "+
			"explicit, hears: [[1], [0]]}", data)
	}
	return nil
}

// whomHears returns whom each of n agents hears, ascending. Full, ring, star and tree are
// those of Network. Random peers are drawn once for a collaboration.
func (t Topology) whomHears(n int, seed uint64) ([][]int, error) {
	switch t.Name {
	case "full", "ring", "star", "tree":
		return t.linkedAgents(n), nil
	case "random":
		return t.randomPeers(n, seed)
	case "explicit":
		return t.explicitPeers(n)
	}
	return nil, fmt.Errorf("unknown topology %q; expected one of full, ring, star, tree, random, explicit", t.Name)
}

func (t Topology) linkedAgents(n int) [][]int {
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

func (t Topology) randomPeers(n int, seed uint64) ([][]int, error) {
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

func (t Topology) explicitPeers(n int) ([][]int, error) {
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
