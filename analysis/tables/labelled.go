package tables

import (
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// shown is what a condition's setting is called: the label that the campaign's
// file gives it, or else its value, which is shortened if it is long.
func (g group) shown(key string) string {
	if label := g.labels[key]; label != "" {
		return label
	}
	return wording.Shorten(g.settings[key])
}

// folded puts an axis with labels in the place of all settings that it stands for.
func (v view) folded(keys map[string]bool) []string {
	folded := map[string]bool{}
	for key := range keys {
		if axis := v.axisOf(key); v.labelled(axis) {
			key = axis
		}
		folded[key] = true
	}
	return ordered(folded)
}

// axisOf is the axis of the grid that sets a key: the closest one; empty if none does.
func (v view) axisOf(key string) string {
	closest := ""
	for _, axis := range v.axes {
		if (key == axis || strings.HasPrefix(key, axis+".")) && len(axis) > len(closest) {
			closest = axis
		}
	}
	return closest
}

func (v view) labelled(axis string) bool {
	return slices.ContainsFunc(v.groups, func(g group) bool { return g.labels[axis] != "" })
}
