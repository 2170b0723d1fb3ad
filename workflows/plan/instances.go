package plan

import (
	"fmt"
	"slices"

	"roundtable/envs/wording"
)

// Chosen are the instances that conditions run, by condition, where the file chooses
// them by their ids; nil where it chooses none. A condition without a list runs the
// first ones.
type Chosen [][]int

// Of returns the indices of the instances chosen for a condition; nil if it runs the first ones.
func (x Chosen) Of(condition int) []int {
	if x == nil {
		return nil
	}
	return x[condition]
}

// HasSoundInstances reports whether each condition has a positive number of instances and
// replicates, and as many chosen instances where it has a choice.
func (c Campaign) HasSoundInstances() bool {
	n := len(c.Conditions)
	if len(c.Instances) != n || c.Chosen != nil && len(c.Chosen) != n || c.Repeats != nil && len(c.Repeats) != n {
		return false
	}
	if c.Repeats != nil && (slices.Min(c.Repeats) < 1 || slices.Max(c.Repeats) != c.Replicates) {
		return false
	}
	for i, count := range c.Instances {
		list := c.Chosen.Of(i)
		sound := slices.IsSorted(list) && len(slices.Compact(slices.Clone(list))) == len(list)
		if count < 1 || list != nil && (!sound || list[0] < 0 || len(list) != count) {
			return false
		}
	}
	return true
}

// InstancesOf returns the indices of the instances that a condition runs.
func (c Campaign) InstancesOf(condition int) []int {
	if list := c.Chosen.Of(condition); list != nil {
		return list
	}
	first := make([]int, c.Instances[condition])
	for i := range first {
		first[i] = i
	}
	return first
}

// unchosenConditions names the conditions of a recorded campaign that would lose instances
// because others are chosen now.
func (c Campaign) unchosenConditions(recorded Campaign) []string {
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
		for _, n := range c.InstancesOf(at) {
			has[n] = true
		}
		if slices.ContainsFunc(recorded.InstancesOf(i), func(n int) bool { return !has[n] }) {
			ids = append(ids, condition.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("instances of %s were chosen that are not chosen now; the choice can only grow",
		wording.Some(ids))}
}
