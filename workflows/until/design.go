package until

// Grid is what a plan has of its cells: every condition with its instances.
type Grid struct {
	Conditions []Condition
	Replicates int
}

// Condition of a plan.
type Condition struct {
	ID        string
	Env       string // as Member's
	Instances []int
}

// Cell of a plan.
type Cell struct {
	Condition int // index into Grid.Conditions
	Instance  int
	Replicate int
}

// Ended says how a cell ended: ok is false if it has not. The value is nil if averages leave
// it out, as that of a cell that failed.
type Ended func(Cell) (value *float64, ok bool)

// Design is a plan as its question sees it: units in the order in which they are looked
// at, and the cells of each level in each.
type Design struct {
	question Question
	grid     Grid
	units    []Unit
	levels   []map[string][]int // conditions by environment, by level
	besides  map[string][]int   // conditions of no level, as baselines, by environment
	has      []map[int]bool     // instances, by condition
	sizes    Sizes
}

// NewDesign lays a question over a plan.
func NewDesign(q Question, g Grid) *Design {
	d := &Design{question: q, grid: g, besides: map[string][]int{}, sizes: Sizes{}}
	levelOf := map[string]int{}
	for l, level := range q.Levels {
		d.levels = append(d.levels, map[string][]int{})
		for _, m := range level.Members {
			levelOf[m.Condition] = l
		}
	}
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
		if l, ok := levelOf[c.ID]; ok {
			d.levels[l][c.Env] = append(d.levels[l][c.Env], i)
		} else {
			d.besides[c.Env] = append(d.besides[c.Env], i)
		}
	}
	d.listUnits(levelOf)
	q.Order(d.units)
	return d
}

// listUnits lists every unit of which some level has a cell.
func (d *Design) listUnits(levelOf map[string]int) {
	known := map[Unit]bool{}
	for _, c := range d.grid.Conditions {
		if _, ok := levelOf[c.ID]; !ok {
			continue
		}
		for _, n := range c.Instances {
			for r := range d.grid.Replicates {
				u := d.sizes.UnitOf(Place{c.Env, n, r})
				if !known[u] {
					known[u] = true
					d.units = append(d.units, u)
				}
			}
		}
	}
}

// Units returns how many there are.
func (d *Design) Units() int { return len(d.units) }

// Cells returns the cells of some levels in a unit, and, if there are any, those of
// conditions that are no levels, last.
func (d *Design) Cells(unit int, levels []bool) []Cell {
	var cells []Cell
	u := d.units[unit]
	for l, wanted := range levels {
		if wanted {
			cells = append(cells, d.cellsOf(u, d.levels[l][u.Env])...)
		}
	}
	if len(cells) > 0 {
		cells = append(cells, d.cellsOf(u, d.besides[u.Env])...)
	}
	return cells
}

func (d *Design) cellsOf(u Unit, conditions []int) []Cell {
	var cells []Cell
	for _, c := range conditions {
		if !d.has[c][u.Instance] {
			continue
		}
		for r := range d.grid.Replicates {
			if u.Replicate < 0 || u.Replicate == r {
				cells = append(cells, Cell{c, u.Instance, r})
			}
		}
	}
	return cells
}

// Look goes through the units as far as the cells that the question needs have ended.
func (d *Design) Look(ended Ended) (*Course, error) {
	c, err := NewCourse(d.question)
	if err != nil {
		return nil, err
	}
	for c.Units() < len(d.units) && !c.IsAnswered() {
		values, complete := d.values(c, ended)
		if !complete {
			break
		}
		if err := c.Add(values); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// values returns the mean of each level in the next unit; false if a cell that it needs
// has not ended.
func (d *Design) values(c *Course, ended Ended) (values []*float64, complete bool) {
	u := d.units[c.Units()]
	needs, _ := c.Needs(c.Units())
	values = make([]*float64, len(needs))
	for level, needed := range needs {
		if !needed {
			continue
		}
		sum, n := 0., 0
		for _, cell := range d.cellsOf(u, d.levels[level][u.Env]) {
			v, ok := ended(cell)
			if !ok {
				return nil, false
			}
			if v != nil {
				sum, n = sum+*v, n+1
			}
		}
		if n > 0 {
			values[level] = new(sum / float64(n))
		}
	}
	return values, true
}

// Needed returns the cells that a question needs, as far as it is, in the order in which
// they are to start.
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

// IsOver reports whether no further unit is looked at.
func (d *Design) IsOver(c *Course) bool { return c.IsAnswered() || c.Units() == len(d.units) }
