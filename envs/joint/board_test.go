package joint

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/envs"
)

// workshop is a small domain: what is made of 5 wood, which is pooled, and 1 nail.
type workshop struct{}

var made = []struct {
	name              string
	worth, wood, nail float64
}{{"chair", 4, 2, 1}, {"table", 6, 4, 0}, {"box", 1, 1, 0}}

func (workshop) State(estimate string) State {
	s := State{}
	if estimate == "" {
		estimate = `{"wood": 5, "nail": 1}`
	}
	if err := json.Unmarshal([]byte(estimate), &s); err != nil {
		panic(err)
	}
	return s
}

func (w workshop) Problem(estimate string) (p Problem) {
	s := w.State(estimate)
	p.Capacity = []float64{s["wood"], s["nail"]}
	for _, m := range made {
		p.Items = append(p.Items, []Option{{m.worth, []float64{m.wood, m.nail}}})
	}
	return p
}

func (workshop) Pooled() []string    { return []string{"wood"} }
func (workshop) Resources() []string { return []string{"wood", "nail"} }
func (workshop) Merged() string      { return "all" }

func (workshop) Items() (names []string) {
	for _, m := range made {
		names = append(names, m.name)
	}
	return names
}

func (w workshop) Proposal(choice []int) envs.Proposal {
	var names []string
	for i, o := range choice {
		if o >= 0 {
			names = append(names, w.Items()[i])
		}
	}
	return envs.Proposal(strings.Join(names, "+"))
}

func (w workshop) Choice(p envs.Proposal) (choice []int) {
	for _, name := range w.Items() {
		choice = append(choice, -1)
		if slices.Contains(strings.Split(string(p), "+"), name) {
			choice[len(choice)-1] = 0
		}
	}
	return choice
}

// Tools compute with the last estimate, and with nothing of the truth.
func TestTools(t *testing.T) {
	b := New(workshop{})
	if b.Best() != 7 {
		t.Fatalf("the best is worth %v", b.Best())
	}
	few := []envs.Shown{{Text: `{"wood": 9, "nail": 9}`}, {Text: `{"wood": 3, "nail": 0}`}}
	for _, x := range []struct {
		cue   string
		shown []envs.Shown
		want  string
	}{
		{Merged, nil, "all"},
		{Solver, nil, "There is no estimate to compute with."},
		{Solver, few, "By your estimate the best is box, worth 1.00."},
		{Calculator, few, "Possible by itself: box.\nNot possible, for lack of: chair (nail 1); table (wood 1)."},
		{Calculator, few[:1], "Possible by itself: chair; table; box.\nNot possible, for lack of: nothing."},
		{Calculator, append(slices.Clone(few), envs.Shown{Text: "why", Proposal: "box"}, envs.Shown{Proposal: "table+box"}),
			"Possible by itself: box.\nNot possible, for lack of: chair (nail 1); table (wood 1).\n" +
				"The proposal box is feasible by your estimate.\nThe proposal table+box is not feasible by your estimate; it lacks wood 2."},
	} {
		if got, err := b.Cue(envs.Cue{Name: x.cue, Shown: x.shown}); err != nil || got.Text != x.want {
			t.Errorf("%s of %v: %q, %v; want %q", x.cue, x.shown, got.Text, err, x.want)
		}
	}
	if _, err := b.Cue(envs.Cue{Name: "oracle"}); err == nil || !strings.Contains(err.Error(), `there is no tool "oracle"`) {
		t.Error(err)
	}
}

// A collaboration's measures by hand (paper 3, B.1): of 7 at best, what does not fit is worth nothing, and what
// is kept of it counts by the share that is kept.
func TestResult(t *testing.T) {
	shown := []envs.Shown{
		{Text: `{"wood": 7.5, "nail": 1}`}, {Text: `{"wood": 5, "nail": 1}`},
		{Phase: Solver, Text: "the best is", Proposal: "table+box"}, {Phase: "planning", Proposal: "chair+table"},
	}
	got, err := New(workshop{}).Cue(envs.Cue{Name: Outcome, Shown: shown})
	var r Result
	if err != nil || json.Unmarshal([]byte(got.Text), &r) != nil {
		t.Fatalf("%s, %v", got.Text, err)
	}
	for name, x := range map[string][2]float64{
		"NR": {r.NR, 0}, "NAR": {r.NAR, 100. * 4 / 7 / 2}, "NAR by value": {r.NARValue, 100. * 6 / 7 / 2},
		"HR": {*r.HR, 0.25}, "NMAE": {*r.NMAE, 0.25}, "the tool's NR": {*r.ToolNR, 100},
	} {
		if math.Abs(x[0]-x[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, x[0], x[1])
		}
	}
	if r.Valid || *r.Complied {
		t.Errorf("what does not fit is valid, or the solver's: %s", got.Text)
	}
	shown[3].Proposal = "table+box"
	if got, err = New(workshop{}).Cue(envs.Cue{Name: Outcome, Shown: shown}); err != nil || json.Unmarshal([]byte(got.Text), &r) != nil || !r.Valid || !*r.Complied || r.NR != 100 {
		t.Errorf("the solver's own is measured as %s, %v", got.Text, err)
	}
	if s := New(workshop{}).Score("table+box"); s.Value != 1 {
		t.Errorf("the best has the score %v", s.Value)
	}
}

// Names are read in any case, and each quantity is from 0 to a million.
func TestNamed(t *testing.T) {
	known := []string{"wood", "nail"}
	for _, x := range []struct {
		given State
		want  string
	}{
		{nil, "map[]"}, {State{" WOOD ": 0, "Nail": Most}, "map[nail:1e+06 wood:0]"},
		{State{"wood": -1}, "a quantity is -1; it is from 0 to 1e+06"}, {State{"wood": Most + 1}, "a quantity is 1.000001e+06"},
		{State{"glue": 1}, `there is no part "glue" in this task; there are wood, nail`}, {State{"nail": 1, "Nail": 1}, "the part nail is given twice"},
	} {
		s, err := x.given.Named("part", known)
		got := fmt.Sprint(s)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, x.want) {
			t.Errorf("%v: %s, want %s", x.given, got, x.want)
		}
	}
}
