package consensus

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/envs"
	"roundtable/envs/envtest"
)

// must is v; tests panic on errors that cannot happen.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Robots are placed with 0 to 12 decimals.
func TestDecimals(t *testing.T) {
	for decimals, ok := range map[int]bool{-1: false, 0: true, 12: true, 13: false} {
		p, robot := DefaultRobots(), DefaultRobot()
		robot.Decimals, p.Robot = decimals, &robot
		if _, err := New(p); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "expected 0 to 12") {
			t.Errorf("%d decimals: %v", decimals, err)
		}
	}
}

func private() envtest.Options {
	return envtest.Options{Private: []string{"Start", "Personality"}}
}

func TestEnvironment(t *testing.T) {
	p := Defaults()
	p.Stubborn, p.Suggestible = 1, 1
	envtest.Run(t, must(New(p)), private())
}

func TestRobots(t *testing.T) {
	opt := private()
	opt.Golden = "testdata/robots.txt"
	envtest.Run(t, must(New(DefaultRobots())), opt)
}

func TestBounded(t *testing.T) {
	p := Defaults()
	p.Low, p.High, p.Bounds, p.Integers = -10, 10, []float64{-10, 10}, false
	opt := private()
	opt.Golden = "-"
	envtest.Run(t, must(New(p)), opt)
}

func FuzzParse(f *testing.F) { envtest.Fuzz(f, must(New(Defaults()))) }

func FuzzParsePlane(f *testing.F) { envtest.Fuzz(f, must(New(DefaultRobots()))) }

