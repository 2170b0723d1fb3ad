package publicgoods

import (
	"fmt"
	"slices"

	"roundtable/envs"
)

// Conditional holds the parameters of the scripted agents: what an agent first proposes for
// everybody, and how it follows the others. It comes up to, or down to, what others propose
// (conditional cooperation: Fischbacher, Gächter and Fehr 2001), and asks less of itself than of
// them.
type Conditional struct {
	Opening  float64 `json:"opening"`  // share of the endowment that it first proposes, 0 to 1
	Noise    float64 `json:"noise"`    // standard deviation of Opening between agents, 0 to 1
	Follow   float64 `json:"follow"`   // share of the distance to what others propose that it moves each round, 0 to 1
	Discount float64 `json:"discount"` // share of what it asks of others that it does not ask of itself, 0 to 1
}

// Policies returns cooperator, who follows the others, and freerider, who would
// have the others pay.
func (*Game) Policies() []string { return []string{"cooperator", "freerider"} }

// Policy builds a scripted agent; both take the parameters of Conditional.
func (g *Game) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	var c Conditional
	switch name {
	case "cooperator":
		c = Conditional{Opening: 0.6, Noise: 0.2, Follow: 0.5, Discount: 0.1}
	case "freerider":
		c = Conditional{Opening: 0.9, Noise: 0.1, Follow: 0.1, Discount: 1}
	default:
		return nil, envs.NewPolicyError("publicgoods", name, g.Policies())
	}
	if err := decode(&c); err != nil {
		return nil, fmt.Errorf("publicgoods: policy %s: %w", name, err)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"opening", c.Opening}, {"noise", c.Noise}, {"follow", c.Follow}, {"discount", c.Discount}} {
		if !(p.value >= 0 && p.value <= 1) {
			return nil, fmt.Errorf("publicgoods: policy %s: %s is %v; it is from 0 to 1", name, p.name, p.value)
		}
	}
	return c, nil
}

// Message names what the agent would have everybody contribute.
func (c Conditional) Message(s envs.Situation) envs.Message {
	o := s.Observation.(Observation)
	return envs.Message{From: s.Agent, Text: fmt.Sprintf("I suggest that we contribute about %s each.",
		formatNumber(c.levelAsked(s)*o.Endowment))}
}

// Propose asks the same of all others, and less of itself.
func (c Conditional) Propose(s envs.Situation) (string, bool) {
	o := s.Observation.(Observation)
	given := slices.Repeat([]float64{c.levelAsked(s) * o.Endowment}, len(o.Agents))
	given[s.Agent] *= 1 - c.Discount
	return string(canonicalProposal(given, o.Agents)), true
}

// levelAsked returns the share of an endowment that the agent asks of others now.
func (c Conditional) levelAsked(s envs.Situation) float64 {
	o := s.Observation.(Observation)
	own := c.Opening
	if s.Rand != nil {
		own += c.Noise * s.Rand.NormFloat64()
	}
	own = max(0, min(1, own))
	others, n := 0.0, 0.0
	for _, offer := range s.Offers {
		given := contributionsOf(offer.Proposal, o.Agents)
		switch mean := sum(given) / float64(len(given)) / o.Endowment; {
		case offer.Agent == s.Agent && offer.Round < s.Round: // where it stood
			own = given[(s.Agent+1)%len(given)] / o.Endowment
		case offer.Agent != s.Agent && offer.Round == s.Round-1:
			others, n = others+mean, n+1
		}
	}
	if n > 0 {
		own += c.Follow * (others/n - own)
	}
	return max(0, min(1, own))
}

// Value returns the agent's payoff on a scale from its worst (0) to its best possible one (1).
func (c Conditional) Value(s envs.Situation, p envs.Proposal) float64 {
	o := s.Observation.(Observation)
	return c.scalePayoff(o, payoffOf(contributionsOf(p, o.Agents), s.Agent, o.Endowment, o.Return))
}

// Reserve returns the value, as by Value, of nobody contributing anything.
func (c Conditional) Reserve(s envs.Situation) float64 {
	o := s.Observation.(Observation)
	return c.scalePayoff(o, o.Endowment)
}

// scalePayoff maps payoffs to 0 (it alone contributes) to 1 (all others do).
func (Conditional) scalePayoff(o Observation, payoff float64) float64 {
	worst := o.Return * o.Endowment
	best := o.Endowment * (1 + o.Return*float64(len(o.Agents)-1))
	return max(0, min(1, (payoff-worst)/(best-worst)))
}
