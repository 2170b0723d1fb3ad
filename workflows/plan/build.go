package plan

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
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

// BuildEnv builds the environment from what it needs besides its parameters.
func (c Condition) BuildEnv(plugins catalogue.Catalogue, needs catalogue.Needs) (envs.Environment, error) {
	return buildPlugin("environment", plugins.Environments, c.Env, needs)
}

// ProgramPolicy is the model whose scripted agents a program of the user's plays.
const ProgramPolicy = "scripted/program"

// Replayed returns the campaigns whose answers models of the condition give again.
func (c Condition) Replayed() []string {
	var names []string
	for _, m := range c.AllModels() {
		if name, ok := strings.CutPrefix(m.Name, "replay/"); ok && validName.MatchString(name) && !slices.Contains(names, name) {
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

// Session starts a collaboration of that many agents; seed is the treatment's.
func (c Condition) Session(plugins catalogue.Catalogue, agents int, seed uint64) (*protocol.Session, error) {
	rule, err := c.BuildRule(plugins)
	if err != nil {
		return nil, err
	}
	if a := c.Agents; a != nil && len(a.Pool) > 0 && len(a.Pool) < agents {
		return nil, fmt.Errorf("the pool has %d agents, the group %d", len(a.Pool), agents)
	}
	set := protocol.Setting{Agents: agents, Rule: rule, Seed: seed, Seats: seatsOf(c.Seated(agents, seed))}
	p, err := buildPlugin("protocol", plugins.Protocols, c.Protocol, set)
	if err != nil {
		return nil, err
	}
	stop, err := buildPlugin[stopping.Rule]("stopping rule", plugins.Stopping, c.Stop, struct{}{})
	if err != nil {
		return nil, err
	}
	return protocol.Begin(p, set, stop)
}

func buildPlugin[T, N any](kind string, list []catalogue.Plugin[T, N], c Choice, needs N) (T, error) {
	plugin, err := catalogue.Find(kind, list, c.Name)
	if err != nil {
		var none T
		return none, err
	}
	return plugin.New(decodeFormer(plugin.Former, c, c.Decode()), needs)
}

// TreatmentSeed returns the seed of what belongs to the protocol in one cell. It
// leaves the condition out, so that conditions are compared on the same draws.
func (c Campaign) TreatmentSeed(cell Cell) uint64 {
	return envs.Stream(c.Seed, "treatment", cell.Instance, cell.Replicate).Uint64()
}
