package campaignfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/workflows/plan"
)

// axis is one key of the grid with its nodes, so that errors keep their lines.
type axis struct {
	key    string
	node   *yaml.Node // of the key
	values []setting
	given  int  // values of the file, also those that cannot be used
	own    bool // its name is its own, and each value sets several keys
}

func (p *parser) parseAxes(grid *yaml.Node, c *plan.Campaign) []axis {
	c.Grid = []plan.Axis{}
	if grid == nil {
		return nil
	}
	if grid.Kind != yaml.MappingNode {
		p.errs.add(grid, "grid", "%s is not a mapping of keys to lists of values", shortText(grid))
		return nil
	}
	var axes []axis
	for i := 0; i+1 < len(grid.Content); i += 2 {
		key, list := grid.Content[i], grid.Content[i+1]
		name := "grid." + key.Value
		root, _, _ := strings.Cut(key.Value, ".")
		switch {
		case key.Value == excludeKey || key.Value == includeKey:
		case !slices.Contains(conditionKeys, root) && !isOwnAxis(key.Value, list):
			p.errs.add(key, name, "cannot vary; %s and keys within them (as protocol.rounds) can; an axis with its "+
				"own name has values {label: …, set: {…}}", strings.Join(conditionKeys, ", "))
		case list.Kind != yaml.SequenceNode:
			p.errs.add(list, name, "%s is not a list of values%s", shortText(list), asList(list))
			p.refusedAxes = append(p.refusedAxes, key.Value)
		case len(list.Content) == 0:
			p.errs.add(list, name, "is an empty list; give at least one value")
			p.refusedAxes = append(p.refusedAxes, key.Value)
		case slices.ContainsFunc(axes, func(a axis) bool { return a.key == key.Value }):
			p.errs.add(key, name, "given twice")
		default:
			a := axis{key: key.Value, node: key, given: len(list.Content), own: !slices.Contains(conditionKeys, root)}
			if a.own {
				a.values = p.parseBundles(key.Value, list.Content)
			} else {
				a.values = p.parseLabelled(key.Value, list.Content)
			}
			if len(a.values) == 0 {
				p.refusedAxes = append(p.refusedAxes, a.key)
				continue
			}
			axes = append(axes, a)
			c.Grid = append(c.Grid, plan.Axis{Key: a.key, Values: p.axisJSON(a)})
		}
	}
	p.refuseOverlaps(axes)
	return axes
}

// asList shows how a single value is written as a list of one, and how labels are.
func asList(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		return "; a value with a label is an element of it: [{label: …, value: …}, …]"
	}
	if n.Kind != yaml.ScalarNode || isNull(n) || len(n.Value) > maxLabel {
		return ""
	}
	return fmt.Sprintf("; write [%s]", n.Value)
}

// dropReplaced takes away the values that the grid replaces, with a note. What the command
// line gives beside an axis is refused: it would do nothing.
func (p *parser) dropReplaced(base map[string]*yaml.Node, axes []axis) (notes []string) {
	for _, set := range replacedPaths(axes) {
		path := strings.Split(set.path, ".")
		whole := base[path[0]]
		n := whole
		for i := 1; i < len(path) && n != nil; i++ {
			named := i == 1 && n.Kind == yaml.ScalarNode && slices.Contains(choiceKeys, path[0])
			switch {
			case named && path[1] == "name":
			case n.Kind == yaml.MappingNode || named:
				n = valueOf(n, path[i])
			default:
				p.errs.add(n, strings.Join(path[:i], "."), "%s has no keys, but the grid sets %s",
					shortText(n), set.path)
				n = nil
			}
		}
		switch {
		case n == nil || !set.always:
		case isFlag(n):
			p.errs.add(n, set.path, "the grid varies it; --set grid.%s=[…] replaces the whole axis", set.axis)
		default:
			notes = append(notes, fmt.Sprintf("%s%s is given outside the grid too; the grid's values count",
				p.lineOf(n), set.path))
			if len(path) == 1 {
				delete(base, path[0])
			} else {
				base[path[0]] = withoutPath(whole, path[1:])
			}
		}
	}
	return notes
}

func (p *parser) axisJSON(a axis) []json.RawMessage {
	var values []json.RawMessage
	seen := map[string]bool{}
	for _, x := range a.values {
		v, ok := x.canonicalValue(&p.errs)
		if ok && seen[string(v)] {
			p.errs.add(x.value, "grid."+a.key, "%s is there twice", v)
		}
		seen[string(v)] = true
		values = append(values, v)
	}
	return values
}

