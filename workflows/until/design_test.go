package until

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func designOf(levels, instances, replicates int) (*Design, Question) {
	q := questionOf(levels, Betting)
	g := Grid{Replicates: replicates}
	var all []int
	for i := range instances {
		all = append(all, i)
	}
	for l := range levels {
		id := q.Levels[l].Name + "-1"
		q.Levels[l].Members = []Member{{id, "qa"}}
		g.Conditions = append(g.Conditions, Condition{id, "qa", all})
	}
	g.Conditions = append(g.Conditions, Condition{"baseline", "qa", all})
	return NewDesign(q, g), q
}

// Cells that end in any order, as many at once as there are, give one answer and one set of
// cells: what has started depends on complete units alone.
func TestAnswerDoesNotDependOnTheOrderInWhichCellsEnd(t *testing.T) {
	d, _ := designOf(3, 120, 2)
	value := func(c Cell) float64 {
		r := rand.New(rand.NewPCG(uint64(c.Condition+10*c.Replicate), uint64(c.Instance)))
		return min(1, .5*r.Float64()+map[int]float64{0: .3}[c.Condition])
	}
	type result struct {
		cells map[Cell]bool
		found []Comparison
	}
	run := func(atOnce int, seed uint64) result {
		r := rand.New(rand.NewPCG(seed, 0))
		done, running := map[Cell]bool{}, []Cell{}
		started := map[Cell]bool{}
		for {
			c, err := d.Look(func(c Cell) (*float64, bool) {
				if !done[c] {
					return nil, false
				}
				return new(value(c)), true
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, cell := range d.Needed(c) {
				if len(running) < atOnce && !started[cell] {
					started[cell] = true
					running = append(running, cell)
				}
			}
			if len(running) == 0 {
				if !d.IsOver(c) {
					t.Fatal("nothing runs, and the question is not over")
				}
				return result{done, c.Comparisons()}
			}
			i := r.IntN(len(running))
			done[running[i]] = true
			running = append(running[:i], running[i+1:]...)
		}
	}
	want := run(1, 1)
	if n := len(want.cells); n == 4*120*2 || n == 0 {
		t.Fatalf("%d cells of %d ran: the test shows nothing", n, 4*120*2)
	}
	for seed := range uint64(6) {
		if got := run(1+int(seed)*9, seed); !reflect.DeepEqual(got, want) {
			t.Errorf("%d cells at once: %d cells, %+v, want %d, %+v", 1+seed*9, len(got.cells), got.found, len(want.cells), want.found)
		}
	}
}

// Whole instances end first, with all replicates and what is no level besides.
func TestUnitsAreWhole(t *testing.T) {
	d, q := designOf(2, 3, 2)
	c := course(t, q)
	cells := d.Needed(c)
	if d.Units() != 3 || len(cells) != 3*3*2 {
		t.Fatalf("%d units, %v", d.Units(), cells)
	}
	for i, cell := range cells[:6] {
		if cell.Instance != cells[0].Instance || cell.Condition != i/2 || cell.Replicate != i%2 {
			t.Errorf("%v", cells[:6])
		}
	}
}
