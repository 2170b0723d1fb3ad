package plan

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

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
			p.errs.add(n, key, "%s is not a combination; write a mapping with a value for each axis of the grid, as %s", shortText(n), anInclusion)
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
			p.errs.add(k, key+"."+k.Value, "is no axis of the grid; there are %s%s", strings.Join(names, ", "), wording.DidYouMean(k.Value, names))
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
		p.errs.add(n, key, "a combination gives every axis of the grid a value; it has none for %s", wording.And(missing))
	}
	return at
}

// includedValue returns the value of the axis that is named by its label or in full, or
// else a new one.
func (p *parser) includedValue(a axis, v *yaml.Node) setting {
	for _, x := range a.values {
		var ignored FileErrors
		mine, _ := x.canonical(&ignored)
		theirs, _ := canonicalJSON(v, a.key, &ignored)
		if string(mine) == string(theirs) || v.Kind == yaml.ScalarNode && x.label == v.Value && x.label != "" {
			return x
		}
	}
	if a.own && v.Kind == yaml.ScalarNode {
		p.errs.add(v, "grid."+includeKey+"."+a.key, "the axis has no label %s; there are %s, or write {label: …, set: {…}}", shortText(v), labelsOf(a))
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
