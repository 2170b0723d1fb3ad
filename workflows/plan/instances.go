package plan

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// instanceCounts is what a file says of instances: nothing, one number for all
// conditions, or numbers by name of an environment or of a value that the grid
// gives it.
type instanceCounts struct {
	all   *yaml.Node
	named map[string]*yaml.Node
	used  map[string]bool
	names map[string]bool // that could be used
	count map[*yaml.Node]int
	lists []chosenList
	found map[*yaml.Node]bool     // ids of lists that some environment has
	none  map[*yaml.Node][]string // errors of environments that have none of a list's ids
}

// chosenList is a list of ids of instances, with its key.
type chosenList struct {
	node *yaml.Node
	key  string
}

// parseInstances reads the key instances; n is nil if the file has none.
func (p *parser) parseInstances(n *yaml.Node) instanceCounts {
	w := instanceCounts{named: map[string]*yaml.Node{}, used: map[string]bool{}, names: map[string]bool{}, count: map[*yaml.Node]int{}, found: map[*yaml.Node]bool{}, none: map[*yaml.Node][]string{}}
	read := func(n *yaml.Node, key string) {
		if n.Kind == yaml.SequenceNode {
			w.lists = append(w.lists, chosenList{n, key})
			p.checkIDs(n, key)
			return
		}
		count, before := 0, len(p.errs)
		decodeNode(n, key, reflect.ValueOf(&count), &p.errs)
		if len(p.errs) == before && (count < 1 || count > maxCells) {
			p.errs.add(n, key, "%d is not from 1 to %d", count, maxCells)
		}
		w.count[n] = count
	}
	switch {
	case n == nil || isNull(n): // an empty one is an error already
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if w.named[key.Value] != nil {
				p.errs.add(key, joinKey("instances", key.Value), "given twice")
			}
			w.named[key.Value] = n.Content[i+1]
			read(n.Content[i+1], joinKey("instances", key.Value))
		}
	default:
		w.all = n
		read(n, "instances")
	}
	return w
}

// checkIDs refuses a list that names no instances, or one of them twice.
func (p *parser) checkIDs(n *yaml.Node, key string) {
	if len(n.Content) == 0 {
		p.errs.add(n, key, "is an empty list; name at least one instance")
	}
	seen := map[string]bool{}
	for i, id := range n.Content {
		name := fmt.Sprintf("%s[%d]", key, i)
		if id.Kind != yaml.ScalarNode || isNull(id) {
			p.errs.add(id, name, "%s is no id of an instance", shortText(id))
		} else if seen[id.Value] {
			p.errs.add(id, name, "%s is there twice", shortText(id))
		}
		seen[id.Value] = true
	}
}

// countFor returns how many instances a condition runs whose environment has this many,
// 0 being as many as are asked for, and which, if the file chooses them.
func (w instanceCounts) countFor(p *parser, at point, c Condition, has int, seed uint64) (count int, chosen []int) {
	count, chosen = w.wholeCount(p, at, c, has, seed)
	if p.limit > 0 {
		count, chosen = min(count, p.limit), chosen[:min(len(chosen), p.limit)]
	}
	return count, chosen
}

// wholeCount is countFor without the limit of the command line.
func (w instanceCounts) wholeCount(p *parser, at point, c Condition, has int, seed uint64) (int, []int) {
	n, key := w.all, "instances"
	if name := w.nameOf(p, at, c); name != "" {
		n, key = w.named[name], joinKey("instances", name)
	}
	if n == nil {
		return max(has, 1), nil
	}
	if n.Kind == yaml.SequenceNode {
		chosen := w.choose(p, n, key, at, c, has, seed)
		return len(chosen), chosen
	}
	count := w.count[n]
	if has > 0 && count > has {
		hint := ""
		if n == w.all && len(at.envNames()) > 0 {
			hint = "; a mapping gives each environment its own number, and one that it does not name runs all it has"
		}
		p.errs.add(n, key, "is %d; the environment %s has %d%s", count, at.environmentText(c), has, hint)
	}
	return count, nil
}

// nameOf returns the key of the mapping that applies to a condition: that of a value
// which the grid gives its environment, or else the environment's name.
func (w instanceCounts) nameOf(p *parser, at point, c Condition) string {
	var found []string
	for _, name := range append(at.envKeys(), c.Env.Name) {
		if name == "" {
			continue
		}
		w.names[name] = true
		if w.named[name] != nil && !slices.Contains(found, name) {
			found = append(found, name)
			w.used[name] = true
		}
	}
	if len(found) == 0 {
		return ""
	}
	if last := len(found) - 1; last > 0 && found[last] == c.Env.Name { // the more specific name counts
		found = found[:last]
	}
	if len(found) > 1 && w.differ(found[0], found[1]) {
		p.errs.add(w.named[found[1]], joinKey("instances", found[1]), "the environment %s is also called %s, which has another number", at.environmentText(c), found[0])
	}
	return found[0]
}

// differ reports whether two names have different numbers or ids.
func (w instanceCounts) differ(a, b string) bool { return nodeText(w.named[a]) != nodeText(w.named[b]) }

// refuseUnused refuses names that apply to no condition, and ids that none has; it must
// have seen all of them.
func (w instanceCounts) refuseUnused(p *parser) {
	w.refuseUnknown(p)
	for _, name := range slices.Sorted(maps.Keys(w.named)) {
		if n := w.named[name]; !w.used[name] {
			p.errs.add(n, joinKey("instances", name), "no condition has such an environment; there are %s", strings.Join(slices.Sorted(maps.Keys(w.names)), ", "))
		}
	}
}

// envKeys returns what instances may call the values that the grid gives the
// environment: by label, or by a value that is a single word.
func (at point) envKeys() []string {
	names := at.envNames()
	for _, x := range at {
		for _, set := range x.ofEnvironment() {
			if x.label != "" {
				names = append(names, setting{value: set.value}.labelOrText())
			}
		}
	}
	return names
}

// envNames returns the titles of the values that the grid gives the environment.
func (at point) envNames() []string {
	var names []string
	for _, x := range at {
		if len(x.ofEnvironment()) > 0 {
			names = append(names, x.labelOrText())
		}
	}
	return names
}

// ofEnvironment returns what a value sets of the environment.
func (x setting) ofEnvironment() []assignment {
	return slices.DeleteFunc(slices.Clone(x.assignments()), func(a assignment) bool {
		root, _, _ := strings.Cut(a.path, ".")
		return root != "env"
	})
}

// environmentText shows a condition's environment in an error.
func (at point) environmentText(c Condition) string {
	var names []string
	for _, name := range at.envNames() {
		if name != "" && name != c.Env.Name {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return fmt.Sprintf("%s (%s)", c.Env.Name, strings.Join(names, ", "))
	case len(c.Env.Params) == 0:
		return c.Env.Name
	}
	return fmt.Sprintf("%s %s", c.Env.Name, c.Env.Params)
}
