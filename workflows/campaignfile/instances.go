package campaignfile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// byEnvironment is what a file says under a key: nothing, one number for all
// conditions, or numbers by name of an environment or of a value that the grid
// gives it.
type byEnvironment struct {
	key   string
	all   *yaml.Node
	named map[string]*yaml.Node
	used  map[string]bool
	names map[string]bool // that could be used
	count map[*yaml.Node]int
}

// instanceCounts is what a file says of instances: numbers, or ids.
type instanceCounts struct {
	byEnvironment
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
	w := instanceCounts{found: map[*yaml.Node]bool{}, none: map[*yaml.Node][]string{}}
	w.byEnvironment = p.parseByEnvironment(n, "instances", func(n *yaml.Node, key string) bool {
		if n.Kind != yaml.SequenceNode {
			return false
		}
		w.lists = append(w.lists, chosenList{n, key})
		p.checkIDs(n, key)
		return true
	})
	return w
}

// parseReplicates reads the key replicates; n is nil if the file has none.
func (p *parser) parseReplicates(n *yaml.Node) byEnvironment {
	return p.parseByEnvironment(n, "replicates", func(*yaml.Node, string) bool { return false })
}

// parseByEnvironment reads such a key; readOther reads what is not a number, and says whether it is.
func (p *parser) parseByEnvironment(n *yaml.Node, key string,
	readOther func(n *yaml.Node, key string) bool) byEnvironment {
	w := byEnvironment{key: key, named: map[string]*yaml.Node{}, used: map[string]bool{}, names: map[string]bool{},
		count: map[*yaml.Node]int{}}
	read := func(n *yaml.Node, key string) {
		if readOther(n, key) {
			return
		}
		count := 0
		decodeNode(n, key, reflect.ValueOf(&count), &p.errs)
		if !p.errs.isKnownAt(key, n.Line) && (count < 1 || count > plan.MaxCells) {
			p.errs.add(n, key, "%d is not from 1 to %d", count, plan.MaxCells)
		}
		w.count[n] = count
	}
	switch {
	case n == nil || isNull(n): // an empty one is an error already
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i]
			if w.named[name.Value] != nil {
				p.errs.add(name, joinKey(key, name.Value), "given twice")
			}
			w.named[name.Value] = n.Content[i+1]
			read(n.Content[i+1], joinKey(key, name.Value))
		}
	default:
		w.all = n
		read(n, key)
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
			p.errs.add(id, name, "%s is not an id of an instance", shortText(id))
		} else if seen[id.Value] {
			p.errs.add(id, name, "%s is there twice", shortText(id))
		}
		seen[id.Value] = true
	}
}

// countFor returns how many instances a condition runs whose environment has this many,
// 0 being as many as are asked for, and which, if the file chooses them.
func (w instanceCounts) countFor(p *parser, at point, c plan.Condition, has int, seed uint64) (count int,
	chosen []int) {
	count, chosen = w.wholeCount(p, at, c, has, seed)
	if p.limit > 0 {
		count, chosen = min(count, p.limit), chosen[:min(len(chosen), p.limit)]
	}
	return count, chosen
}

