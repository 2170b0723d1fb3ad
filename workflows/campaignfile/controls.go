package campaignfile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
)

// Controls returns the controls that the key controls can name.
func Controls() []plan.Control { return []plan.Control{plan.Same, plan.Alone, plan.Strangers} }

// controlKey is where the keys of a condition have its control. No file gives it there.
const controlKey = "control"

// parseControls reads the key controls; n is nil if the file has none.
func (p *parser) parseControls(n *yaml.Node) []plan.Control {
	expected := "expected " + wording.Or(Controls())
	return parseList(p, n, "controls", expected, func(item *yaml.Node, key string) (plan.Control, bool) {
		c := plan.Control(item.Value)
		if item.Kind != yaml.ScalarNode || !slices.Contains(Controls(), c) {
			p.errs.add(item, key, "%s is not a control; %s", shortText(item), expected)
			return c, false
		}
		return c, true
	})
}

// parseList reads a list of what can be there once each; n is nil if the file has none.
func parseList[T comparable](p *parser, n *yaml.Node, key, expected string,
	parse func(item *yaml.Node, key string) (T, bool)) (all []T) {
	switch {
	case n == nil || isNull(n): // an empty one is an error already
		return nil
	case n.Kind != yaml.SequenceNode:
		p.errs.add(n, key, "%s is not a list; %s", shortText(n), expected)
		return nil
	case len(n.Content) == 0:
		p.errs.add(n, key, "is an empty list; %s, or leave the key out", expected)
	}
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", key, i)
		if one, ok := parse(item, at); ok && slices.Contains(all, one) {
			p.errs.add(item, at, "%s is there twice", shortText(item))
		} else if ok {
			all = append(all, one)
		}
	}
	return all
}

// addControls adds a condition for each control of each group: the same but for it.
func (x *expansion) addControls(n *yaml.Node, points []expanded, all []plan.Control) {
	forGroups(x, n, "controls", points, all, func(c plan.Control, g expanded) string {
		keys := maps.Clone(g.keys)
		keys[controlKey] = &yaml.Node{Kind: yaml.ScalarNode, Value: string(c), Line: n.Line}
		made, errs := x.check(keys)
		if len(errs) > 0 {
			return fmt.Sprintf("%s does not fit %s: %s", c, cmp.Or(g.name, "the condition"), errs[0].Text)
		}
		made.name, made.values = strings.TrimPrefix(g.name+", "+string(c), ", "), g.values
		made.count, made.chosen, made.replicates = g.count, g.chosen, g.replicates
		x.add(made)
		return ""
	})
}

// forGroups adds, by the list under a key, what each group is held against. What add refuses
// is an error, which the same words make once.
func forGroups[T any](x *expansion, n *yaml.Node, key string, points []expanded, all []T,
	add func(T, expanded) (refused string)) {
	groups, refused := slices.DeleteFunc(slices.Clone(points), x.isAlone), map[string]bool{"": true}
	// what is wrong may have taken the groups
	if len(all) > 0 && len(groups) == 0 && len(points) > 0 && len(x.p.errs) == 0 {
		x.p.errs.add(n, key, "no condition is a group whose agents hear something of each other: there is nothing to compare")
	}
	for _, one := range all {
		for _, g := range groups {
			if text := add(one, g); !refused[text] {
				x.p.errs.add(n, key, "%s", text)
				refused[text] = true
			}
		}
	}
}

// checkControl refuses a control that a condition cannot have.
func (p *parser) checkControl(c plan.Condition, proto protocol.Protocol, env envs.Environment) {
	switch {
	case c.Control != plan.Strangers:
	case !proto.Traits().Strangers:
		why := cmp.Or(proto.Traits().NoStrangers, "its agents cannot be shown what was said about another instance")
		p.errs.add(nil, controlKey, "agents cannot hear strangers in the protocol %s: %s; in debate, and in "+
			"discussion with a vote, they can, and same and alone go with it", c.Protocol.Name, why)
	case len(c.Models) > 0 || len(c.AgentModels()) > 0:
		p.errs.add(nil, controlKey, "strangers are asked of the one model of the group, and these agents have several")
	case env != nil && env.Instances() == 1:
		p.errs.add(nil, controlKey, "strangers answer another instance, and the environment has one")
	}
}
