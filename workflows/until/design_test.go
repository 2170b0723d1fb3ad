package until

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

func designOf(levels, instances, replicates int) (*Design, Question) {
	q := questionOf(levels, Betting)
	var g Grid
	var all []int
	for i := range instances {
		all = append(all, i)
	}
	for l := range levels {
		id := q.Levels[l].Name + "-1"
		q.Levels[l].Members = []Member{{id, "qa", ""}}
		g.Conditions = append(g.Conditions, Condition{id, "qa", all, replicates})
	}
	g.Conditions = append(g.Conditions, Condition{"baseline", "qa", all, replicates})
	return NewDesign(q, g), q
}

// How many units of an environment there are, and were looked at.
func TestShares(t *testing.T) {
	d, _ := designOf(2, 5, 3)
	for looked, want := range map[int]int{0: 0, 2: 2, 9: 5} {
		if got := d.Shares(looked); len(got) != 1 || got[0] != (Share{"qa", want, 5}) {
			t.Errorf("after %d units: %+v", looked, got)
		}
	}
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

// Whole instances end first, with all replicates and what is not a level besides.
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

// A question that two data sets ask is one unit: its cells are needed together, and it is
// one observation.
func TestSameQuestionsAreOneUnit(t *testing.T) {
	q := twice("first", "second")
	g := gridOf(q, 2, map[string]int{"first": 3, "second": 2})
	if apart := NewDesign(q, g); apart.Units() != 5 {
		t.Fatalf("%d units without any in common", apart.Units())
	}
	q.Same = []Same{{Asked{"second", 1}, Asked{"first", 0}}}
	d := NewDesign(q, g)
	if d.Units() != 4 {
		t.Fatalf("%d units, want 4", d.Units())
	}
	both, all := 0, map[Cell]bool{}
	for u := range d.units {
		cells := d.Cells(u, []bool{true, true})
		for _, cell := range cells {
			all[cell] = true
		}
		if len(cells) == 8 { // 2 levels × 2 data sets × 2 replicates
			both++
			unit, complete := d.observeUnit(d.units[u], []bool{true, true}, func(c Cell) (*float64, bool) {
				return new(map[int]float64{0: .5, 1: 1}[c.Condition]), true // a0 and a1; b0 and b1 are 0
			})
			if !complete || *unit[0].Difference != .75 {
				t.Errorf("%v", unit)
			}
		}
	}
	if both != 1 || len(all) != 2*(3+2)*2 {
		t.Errorf("%d units of both, %d cells", both, len(all))
	}
}

// twice is a question about a and b, each with two values on another axis.
func twice(envs ...string) Question {
	q := questionOf(2, Betting)
	for l, name := range []string{"a", "b"} {
		q.Levels[l] = Level{Name: name}
		for i, env := range envs {
			q.Levels[l].Members = append(q.Levels[l].Members, Member{fmt.Sprint(name, i), env, fmt.Sprint("x=", i)})
		}
	}
	return q
}

// gridOf is its plan: a0, a1, b0, b1.
func gridOf(q Question, replicates int, instances map[string]int) Grid {
	var g Grid
	for _, l := range q.Levels {
		for _, m := range l.Members {
			c := Condition{ID: m.Condition, Env: m.Env, Replicates: replicates}
			for i := range instances[m.Env] {
				c.Instances = append(c.Instances, i)
			}
			g.Conditions = append(g.Conditions, c)
		}
	}
	return g
}

// simulatedCampaigns counts which of n decide a difference.
func simulatedCampaigns(t *testing.T, n uint64, q Question, g Grid, value func(Cell, *rand.Rand) *float64) (decided int) {
	t.Helper()
	for s := range n {
		r, known := rand.New(rand.NewPCG(s, 1)), map[Cell]*float64{}
		c, err := NewDesign(q, g).Look(func(c Cell) (*float64, bool) {
			if _, is := known[c]; !is {
				known[c] = value(c, r)
			}
			return known[c], true
		})
		if err != nil {
			t.Fatal(err)
		}
		if c.IsAnswered() {
			decided++
		}
	}
	return decided
}

func one(r *rand.Rand, p float64) *float64 {
	if r.Float64() < p {
		return new(1.)
	}
	return new(0.)
}

// What fails in one level only is not an effect of the level: cells are compared where the
// values on the other axes are the same.
func TestMissingCellsAreNoEffectOfTheLevel(t *testing.T) {
	n := uint64(100)
	if *long {
		n = 400
	}
	q := twice("qa", "qa")
	for _, fail := range []float64{1, .3, .1} {
		decided := simulatedCampaigns(t, n, q, gridOf(q, 1, map[string]int{"qa": 200}), func(c Cell, r *rand.Rand) *float64 {
			v := one(r, []float64{.1, .9}[c.Condition%2])
			if c.Condition == 1 && r.Float64() < fail {
				return nil
			}
			return v
		})
		if t.Logf("a1 fails in %v of its cells: %d of %d campaigns decide a difference that is not there", fail, decided, n); decided > int(n/20) {
			t.Errorf("a1 fails in %v of its cells: %d of %d campaigns decide a difference that is not there", fail, decided, n)
		}
	}
}

// Combinations have the same weight, however many of their replicates have a value, and
// what is left out is counted.
func TestDifferenceOfAUnit(t *testing.T) {
	q := twice("qa", "qa")
	d := NewDesign(q, gridOf(q, 3, map[string]int{"qa": 2}))
	c, err := d.Look(func(c Cell) (*float64, bool) {
		switch {
		case c.Condition == 0 && c.Replicate > 0, c.Condition == 2 && c.Replicate == 2:
			return nil, true
		case c.Condition < 2:
			return new(.25 + .5*float64(c.Condition)), true // .25 and .75 against 0
		}
		return new(0.), true
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Comparisons()[0]; *got.Mean != .5 || got.Pairs != 2 || got.LeftOut != 2*2 {
		t.Errorf("%+v, mean %v", got, *got.Mean)
	}
}

// Environments are looked at in proportion, whether they have an only instance or several:
// opposite effects, whose mean is 0, decide nothing.
func TestEnvironmentsAreLookedAtInProportion(t *testing.T) {
	n := uint64(100)
	if *long {
		n = 400
	}
	for _, instances := range []map[string]int{{"one": 1, "other": 40}, {"one": 1, "other": 1}} {
		q := twice("one", "other")
		decided := simulatedCampaigns(t, n, q, gridOf(q, 40, instances), func(c Cell, r *rand.Rand) *float64 {
			return one(r, []float64{.8, .2, .2, .8}[c.Condition])
		})
		if t.Logf("%v instances: %d of %d campaigns decide a difference", instances, decided, n); decided > int(n/20) {
			t.Errorf("%v instances: %d of %d campaigns decide a difference that is not there", instances, decided, n)
		}
	}
}
