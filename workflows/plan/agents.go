package plan

import (
	"encoding/json"
	"slices"

	"roundtable/envs/qa"
	"roundtable/workflows/protocol"
	"roundtable/workflows/seats"
)

// Agents say who the agents of a condition are: a list by seat, or a pool from
// which each collaboration draws. Shares of all agents have a stance.
type Agents struct {
	List    []Agent            `json:"list,omitempty"`
	Pool    []Agent            `json:"pool,omitempty"`
	Stances map[string]float64 `json:"stances,omitempty"`
}

// Agent is a seat with what it is played by; without a model and without parameters,
// those of the condition.
type Agent struct {
	seats.Seat
	Model    *Choice   `json:"model,omitempty"`
	Generate *Generate `json:"generate,omitempty"`
}

// Seated returns the n agents of one collaboration by its treatment's seed; nothing
// if the condition says nothing of them. The same seed seats the same agents under
// every protocol and rule.
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

// AgentModels returns the models that agents have for their own.
func (c Condition) AgentModels() []Choice {
	var all []Choice
	for _, a := range c.Agents.All() {
		if a.Model != nil {
			all = append(all, *a.Model)
		}
	}
	return all
}

// Reask is how a question is put again after an answer that cannot be used.
type Reask string

// The ways of it. The zero value is the first.
const (
	ReaskFresh Reask = "fresh" // the question again, with what was wrong and the form filled in, without the answer
	ReaskShown Reask = "shown" // after the answer, with what was wrong
)

// Asks returns how the agents of a condition are asked: questions of one's own in the
// words that all protocols share, unless it says otherwise, and without reasons if its
// protocol asks for no chain of thought.
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

// AsksToThink reports whether the condition's protocol is given that chain of thought.
func (c Condition) AsksToThink(first bool) bool {
	var given struct {
		ChainOfThought *bool `json:"chain_of_thought"`
	}
	return json.Unmarshal(c.Protocol.Params, &given) == nil && given.ChainOfThought != nil &&
		*given.ChainOfThought == first
}

// SharesWords reports whether the condition's protocol can ask questions in the words that
// several share.
func (c Condition) SharesWords() bool { return protocol.QuestionPrompts(c.Protocol.Name) != nil }
