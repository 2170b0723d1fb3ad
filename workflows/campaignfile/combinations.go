package campaignfile

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// excludeKey stands among the axes of a grid.
const excludeKey = "exclude"

// exclusion is one partial combination that a grid leaves out.
type exclusion struct {
	node *yaml.Node
	want map[string]*yaml.Node // by axis
	met  *int                  // combinations that it left out
}

// parseExclusions reads the grid's list of combinations that are left out.
func (p *parser) parseExclusions(grid *yaml.Node, axes []axis) []exclusion {
	if grid == nil || grid.Kind != yaml.MappingNode {
		return nil
	}
	list, key := valueOf(grid, excludeKey), "grid."+excludeKey
	switch {
	case list == nil:
		return nil
	case isEmpty(list):
		p.errs.add(list, key, "is empty; list the combinations to leave out, as [{rule: ranked, protocol: debate}], "+
			"or leave the key out")
		return nil
	case list.Kind != yaml.SequenceNode:
		p.errs.add(list, key, "%s is not a list of combinations, as [{rule: ranked, protocol: debate}]",
			shortText(list))
		return nil
	}
	var all []exclusion
	for _, n := range list.Content {
		if isEmpty(n) {
			p.errs.add(n, key, "an entry is empty; write which combination to leave out, as {rule: ranked, protocol: debate}")
			continue
		}
		if n.Kind != yaml.MappingNode {
			p.errs.add(n, key, "%s is not a combination; write a mapping of axes of the grid to values, as {rule: "+
				"ranked, protocol: debate}", shortText(n))
			continue
		}
		x := exclusion{node: n, want: map[string]*yaml.Node{}, met: new(int)}
		before := len(p.errs)
		for i := 0; i+1 < len(n.Content); i += 2 {
			p.parseExcluded(x, n.Content[i], n.Content[i+1], axes)
		}
		if len(p.errs) == before {
			all = append(all, x)
		}
	}
	return all
}