// wholeCount is countFor without the limit of the command line.
func (w instanceCounts) wholeCount(p *parser, at point, c plan.Condition, has int, seed uint64) (int, []int) {
	n, key := w.valueFor(p, at, c)
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

// numberFor returns the number for a condition; what the file does not say is otherwise.
func (w byEnvironment) numberFor(p *parser, at point, c plan.Condition, otherwise int) int {
	if n, _ := w.valueFor(p, at, c); n != nil {
		return w.count[n]
	}
	return otherwise
}

// valueFor returns what is said for a condition, with its key; nil if nothing is.
func (w byEnvironment) valueFor(p *parser, at point, c plan.Condition) (*yaml.Node, string) {
	if name := w.nameOf(p, at, c); name != "" {
		return w.named[name], joinKey(w.key, name)
	}
	return w.all, w.key
}

// nameOf returns the key of the mapping that applies to a condition: that of a value
// which the grid gives its environment, or else the environment's name.
func (w byEnvironment) nameOf(p *parser, at point, c plan.Condition) string {
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
	if len(found) > 1 && w.isDifferent(found[0], found[1]) {
		p.errs.add(w.named[found[1]], joinKey(w.key, found[1]),
			"the environment %s is also called %s, which has another number", at.environmentText(c), found[0])
	}
	return found[0]
}

// isDifferent reports whether two names have different numbers or ids.
func (w byEnvironment) isDifferent(a, b string) bool {
	return nodeText(w.named[a]) != nodeText(w.named[b])
}

// refuseUnused refuses names that apply to no condition, and ids that none has; it must
// have seen all of them.
func (w instanceCounts) refuseUnused(p *parser) {
	w.refuseUnknown(p)
	w.byEnvironment.refuseUnused(p)
}

// refuseUnused refuses names that apply to no condition; it must have seen all of them.
func (w byEnvironment) refuseUnused(p *parser) {
	for _, name := range slices.Sorted(maps.Keys(w.named)) {
		if n := w.named[name]; !w.used[name] {
			p.errs.add(n, joinKey(w.key, name), "no condition has such an environment; expected %s",
				wording.Or(slices.Sorted(maps.Keys(w.names))))
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
	return slices.DeleteFunc(slices.Clone(x.listAssignments()), func(a assignment) bool {
		root, _, _ := strings.Cut(a.path, ".")
		return root != "env"
	})
}

// environmentText shows a condition's environment in an error.
func (at point) environmentText(c plan.Condition) string {
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

// newChosen returns the one form of chosen instances. Those that are the first ones
// need no list.
func newChosen(each [][]int) plan.Chosen {
	some := false
	for i, list := range each {
		if len(list) > 0 && list[len(list)-1] == len(list)-1 {
			each[i] = nil
		}
		some = some || each[i] != nil
	}
	if !some {
		return nil
	}
	return each
}

// choose returns the instances of a condition's environment, which has this many, that
// a list of ids names.
func (w instanceCounts) choose(p *parser, n *yaml.Node, key string, at point, c plan.Condition, has int,
	seed uint64) []int {
	if has == 0 {
		p.errs.add(n, key, "the environment %s deals as many instances as are asked for; give their number",
			at.environmentText(c))
		return nil
	}
	index := p.indexOf(c, has, seed)
	var all []int
	for _, id := range n.Content {
		if list := index[id.Value]; list != nil {
			w.found[id] = true
			all = append(all, list...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 0 {
		w.none[n] = append(w.none[n], fmt.Sprintf("the environment %s has none of these instances; it has %s",
			at.environmentText(c), someOf(index)))
	}
	return all
}

// indexOf returns the instances of an environment by their ids.
func (p *parser) indexOf(c plan.Condition, has int, seed uint64) map[string][]int {
	key := plan.Digest(c.Env)
	if p.indexes[key] == nil {
		index := map[string][]int{}
		for i := range has {
			if inst, err := p.envs[key].Instance(seed, i); err == nil {
				index[inst.ID()] = append(index[inst.ID()], i)
			}
		}
		p.indexes[key] = index
	}
	return p.indexes[key]
}

// someOf names a few instances.
func someOf(index map[string][]int) string {
	ids := slices.SortedFunc(maps.Keys(index), func(a, b string) int { return index[a][0] - index[b][0] })
	return wording.Some(ids)
}

// refuseUnknown refuses ids that no environment has, and lists of which one has none.
func (w instanceCounts) refuseUnknown(p *parser) {
	known := map[string]bool{}
	for _, index := range p.indexes {
		for id := range index {
			known[id] = true
		}
	}
	ids := slices.Sorted(maps.Keys(known))
	for _, list := range w.lists {
		if slices.ContainsFunc(list.node.Content, func(id *yaml.Node) bool { return w.found[id] }) {
			for _, text := range w.none[list.node] {
				p.errs.add(list.node, list.key, "%s", text)
			}
		}
		for _, id := range list.node.Content {
			if !w.found[id] && len(ids) > 0 {
				p.errs.add(id, list.key, "unknown instance %s; expected one of %s%s", shortText(id), wording.Some(ids),
					wording.DidYouMean(id.Value, ids))
			}
		}
	}
}
