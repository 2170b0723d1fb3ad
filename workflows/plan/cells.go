package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"roundtable/envs/wording"
)

// Cell is one collaboration to be run.
type Cell struct {
	Condition int `json:"c"` // index into Campaign.Conditions
	Instance  int `json:"i"`
	Replicate int `json:"r"`
}

// CellsOf returns the number of cells of a condition.
func (c Campaign) CellsOf(condition int) int {
	return c.plannedCells(condition) - c.countLeftOut(condition)
}

// plannedCells returns the number of a condition's cells with those that are left out.
func (c Campaign) plannedCells(condition int) int {
	return c.Instances[condition] * c.ReplicatesOf(condition)
}

// ReplicatesOf returns how many replicates a condition runs of each of its instances.
func (c Campaign) ReplicatesOf(condition int) int {
	if c.Repeats == nil {
		return c.Replicates
	}
	return c.Repeats[condition]
}

// instancesOf returns how many instances a condition runs.
func (c Campaign) instancesOf(condition int) int { return c.Instances[condition] }

// SetReplicates sets Replicates and Repeats from the number of replicates by condition.
func (c *Campaign) SetReplicates(each []int) {
	if c.Replicates, c.Repeats = slices.Max(each), nil; slices.Min(each) < c.Replicates {
		c.Repeats = each
	}
}

// Size returns the number of cells.
func (c Campaign) Size() int {
	size := 0
	for i := range c.Conditions {
		size += c.CellsOf(i)
	}
	return size
}

// Cell returns the n-th cell of Order, from 0. For many cells, use Order, which is faster.
func (c Campaign) Cell(n int) Cell { return c.Order().Cell(n) }

// Order is the order in which the cells of a campaign are run. It takes one cell of each
// condition in turn, so an unfinished campaign is balanced; a condition without further cells is
// skipped. Each condition goes through its instances before it begins its next replicate.
type Order struct {
	campaign   Campaign
	conditions []int // those with most cells first, otherwise as in the campaign
	turns      []turns
	cells      []Cell // all of them, where some of the campaign's are left out
}

// turns are those from one condition's last cell to that of the next.
type turns struct {
	first  int // cell
	turn   int // the first one, from 0
	active int // the first n conditions take part
}

// Order returns the order of the campaign's cells.
func (c Campaign) Order() Order {
	o := Order{campaign: c, conditions: make([]int, len(c.Conditions))}
	for i := range o.conditions {
		o.conditions[i] = i
	}
	slices.SortStableFunc(o.conditions, func(a, b int) int { return cmp.Compare(c.plannedCells(b), c.plannedCells(a)) })
	at := turns{}
	for active := len(o.conditions); active > 0; active-- {
		last := c.plannedCells(o.conditions[active-1])
		if last == at.turn {
			continue
		}
		at.active = active
		o.turns = append(o.turns, at)
		at.first, at.turn = at.first+(last-at.turn)*active, last
	}
	if len(c.Without) > 0 {
		o.cells = c.withoutLeftOut(o)
	}
	return o
}

// Cell returns the n-th cell, from 0 to the campaign's size - 1.
func (o Order) Cell(n int) Cell {
	if o.cells != nil {
		return o.cells[n]
	}
	return o.cellAt(n)
}

// cellAt returns the n-th cell, those that are left out among them.
func (o Order) cellAt(n int) Cell {
	at := o.turns[sort.Search(len(o.turns), func(i int) bool { return o.turns[i].first > n })-1]
	n -= at.first
	condition := o.conditions[n%at.active]
	turn, instances := at.turn+n/at.active, o.campaign.Instances[condition]
	cell := Cell{Condition: condition, Instance: turn % instances, Replicate: turn / instances}
	if chosen := o.campaign.Chosen.Of(condition); chosen != nil {
		cell.Instance = chosen[cell.Instance]
	}
	return cell
}

// losingConditions names the conditions of a recorded campaign that would lose instances, or
// replicates: what count counts.
func (c Campaign) losingConditions(recorded Campaign, key string, count func(Campaign, int) int) []string {
	now := map[string]int{}
	for i, condition := range c.Conditions {
		now[condition.ID()] = count(c, i)
	}
	type change struct{ was, is int }
	var order []change
	of := map[change][]string{}
	for i, condition := range recorded.Conditions {
		is, there := now[condition.ID()]
		if x := (change{count(recorded, i), is}); there && x.is < x.was {
			if of[x] == nil {
				order = append(order, x)
			}
			of[x] = append(of[x], condition.ID())
		}
	}
	var diff []string
	for _, x := range order {
		whose := ""
		if ids := of[x]; len(ids) < len(recorded.Conditions) {
			whose = fmt.Sprintf(" of %s", wording.Some(ids))
		}
		diff = append(diff, fmt.Sprintf("%s%s was %d and is %d; it can only grow", key, whose, x.was, x.is))
	}
	return diff
}

// Added returns, in words, what an extension adds to the recorded campaign;
// nothing if it adds no cells.
func (c Campaign) Added(recorded Campaign) []string {
	was := map[string]int{}
	for i, condition := range recorded.Conditions {
		was[condition.ID()] = i
	}
	var added, repeated, fresh []string
	changes := map[string]bool{} // of replicates
	for i, condition := range c.Conditions {
		id := condition.ID()
		before, there := was[id]
		if !there {
			fresh = append(fresh, id)
			continue
		}
		if was, is := recorded.Instances[before], c.Instances[i]; is > was {
			added = append(added, fmt.Sprintf("%s had %s and has %d", id, wording.Count(was, "instance"), is))
		}
		was, is := recorded.ReplicatesOf(before), c.ReplicatesOf(i)
		changes[fmt.Sprintf("replicates go from %d to %d", was, is)] = true
		if is > was {
			repeated = append(repeated, fmt.Sprintf("%s had %s and has %d", id, wording.Count(was, "replicate"), is))
		}
	}
	added = shortenTo(wording.MostNamed, added, "instances")
	if len(fresh) > 0 {
		added = append(added, "new conditions: "+wording.Some(fresh))
	}
	if len(changes) == 1 && len(repeated) > 0 {
		return slices.AppendSeq(added, maps.Keys(changes))
	}
	return append(added, shortenTo(wording.MostNamed, repeated, "replicates")...)
}

// shortenTo returns the first few conditions that have more of something, and how many others do.
func shortenTo(few int, added []string, what string) []string {
	if n := len(added) - few; n > 0 {
		return append(added[:few], wording.Count(n, "more condition")+" with more "+what)
	}
	return added
}

// Contains returns a function that reports whether id is that of a cell's collaboration.
func (c Campaign) Contains() func(id string) bool {
	condition, without := map[string]int{}, c.Without.Set()
	for i, x := range c.Conditions {
		condition[x.ID()] = i
	}
	return func(id string) bool {
		at := strings.LastIndex(id, "-i")
		var cell Cell
		if at < 0 {
			return false
		}
		i, known := condition[id[:at]]
		if _, err := fmt.Sscanf(id[at:], "-i%d-r%d", &cell.Instance, &cell.Replicate); err != nil || !known ||
			cell.Suffix() != id[at:] || min(cell.Instance, cell.Replicate) < 0 || cell.Replicate >= c.ReplicatesOf(i) {
			return false
		}
		cell.Condition = i
		if chosen := c.Chosen.Of(i); chosen != nil {
			return slices.Contains(chosen, cell.Instance) && !c.isLeftOut(without, cell)
		}
		return cell.Instance < c.Instances[i] && !c.isLeftOut(without, cell)
	}
}