func TestParse(t *testing.T) {
	bounded := Defaults()
	bounded.Bounds = []float64{0, 100}
	for _, c := range []struct {
		params Params
		text   string
		want   envs.Proposal // "" is refused
	}{
		{Defaults(), `42`, "[42]"},
		{Defaults(), `-42.50`, "[-42.5]"}, // the paper's code reads 42.5
		{Defaults(), `-0`, "[0]"},
		{Defaults(), `[7]`, "[7]"},
		{Defaults(), `33.333333333333336`, "[33.3333333333]"},
		{Defaults(), `"from 10 I move to -12.5."`, "[-12.5]"},
		{Defaults(), `"Position: [46.67]"`, "[46.67]"},
		{Defaults(), `"−3"`, "[-3]"}, // a minus sign of printers
		{Defaults(), `"Position: .5"`, "[0.5]"},
		{Defaults(), `"nowhere"`, ""},
		{Defaults(), `"between 5 and 7"`, ""}, {Defaults(), `"5 or 7."`, ""}, {Defaults(), `"5 to 7 m"`, ""}, {Defaults(), `"1,250"`, ""}, {Defaults(), `"12,5"`, ""},
		{Defaults(), `"I move from 40 to 57."`, "[57]"}, {Defaults(), `"between them, at 57"`, "[57]"}, {Defaults(), `"of [41], [28], I choose [33]"`, "[33]"},
		{Defaults(), `"anywhere from 50 to 60"`, ""}, {Defaults(), `"I moved from 30 to 40; now 50 or 60"`, ""}, {Defaults(), `"50-60"`, ""}, {Defaults(), `"50–60"`, ""}, {Defaults(), `"50%−60%"`, ""},
		{Defaults(), `"57/100"`, ""}, {Defaults(), `"57 out of 100."`, ""}, {Defaults(), `"57 ± 5"`, ""}, {Defaults(), `"57 +/- 5"`, ""}, {Defaults(), `"57, as in rounds 10-12"`, ""},
		{Defaults(), `"I went from 10 to −12.5."`, "[-12.5]"}, {Defaults(), `"In rounds 10-12 I said 50 or 60: 57"`, "[57]"}, {Defaults(), `"40 -> 57"`, "[57]"}, {Defaults(), `"step 2: -35"`, "[-35]"},
		{Defaults(), `["57"]`, ""}, {Defaults(), `["far"]`, ""}, {Defaults(), `[{"x": 5}]`, ""}, {Defaults(), `[true]`, ""},
		{Defaults(), `[1, 2]`, ""},
		{Defaults(), `[null]`, ""},
		{Defaults(), `null`, ""},
		{Defaults(), `1e12`, ""},
		{bounded, `100.5`, ""},
		{bounded, `-1`, ""},
		{bounded, `100`, "[100]"},
		{DefaultRobots(), `[20, -0.5]`, "[20,-0.5]"},
		{DefaultRobots(), `"step 2: (20, -35.25)"`, "[20,-35.25]"},
		{DefaultRobots(), `"rounds 10-12"`, "[10,12]"}, // a dash
		{DefaultRobots(), `20`, ""},
		{DefaultRobots(), `[1, 2, 3]`, ""},
	} {
		in := must(must(New(c.params)).Instance(1, 0))
		got, err := in.Parse([]byte(c.text))
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s is %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// TestDrive compares with the same law written in numpy from the constants of
// the paper's code: four rounds towards one target, three towards another.
func TestDrive(t *testing.T) {
	p := DefaultRobots()
	p.Starts, p.Spread = [][]float64{{20, 20}, {80, 20}, {50, 80}}, 0
	in := must(must(New(p)).Instance(1, 0)).(envs.World)
	state := in.Start(0)
	for round, c := range []struct {
		target envs.Proposal
		want   []float64
	}{
		{"[50,40]", []float64{23.78, 22.51, 2.4952587806849755, 1.665437965645832, 26.48, 17.66}},
		{"[50,40]", []float64{28.78, 25.91, 2.5053224909374263, 1.6502603480672648, 21.47, 14.260000000000002}},
		{"[50,40]", []float64{33.78, 29.28, 2.5125045479283052, 1.639305004152547, 16.47, 10.89}},
		{"[50,40]", []float64{38.78, 32.53, 2.4855910085336923, 1.6442337762618295, 11.469999999999999, 7.630000000000003}},
		{"[30,45]", []float64{40.52, 36.28, -0.06465306651511289, 1.9142655961130635, -10.530000000000001, 8.909999999999997}},
		{"[30,45]", []float64{39.06, 39.82, -1.1186530665151133, 1.6035455961130662, -9.170000000000002, 5.340000000000003}},
		{"[30,45]", []float64{36.47, 42.51, -1.3484130665151133, 1.118985596113066, -6.600000000000001, 2.6000000000000014}},
	} {
		state = must(in.Move(0, state, c.target))
		values := slices.Concat(state.At, state.Rest)
		for k, v := range c.want {
			if math.Abs(values[k]-v) > 1e-9 {
				t.Errorf("round %d: value %d is %v, want %v", round+1, k, values[k], v)
			}
		}
		var path [][]float64
		if err := json.Unmarshal([]byte(state.Path), &path); err != nil || len(path) != 20 || !slices.Equal(path[19], state.At) {
			t.Errorf("round %d: path %s (%v)", round+1, state.Path, err)
		}
	}
}

// TestSpeed: no robot goes faster than it can, whatever it is told.
func TestSpeed(t *testing.T) {
	in := must(must(New(DefaultRobots())).Instance(1, 0)).(envs.World)
	rapid.Check(t, func(t *rapid.T) {
		s := in.Start(1)
		at, _ := readPosition(s.Position)
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			target := formatPosition([]float64{rapid.Float64Range(-1e6, 1e6).Draw(t, "x"), rapid.Float64Range(-1e6, 1e6).Draw(t, "y")})
			s = must(in.Move(1, s, target))
			var path [][]float64
			if err := json.Unmarshal([]byte(s.Path), &path); err != nil {
				t.Fatal(err)
			}
			for _, x := range path { // v·dt, half a step's acceleration, rounding in both coordinates
				if d := distanceBetween(at, x); d > 0.3+50./15*0.01/2+0.015 {
					t.Fatalf("%v m in a step of 0.1 s", d)
				}
				at = x
			}
		}
	})
}

func TestMoveWithoutTarget(t *testing.T) {
	in := must(must(New(Defaults())).Instance(1, 0)).(envs.World)
	if s := must(in.Move(0, envs.State{At: []float64{7}}, "")); s.Position != "[7]" || s.Path != "" {
		t.Errorf("who does not answer comes to %+v", s)
	}
	if _, err := in.Move(0, envs.State{At: []float64{7, 8}}, "[1]"); err == nil {
		t.Error("a state of the wrong size is moved")
	}
	if _, err := in.Move(0, envs.State{At: []float64{7}}, "x"); err == nil {
		t.Error("a target that is not a position is gone to")
	}
}

// TestStarts: a smaller group starts as the first agents of a larger one, and
// starts lie where they should.
func TestStarts(t *testing.T) {
	small, large := Defaults(), Defaults()
	large.Agents = 8
	for index := range 50 {
		a := must(must(New(small)).Instance(3, index)).(envs.World)
		b := must(must(New(large)).Instance(3, index)).(envs.World)
		for agent := range 3 {
			x := a.Start(agent).At[0]
			if x != b.Start(agent).At[0] || x != math.Trunc(x) || x < 0 || x > 100 {
				t.Errorf("instance %d: agent %d starts at %v and at %v", index, agent, x, b.Start(agent).At[0])
			}
		}
		r := must(must(New(DefaultRobots())).Instance(3, index)).(envs.World)
		for agent, near := range DefaultRobots().Starts {
			for k, v := range r.Start(agent).At {
				if d := v - near[k]; d != math.Trunc(d) || math.Abs(d) > 10 {
					t.Errorf("instance %d: robot %d starts at %v", index, agent, r.Start(agent).At)
				}
			}
		}
	}
}

// TestStrategies: where each strategy goes from 10, hearing 40 (weight 3), 40 and 100.
func TestStrategies(t *testing.T) {
	task := must(New(Params{Agents: 5, Dimension: 1, High: 100, Integers: true}))
	in := must(task.Instance(1, 0))
	offer := func(agent int, p envs.Proposal) envs.Offer { return envs.Offer{Agent: agent, Proposal: p} }
	for _, c := range []struct {
		policy string
		want   string
	}{
		{"average", "[38.3333333333]"}, // (10 + 3·40 + 40·1 + 60·1)/6
		{"average_without_self", "[44]"},
		{"suggestible", "[40]"},
		{"stubborn", "[10]"},
		{"personality", "[38.3333333333]"},
	} {
		policy := must(task.Policy(c.policy, func(any) error { return nil }))
		got, ok := policy.Propose(envs.Situation{
			Agents: in.Agents(), Observation: in.Observe(0), Rand: envs.Stream(1, "test"),
			Offers:  []envs.Offer{offer(0, "[99]"), offer(1, "[40]"), offer(2, "[40]"), offer(3, "[60]"), offer(4, "[7]"), offer(0, "[10]")},
			Weights: []float64{1, 3, 1, 1, 0}, // the last one is not heard
		})
		if got != c.want || !ok {
			t.Errorf("%s goes to %s, want %s", c.policy, got, c.want)
		}
	}
}

// TestErroneous: about p of the moves are wrong.
func TestErroneous(t *testing.T) {
	task := must(New(Defaults()))
	in := must(task.Instance(1, 0))
	policy := must(task.Policy("erroneous", func(v any) error { v.(*Mistaken).P = 0.3; return nil }))
	wrong := 0
	for i := range 2000 {
		s := envs.Situation{Agents: in.Agents(), Observation: in.Observe(0), Rand: envs.Stream(1, "test", i),
			Offers: []envs.Offer{{Agent: 0, Proposal: "[0.5]"}, {Agent: 1, Proposal: "[0.5]"}}}
		if got, _ := policy.Propose(s); got != "[0.5]" {
			wrong++
		}
	}
	if wrong < 540 || wrong > 660 { // three standard deviations
		t.Errorf("%d of 2000 moves are wrong, want about 600", wrong)
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Params){
		"agents is 1":                  func(p *Params) { p.Agents = 1 },
		"dimension is 0":               func(p *Params) { p.Dimension = 0 },
		"low is 5":                     func(p *Params) { p.Low, p.High = 5, 5 },
		"with a whole number":          func(p *Params) { p.Low, p.High = 0.2, 0.8 },
		"bounds is [1]":                func(p *Params) { p.Bounds = []float64{1} },
		"not within it":                func(p *Params) { p.Bounds = []float64{0, 50} },
		"stubborn is 2":                func(p *Params) { p.Stubborn, p.Suggestible = 2, 2 },
		"give one of the two":          func(p *Params) { p.Stubborn, p.Personalities = 1, []string{"none", "none", "none"} },
		"personalities is a list of 1": func(p *Params) { p.Personalities = []string{"none"} },
		`unknown "vain"`:               func(p *Params) { p.Personalities = []string{"none", "vain", "none"} },
		"starts is a list of 1":        func(p *Params) { p.Starts = [][]float64{{1}} },
		"it has 2 coordinates":         func(p *Params) { p.Starts = [][]float64{{1, 2}, {1}, {1}} },
		"spread is 3":                  func(p *Params) { p.Spread = 3 },
		"mass is 0":                    func(p *Params) { r := DefaultRobot(); r.Mass = 0; p.Robot = &r },
		"at most 10000":                func(p *Params) { r := DefaultRobot(); r.Step = 1e-9; p.Robot = &r },
	} {
		p := Defaults()
		change(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	task := must(New(Defaults()))
	for name, decode := range map[string]envs.Decode{
		"mixture":   func(v any) error { *v.(*Mixture) = Mixture{}; return nil },
		"erroneous": func(v any) error { v.(*Mistaken).P = math.NaN(); return nil },
	} {
		if _, err := task.Policy(name, decode); err == nil {
			t.Errorf("policy %s takes anything", name)
		}
	}
}

func TestRobotConstants(t *testing.T) {
	var r Robot
	if err := json.Unmarshal([]byte(`{"mass": 30}`), &r); err != nil || r.Mass != 30 || r.KD != 6 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, text := range []string{`{"weight": 3}`, `null`, `7`, `{"mass": "x"}`} {
		if err := json.Unmarshal([]byte(text), &r); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
