package joint

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"roundtable/envs"
)

// Facts are what an agent knows, each by a name, as JSON.
type Facts map[string]json.RawMessage

// Put adds a plain value, such as a finite number or a text, under a name.
func (f Facts) Put(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic("joint: " + name + ": " + err.Error()) // plain values always marshal
	}
	f[name] = data
}

// Mind is a domain as one agent knows it.
type Mind interface {
	Domain
	Facts() Facts
	// Assume returns an estimate from the agent's own facts and those that others told it.
	Assume(told []Facts, d Doubt) string
	// Know returns an estimate from all facts.
	Know(all Facts) string
}

// Sharer holds the parameters of scripted agents that tell what they know.
type Sharer struct {
	// Share is the probability that a message tells each fact, 0 to 1.
	Share float64 `json:"share"`
	// Noise is the standard deviation of log(number heard / number told), 0 to 2.
	Noise float64 `json:"noise"`
	// Trust is the probability that it adopts the solver's proposal, 0 to 1.
	Trust float64 `json:"trust"`
	// Skill is the probability that its own plan is the best one, not a greedy one, 0 to 1.
	Skill float64 `json:"skill"`
	// Excess is what it adds to every amount of a resource that it estimates, 0 to 1,000.
	Excess float64 `json:"excess"`

	mind func(observation any) Mind
}

// Doubt is how an agent's estimate differs from what it knows and was told; its zero value means
// not at all.
type Doubt struct {
	Sharer
	rand *rand.Rand
}

// Heard returns v as the agent understood it: with Sharer.Noise, to two decimals.
func (d Doubt) Heard(v float64) float64 {
	if d.rand == nil {
		return v
	}
	return math.Round(100*v*math.Exp(d.Noise*d.rand.NormFloat64())) / 100
}

// Tidy returns a sum of decimals without the noise of binary fractions, as 33.6
// and not 33.599999999999994.
func Tidy(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// NewSharer returns the scripted agent; by default it tells all, understands all without noise,
// and plans best. mind returns what an agent knows from its observation.
func NewSharer(mind func(observation any) Mind, decode envs.Decode) (envs.Policy, error) {
	s := Sharer{Share: 1, Trust: 1, Skill: 1}
	if err := decode(&s); err != nil {
		return nil, err
	}
	s.mind = mind
	within := func(name string, v, high float64) error {
		if v >= 0 && v <= high {
			return nil
		}
		return fmt.Errorf("%s is %v; it is from 0 to %v", name, v, high)
	}
	return s, errors.Join(within("share", s.Share, 1), within("noise", s.Noise, 2), within("trust", s.Trust, 1),
		within("skill", s.Skill, 1),
		within("excess", s.Excess, 1000))
}

// Message tells facts that it knows, as one JSON object.
func (s Sharer) Message(sit envs.Situation) envs.Message {
	facts := s.mind(sit.Observation).Facts()
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		if sit.Rand.Float64() >= s.Share {
			delete(facts, name)
		}
	}
	data, err := json.Marshal(facts)
	if err != nil || len(facts) == 0 {
		return envs.Message{Text: "I have nothing to add."}
	}
	return envs.Message{Text: "What I know: " + string(data)}
}

// factsInMessages returns what messages said, by speaker, later ones on top; all is what a
// speaker that is not an agent said, nil if none did.
func factsInMessages(sit envs.Situation) (others []Facts, all Facts) {
	by := map[int]Facts{}
	for _, m := range sit.Messages {
		facts := parseFacts(m.Text)
		if m.From == sit.Agent || len(facts) == 0 {
			continue
		}
		if by[m.From] == nil {
			by[m.From] = Facts{}
		}
		maps.Copy(by[m.From], facts)
	}
	for _, from := range slices.Sorted(maps.Keys(by)) {
		if from >= 0 {
			others = append(others, by[from])
		}
	}
	return others, by[-1]
}

// parseFacts returns the facts of a message, as far as they arrived: it may have been cut.
func parseFacts(text string) Facts {
	facts := Facts{}
	dec := json.NewDecoder(strings.NewReader(text[max(0, strings.IndexByte(text, '{')):]))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return facts
	}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		facts[name.(string)] = value // keys of an object are strings
	}
	return facts
}

// Estimate returns its estimate of the state.
func (s Sharer) Estimate(sit envs.Situation) string {
	mind := s.mind(sit.Observation)
	others, all := factsInMessages(sit)
	if all != nil {
		return mind.Know(all)
	}
	return mind.Assume(others, Doubt{s, sit.Rand})
}

// latestEstimate returns its last estimate, made now if it made none.
func (s Sharer) latestEstimate(sit envs.Situation) (estimate string, tool envs.Proposal) {
	for _, n := range sit.Notes {
		switch {
		case n.Proposal != "":
			tool = n.Proposal
		case n.Phase == "observation":
			estimate, tool = n.Text, ""
		}
	}
	if estimate == "" {
		estimate = s.Estimate(sit)
	}
	return estimate, tool
}

// Propose returns the solver's proposal or a plan of its own.
func (s Sharer) Propose(sit envs.Situation) (string, bool) {
	estimate, tool := s.latestEstimate(sit)
	if trusts := sit.Rand.Float64() < s.Trust; trusts && tool != "" {
		return string(tool), true
	}
	mind := s.mind(sit.Observation)
	p := mind.Problem(estimate)
	if sit.Rand.Float64() < s.Skill {
		return string(mind.Proposal(Solve(p, Nodes).Choice)), true
	}
	return string(mind.Proposal(greedyChoice(p))), true
}

// greedyChoice takes items by their best option's value while they fit.
func greedyChoice(p Problem) []int {
	choice := make([]int, len(p.Items))
	for i, options := range p.Items {
		for o := range options {
			if options[o].Value > options[choice[i]].Value {
				choice[i] = o
			}
		}
	}
	kept, _ := Keep(p, choice, ByValue(p, choice))
	for i := range choice {
		if !slices.Contains(kept, i) {
			choice[i] = -1
		}
	}
	return choice
}

// Value returns c's reward as a share of the greatest one, both by its estimate; 0 if c is
// infeasible by it.
func (s Sharer) Value(sit envs.Situation, c envs.Proposal) float64 {
	mind := s.mind(sit.Observation)
	estimate, _ := s.latestEstimate(sit)
	p := mind.Problem(estimate)
	reward, feasible := p.Value(mind.Choice(c))
	return min(1, shareOfBest(reward, feasible, Solve(p, Nodes).Value))
}

// Reserve starts at 1 and falls by 0.1 a round, to 0.5.
func (s Sharer) Reserve(sit envs.Situation) float64 {
	return max(0.5, 1-0.1*float64(sit.Round-1)) - 1e-6
}
