package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/envs"
)

// guess is the smallest environment: agents settle a whole number from 0 to 9;
// each has a favourite. flaws breaks one promise at a time.
type guess struct{ flaw string }

type observed struct {
	Most      int
	Favourite int
}

func (g guess) Version() int   { return 1 }
func (g guess) Instances() int { return 0 }
func (g guess) Measure() envs.Measure {
	if g.flaw == "no share" {
		return envs.Share
	}
	return envs.Error
}
func (g guess) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 {
		return nil, errors.New("indices start at 0")
	}
	return dealt{g, index, seed}, nil
}
func (g guess) Prompts() fs.FS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"task.tmpl":       file("Settle a number from 0 to {{.Most}}."),
		"background.tmpl": file("You like {{.Favourite}}."),
		"proposal.tmpl":   file("A whole number."),
	}
}
func (g guess) Policies() []string { return []string{"plain"} }
func (g guess) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	if name != "plain" {
		return nil, errors.New("there is one policy: plain")
	}
	p := &plain{flaw: g.flaw}
	return p, decode(&struct{}{})
}

type dealt struct {
	guess
	index int
	seed  uint64
}

func (d dealt) ID() string { return fmt.Sprint("guess-", d.index) }
func (d dealt) Agents() []envs.Agent {
	agents := []envs.Agent{{Name: "A"}, {Name: "B"}}
	if d.flaw == "another one" && d.index > 0 {
		agents = append(agents, envs.Agent{Name: "C"})
	}
	return agents
}
func (d dealt) Observe(agent int) any {
	return observed{Most: 9, Favourite: envs.Stream(d.seed, "favourite", d.index, agent).IntN(10)}
}
func (d dealt) Parse(text []byte) (envs.Proposal, error) {
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil || len(n) != 1 || strings.Contains(string(text), `"`) {
		if d.flaw == "raw error" {
			return "", fmt.Errorf("no: %s", text)
		}
		return "", errors.New("a proposal is a whole number from 0 to 9")
	}
	if d.flaw == "moving form" {
		return envs.Proposal("0" + n), nil
	}
	return envs.Proposal(n), nil
}
func (d dealt) Utility(agent int, p envs.Proposal) float64 {
	v, _ := json.Number(p).Float64()
	if d.flaw == "infinite" {
		return math.Inf(1)
	}
	return -math.Abs(v - float64(d.Observe(agent).(observed).Favourite))
}
func (d dealt) Score(p envs.Proposal) envs.Score {
	u := []float64{d.Utility(0, p), d.Utility(1, p)}
	return envs.Score{Value: u[0] + u[1], Utilities: u}
}

type plain struct {
	flaw  string
	calls int
}

func (p *plain) Message(s envs.Situation) envs.Message {
	if p.flaw == "meddles" && len(s.Messages) > 0 {
		s.Messages[0].Text = "never said"
	}
	return envs.Message{Text: fmt.Sprintf("I like %d.", s.Observation.(observed).Favourite)}
}
func (p *plain) Propose(s envs.Situation) (string, bool) {
	if p.flaw == "illegal" {
		return "ten", true
	}
	return fmt.Sprint(s.Rand.IntN(10)), true
}
func (p *plain) Value(s envs.Situation, c envs.Proposal) float64 {
	switch p.flaw {
	case "remembers":
		p.calls++
		return 1 / float64(p.calls)
	case "overrates":
		return 1.5
	}
	return 0.5
}
func (p *plain) Reserve(envs.Situation) float64 {
	if p.flaw == "no reserve" {
		return math.NaN()
	}
	return 0.25
}

func TestSoundEnvironment(t *testing.T) {
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, guess{}, Options{Private: []string{"Favourite"}}.For(guess{})) })
	}
}

// TestFlawsAreFound: each broken promise is found in play or parsing.
func TestFlawsAreFound(t *testing.T) {
	for flaw, says := range map[string]string{
		"meddles": "changes its situation", "illegal": "which Parse refuses", "remembers": "is not pure", "overrates": "Value of agent",
		"no reserve": "Reserve of agent", "infinite": "utilit", "moving form": "canonical form", "no share": "not a share", "": "",
	} {
		env := guess{flaw}
		in := DealInstance(t, env, 0)
		policy, err := env.Policy("plain", keepDefaults)
		if err != nil {
			t.Fatal(err)
		}
		found := strings.Join(playGame(env, in, policy).errs, "\n")
		if (flaw == "") != (found == "") || !strings.Contains(found, says) {
			t.Errorf("%s: found %q", flaw, found)
		}
	}
	deal := Collect(func(r Reporter) { checkDeal(r, guess{"another one"}, Options{}.For(guess{})) })
	if text := errors.Join(deal...); text == nil || !strings.Contains(text.Error(), "instance 1 has 3 agents, instance 0 has 2") {
		t.Errorf("another number of agents: %v", text)
	}
	in := DealInstance(t, guess{"raw error"}, 0)
	if err := CheckParse(in, []byte("\x00")); err == nil {
		t.Error("an error with raw bytes is not found")
	}
	if err := CheckParse(DealInstance(t, guess{}, 0), []byte("\x00")); err != nil {
		t.Error(err)
	}
}

func TestHostileList(t *testing.T) {
	different := map[string]bool{}
	for _, a := range Hostile() {
		different[a] = true
	}
	if len(different) < 100 {
		t.Errorf("%d different hostile answers", len(different))
	}
	const valid = `{"a":12.5,"b":{"c":3}}`
	mutations := strings.Join(Mutations(valid), "\n")
	for _, want := range []string{`{"a":NaN,"b":{"c":3}}`, `{"a":12.5,"b":{"c":-1}}`, `{"a":1e400,"b":{"c":1e400}}`, `{"a":12.5,"b":{"c":3},"a":12.5,"b":{"c":3}}`, valid + valid} {
		if !strings.Contains(mutations, want) {
			t.Errorf("no mutation %s", want)
		}
	}
}
