package plan

import (
	"encoding/json"
	"slices"

	"roundtable/envs/qa"
	"roundtable/workflows/protocol"
	"roundtable/workflows/seats"
)

// Agents say who the agents of a condition are: a list by seat, or a pool from which each
// collaboration draws. Stances gives each stance to a share of the agents.
type Agents struct {
	List    []Agent            `json:"list,omitempty"`
	Pool    []Agent            `json:"pool,omitempty"`
	Stances map[string]float64 `json:"stances,omitempty"`
}

// Agent is a seat with the model and parameters that play it; nil means those of the condition.
type Agent struct {
	seats.Seat
	Model    *Choice   `json:"model,omitempty"`
	Generate *Generate `json:"generate,omitempty"`
}

// Seated returns the n agents of one collaboration, drawn by its TreatmentSeed; nil if the
// condition does not describe them. The same seed seats the same agents under every protocol and
// rule.
func (c Condition) Seated(n int, seed uint64) []Agent {
	a := c.Agents
	if a == nil {
		return nil
	}
	seated := make([]Agent, n)
	copy(seated, a.List)
	if len(a.Pool) > 0 {
		for seat, i := range seats.Draw(len(a.Pool), n, seed) {
			seated[seat] = a.Pool[i]
		}
	}
	for i, s := range seats.Share(SeatsOf(seated), a.Stances, seed) {
		seated[i].Seat = s
	}
	return seated
}

// SeatsOf returns the seats of agents, in their order.
func SeatsOf(agents []Agent) []seats.Seat {
	var all []seats.Seat
	for _, a := range agents {
		all = append(all, a.Seat)
	}
	return all
}

// All returns the agents that a file describes.
func (a *Agents) All() []Agent {
	if a == nil {
		return nil
	}
	return slices.Concat(a.List, a.Pool)
}

// AgentModels returns the models of agents that have their own.
func (c Condition) AgentModels() []Choice {
	var all []Choice
	for _, a := range c.Agents.All() {
		if a.Model != nil {
			all = append(all, *a.Model)
		}
	}
	return all
}

// Reask is how a question is asked again after an unusable answer.
type Reask string

// Values of Reask. The zero value means ReaskFresh.
const (
	ReaskFresh Reask = "fresh" // the question again, with what was wrong and the form filled in, without the answer
	ReaskShown Reask = "shown" // after the answer, with what was wrong
)

// Asks returns how the agents of a condition are asked: as Reasoning says; by default, questions
// in the user's own data in the words that all protocols share, without reasons if the protocol's
// chain_of_thought is false, and others in the protocol's own.
func (c Condition) Asks() protocol.Reasoning {
	var env struct {
		Format string `json:"format"`
	}
	switch {
	case c.Reasoning != "":
		return c.Reasoning
	case c.Env.Name != "qa" || !c.SharesWords() || json.Unmarshal(c.Env.Params, &env) != nil ||
		!qa.IsOwnFormat(env.Format):
		return protocol.ReasoningPaper
	case c.AsksToThink(false):
		return protocol.ReasoningNone
	}
	return protocol.ReasoningFirst
}

// AsksToThink reports whether the condition sets its protocol's chain_of_thought to first.
func (c Condition) AsksToThink(first bool) bool {
	var given struct {
		ChainOfThought *bool `json:"chain_of_thought"`
	}
	return json.Unmarshal(c.Protocol.Params, &given) == nil && given.ChainOfThought != nil &&
		*given.ChainOfThought == first
}

// SharesWords reports whether the condition's protocol can ask questions in the words that
// protocols share.
func (c Condition) SharesWords() bool { return protocol.QuestionPrompts(c.Protocol.Name) != nil }
