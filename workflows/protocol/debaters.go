package protocol

import (
	"fmt"
	"slices"

	"roundtable/envs"
)

// Removal takes an agent out of a debate: it neither speaks nor is heard or
// counted. In JSON it is the agent's index (from 0), or {"agent": 2, "from": 3}
// if it is there until round 3 begins.
type Removal struct {
	Agent int `json:"agent"`
	From  int `json:"from,omitempty"` // round, from 1
}

// UnmarshalJSON accepts both forms.
func (r *Removal) UnmarshalJSON(data []byte) error {
	*r = Removal{From: 1}
	type plain Removal
	if eitherForm(data, &r.Agent, (*plain)(r)) != nil {
		return fmt.Errorf("%s is not a removal; an agent's index is, or {agent: 2, from: 3}", data)
	}
	return nil
}

func (p DebateParams) checkRemovals(agents int) error {
	for _, r := range p.Remove {
		if r.Agent < 0 || r.Agent >= agents || r.From < 1 {
			return fmt.Errorf("remove names agent %d from round %d on; agents are 0 to %d and rounds begin at 1",
				r.Agent, r.From, agents-1)
		}
	}
	if len(p.presentAgents(agents, p.Rounds+1)) == 0 {
		return fmt.Errorf("remove leaves nobody in round %d", p.Rounds+1)
	}
	return nil
}

// presentAgents returns those of the agents that are there in a round, by index.
func (p DebateParams) presentAgents(agents, round int) []int {
	var there []int
	for i := range agents {
		if !slices.ContainsFunc(p.Remove, func(r Removal) bool { return r.Agent == i && r.From <= round }) {
			there = append(there, i)
		}
	}
	return there
}

// presentIn returns the agents that are present in a round, by index.
func (d *Debate) presentIn(round int) []int { return d.params.presentAgents(d.setting.Agents, round) }

// askedIn returns the agents that answer in a round.
func (d *Debate) askedIn(round int) []int {
	asked := d.presentIn(round)
	if round > 1 && d.params.Viewpoints.Scaling != "" && d.params.Viewpoints.Receivers == ReceiversOne {
		return asked[:1]
	}
	return asked
}

// Values of Viewpoints.Receivers.
const (
	ReceiversAll = "all"
	ReceiversOne = "one"
)

// Viewpoints are first answers that were sampled before; agents are added in
// one of three orders (paper 4, Figure 6).
type Viewpoints struct {
	// Scaling is correct_first, incorrect_first or alternating (a correct one
	// begins); empty asks the agents themselves.
	Scaling string `json:"scaling"`
	Each    int    `json:"each"` // how many of the first kind come before the other: 40
	// Receivers are all agents, each of whom sees the others' viewpoints and
	// answers; or one, the first agent, who alone does.
	Receivers string `json:"receivers"`
}

func (v Viewpoints) check(agents int) error {
	switch v.Scaling {
	case "", "correct_first", "incorrect_first", "alternating":
	default:
		return fmt.Errorf("viewpoints.scaling is %q; expected correct_first, incorrect_first or alternating", v.Scaling)
	}
	if v.Receivers != ReceiversAll && v.Receivers != ReceiversOne {
		return fmt.Errorf("viewpoints.receivers is %q; expected all or one", v.Receivers)
	}
	if v.Scaling != "" && (v.Each < 1 || agents > 2*v.Each) {
		return fmt.Errorf("viewpoints.each is %d; %d agents need at least %d", v.Each, agents, (agents+1)/2)
	}
	return nil
}

// cueOf returns the viewpoint of an agent.
func (v Viewpoints) cueOf(agent int) envs.Cue {
	kinds := []string{"correct", "incorrect"}
	if v.Scaling == "incorrect_first" {
		kinds = []string{"incorrect", "correct"}
	}
	if v.Scaling == "alternating" {
		return envs.Cue{Name: kinds[agent%2], N: agent / 2}
	}
	return envs.Cue{Name: kinds[agent/v.Each], N: agent % v.Each}
}
