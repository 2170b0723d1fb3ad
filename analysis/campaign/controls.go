package campaign

import (
	"maps"
	"slices"
)

// Control is the setting of a condition that is held against the one that is the same
// without it; its values are those of plan.Control.
const Control = "control"

// Controls: the same again, without hearing anybody, and with texts about another instance.
const (
	Same      = "same"
	Alone     = "alone"
	Strangers = "strangers"
)

// ControlsOf returns the conditions that are held against a group, by control.
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

// IsControlled reports whether a campaign has baselines or controls.
func (c Campaign) IsControlled() bool {
	return slices.ContainsFunc(c.Groups(), func(g Group) bool { return g.isBaseline() || g.Settings[Control] != "" })
}

// WithoutSame returns the conditions but those that are others again, with new answers:
// they are the noise that others are measured by.
func (v View) WithoutSame() []Group {
	var groups []Group
	for _, g := range v.Groups {
		if g.Settings[Control] != Same {
			groups = append(groups, g)
		}
	}
	return groups
}
