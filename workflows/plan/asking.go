package plan

import (
	"encoding/json"
	"slices"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/qa"
	"roundtable/envs/wording"
	"roundtable/workflows/protocol"
)

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
	case c.Env.Name != "qa" || !c.sharesWords() || json.Unmarshal(c.Env.Params, &env) != nil || !qa.IsOwnFormat(env.Format):
		return protocol.ReasoningPaper
	case c.asksToThink(false):
		return protocol.ReasoningNone
	}
	return protocol.ReasoningFirst
}

// asksToThink reports whether the condition's protocol is given that chain of thought.
func (c Condition) asksToThink(first bool) bool {
	var given struct {
		ChainOfThought *bool `json:"chain_of_thought"`
	}
	return json.Unmarshal(c.Protocol.Params, &given) == nil && given.ChainOfThought != nil && *given.ChainOfThought == first
}

// sharesWords reports whether the condition's protocol can ask questions in the words that
// several share.
func (c Condition) sharesWords() bool { return protocol.QuestionPrompts(c.Protocol.Name) != nil }

// checkReasoning refuses what the condition's protocol or environment cannot do.
func (p *parser) checkReasoning(c Condition, keys map[string]*yaml.Node) {
	n := keys["reasoning"]
	if n != nil && (c.Env.Name != "qa" || !c.sharesWords()) {
		p.errs.add(n, "reasoning", "goes with the environment qa and the protocols debate, discussion and roundtable; leave it out")
	}
	for reasoning, opposite := range map[protocol.Reasoning]bool{protocol.ReasoningFirst: false, protocol.ReasoningNone: true} {
		if c.Reasoning == reasoning && c.asksToThink(opposite) {
			p.errs.add(valueOf(keys["protocol"], "chain_of_thought"), "protocol.chain_of_thought", "is %t, and reasoning is %s; leave one of them out", opposite, reasoning)
		}
	}
}

// parseWord reads one of a few words; what is not given stays.
func parseWord[T ~string](p *parser, n *yaml.Node, key string, v *T, accepted ...T) {
	if n == nil {
		return
	}
	if n.Kind == yaml.ScalarNode && slices.Contains(accepted, T(n.Value)) {
		*v = T(n.Value)
		return
	}
	names := make([]string, len(accepted))
	for i, a := range accepted {
		names[i] = string(a)
	}
	p.errs.add(n, key, "is %s; expected %s", shortText(n), wording.Or(names))
}
