package until

import (
	"maps"
	"slices"
)

// Grid holds the cells of a plan: every condition with its instances and replicates.
type Grid struct{ Conditions []Condition }

// Condition is a condition of a plan.
type Condition struct {
	ID         string
	Env        string // as Member's
	Instances  []int
	Replicates int // of each instance
}

// Cell is a cell of a plan.
type Cell struct {
	Condition int // index into Grid.Conditions
	Instance  int
	Replicate int
}

// Ended returns the value of a cell; ok is false if it has not ended. The value is nil if
// averages leave the cell out, such as one that failed.
type Ended func(Cell) (value *float64, ok bool)

// Design is a plan arranged for its question: units in the order in which they are looked at, and
// the cells of each level in each unit.
type Design struct {
	question Question
	grid     Grid
	units    []Unit
	levels   []map[string][]int // by level and environment: conditions, one for each combination of values on the other axes, in one order; -1 where there is none
	besides  map[string][]int   // conditions of no level, as baselines, by environment
	has      []map[int]bool     // instances, by condition
	sizes    Sizes
	same     map[Asked]Asked
	places   map[Unit][]Asked // the instances of each unit: one, unless they are the same
}

// NewDesign returns the design of plan g for question q.
func NewDesign(q Question, g Grid) *Design {
	d := &Design{question: q, grid: g, besides: map[string][]int{}, sizes: Sizes{}, same: map[Asked]Asked{},
		places: map[Unit][]Asked{}}
	for _, s := range q.Same {
		d.same[s.Asked] = s.As
	}
	at := d.layOut()
	first := map[string]int{}
	for i, c := range g.Conditions {
		has := make(map[int]bool, len(c.Instances))
		for _, n := range c.Instances {
			has[n] = true
			if one, seen := first[c.Env]; seen && one != n {
				d.sizes[c.Env] = true
			} else {
				first[c.Env] = n
			}
		}
		d.has = append(d.has, has)
		if p, ok := at[c.ID]; ok {
			d.levels[p.level][c.Env][p.combination] = i
		} else {
			d.besides[c.Env] = append(d.besides[c.Env], i)
		}
	}
	d.listUnits(at)
	q.Order(d.units)
	return d
}

// position is where a condition of a level stands.
type position struct{ level, combination int }

// layOut makes room for the conditions of each level, and returns by their id where each
// is to stand: at the same place in every level where the values on the other axes are the same.
func (d *Design) layOut() map[string]position {
	known := map[string]map[string]int{} // by environment and values on the other axes
	at := map[string]position{}
	for l, level := range d.question.Levels {
		for _, m := range level.Members {
			if known[m.Env] == nil {
				known[m.Env] = map[string]int{}
			}
			k, ok := known[m.Env][m.Others]
			if !ok {
				k = len(known[m.Env])
				known[m.Env][m.Others] = k
			}
			at[m.Condition] = position{l, k}
		}
	}
	for range d.question.Levels {
		conditions := map[string][]int{}
		for _, env := range slices.Sorted(maps.Keys(known)) {
			conditions[env] = slices.Repeat([]int{-1}, len(known[env]))
		}
		d.levels = append(d.levels, conditions)
	}
	return at
}

// listUnits lists every unit of which some level has a cell.
func (d *Design) listUnits(at map[string]position) {
	for _, c := range d.grid.Conditions {
		if _, ok := at[c.ID]; !ok {
			continue
		}
		for _, n := range c.Instances {
			for r := range c.Replicates {
				u, place := d.unitOf(Place{c.Env, n, r}), Asked{c.Env, n}
				if d.places[u] == nil {
					d.units = append(d.units, u)
				}
				if !slices.Contains(d.places[u], place) {
					d.places[u] = append(d.places[u], place)
				}
			}
		}
	}
}

func (d *Design) unitOf(p Place) Unit {
	u := d.sizes.UnitOf(p)
	if as, ok := d.same[Asked{p.Env, p.Instance}]; ok && u.Replicate < 0 && d.sizes[as.Env] {
		u.Env, u.Instance = as.Env, as.Instance
	}
	return u
}

