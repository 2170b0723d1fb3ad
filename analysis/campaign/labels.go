package campaign

import (
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// BaselineLabel is the label of conditions that a campaign's file requests as baselines of others.
const BaselineLabel = "baseline"

// Shown returns the group's label for a setting, or else its value, shortened if it is long. A
// baseline shows only what it shares with its groups.
func (g Group) Shown(key string) string {
	switch label := g.Labels[key]; {
	case label != "":
		return label
	case g.isBaseline() && !IsShared(key):
		return ""
	}
	return wording.Shorten(g.Settings[key])
}

// IsShared reports whether a baseline and its groups share the setting key: what is asked, how, who
// answers, and in which campaign.
func IsShared(key string) bool {
	root, _, _ := strings.Cut(key, ".")
	shared := []string{JoinedBy, "env", "model", "generate", "reasks", "reask", "reasoning", AnsweredBy}
	return key == thinksFirst || slices.Contains(shared, root)
}

// thinksFirst is the setting of debates that asks to think before the first answer.
const thinksFirst = "protocol.chain_of_thought"

func (g Group) isBaseline() bool { return g.Labels[BaselineLabel] != "" }

// listGroups returns the conditions that are not baselines; all if there are no others.
func (v View) listGroups() []Group {
	if groups := slices.DeleteFunc(slices.Clone(v.Groups), Group.isBaseline); len(groups) > 0 {
		return groups
	}
	return v.Groups
}

// Names returns the names of the columns that name a row in the view: its settings, and an axis
// with labels instead of all settings that it sets. Labels name, and nothing else: where a view
// leaves out one of these settings, its rows are about several labels, and the others are named by
// their values. Settings are what rows are told apart by.
func (v View) Names() []string {
	names, _ := v.namedBy(v.Labels)
	return names
}

// Texts returns g's text under each of Names.
func (v View) Texts(g Group) []string {
	_, texts := v.nameOf(g)
	return texts
}

// nameOf returns the names with what a condition has under each.
func (v View) nameOf(g Group) (names, texts []string) {
	names, byLabel := v.namedBy(v.Labels)
	texts = make([]string, len(names))
	for i, name := range names {
		if texts[i] = g.Shown(name); !byLabel[name] && v.isLabelled(name) && !g.isBaseline() {
			texts[i] = wording.Shorten(g.Settings[name])
		}
	}
	return names, texts
}

// namedBy returns the names for some settings, and which of them are axes with labels.
func (v View) namedBy(keys []string) (names []string, byLabel map[string]bool) {
	if !slices.ContainsFunc(v.Groups, func(g Group) bool { return len(g.Labels) > 0 }) {
		return keys, nil
	}
	byLabel = map[string]bool{}
	for _, key := range v.Varying() {
		if axis := v.axisOf(key); v.isLabelled(axis) {
			whole, seen := byLabel[axis]
			byLabel[axis] = slices.Contains(keys, key) && (whole || !seen)
		}
	}
	for _, key := range keys {
		at := len(names)
		if axis := v.axisOf(key); byLabel[axis] {
			key = axis
			if i := slices.IndexFunc(names,
				func(name string) bool { return strings.HasPrefix(name, axis+".") }); i >= 0 {
				at = i // a parameter of the same plug-in that another axis sets
			}
		}
		if !slices.Contains(names, key) {
			names = slices.Insert(names, at, key)
		}
	}
	return names, byLabel
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

// LabelOf returns g's label on the axis that sets key; "" if it has none.
func (v View) LabelOf(g Group, key string) string { return g.Labels[v.axisOf(key)] }

func (v View) isLabelled(axis string) bool {
	return slices.ContainsFunc(v.Groups, func(g Group) bool { return g.Labels[axis] != "" })
}
