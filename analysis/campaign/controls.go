package campaign

import (
	"maps"
	"slices"
)

// Control is the setting of a condition that is compared with the same condition without it; its
// values are those of plan.Control.
const Control = "control"

// Values of Control: repeated unchanged, without hearing others, and with texts about another instance.
const (
	Same      = "same"
	Alone     = "alone"
	Strangers = "strangers"
)

// ControlsOf returns the conditions that are controls of g, by value of Control.
func (v View) ControlsOf(g Group) map[string]Group {
	controls := map[string]Group{}
	for _, other := range v.Groups {
		kind := other.Settings[Control]
		if kind == "" || len(other.Settings) != len(g.Settings)+1 {
			continue
		}
		settings := maps.Clone(g.Settings)
		if settings[Control] = kind; maps.Equal(settings, other.Settings) {
			controls[kind] = other
		}
	}
	return controls
}

// IsControlled reports whether the campaign has baselines or controls.
func (c Campaign) IsControlled() bool {
	return slices.ContainsFunc(c.Groups(), func(g Group) bool { return g.isBaseline() || g.Settings[Control] != "" })
}

// WithoutSame returns the conditions without those whose Control is Same: repetitions with new
// answers, the noise that others are measured by.
func (v View) WithoutSame() []Group {
	var groups []Group
	for _, g := range v.Groups {
		if g.Settings[Control] != Same {
			groups = append(groups, g)
		}
	}
	return groups
}
