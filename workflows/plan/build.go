package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Decode reads a choice's parameters strictly.
func (c Choice) Decode() envs.Decode {
	return func(v any) error {
		if err := envs.DecodeStrict(c.Params)(v); err != nil {
			return fmt.Errorf("parameters of %s: %w", c.Name, err)
		}
		return nil
	}
}

// BuildEnv builds the environment from its parameters and needs.
func (c Condition) BuildEnv(plugins catalogue.Catalogue, needs catalogue.Needs) (envs.Environment, error) {
	return buildPlugin("environment", plugins.Environments, c.Env, needs)
}

// ProgramPolicy is the name of the model whose scripted agents the user's program plays.
const ProgramPolicy = "scripted/program"

// Replayed returns the names of the campaigns whose answers the condition's models replay/NAME
// repeat.
func (c Condition) Replayed() []string {
	var names []string
	for _, m := range c.AllModels() {
		if name, ok := strings.CutPrefix(m.Name, "replay/"); ok && IsName(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// BuildRule builds the decision rule; a protocol without one gets a rule that selects nothing.
func (c Condition) BuildRule(plugins catalogue.Catalogue) (decision.Rule, error) {
	if c.Rule.Name == "" {
		return decision.None{}, nil
	}
	return buildPlugin("decision rule", plugins.Rules, c.Rule, struct{}{})
}

func buildPlugin[T, N any](kind string, list []catalogue.Plugin[T, N], c Choice, needs N) (T, error) {
	plugin, err := catalogue.Find(kind, list, c.Name)
	if err != nil {
		var none T
		return none, err
	}
	return plugin.New(c.Decode(), needs)
}

// TreatmentSeed returns the seed of the protocol's random draws in one cell. It does not depend
// on the condition, so that conditions are compared on the same draws. A fork has the seed of the
// collaboration that it continues.
func (c Campaign) TreatmentSeed(cell Cell) uint64 {
	replicate := cell.Replicate
	if cell.Condition < len(c.Conditions) {
		replicate = c.Conditions[cell.Condition].Fork.Origin(replicate)
	}
	return envs.Stream(c.Seed, "treatment", cell.Instance, replicate).Uint64()
}

// ListParameters returns the parameters of a choice, by name, as JSON.
func (c Choice) ListParameters() map[string]json.RawMessage {
	if len(c.Params) == 0 {
		return map[string]json.RawMessage{}
	}
	return Fields(c.Params)
}

// Fields returns the fields of a value as JSON has them; none if it is not an object.
func Fields(v any) map[string]json.RawMessage {
	object := map[string]json.RawMessage{}
	if json.Unmarshal(JSON(v), &object) != nil {
		return map[string]json.RawMessage{}
	}
	return object
}

// JSON returns a plain value as identities write it: fields in their order, keys of maps sorted.
func JSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("plan: " + err.Error()) // parameters are plain values
	}
	return data
}

// MostCalls returns the most calls of one collaboration of the condition with this many agents, if
// everybody always proposes something new and nothing stops early. Re-asks, a fork's prefix and its
// replaced texts are not counted.
func (c Condition) MostCalls(plugins catalogue.Catalogue, agents int) (int, error) {
	s, err := c.newSession(plugins, agents, 0, stopping.WithoutEnd)
	if err != nil {
		return 0, err
	}
	calls := 0
	for s.Outcome() == nil {
		prefix := s.InPrefix()
		for _, p := range s.Pending() {
			_, given := s.Instead(p.Entry)
			if asked := p.Kind == transcript.Ask || p.Kind == transcript.Annotate; asked && !prefix && !given {
				calls++
			}
			if err := s.Record(p.Entry, busiestAct(p)); err != nil {
				return 0, err
			}
		}
	}
	return calls, nil
}

func busiestAct(p protocol.Pending) transcript.Act {
	return transcript.Act{Status: transcript.Said, Key: fmt.Sprint(p.Entry), Ballot: &transcript.Ballot{Abstain: true}}
}
