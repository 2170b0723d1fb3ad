package plan

import (
	"encoding/json"
	"fmt"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// Fork says from which collaborations those of a condition go on, from which point on
// they are other ones, and what is changed there. It is part of the condition's identity.
type Fork struct {
	Campaign   string `json:"campaign"`
	Condition  string `json:"condition"`  // of that campaign, by its id
	Replicates int    `json:"replicates"` // that it had
	Round      int    `json:"round,omitempty"`
	Entry      int    `json:"entry,omitempty"`
	// Was holds the keys of the condition that are changed, as they were; null if they were not given.
	Was     ForkedKeys             `json:"was,omitempty"`
	Drop    []int                  `json:"drop,omitempty"`
	Remove  []protocol.Message     `json:"remove,omitempty"`
	Replace []protocol.Replacement `json:"replace,omitempty"`
}

// ForkedKeys are keys of a condition with their values in JSON.
type ForkedKeys map[string]json.RawMessage

// IsControl reports whether nothing is changed: what differs is chance.
func (f *Fork) IsControl() bool {
	return f != nil && len(f.Was)+len(f.Drop)+len(f.Remove)+len(f.Replace) == 0
}

// Origin returns the replicate of the original from which a replicate goes on. Each
// replicate of the original is gone on from as often as the fork has replicates.
func (f *Fork) Origin(replicate int) int {
	if f == nil || f.Replicates < 1 {
		return replicate
	}
	return replicate % f.Replicates
}

// OriginID returns the id of the collaboration that a cell goes on from.
func (f *Fork) OriginID(c Cell) string {
	return f.Condition + Cell{Instance: c.Instance, Replicate: f.Origin(c.Replicate)}.Suffix()
}

// Draws returns the replicate by which answers are drawn and cached: those after a fork
// are other ones than the original's, also where nothing is changed.
func (f *Fork) Draws(replicate int) int {
	if f == nil {
		return replicate
	}
	return replicate + f.Replicates
}

// Original returns the condition that a fork's collaborations go on from.
func (c Condition) Original() (Condition, error) {
	f := c.Fork
	keys := objectOf(c)
	delete(keys, "fork")
	for key, was := range f.Was {
		if keys[key] = was; string(was) == "null" {
			delete(keys, key)
		}
	}
	var original Condition
	if err := json.Unmarshal(jsonOf(keys), &original); err != nil {
		return original, fmt.Errorf("the condition %s of %s: %w", f.Condition, f.Campaign, err)
	}
	if id := original.ID(); id != f.Condition {
		return original, fmt.Errorf("the condition %s of %s cannot be made again: what is said of it gives %s", f.Condition, f.Campaign, id)
	}
	return original, nil
}

// parts builds what drives a session of the condition.
func (c Condition) parts(plugins catalogue.Catalogue, agents int, seed uint64, stop func(stopping.Rule) stopping.Rule) (by protocol.Parts, err error) {
	if a := c.Agents; a != nil && len(a.Pool) > 0 && len(a.Pool) < agents {
		return by, fmt.Errorf("the pool has %d agents, the group %d", len(a.Pool), agents)
	}
	rule, err := c.BuildRule(plugins)
	if err != nil {
		return by, err
	}
	by.Setting = protocol.Setting{Agents: agents, Rule: rule, Seed: seed, Seats: seatsOf(c.Seated(agents, seed))}
	if by.Protocol, err = buildPlugin("protocol", plugins.Protocols, c.Protocol, by.Setting); err != nil {
		return by, err
	}
	rules, err := buildPlugin[stopping.Rule]("stopping rule", plugins.Stopping, c.Stop, struct{}{})
	if err != nil {
		return by, err
	}
	by.Stop = stop(rules)
	return by, nil
}

// Session starts a collaboration of that many agents; seed is the treatment's.
func (c Condition) Session(plugins catalogue.Catalogue, agents int, seed uint64) (*protocol.Session, error) {
	return c.session(plugins, agents, seed, func(stop stopping.Rule) stopping.Rule { return stop })
}

// session is Session with other stopping rules.
func (c Condition) session(plugins catalogue.Catalogue, agents int, seed uint64, stop func(stopping.Rule) stopping.Rule) (*protocol.Session, error) {
	by, err := c.parts(plugins, agents, seed, stop)
	if err != nil {
		return nil, err
	}
	f := c.Fork
	if f == nil {
		return protocol.Begin(by.Protocol, by.Setting, by.Stop)
	}
	original, err := c.Original()
	if err != nil {
		return nil, err
	}
	before, err := original.parts(plugins, agents, seed, stop)
	if err != nil {
		return nil, err
	}
	return protocol.BeginFork(protocol.Fork{Before: before, Round: f.Round, Entry: f.Entry, Drop: f.Drop, Remove: f.Remove, Replace: f.Replace}, by)
}