// isEmpty reports whether a node is nothing, or a list or mapping of nothing.
func isEmpty(n *yaml.Node) bool {
	return isNull(n) || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// parseExcluded takes one axis of an exclusion in; a value that the axis does not have is an error.
func (p *parser) parseExcluded(x exclusion, key, v *yaml.Node, axes []axis) {
	name := "grid." + excludeKey + "." + key.Value
	i := slices.IndexFunc(axes, func(a axis) bool { return a.key == key.Value })
	if i < 0 {
		var keys []string
		for _, a := range axes {
			keys = append(keys, a.key)
		}
		p.errs.add(key, name, "is not an axis of the grid; expected %s%s", wording.Or(keys),
			wording.DidYouMean(key.Value, keys))
		return
	}
	if x.want[key.Value] != nil {
		p.errs.add(key, name, "given twice")
	}
	x.want[key.Value] = v
	a := axes[i]
	has := func(v *yaml.Node) bool {
		return slices.ContainsFunc(a.values, func(x setting) bool { return x.isMeant(v) })
	}
	if v.Kind == yaml.SequenceNode && !has(v) {
		for _, item := range v.Content {
			if !has(item) {
				p.errs.add(item, name, "the axis has no value %s", nodeText(item))
			}
		}
	} else if !has(v) {
		p.errs.add(v, name, "the axis has no value %s", nodeText(v))
	}
}

func nodeText(n *yaml.Node) string {
	var ignored Errors
	v, _ := toJSON(n, "", &ignored)
	return string(v)
}

// isMeant reports whether a value of an axis is meant: by itself, its label, its
// plug-in's name, or some of its parameters.
func (x setting) isMeant(v *yaml.Node) bool {
	var ignored Errors
	mine, _ := x.canonicalValue(&ignored)
	theirs, _ := canonicalJSON(v, x.key, &ignored)
	if string(mine) == string(theirs) {
		return true
	}
	switch v.Kind {
	case yaml.ScalarNode:
		name := valueOf(x.value, "name")
		return x.label != "" && x.label == v.Value || x.value.Kind == yaml.MappingNode && name != nil &&
			name.Value == v.Value
	case yaml.MappingNode:
		var all, some map[string]json.RawMessage
		if x.value.Kind == yaml.ScalarNode || json.Unmarshal(mine, &all) != nil ||
			json.Unmarshal(theirs, &some) != nil || len(some) == 0 {
			return false
		}
		for key, value := range some {
			if string(all[key]) != string(value) {
				return false
			}
		}
		return true
	}
	return false
}

// isMet reports whether a combination has what the exclusion names of every axis.
func (x exclusion) isMet(at point) bool {
	for _, s := range at {
		want := x.want[s.key]
		if want == nil || s.isMeant(want) {
			continue
		}
		if want.Kind != yaml.SequenceNode || !slices.ContainsFunc(want.Content, s.isMeant) {
			return false
		}
	}
	return true
}

// isExcluded reports whether a combination is left out, and counts by whom.
func isExcluded(all []exclusion, at point) bool {
	out := false
	for _, x := range all {
		if x.isMet(at) {
			*x.met++
			out = true
		}
	}
	return out
}

// checkExclusions refuses those that left nothing out, and a grid of which nothing is left.
func (p *parser) checkExclusions(all []exclusion, left int, grid *yaml.Node) {
	for _, x := range all {
		if *x.met == 0 {
			p.errs.add(x.node, "grid."+excludeKey, "no combination of the grid is %s", nodeText(x.node))
		}
	}
	if left == 0 {
		p.errs.add(grid, "grid", "every combination is excluded")
	}
}

// includeKey stands among the axes of a grid.
const includeKey = "include"

const anInclusion = "{rule: judge, protocol.rounds: 3}"

// parseInclusions reads the combinations that a grid adds to the product of its axes.
// Each is whole: it gives every axis a value, which the axis need not have.
func (p *parser) parseInclusions(grid *yaml.Node, axes []axis) []combination {
	if grid == nil || grid.Kind != yaml.MappingNode {
		return nil
	}
	list, key := valueOf(grid, includeKey), "grid."+includeKey
	switch {
	case list == nil:
		return nil
	case list.Kind != yaml.SequenceNode || len(list.Content) == 0:
		p.errs.add(list, key, "%s is not a list of combinations, as [%s]", shortText(list), anInclusion)
		return nil
	case len(axes) == 0:
		p.errs.add(list, key, "the grid has no axis to which a combination could be added")
		return nil
	}
	var all []combination
	for _, n := range list.Content {
		if n.Kind != yaml.MappingNode {
			p.errs.add(n, key, "%s is not a combination; write a mapping with a value for each axis of the grid, as %s",
				shortText(n), anInclusion)
			continue
		}
		before := len(p.errs)
		if at := p.parseInclusion(n, axes); len(p.errs) == before {
			all = append(all, combination{at, n, key})
		}
	}
	return all
}

func (p *parser) parseInclusion(n *yaml.Node, axes []axis) point {
	key := "grid." + includeKey
	var names, missing []string
	for _, a := range axes {
		names = append(names, a.key)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if !slices.Contains(names, k.Value) {
			p.errs.add(k, key+"."+k.Value, "is not an axis of the grid; expected %s%s", wording.Or(names),
				wording.DidYouMean(k.Value, names))
		} else if seen[k.Value] {
			p.errs.add(k, key+"."+k.Value, "given twice")
		}
		seen[k.Value] = true
	}
	var at point
	for _, a := range axes {
		if v := valueOf(n, a.key); v != nil {
			at = append(at, p.includedValue(a, v))
		} else {
			missing = append(missing, a.key)
		}
	}
	if len(missing) > 0 {
		p.errs.add(n, key, "a combination gives every axis of the grid a value; it has none for %s",
			wording.And(missing))
	}
	return at
}

// includedValue returns the value of the axis that is named by its label or in full, or
// else a new one.
func (p *parser) includedValue(a axis, v *yaml.Node) setting {
	for _, x := range a.values {
		var ignored Errors
		mine, _ := x.canonicalValue(&ignored)
		theirs, _ := canonicalJSON(v, a.key, &ignored)
		if string(mine) == string(theirs) || v.Kind == yaml.ScalarNode && x.label == v.Value && x.label != "" {
			return x
		}
	}
	if a.own && v.Kind == yaml.ScalarNode {
		p.errs.add(v, "grid."+includeKey+"."+a.key,
			"the axis has no label %s; expected one of %s, or {label: …, set: {…}}", shortText(v), labelsOf(a))
		return setting{key: a.key, value: v}
	}
	var x setting
	if a.own {
		x, _ = p.parseBundle(a.key, v)
	} else if values := p.parseLabelled(a.key, []*yaml.Node{v}); len(values) > 0 {
		x = values[0]
	}
	if name := x.labelOrText(); slices.ContainsFunc(a.values, func(other setting) bool {
		return name != "" && name == other.labelOrText() && x.label+other.label != ""
	}) {
		p.errs.add(v, "grid."+includeKey+"."+a.key, "the axis has another value that is called %q", name)
	}
	return x
}

func labelsOf(a axis) string {
	var labels []string
	for _, x := range a.values {
		labels = append(labels, x.label)
	}
	return strings.Join(labels, ", ")
}
