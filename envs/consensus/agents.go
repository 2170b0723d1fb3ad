package consensus

import (
	"errors"
	"fmt"

	"roundtable/envs"
)

// Mixture are the parameters of a scripted agent that draws a strategy of
// paper 5 (§3.1) for each move. The shares need not add up to 1.
type Mixture struct {
	// Average goes to the weighted mean of all it sees, itself included.
	Average float64 `json:"average"`
	// AverageWithoutSelf leaves itself out of the mean.
	AverageWithoutSelf float64 `json:"average_without_self"`
	// Suggestible goes where most of the others are; between equals by lot.
	Suggestible float64 `json:"suggestible"`
	// Stubborn stays.
	Stubborn float64 `json:"stubborn"`
	// Erroneous goes to a random place among those where agents can start.
	Erroneous float64 `json:"erroneous"`
}

// Mistaken are the parameters of the policy erroneous.
type Mistaken struct {
	P float64 `json:"p"` // probability of an erroneous move instead of the average
}

// Policies returns the scripted agents: by the agent's personality, with one strategy, or with a
// mixture.
func (t *Task) Policies() []string {
	return []string{"personality", "average", "average_without_self", "suggestible", "stubborn", "erroneous", "mixture"}
}

// Policy builds a scripted agent.
func (t *Task) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	m := Mixture{}
	var err error
	switch name {
	case "personality":
		err = decode(&struct{}{})
		return agent{byPersonality: true}, wrapError(name, err)
	case "average":
		m.Average, err = 1, decode(&struct{}{})
	case "average_without_self":
		m.AverageWithoutSelf, err = 1, decode(&struct{}{})
	case "suggestible":
		m.Suggestible, err = 1, decode(&struct{}{})
	case "stubborn":
		m.Stubborn, err = 1, decode(&struct{}{})
	case "erroneous":
		mistaken := Mistaken{P: 0.05}
		if err = decode(&mistaken); err == nil && !(mistaken.P >= 0 && mistaken.P <= 1) {
			err = fmt.Errorf("p is %v; it is a probability from 0 to 1", mistaken.P)
		}
		m.Erroneous, m.Average = mistaken.P, 1-mistaken.P
	case "mixture": // mostly the average, as §3.1 finds
		m = Mixture{Average: 0.7, AverageWithoutSelf: 0.15, Suggestible: 0.08, Stubborn: 0.05, Erroneous: 0.02}
		if err = decode(&m); err == nil {
			err = m.check()
		}
	default:
		return nil, envs.NewPolicyError("consensus", name, t.Policies())
	}
	return agent{mixture: m}, wrapError(name, err)
}

func wrapError(policy string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("consensus: policy %s: %w", policy, err)
}

func (m Mixture) sharesByStrategy() []float64 {
	return []float64{m.Average, m.AverageWithoutSelf, m.Suggestible, m.Stubborn, m.Erroneous}
}

func (m Mixture) check() error {
	sum := 0.0
	for _, v := range m.sharesByStrategy() {
		if !(v >= 0 && v <= largest) {
			return fmt.Errorf("a share is %v; shares are from 0 on", v)
		}
		sum += v
	}
	if sum == 0 {
		return errors.New("all shares are 0; one at least is more")
	}
	return nil
}

// agent is a scripted agent.
type agent struct {
	mixture       Mixture
	byPersonality bool
}

// drawStrategy draws one by its share; the draw is the first of the situation's stream.
func (a agent) drawStrategy(s envs.Situation, o Observation) func(envs.Situation, view, Observation) []float64 {
	m := a.mixture
	if a.byPersonality {
		m = map[string]Mixture{None: {Average: 1}, Stubborn: {Stubborn: 1},
			Suggestible: {Suggestible: 1}}[o.Personality]
	}
	all := []func(envs.Situation, view, Observation) []float64{moveToAverage, averageWithoutSelf, moveToMajority,
		stayPut, moveAnywhere}
	shares := m.sharesByStrategy()
	sum := 0.0
	for _, v := range shares {
		sum += v
	}
	left := s.Rand.Float64() * sum
	for i, v := range shares {
		if left -= v; left < 0 {
			return all[i]
		}
	}
	return moveToAverage
}

// Propose returns where the agent wants to be.
func (a agent) Propose(s envs.Situation) (string, bool) {
	o := s.Observation.(Observation)
	x := a.drawStrategy(s, o)(s, latestPositions(s, o), o)
	if o.Bounds != nil {
		for k := range x {
			x[k] = min(max(x[k], o.Bounds.Low), o.Bounds.High)
		}
	}
	return string(formatPosition(x)), true
}

// Message says where the agent is.
func (a agent) Message(s envs.Situation) envs.Message {
	return envs.Message{From: s.Agent, Text: "I am at " +
		string(formatPosition(latestPositions(s, s.Observation.(Observation)).own)) + "."}
}

// Value falls with the distance from the mean of what the agent sees.
func (a agent) Value(s envs.Situation, p envs.Proposal) float64 {
	o := s.Observation.(Observation)
	mean := moveToAverage(s, latestPositions(s, o), o)
	x, ok := readPosition(p)
	if !ok || len(x) != len(mean) {
		return 0
	}
	return 1 / (1 + distanceBetween(mean, x)/max(o.High-o.Low, 1))
}

// Reserve returns 0: any agreement is better than none.
func (a agent) Reserve(envs.Situation) float64 { return 0 }