// baseJSON returns the canonical form of what the grid does not replace.
func (p *parser) baseJSON(base map[string]*yaml.Node, axes []axis) json.RawMessage {
	object := map[string]json.RawMessage{}
	for _, key := range conditionKeys {
		n := base[key]
		if n == nil || slices.ContainsFunc(axes, func(a axis) bool { return a.key == key }) {
			continue
		}
		if v, ok := canonicalJSON(n, key, &p.errs); ok {
			object[key] = v
		}
	}
	data, err := json.Marshal(object)
	if err != nil {
		p.errs.add(nil, "", "%v", err)
	}
	return data
}

// canonicalJSON returns the JSON of a value; a plug-in without parameters is its name
// alone, however it is written.
func canonicalJSON(n *yaml.Node, key string, errs *Errors) (json.RawMessage, bool) {
	if slices.Contains(choiceKeys, key) && n.Kind == yaml.MappingNode && len(n.Content) == 2 &&
		valueOf(n, "name") != nil {
		n = valueOf(n, "name")
	}
	return toJSON(n, key, errs)
}

// combination is a point of the grid, and where errors about the whole of it belong.
type combination struct {
	point
	node *yaml.Node
	key  string
}

// combineAxes returns those of the product that are not excluded, and then those that
// the grid includes; nil if there are too many.
func (p *parser) combineAxes(top *yaml.Node, axes []axis, grid *yaml.Node) []combination {
	out, included := p.parseExclusions(grid, axes), p.parseInclusions(grid, axes)
	size, at := 1, keyNode(top, "grid")
	for _, a := range axes {
		size *= len(a.values)
		if size > MaxConditions {
			break
		}
	}
	if size+len(included) > MaxConditions {
		p.errs.add(at, "grid", "makes more than %d conditions", MaxConditions)
		return nil
	}
	var all []combination
	for n := range size {
		if point := pointOf(axes, n); !isExcluded(out, point) {
			all = append(all, combination{point, at, "grid"})
		}
	}
	all = append(all, included...)
	p.checkExclusions(out, len(all), at)
	return all
}

// setting is one value of one axis; point is one of each.
type setting struct {
	key   string
	value *yaml.Node
	label string
	sets  []assignment // of an axis with its own name
}

// assignment is a path of a condition with its value.
type assignment struct {
	path  string
	value *yaml.Node
}

type point []setting

// pointOf returns the n-th point, the last axis varying fastest.
func pointOf(axes []axis, n int) point {
	at := make(point, len(axes))
	for i := len(axes) - 1; i >= 0; i-- {
		at[i] = axes[i].values[n%len(axes[i].values)]
		n /= len(axes[i].values)
	}
	return at
}

// listAssignments returns all that a point sets. What is within another value comes
// after it, so that it is set in the other's value.
func (at point) listAssignments() []assignment {
	var all []assignment
	for _, x := range at {
		all = append(all, x.listAssignments()...)
	}
	slices.SortStableFunc(all, func(a, b assignment) int { return strings.Count(a.path, ".") - strings.Count(b.path, ".") })
	return all
}

func (x setting) listAssignments() []assignment {
	if x.sets != nil {
		return x.sets
	}
	return []assignment{{x.key, x.value}}
}

func (at point) String() string {
	parts := make([]string, len(at))
	for i, x := range at {
		if parts[i] = x.key + " " + nodeText(x.value); x.sets != nil {
			parts[i] = x.key + " " + x.label
		}
	}
	return strings.Join(parts, ", ")
}

// setPath puts a value at a dotted path of a condition. A plug-in that is a name
// becomes a mapping with that name; other things that have no keys give way to one,
// which is an error when it is decoded.
func (p *parser) setPath(keys map[string]*yaml.Node, path string, v *yaml.Node) {
	root, rest, nested := strings.Cut(path, ".")
	if !nested {
		keys[root] = v
		return
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Line: v.Line}
	switch old := keys[root]; {
	case old == nil:
	case old.Kind == yaml.MappingNode:
		n.Content = append(n.Content, old.Content...)
	case old.Kind == yaml.ScalarNode && slices.Contains(choiceKeys, root):
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "name", Line: old.Line}, old)
	}
	inner := map[string]*yaml.Node{}
	head, _, _ := strings.Cut(rest, ".")
	if old := valueOf(n, head); old != nil {
		inner[head] = old
	}
	p.setPath(inner, rest, v)
	putKey(n, head, inner[head])
	keys[root] = n
}