// Units returns the number of units.
func (d *Design) Units() int { return len(d.units) }

// Cells returns the cells of the levels marked true in a unit and, if there are any, then those
// of conditions that belong to no level.
func (d *Design) Cells(unit int, levels []bool) []Cell {
	var cells []Cell
	u := d.units[unit]
	for l, wanted := range levels {
		if wanted {
			cells = append(cells, d.cellsOf(u, d.levels[l])...)
		}
	}
	if len(cells) > 0 {
		cells = append(cells, d.cellsOf(u, d.besides)...)
	}
	return cells
}

// cellsOf returns the cells of a unit in some conditions, by environment.
func (d *Design) cellsOf(u Unit, conditions map[string][]int) []Cell {
	var cells []Cell
	for _, place := range d.places[u] {
		for _, c := range conditions[place.Env] {
			cells = append(cells, d.cellsAt(u, place, c)...)
		}
	}
	return cells
}

func (d *Design) cellsAt(u Unit, place Asked, condition int) (cells []Cell) {
	if condition < 0 || !d.has[condition][place.Instance] {
		return nil
	}
	for r := range d.grid.Conditions[condition].Replicates {
		if u.Replicate < 0 || u.Replicate == r {
			cells = append(cells, Cell{condition, place.Instance, r})
		}
	}
	return cells
}

// Look returns the course of the units, in order, as far as the cells that the question needs
// have ended.
func (d *Design) Look(ended Ended) (*Course, error) {
	c, err := NewCourse(d.question)
	if err != nil {
		return nil, err
	}
	for c.Units() < len(d.units) && !c.IsAnswered() {
		needs, _ := c.Needs(c.Units())
		unit, complete := d.observeUnit(d.units[c.Units()], needs, ended)
		if !complete {
			break
		}
		if err := c.Add(unit); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// observeUnit returns what a unit says of each contrast both of whose levels it has; false if
// a cell of its levels has not ended.
func (d *Design) observeUnit(u Unit, levels []bool, ended Ended) (unit []Observation, complete bool) {
	values := map[Cell]*float64{}
	for l, has := range levels {
		if !has {
			continue
		}
		for _, cell := range d.cellsOf(u, d.levels[l]) {
			v, ok := ended(cell)
			if !ok {
				return nil, false
			}
			values[cell] = v
		}
	}
	for _, pair := range d.question.Contrasts() {
		var o Observation
		if levels[pair[0]] && levels[pair[1]] {
			o = d.compare(u, d.levels[pair[0]], d.levels[pair[1]], values)
		}
		unit = append(unit, o)
	}
	return unit, true
}

// compare pairs the cells of two levels in a unit.
func (d *Design) compare(u Unit, a, b map[string][]int, values map[Cell]*float64) (o Observation) {
	sum, combinations := 0., 0
	for _, place := range d.places[u] {
		for k, condition := range a[place.Env] {
			differences, pairs := 0., 0
			for _, cell := range d.cellsAt(u, place, condition) {
				other := Cell{b[place.Env][k], cell.Instance, cell.Replicate}
				if x, y := values[cell], values[other]; x != nil && y != nil {
					differences, pairs = differences+*x-*y, pairs+1
				} else {
					o.LeftOut++
				}
			}
			if pairs > 0 {
				sum, combinations = sum+differences/float64(pairs), combinations+1
			}
		}
	}
	if combinations > 0 {
		o.Difference = new(sum / float64(combinations))
	}
	return o
}

// Needed returns the cells that the question needs, as far as c shows, ended ones included, in
// the order in which they are to start.
func (d *Design) Needed(c *Course) []Cell {
	var all []Cell
	for u := range d.units {
		levels, ok := c.Needs(u)
		if !ok {
			break
		}
		all = append(all, d.Cells(u, levels)...)
	}
	return all
}

// IsOver reports whether c is answered or has all units.
func (d *Design) IsOver(c *Course) bool { return c.IsAnswered() || c.Units() == len(d.units) }
