package campaign

import (
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// BaselineLabel is the label of the conditions that a campaign's file asks for as
// baselines of the others.
const BaselineLabel = "baseline"

// Shown returns what a condition's setting is called: the label that the campaign's
// file gives it, or else its value, which is shortened if it is long. Of a baseline it
// is what it shares with its groups.
func (g Group) Shown(key string) string {
	switch label := g.Labels[key]; {
	case label != "":
		return label
	case g.isBaseline() && !IsShared(key):
		return ""
	}
	return wording.Shorten(g.Settings[key])
}

// IsShared reports whether a baseline has a setting in common with its groups: what is
// asked, how, and who answers.
func IsShared(key string) bool {
	root, _, _ := strings.Cut(key, ".")
	return key == thinksFirst || slices.Contains([]string{"env", "model", "generate", "reasks", AnsweredBy}, root)
}

// thinksFirst is the setting of debates that asks to think before the first answer.
const thinksFirst = "protocol.chain_of_thought"

func (g Group) isBaseline() bool { return g.Labels[BaselineLabel] != "" }

// groups returns the conditions that are no baselines; all if there are no others.
func (v View) groups() []Group {
	if groups := slices.DeleteFunc(slices.Clone(v.Groups), Group.isBaseline); len(groups) > 0 {
		return groups
	}
	return v.Groups
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
