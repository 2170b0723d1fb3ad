package asking

import (
	"slices"

	"roundtable/workflows/plan"
	"roundtable/workflows/until"
)

// design is a plan as its question sees it: units in the order in which they are looked
// at, and the cells of each level in each.
type design struct {
	campaign plan.Campaign
	units    []until.Unit
	levels   []map[string][]int // conditions by environment, by level
	besides  map[string][]int   // conditions of no level, as baselines, by environment
	has      []map[int]bool     // instances, by condition
	ids      []string           // of conditions
	sizes    until.Sizes
}

func newDesign(c plan.Campaign, q until.Question) *design {
	d := &design{campaign: c, besides: map[string][]int{}, sizes: until.Sizes{}}
	levelOf := map[string]int{}
	for l, level := range q.Levels {
		d.levels = append(d.levels, map[string][]int{})
		for _, m := range level.Members {
			levelOf[m.Condition] = l
		}
	}
	first := map[string]int{}
	for i, condition := range c.Conditions {
		env, list := condition.EnvKey(), c.InstancesOf(i)
		d.ids = append(d.ids, condition.ID())
		has := make(map[int]bool, len(list))
		for _, n := range list {
			has[n] = true
			if one, seen := first[env]; seen && one != n {
				d.sizes[env] = true
			} else {
				first[env] = n
			}
		}
		d.has = append(d.has, has)
		if l, ok := levelOf[d.ids[i]]; ok {
			d.levels[l][env] = append(d.levels[l][env], i)
		} else {
			d.besides[env] = append(d.besides[env], i)
		}
	}
	d.listUnits()
	q.Order(d.units)
	return d
}

// listUnits lists every unit of which some level has a cell.
func (d *design) listUnits() {
	known := map[until.Unit]bool{}
	for _, level := range d.levels {
		for env, conditions := range level {
			for _, c := range conditions {
				for _, n := range d.campaign.InstancesOf(c) {
					for r := range d.campaign.Replicates {
						known[d.sizes.UnitOf(until.Place{Env: env, Instance: n, Replicate: r})] = true
						if d.sizes[env] {
							break // all replicates are one unit
						}
					}
				}
			}
		}
	}
	for u := range known {
		d.units = append(d.units, u)
	}
	slices.SortFunc(d.units, func(a, b until.Unit) int { return a.Instance - b.Instance }) // Order decides the rest
}

// cellsOf returns the cells of some conditions in a unit.
func (d *design) cellsOf(u until.Unit, conditions []int) []plan.Cell {
	var cells []plan.Cell
	for _, c := range conditions {
		if !d.has[c][u.Instance] {
			continue
		}
		for r := range d.campaign.Replicates {
			if u.Replicate < 0 || u.Replicate == r {
				cells = append(cells, plan.Cell{Condition: c, Instance: u.Instance, Replicate: r})
			}
		}
	}
	return cells
}
