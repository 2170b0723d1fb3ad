package publicgoods

import (
	"math"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/envs/envtest"
)

func game(t testing.TB, p Params) *Game {
	t.Helper()
	g, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestEnvironment(t *testing.T) {
	envtest.Run(t, game(t, Defaults()), envtest.Options{Private: []string{"Return"}})
}

func FuzzParse(f *testing.F) { envtest.Fuzz(f, game(f, Defaults())) }

// deal is a group of four whose returns are all 0.4, as in Fehr and Gächter (2000).
func deal(t *testing.T) envs.Instance {
	t.Helper()
	p := Defaults()
	p.Spread = 0
	in, err := game(t, p).Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// With an endowment of 20 and a return of 0.4, four who contribute all have 32
// each, nobody's contribution leaves 20, and who alone contributes all has 8.
func TestPayoffs(t *testing.T) {
	in := deal(t)
	for text, want := range map[string]struct {
		score   float64
		payoffs []float64
	}{
		`{"Alex":20,"Blake":20,"Casey":20,"Drew":20}`: {1, []float64{32, 32, 32, 32}},
		`{"Alex":0,"Blake":0,"Casey":0,"Drew":0}`:     {0, []float64{20, 20, 20, 20}},
		`{"Alex":20,"Blake":0,"Casey":0,"Drew":0}`:    {0.25, []float64{8, 28, 28, 28}},
		`{"Alex":0,"Blake":20,"Casey":20,"Drew":20}`:  {0.75, []float64{44, 24, 24, 24}},
	} {
		p, err := in.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := in.Score(p)
		if math.Abs(got.Value-want.score) > 1e-12 {
			t.Errorf("%s: score %v, want %v", text, got.Value, want.score)
		}
		for i, u := range got.Utilities {
			if math.Abs(u-want.payoffs[i]) > 1e-9 {
				t.Errorf("%s: payoffs %v, want %v", text, got.Utilities, want.payoffs)
			}
		}
	}
}

// Whatever is dealt is a dilemma: a unit costs who gives it and helps the group.
func TestEveryInstanceIsADilemma(t *testing.T) {
	g := game(t, Params{Agents: 5, Endowment: 10, Return: 0.5, Spread: 0.29})
	for index := range 50 {
		in, err := g.Instance(7, index)
		if err != nil {
			t.Fatal(err)
		}
		all := 0.0
		for i := range in.Agents() {
			own := in.Observe(i).(Observation).Return
			if all += own; own >= 1 {
				t.Errorf("instance %d: the return of agent %d is %v", index, i, own)
			}
		}
		if all <= 1 {
			t.Errorf("instance %d: returns add up to %v", index, all)
		}
	}
}

func TestProposalsThatAreRefused(t *testing.T) {
	in := deal(t)
	for text, want := range map[string]string{
		`[1,2,3,4]`:                      "an object with the contribution of each of Alex, Blake, Casey and Drew",
		`{"Alex":1,"Blake":2,"Casey":3}`: "Drew is missing",
		`{"Alex":1,"Alex":2}`:            "names Alex twice",
		`{"Alex":1,"Eve":2}`:             "the agents are Alex",
		`{"Alex":21}`:                    "number from 0 to 20",
		`{"Alex":-1}`:                    "number from 0 to 20",
		`{"Alex":"all"}`:                 "number from 0 to 20",
		`{"Alex":{"amount":1}}`:          "number from 0 to 20",
	} {
		if _, err := in.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if p, err := in.Parse([]byte(`{"Drew": 0.005, "Casey": 3, "Blake": 2.50, "Alex": 1e1}`)); err != nil || p != `{"Alex":10,"Blake":2.5,"Casey":3,"Drew":0.01}` {
		t.Errorf("%s %v", p, err)
	}
}

// Each agent's median and quartiles, by hand: of 0, 4, 10 and 20 the median is 7.
func TestMedian(t *testing.T) {
	in := deal(t)
	cue := envs.Cue{Name: envs.CueMedian, Shown: []envs.Shown{{Text: "nothing proposed"}}}
	if c, err := in.(envs.Cued).Cue(cue); err != nil || len(c.Proposals) > 0 || c.Text != envs.NoEstimates {
		t.Errorf("%+v %v", c, err)
	}
	for _, text := range []string{
		`{"Alex":20,"Blake":1,"Casey":3,"Drew":0}`, `{"Alex":0,"Blake":1,"Casey":3,"Drew":1}`,
		`{"Alex":10,"Blake":1,"Casey":5,"Drew":1}`, `{"Alex":4,"Blake":1,"Casey":5,"Drew":1}`,
	} {
		cue.Shown = append(cue.Shown, envs.Shown{Proposal: envs.Proposal(text)})
	}
	c, err := in.(envs.Cued).Cue(cue)
	if err != nil || len(c.Proposals) != 1 || c.Proposals[0] != `{"Alex":7,"Blake":1,"Casey":4,"Drew":1}` {
		t.Errorf("%+v %v", c, err)
	}
	if want := "Alex: median 7 (middle half from 3 to 12.5)"; !strings.Contains(c.Text, want) {
		t.Errorf("%q does not say %q", c.Text, want)
	}
	if _, err := in.(envs.Cued).Cue(envs.Cue{Name: "gold"}); err == nil {
		t.Error("there is no right answer")
	}
}

func TestParametersThatAreRefused(t *testing.T) {
	for _, p := range []Params{
		{Agents: 1, Endowment: 20, Return: 0.4}, {Agents: 21, Endowment: 20, Return: 0.4}, {Agents: 4, Return: 0.4},
		{Agents: 4, Endowment: 20, Return: 0.25}, {Agents: 4, Endowment: 20, Return: 1}, {Agents: 4, Endowment: 20, Return: 0.4, Spread: 0.2},
		{Agents: 4, Endowment: math.NaN(), Return: 0.4}, {Agents: 4, Endowment: 20, Return: 0.4, Spread: -0.1},
	} {
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), " is ") {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := game(t, Defaults()).Policy("cooperator", func(v any) error { v.(*Conditional).Follow = 2; return nil }); err == nil || !strings.Contains(err.Error(), "follow is 2") {
		t.Errorf("%v", err)
	}
}
