package campaignfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
	"roundtable/workflows/seats"
)

// rolesIn returns the roles of a list of agents in JSON; of those without, what else is said of them.
func rolesIn(list string) string {
	var items []json.RawMessage
	if json.Unmarshal([]byte(list), &items) != nil {
		return list
	}
	var roles []string
	for _, item := range items {
		var seat seats.Seat
		if json.Unmarshal(item, &seat.Role) != nil && json.Unmarshal(item, &seat) != nil {
			return wording.Shorten(list)
		}
		roles = append(roles, cmp.Or(seat.Role, seat.String(), "no role"))
	}
	return wording.And(roles)
}

// parseAgents reads agents: a list, or a mapping of list, pool and stances.
func (p *parser) parseAgents(n *yaml.Node, c *plan.Condition) {
	if n == nil {
		return
	}
	c.Agents = &plan.Agents{}
	switch n.Kind {
	case yaml.SequenceNode:
		c.Agents.List = p.parseSeats(n, "agents")
		return
	case yaml.MappingNode:
	default:
		p.errs.add(n, "agents", "%s is neither a list of agents nor a mapping of list, pool and stances", shortText(n))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch name := joinKey("agents", key.Value); key.Value {
		case "list":
			c.Agents.List = p.parseSeats(value, name)
		case "pool":
			c.Agents.Pool = p.parseSeats(value, name)
		case "stances":
			decodeNode(value, name, reflect.ValueOf(&c.Agents.Stances), &p.errs)
			if err := seats.CheckShares(c.Agents.Stances); err != nil {
				p.errs.add(value, name, "%v", err)
			}
		default:
			p.errs.add(key, name, "unknown key; %s",
				knownInstead("agents", key.Value, []string{"list", "pool", "stances"}))
		}
	}
	if len(c.Agents.List) > 0 && len(c.Agents.Pool) > 0 {
		p.errs.add(n, "agents", "has a list and a pool; one of them says who the agents are")
	}
}

// parseSeats reads a list of agents. A text alone is a role.
func (p *parser) parseSeats(n *yaml.Node, key string) []plan.Agent {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.errs.add(n, key, "%s is not a list of agents", shortText(n))
		return nil
	}
	agents := make([]plan.Agent, len(n.Content))
	for i, item := range n.Content {
		p.parseSeat(item, fmt.Sprintf("%s[%d]", key, i), &agents[i])
	}
	return agents
}

func (p *parser) parseSeat(n *yaml.Node, key string, a *plan.Agent) {
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		decodeNode(n, key, reflect.ValueOf(&a.Role), &p.errs)
		return
	}
	seat := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Line: n.Line, Column: n.Column}
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := n.Content[i+1]
		switch name := joinKey(key, n.Content[i].Value); n.Content[i].Value {
		case "model":
			a.Model = &plan.Choice{}
			p.parseChoice(value, name, "models are provider/model, as scripted/trader", a.Model)
		case "generate":
			a.Generate = &plan.Generate{}
			decodeNode(value, name, reflect.ValueOf(a.Generate), &p.errs)
			p.checkGenerate(value, name, *a.Generate)
		default:
			seat.Content = append(seat.Content, n.Content[i], value)
		}
	}
	decodeNode(seat, key, reflect.ValueOf(&a.Seat), &p.errs)
	for _, err := range a.Check() {
		word, rest, _ := strings.Cut(err.Error(), " ")
		p.errs.add(cmp.Or(valueOf(n, word), n), joinKey(key, word), "%s", rest)
	}
}

// checkAgents refuses agents that are not as many as the group, models that are said
// twice, and a group without a vote.
func (p *parser) checkAgents(c plan.Condition, keys map[string]*yaml.Node, members []envs.Agent) {
	a, n := c.Agents, keys["agents"]
	if a == nil {
		return
	}
	if want := len(members); len(a.List) > 0 && len(a.List) != want {
		p.errs.add(n, "agents", "is a list of %d; the environment %s has %d agents", len(a.List), c.Env.Name, want)
	} else if len(a.Pool) > 0 && len(a.Pool) < want {
		p.errs.add(n, "agents.pool", "has %d agents; the environment %s needs %d", len(a.Pool), c.Env.Name, want)
	}
	votes, seated := 0, plan.SeatsOf(a.All())
	for i, agent := range a.All() {
		votes += seats.Weight(seated, i)
		if agent.Model == nil {
			continue
		}
		if len(a.Pool) > 0 && len(c.Models) > 0 || len(a.List) > 0 && i < len(members) &&
			c.Models[members[i].Name].Name != "" {
			p.errs.add(keys["models"], "models", "an agent has its model under agents already; say it in one place")
		}
	}
	if len(a.All()) > 0 && votes == 0 {
		p.errs.add(n, "agents", "has nobody with a vote")
	}
}

// checkAgentModels checks the models of agents, each with its own parameters.
func (p *parser) checkAgentModels(c plan.Condition, keys map[string]*yaml.Node, env envs.Environment) {
	for i, a := range c.Agents.All() {
		own, m, n, key := c, c.Model, keys["model"], "model"
		if a.Generate != nil {
			own.Generate = *a.Generate
		}
		if a.Model != nil {
			m, n, key = *a.Model, agentNode(keys["agents"], i, "model"), fmt.Sprintf("agents[%d].model", i)
		}
		if a.Model != nil || a.Generate != nil {
			p.checkModel(m, own, n, key, env)
		}
	}
}

// checkTools refuses tools of agents that the protocol does not know.
func (p *parser) checkTools(c plan.Condition, n *yaml.Node, known []string) {
	for i, a := range c.Agents.All() {
		if a.Tools == nil {
			continue
		}
		at, key := agentNode(n, i, "tools"), fmt.Sprintf("agents[%d].tools", i)
		if len(known) == 0 {
			p.errs.add(at, key, "means nothing for the protocol %s, whose agents have no tools", c.Protocol.Name)
			continue
		}
		for j, tool := range *a.Tools {
			if !slices.Contains(known, tool) || slices.Contains((*a.Tools)[:j], tool) {
				p.errs.add(at, key, "is %q; each is %s, and named once", *a.Tools, wording.Or(known))
			}
		}
	}
}

// agentNode returns where a key of the i-th agent is.
func agentNode(n *yaml.Node, i int, key string) *yaml.Node {
	if n.Kind == yaml.MappingNode {
		n = cmp.Or(valueOf(n, "list"), valueOf(n, "pool"))
	}
	return valueOf(n.Content[i], key)
}
