package until

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// values is a unit of a question with all pairs of levels, each of one cell.
func values(all ...float64) []Observation { return questionOf(len(all), Betting).Differences(all) }

func course(t *testing.T, q Question) *Course {
	t.Helper()
	c, err := NewCourse(q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func add(t *testing.T, c *Course, all []Observation) {
	t.Helper()
	if err := c.Add(all); err != nil {
		t.Fatal(err)
	}
}

// The first level wins every time, the others are alike: it is decided against both, and
// then only these two go on, with as many instances as were under way in between.
func TestLevelsWithoutOpenComparisonAreNeededNoLonger(t *testing.T) {
	c := course(t, questionOf(3, Betting))
	for range 60 {
		add(t, c, values(1, 0, 0))
	}
	first := 0
	for first < c.Units() && c.needed[first][0] {
		first++
	}
	if first == 0 || first > 20 {
		t.Fatalf("level 0 is needed for %d units", first)
	}
	for u := range 60 {
		levels, ok := c.Needs(u)
		if want := []bool{u < first+DefaultAhead-1, true, true}; !ok || !reflect.DeepEqual(levels, want) {
			t.Errorf("unit %d needs %v, want %v", u, levels, want)
		}
	}
	if _, ok := c.Needs(60 + DefaultAhead); ok {
		t.Error("what is needed is known before it is")
	}
	got := c.Comparisons()
	for i, verdict := range []string{Differs, Differs, Open} {
		if got[i].Verdict != verdict {
			t.Errorf("%s against %s: %s, want %s", got[i].A, got[i].B, got[i].Verdict, verdict)
		}
	}
	if c.IsAnswered() || got[0].Units != first || got[0].Pairs != first || *got[0].Mean != 1 {
		t.Errorf("%+v", got[0])
	}
}

func TestReferenceIsComparedWithEach(t *testing.T) {
	q := questionOf(4, Betting)
	q.Reference = "level 2"
	if got, want := q.Contrasts(), [][2]int{{0, 2}, {1, 2}, {3, 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	q.Reference = "level 9"
	if err := q.Check(); err == nil || !strings.Contains(err.Error(), "level 9") {
		t.Error(err)
	}
}

// Units without a value of a level are looked at and are not pairs.
func TestUnitsWithoutValueAreNoPairs(t *testing.T) {
	c := course(t, questionOf(2, Betting))
	add(t, c, []Observation{{LeftOut: 2}})
	add(t, c, values(1, .5))
	got := c.Comparisons()[0]
	if got.Units != 2 || got.Pairs != 1 || *got.Mean != .5 || got.LeftOut != 2 {
		t.Errorf("%+v", got)
	}
	if err := c.Add(values(2, .5)); err == nil || !strings.Contains(err.Error(), "level 0") {
		t.Errorf("a score of 2 is accepted: %v", err)
	}
}

func TestVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, x := range []struct {
		width, smallest, effect float64
		want                    string
	}{{.2, 0, 0, Precise}, {.2, 0, 1, Precise}, {0, .2, 0, Small}, {0, .2, 1, Differs}, {0, 0, 1, Differs}} {
		q := questionOf(2, Asymptotic)
		q.Width, q.Smallest = x.width, x.smallest
		c := course(t, q)
		for !c.IsAnswered() && c.Units() < 5000 {
			add(t, c, values(.1*r.NormFloat64()*3+x.effect*.3, 0))
		}
		if got := c.Comparisons()[0]; got.Verdict != x.want {
			t.Errorf("%+v: %s after %d units, %v", x, got.Verdict, got.Units, got.Interval)
		}
	}
}

// The interval at the moment of a decision holds the difference as often as it says,
// whatever it was that decided.
func TestIntervalsHoldWhenTheyDecide(t *testing.T) {
	for _, x := range []struct{ width, smallest, effect float64 }{{.3, 0, .5}, {0, .25, .5}, {0, .25, 0}} {
		q := questionOf(2, Asymptotic)
		q.Width, q.Smallest = x.width, x.smallest
		r := rand.New(rand.NewPCG(5, 5))
		missed := 0
		const campaigns = 2000
		for range campaigns {
			c := course(t, q)
			for !c.IsAnswered() && c.Units() < 400 {
				add(t, c, values(.5*(r.NormFloat64()+x.effect), 0))
			}
			if i := c.Comparisons()[0].Interval; i != nil && (i.Low > .5*x.effect || i.High < .5*x.effect) {
				missed++
			}
		}
		if missed > .05*campaigns {
			t.Errorf("%+v: %d of %d intervals miss the difference", x, missed, campaigns)
		}
	}
}

func TestWhatCannotBeAsked(t *testing.T) {
	for want, change := range map[string]func(*Question){
		"paired":   func(q *Question) { q.Levels[1].Members = []Member{{"a", "qa", ""}, {"b", "qa", ""}} },
		"measure":  func(q *Question) { q.Measure = "joy" },
		"method":   func(q *Question) { q.Method = "tea leaves" },
		"bounds":   func(q *Question) { q.High = 0 },
		"nothing":  func(q *Question) { q.Levels = q.Levels[:1] },
		"level":    func(q *Question) { q.Level = 1 },
		"smallest": func(q *Question) { q.Width, q.Smallest = .1, .1 },
		"ahead":    func(q *Question) { q.Ahead = 0 },
	} {
		q := questionOf(2, Betting)
		change(&q)
		if _, err := NewCourse(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A goal is looked at after every unit, the last one of a plan as well: what is reached
// there is not reported as open.
func TestGoalIsSeenWhereItIsReached(t *testing.T) {
	for _, method := range Methods() {
		q := questionOf(2, method)
		q.Width = .3
		r := rand.New(rand.NewPCG(3, 3))
		var units [][]Observation
		c := course(t, q)
		for !c.IsAnswered() {
			units = append(units, values(float64(r.IntN(5))/10, float64(r.IntN(5))/10))
			add(t, c, units[len(units)-1])
		}
		before := course(t, q)
		for _, u := range units[:len(units)-1] {
			add(t, before, u)
		}
		if i := before.Comparisons()[0].Interval; len(units) <= 20 || i == nil || i.Width() <= q.Width {
			t.Errorf("%s: decided after %d units, and %v after one less", method, len(units), i)
		}
		// Exactly as wide as what is found: reached, whatever the last bits are.
		q.Width = math.Round(1e3*c.Comparisons()[0].Interval.Width()) / 1e3
		if again := course(t, q); method == Betting {
			for _, u := range units {
				add(t, again, u)
			}
			if !again.IsAnswered() {
				t.Errorf("%v is not at most %v wide", again.Comparisons()[0].Interval, q.Width)
			}
		}
	}
}

// Instances are drawn by the seed, so more of them keep their order among each other;
// replicates of an only instance stay as they are.
func TestOrderOfUnits(t *testing.T) {
	units := func(n int) (all []Unit) {
		for i := range n {
			all = append(all, Unit{"qa", i, -1})
		}
		return all
	}
	q := Question{Seed: 7}
	few, many := units(20), units(40)
	q.Order(few)
	q.Order(many)
	var kept []Unit
	for _, u := range many {
		if u.Instance < 20 {
			kept = append(kept, u)
		}
	}
	if !reflect.DeepEqual(few, kept) || reflect.DeepEqual(few, units(20)) {
		t.Errorf("%v, and with more of them %v", few, kept)
	}
	other := units(20)
	Question{Seed: 8}.Order(other)
	if reflect.DeepEqual(few, other) {
		t.Error("another seed draws the same order")
	}
	alone := []Unit{{"exchange", 0, 2}, {"exchange", 0, 0}, {"exchange", 0, 1}}
	q.Order(alone)
	if alone[0].Replicate != 0 || alone[2].Replicate != 2 {
		t.Errorf("%v", alone)
	}
	mixed := units(8)
	for r := range 40 {
		mixed = append(mixed, Unit{"exchange", 0, r})
	}
	q.Order(mixed)
	first := 0
	for _, u := range mixed[:24] {
		if u.Env == "qa" {
			first++
		}
	}
	if first < 2 || first > 6 {
		t.Errorf("%d of 8 instances are among the first half: %v", first, mixed[:24])
	}
	sizes := Sizes{"qa": true}
	if a, b := sizes.UnitOf(Place{"qa", 3, 1}), sizes.UnitOf(Place{"exchange", 0, 1}); a != (Unit{"qa", 3, -1}) || b != (Unit{"exchange", 0, 1}) {
		t.Error(a, b)
	}
}
