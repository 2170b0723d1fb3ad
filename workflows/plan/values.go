package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/workflows/protocol"
)

// Value is a condition's value on one axis of the grid.
type Value struct {
	Axis  string          `json:"axis"`
	Value json.RawMessage `json:"value"`
	Label string          `json:"label,omitempty"` // as the file says it
}

// String returns the label, or the value itself.
func (v Value) String() string {
	if v.Label != "" {
		return v.Label
	}
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return string(v.Value)
}

// Paths returns the paths of a condition that an axis sets: its key or, if that is a name of the
// user's, the paths that its values set.
func (a Axis) Paths() []string {
	if root, _, _ := strings.Cut(a.Key, "."); slices.Contains(conditionKeys, root) {
		return []string{a.Key}
	}
	paths := map[string]bool{}
	for _, v := range a.Values {
		set := Fields(v)
		switch a.Key {
		case ForkOriginAxis:
			paths[ForkOriginAxis] = true
			continue
		case ForkChangeAxis:
			paths["fork"] = true
			set = Fields(set["set"])
		}
		for path := range set {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// Control is the kind of a control: a condition that differs from another in this only, and
// shares its questions, models, rounds and treatments.
type Control string

// Values of Control. What a control shares with the condition is asked in the same words; alone
// and strangers also draw the same answers there.
const (
	Same      Control = "same"      // only the answers differ: they are drawn anew
	Alone     Control = "alone"     // nobody hears anybody
	Strangers Control = "strangers" // what is heard is about another instance
)

// Hears returns whom the agents of a condition with that control hear.
func (c Control) Hears() protocol.Hearing {
	switch c {
	case Alone:
		return protocol.HearsNobody
	case Strangers:
		return protocol.HearsStrangers
	}
	return protocol.HearsPeers
}

// StrangersInstance returns the instance that the n-th stranger of a cell answers: any but the
// cell's own of the has instances of the environment (0 means unlimited), also those that the
// campaign does not run, so that an extended campaign keeps its strangers.
func (c Campaign) StrangersInstance(cell Cell, n, has int) int {
	if has == 0 {
		has = mostStrangers
	}
	i := envs.Stream(c.TreatmentSeed(cell), "stranger", n).IntN(max(1, has-1))
	if i >= cell.Instance {
		i++
	}
	return i
}

// mostStrangers is how many instances strangers come from where there is no end of them.
const mostStrangers = 1000
