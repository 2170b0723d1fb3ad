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
// words that all protocols share, unless it says otherwise.
func (c Condition) Asks() protocol.Reasoning {
	var env struct {
		Format string `json:"format"`
	}
	switch {
	case c.Reasoning != "":
		return c.Reasoning
	case c.Env.Name == "qa" && c.sharesWords() && json.Unmarshal(c.Env.Params, &env) == nil && qa.IsOwnFormat(env.Format):
		return protocol.ReasoningFirst
	}
	return protocol.ReasoningPaper
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
	if keys["protocol"] == nil {
		return // which is an error of its own
	}
	if thinks := valueOf(keys["protocol"], "chain_of_thought"); thinks != nil && c.Asks() != protocol.ReasoningPaper && thinks.Value == "false" {
		p.errs.add(thinks, "protocol.chain_of_thought", "is false, and these questions are asked for reasons first; write reasoning: none, or reasoning: paper for the protocol's own words")
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
	p.errs.add(n, key, "is %s; %s is accepted", shortText(n), wording.Or(names))
}
