package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"roundtable/envs"
)

// Policies returns the scripted agents that the program has, its default first.
func (e *Environment) Policies() []string { return e.described.Policies }

// Policy returns a scripted agent that the program plays. It has no parameters.
func (e *Environment) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	if !slices.Contains(e.described.Policies, name) {
		return nil, envs.NewPolicyError("program", name, e.described.Policies)
	}
	if err := decode(&struct{}{}); err != nil {
		return nil, fmt.Errorf("program: policy %s: %w", name, err)
	}
	return policy{e.link, name}, nil
}

// NewPolicy returns a scripted agent that a program plays in any environment; the program is
// given the agent's observation there as its view.
func NewPolicy(p Params, asker Asker) (envs.Policy, error) {
	l, err := newLink(p, asker)
	return policy{l, "program"}, err
}

// policy is one scripted agent of a program.
type policy struct {
	link link
	name string
}

// Message asks what the agent says.
func (p policy) Message(s envs.Situation) envs.Message {
	type said struct {
		Text string `json:"text"`
		To   []int  `json:"to"`
	}
	m := askAct(p, "message", s, nil, func(m said) error {
		for _, to := range m.To {
			if to < 0 || to >= len(s.Agents) || to == s.Agent {
				return fmt.Errorf("to names agent %d; it may name other agents, from 0 to %d", to, len(s.Agents)-1)
			}
		}
		return checkText("text", m.Text, true)
	})
	return envs.Message{From: s.Agent, To: m.To, Text: m.Text}
}

// Propose asks for the agent's proposal.
func (p policy) Propose(s envs.Situation) (string, bool) {
	type proposed struct {
		Proposal json.RawMessage `json:"proposal"`
	}
	made := askAct(p, "propose", s, nil, func(r proposed) error {
		_, err := canonicalJSON(r.Proposal, mostProposal)
		return err
	})
	if string(made.Proposal) == "null" {
		return "", false
	}
	return string(made.Proposal), true
}

// value is a number from 0 to 1.
type value struct {
	Value *float64 `json:"value"`
}

func checkValue(v value) error {
	if v.Value == nil || !(*v.Value >= 0 && *v.Value <= 1) {
		return fmt.Errorf("value is a number from 0 to 1")
	}
	return nil
}

// Value asks how much the agent likes a candidate.
func (p policy) Value(s envs.Situation, candidate envs.Proposal) float64 {
	return *askAct(p, "value", s, json.RawMessage(candidate), checkValue).Value
}

// Reserve asks below which value the agent would rather choose nothing.
func (p policy) Reserve(s envs.Situation) float64 {
	return *askAct(p, "reserve", s, nil, checkValue).Value
}

// askAct puts one question to the program about what an agent does.
func askAct[T any](p policy, do string, s envs.Situation, candidate json.RawMessage, check func(T) error) T {
	with := situationFields(s)
	with["policy"], with["do"] = p.name, do
	if candidate != nil {
		with["candidate"] = candidate
	}
	return mustAsk(p.link, "act", false, fmt.Sprintf("what the policy %s does (%s)", p.name, do), with, check)
}

// situationFields returns what an agent knows, as fields of a question.
func situationFields(s envs.Situation) fields {
	type message struct {
		From int    `json:"from"` // -1 is a speaker with a role
		To   []int  `json:"to"`   // none means everybody
		Text string `json:"text"`
	}
	type offer struct {
		Agent    int             `json:"agent"`
		Round    int             `json:"round"`
		Proposal json.RawMessage `json:"proposal"`
	}
	type note struct {
		Phase    string          `json:"phase"`
		Agent    int             `json:"agent"`
		Text     string          `json:"text"`
		Proposal json.RawMessage `json:"proposal"`
	}
	names, messages, offers, notes := []string{}, []message{}, []offer{}, []note{}
	for _, a := range s.Agents {
		names = append(names, a.Name)
	}
	for _, m := range s.Messages {
		messages = append(messages, message{m.From, append([]int{}, m.To...), m.Text})
	}
	for _, o := range s.Offers {
		offers = append(offers, offer{o.Agent, o.Round, rawProposal(o.Proposal)})
	}
	for _, n := range s.Notes {
		notes = append(notes, note{n.Phase, n.Agent, n.Text, rawProposal(n.Proposal)})
	}
	seed := uint64(0)
	if s.Rand != nil {
		seed = s.Rand.Uint64()
	}
	with := fields{
		"agent": s.Agent, "role": s.Role, "agents": names, "round": s.Round, "rounds": s.Rounds, "messages": messages,
		"offers":   offers,
		"standing": rawProposal(s.Standing), "notes": notes, "weights": s.Weights, "seed": strconv.FormatUint(seed, 10),
		"view": json.RawMessage("null"),
	}
	o, ours := s.Observation.(Observation)
	switch {
	case ours && o.View != nil:
		with["view"] = o.View
	case !ours:
		if view, err := json.Marshal(s.Observation); err == nil {
			with["view"] = json.RawMessage(view)
		}
	}
	return with
}

// rawProposal returns a proposal as JSON; null for none.
func rawProposal(p envs.Proposal) json.RawMessage {
	if p == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(p)
}
