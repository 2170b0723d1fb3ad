package campaign

import (
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// Shown returns what a condition's setting is called: the label that the campaign's
// file gives it, or else its value, which is shortened if it is long.
func (g Group) Shown(key string) string {
	if label := g.Labels[key]; label != "" {
		return label
	}
	return wording.Shorten(g.Settings[key])
}

// folded puts an axis with labels in the place of all settings that it stands for.
func (v View) folded(keys map[string]bool) []string {
	folded := map[string]bool{}
	for key := range keys {
		if axis := v.axisOf(key); v.labelled(axis) {
			key = axis
		}
		folded[key] = true
	}
	return Ordered(folded)
}

// axisOf returns the axis of the grid that sets a key: the closest one; empty if none does.
func (v View) axisOf(key string) string {
	closest := ""
	for setting := range v.Axes {
		if (key == setting || strings.HasPrefix(key, setting+".")) && len(setting) > len(closest) {
			closest = setting
		}
	}
	return v.Axes[closest]
}

func (v View) labelled(axis string) bool {
	return slices.ContainsFunc(v.Groups, func(g Group) bool { return g.Labels[axis] != "" })
}
