package plan

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ownName is what an axis may be called whose values set several keys.
var ownName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// isOwnAxis reports whether a key of the grid is an axis with its own name: the
// values of its list say what they set.
func isOwnAxis(key string, list *yaml.Node) bool {
	return ownName.MatchString(key) && !slices.Contains(Keys(), key) && list.Kind == yaml.SequenceNode &&
		slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return valueOf(n, "set") != nil })
}

// parseBundles reads the values of an axis with its own name, {label: …, set: {…}}:
// each sets several keys together.
func (p *parser) parseBundles(key string, nodes []*yaml.Node) []setting {
	var values []setting
	var sound []*yaml.Node
	for _, n := range nodes {
		if x, ok := p.parseBundle(key, n); ok {
			values, sound = append(values, x), append(sound, n)
		}
	}
	p.refuseSameLabels(sound, values)
	return values
}

// parseBundle reads one of them; false if it cannot be used.
func (p *parser) parseBundle(key string, n *yaml.Node) (setting, bool) {
	before := len(p.errs)
	name := "grid." + key
	x := setting{key: key, value: n, sets: []assignment{}}
	label, set := valueOf(n, "label"), valueOf(n, "set")
	if n.Kind != yaml.MappingNode || label == nil || set == nil || len(n.Content) != 4 {
		p.errs.add(n, name, "%s is no value of an axis with its own name; write {label: …, set: {…}}", shortText(n))
		return x, false
	}
	x.label = p.parseLabel(name, label)
	if set.Kind != yaml.MappingNode {
		p.errs.add(set, name+".set", "%s is not a mapping of keys to values, as {model: …, generate.temperature: 0}", shortText(set))
		return x, false
	}
	x.value = set
	for i := 0; i+1 < len(set.Content); i += 2 {
		at, v := set.Content[i], set.Content[i+1]
		root, _, _ := strings.Cut(at.Value, ".")
		switch {
		case !slices.Contains(conditionKeys, root):
			p.errs.add(at, name+".set."+at.Value, "cannot be set here; %s and keys within them (as protocol.rounds) can", strings.Join(conditionKeys, ", "))
		case slices.ContainsFunc(x.sets, func(a assignment) bool { return a.path == at.Value }):
			p.errs.add(at, name+".set."+at.Value, "given twice")
		default:
			x.sets = append(x.sets, assignment{at.Value, v})
		}
	}
	for _, inner := range x.sets {
		for _, outer := range x.sets {
			if rest, within := strings.CutPrefix(inner.path, outer.path+"."); within && nodeAt(outer.value, rest) != nil {
				p.errs.add(inner.value, name+".set."+inner.path, "given twice; %s has it too", outer.path)
			}
		}
	}
	return x, len(p.errs) == before
}

// nodeAt returns the node at a dotted path of mappings; nil if there is none.
func nodeAt(n *yaml.Node, path string) *yaml.Node {
	for n != nil && path != "" {
		var head string
		head, path, _ = strings.Cut(path, ".")
		n = valueOf(n, head)
	}
	return n
}

// canonical returns the canonical JSON of a value.
func (x setting) canonical(errs *FileErrors) (json.RawMessage, bool) {
	if x.sets == nil {
		return canonicalJSON(x.value, x.key, errs)
	}
	object, sound := map[string]json.RawMessage{}, true
	for _, set := range x.sets {
		v, ok := canonicalJSON(set.value, set.path, errs)
		object[set.path], sound = v, sound && ok
	}
	if !sound {
		return nil, false
	}
	return jsonOf(object), true
}

// replacedPath is a path of a condition that the grid sets.
type replacedPath struct {
	path   string
	axis   string
	always bool // every combination sets it
}

func replacedPaths(axes []axis) []replacedPath {
	var all []replacedPath
	for _, a := range axes {
		count := map[string]int{}
		for _, x := range a.values {
			for _, set := range x.assignments() {
				if count[set.path]++; count[set.path] == 1 {
					all = append(all, replacedPath{path: set.path, axis: a.key})
				}
			}
		}
		for i, r := range all {
			all[i].always = r.always || count[r.path] == a.given
		}
	}
	return all
}

// refuseOverlaps refuses two axes that set the same key: one of them would do nothing.
func (p *parser) refuseOverlaps(axes []axis) {
	by := map[string]string{}
	for _, a := range axes {
		for _, r := range replacedPaths([]axis{a}) {
			if other, twice := by[r.path]; twice {
				p.errs.add(a.node, "grid."+a.key, "sets %s, and so does grid.%s; leave one out", r.path, other)
			}
			by[r.path] = a.key
		}
	}
}

// Paths returns the paths of a condition that an axis sets: its key, or what the
// values of an axis with its own name set.
func (a Axis) Paths() []string {
	if root, _, _ := strings.Cut(a.Key, "."); slices.Contains(conditionKeys, root) {
		return []string{a.Key}
	}
	paths := map[string]bool{}
	for _, v := range a.Values {
		for path := range objectOf(v) {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}
