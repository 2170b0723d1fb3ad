package plan

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
)

// checkRule is needed by protocols that vote, and refused with the others.
func (p *parser) checkRule(n *yaml.Node, c *Condition) {
	proto, err := catalogue.Find("protocol", p.host.Catalogue.Protocols, c.Protocol.Name)
	if err != nil || !proto.Traits.Ruleless {
		p.parseChoice(n, "rule", pluginNames(p.host.Catalogue.Rules), &c.Rule)
	} else if n != nil {
		p.errs.add(n, "rule", "the protocol %s decides without a rule; leave it out", proto.Name)
	}
}

// checkStop refuses a stopping rule that would never end the rounds of a protocol of
// these traits, or not for the reason that it is named after.
func (p *parser) checkStop(c Condition, n *yaml.Node, traits protocol.Traits) {
	accepted := p.host.Catalogue.StopsOf(traits)
	switch {
	case c.Stop.Name == "" || slices.Contains(accepted, c.Stop.Name):
	case traits.AtEnd:
		p.errs.add(n, "stop", "%s means nothing for the protocol %s with the rule %s, which decides after the last round; %s is accepted with it",
			c.Stop.Name, c.Protocol.Name, c.Rule.Name, wording.Or(accepted))
	default:
		p.errs.add(n, "stop", "%s means nothing for the protocol %s; %s is accepted with it", c.Stop.Name, c.Protocol.Name, wording.Or(accepted))
	}
}

// checkState refuses a protocol that needs of the environment's state what it has not.
func (p *parser) checkState(c Condition, n *yaml.Node, inst envs.Instance) {
	proto, err := catalogue.Find("protocol", p.host.Catalogue.Protocols, c.Protocol.Name)
	if err != nil {
		return
	}
	if _, moves := inst.(envs.World); proto.Traits.World && !moves {
		p.errs.add(n, "protocol", "%s needs agents with states that move, and the environment %s has none", proto.Name, c.Env.Name)
	}
	if _, hidden := inst.(envs.Estimating); proto.Traits.Estimates && !hidden {
		p.errs.add(n, "protocol", "%s needs a state that agents estimate, and the environment %s has none", proto.Name, c.Env.Name)
	}
}

// checkCues refuses a protocol that asks the environment for what it does not have.
func (p *parser) checkCues(c Condition, n *yaml.Node, proto protocol.Protocol, first envs.Instance) {
	for _, cue := range proto.Traits().Cues {
		if cued, ok := first.(envs.Cued); !ok {
			p.errs.add(n, "protocol", "%s needs what the environment %s does not have: %s", c.Protocol.Name, c.Env.Name, cue.Name)
		} else if _, err := cued.Cue(cue); err != nil {
			p.errs.add(n, "protocol", "%s needs what the environment %s does not have: %v", c.Protocol.Name, c.Env.Name, err)
		}
	}
}

// checkSpeakers refuses models of agents and roles that are not there.
func (p *parser) checkSpeakers(n *yaml.Node, agents []envs.Agent, roles []string) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	var known []string
	for _, a := range agents {
		known = append(known, a.Name)
	}
	known = append(known, roles...)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; !slices.Contains(known, k.Value) {
			p.errs.add(k, joinKey("models", k.Value), "there is no such agent; there are %s", strings.Join(known, ", "))
		}
	}
}
