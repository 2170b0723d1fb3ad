package qa

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"roundtable/envs"
)

func answerer(t *testing.T, e *QA, config string) envs.Policy {
	t.Helper()
	p, err := e.Policy("answerer", func(v any) error { return json.Unmarshal([]byte(config), v) })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Alone an agent is right as often as its accuracy says; having heard a wrong
// answer it repeats that as often as its conformity says; and its verbosity is
// what it says before.
func TestAnswererIsWhatItsParametersSay(t *testing.T) {
	e := tiny(t, "strategyqa", "strategy.json") // the first one's answer is no
	in, err := e.Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := answerer(t, e, `{"accuracy": 0.7, "conformity": 0.4, "verbosity": 3}`)
	const times = 4000
	right, repeated := 0, 0
	for n := range times {
		s := envs.Situation{Agent: 1, Observation: in.Observe(1), Rand: envs.Stream(1, "test", n)}
		if answer, _ := p.Propose(s); answer == `"no"` {
			right++
		}
		s.Offers, s.Rand = []envs.Offer{{Agent: 1, Proposal: `"no"`}, {Agent: 0, Proposal: `"yes"`}}, envs.Stream(1, "test", n)
		if answer, _ := p.Propose(s); answer == `"yes"` {
			repeated++
		}
	}
	for what, x := range map[string]struct {
		n    int
		want float64
	}{"right": {right, 0.7}, "repeated": {repeated, 0.4}} {
		if got := float64(x.n) / times; math.Abs(got-x.want) > 4*math.Sqrt(x.want*(1-x.want)/times) {
			t.Errorf("%s: %.3f, want %v", what, got, x.want)
		}
	}
	if said := p.Message(envs.Situation{}).Text; strings.Count(said, ".") != 3 {
		t.Errorf("three sentences are %q", said)
	}
}

// With insight an agent takes the right answer as often as that says, but only once it has
// heard others; without it nothing that it draws changes.
func TestInsight(t *testing.T) {
	e := tiny(t, "strategyqa", "strategy.json") // the first one's answer is no
	in, err := e.Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := answerer(t, e, `{"accuracy": 0, "conformity": 1, "insight": 0.3}`)
	const times = 4000
	alone, heard := 0, 0
	for n := range times {
		s := envs.Situation{Agent: 1, Observation: in.Observe(1), Rand: envs.Stream(1, "test", n)}
		if answer, _ := p.Propose(s); answer == `"no"` {
			alone++
		}
		s.Offers, s.Rand = []envs.Offer{{Agent: 1, Proposal: `"yes"`}, {Agent: 0, Proposal: `"yes"`}}, envs.Stream(1, "test", n)
		if answer, _ := p.Propose(s); answer == `"no"` {
			heard++
		}
	}
	if got := float64(heard) / times; alone > 0 || math.Abs(got-0.3) > 4*math.Sqrt(.3*.7/times) {
		t.Errorf("alone it is right %d times, having heard others in %.3f, want 0.3", alone, got)
	}
	if _, err := e.Policy("answerer", func(v any) error { return json.Unmarshal([]byte(`{"insight": 2}`), v) }); err == nil || !strings.Contains(err.Error(), "insight is 2") {
		t.Errorf("an insight of 2: %v", err)
	}
}

// An agent values its own answer most; a judge, who has index 0 as the first
// agent has, only what most agents say.
func TestWhatAVoterValues(t *testing.T) {
	e := tiny(t, "strategyqa", "strategy.json")
	p := answerer(t, e, `{}`)
	s := envs.Situation{Offers: []envs.Offer{{Agent: 0, Proposal: `"no"`}, {Agent: 1, Proposal: `"yes"`}, {Agent: 2, Proposal: `"yes"`}}}
	if own, other := p.Value(s, `"no"`), p.Value(s, `"yes"`); own != 1 || other >= own {
		t.Errorf("an agent values its own answer %v and the others' %v", own, other)
	}
	s.Role = "judge"
	if first, most := p.Value(s, `"no"`), p.Value(s, `"yes"`); first >= most {
		t.Errorf("a judge values the first agent's answer %v and that of most %v", first, most)
	}
}

// The weights of places rise evenly from 1 to 1 + bias: of three with bias 2 they are 1, 2 and 3 of 6.
func TestDrawPlace(t *testing.T) {
	for _, x := range []struct {
		bias float64
		n    int
		draw float64
		want int
	}{
		{0, 1, 0.99, 0}, {5, 1, 0.99, 0}, {0, 2, 0.49, 0}, {0, 2, 0.51, 1},
		{2, 3, 0.16, 0}, {2, 3, 0.17, 1}, {2, 3, 0.49, 1}, {2, 3, 0.51, 2}, {2, 3, 0.999, 2},
	} {
		if got := (Answerer{Bias: x.bias}).drawPlace(x.n, x.draw); got != x.want {
			t.Errorf("bias %v, %v of %d places: %d, want %d", x.bias, x.draw, x.n, got, x.want)
		}
	}
}
