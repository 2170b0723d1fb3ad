package plan

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// Chosen are the instances that conditions run, by condition, where the file chooses
// them by their ids; a list of one holds for all of them. A condition without a list
// runs the first ones. No campaign that was recorded without choosing has any.
type Chosen [][]int

// newChosen returns the one form of chosen instances. Those that are the first ones
// need no list.
func newChosen(each [][]int) Chosen {
	some := false
	for i, list := range each {
		if len(list) > 0 && list[len(list)-1] == len(list)-1 {
			each[i] = nil
		}
		some = some || each[i] != nil
	}
	switch {
	case !some:
		return nil
	case !slices.ContainsFunc(each, func(list []int) bool { return !slices.Equal(list, each[0]) }):
		return each[:1]
	}
	return each
}

// Of returns the instances that are chosen for a condition; nil if it runs the first ones.
func (x Chosen) Of(condition int) []int {
	switch {
	case len(x) == 1:
		return x[0]
	case condition < len(x):
		return x[condition]
	}
	return nil
}

// Fit reports whether there are as many for each of n conditions as it runs.
func (x Chosen) Fit(conditions int, counts Instances) bool {
	if len(x) > 1 && len(x) != conditions {
		return false
	}
	for i := range conditions {
		list := x.Of(i)
		sound := slices.IsSorted(list) && len(slices.Compact(slices.Clone(list))) == len(list)
		if list != nil && (!sound || list[0] < 0 || len(list) != counts.Of(i)) {
			return false
		}
	}
	return true
}

// instancesOf returns which instances a condition runs.
func (c Campaign) instancesOf(condition int) []int {
	if list := c.Chosen.Of(condition); list != nil {
		return list
	}
	first := make([]int, c.Instances.Of(condition))
	for i := range first {
		first[i] = i
	}
	return first
}

// unchosen names the conditions of a recorded campaign that would lose instances
// because others are chosen now.
func (c Campaign) unchosen(recorded Campaign) []string {
	if len(c.Chosen) == 0 && len(recorded.Chosen) == 0 {
		return nil // numbers say it all
	}
	now := map[string]int{}
	for i, condition := range c.Conditions {
		now[condition.ID()] = i
	}
	var ids []string
	for i, condition := range recorded.Conditions {
		at, there := now[condition.ID()]
		if !there {
			continue
		}
		has := map[int]bool{}
		for _, n := range c.instancesOf(at) {
			has[n] = true
		}
		if slices.ContainsFunc(recorded.instancesOf(i), func(n int) bool { return !has[n] }) {
			ids = append(ids, condition.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("instances of %s were chosen that are not chosen now; the choice can only grow", listSome(ids))}
}

// choose returns the instances of a condition's environment, which has this many, that
// a list of ids names.
func (w instanceCounts) choose(p *parser, n *yaml.Node, key string, at point, c Condition, has int, seed uint64) []int {
	if has == 0 {
		p.errs.add(n, key, "the environment %s deals as many instances as are asked for; give their number", at.environmentText(c))
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
		w.none[n] = append(w.none[n], fmt.Sprintf("the environment %s has none of these instances; it has %s", at.environmentText(c), someOf(index)))
	}
	return all
}

// indexOf returns the instances of an environment by their ids.
func (p *parser) indexOf(c Condition, has int, seed uint64) map[string][]int {
	key := digestOf(c.Env)
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
	return listSome(ids)
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
				p.errs.add(id, list.key, "there is no instance %s; there are %s%s", shortText(id), listSome(ids), wording.DidYouMean(id.Value, ids))
			}
		}
	}
}
