package campaignfile

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// pluginDefaults are parameters that a file gives its plug-ins, wherever it names them
// without saying otherwise: by key (env, protocol, rule, stop, model) and name.
type pluginDefaults struct {
	plugins catalogue.Catalogue
	params  map[string]map[string]*yaml.Node
	used    map[*yaml.Node]bool
}

// parseDefaults reads the key defaults; n is nil if the file has none.
func (p *parser) parseDefaults(n *yaml.Node) pluginDefaults {
	d := pluginDefaults{plugins: p.host.Catalogue, params: map[string]map[string]*yaml.Node{},
		used: map[*yaml.Node]bool{}}
	if n == nil || isNull(n) { // an empty one is an error already
		return d
	}
	const form = "as {protocol: {debate: {rounds: 2}}}"
	if n.Kind != yaml.MappingNode {
		p.errs.add(n, "defaults", "%s is not a mapping of %s to plug-ins, %s", shortText(n),
			wording.And(choiceKeys), form)
		return d
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		kind, list := n.Content[i], n.Content[i+1]
		key := "defaults." + kind.Value
		switch {
		case !slices.Contains(choiceKeys, kind.Value):
			p.errs.add(kind, key, "unknown key; %s",
				wording.Known(choiceKeys)+wording.DidYouMean(kind.Value, choiceKeys))
			continue
		case d.params[kind.Value] != nil:
			p.errs.add(kind, key, "given twice")
			continue
		case list.Kind != yaml.MappingNode:
			p.errs.add(list, key, "%s is not a mapping of names to parameters, %s", shortText(list), form)
			continue
		}
		d.params[kind.Value] = map[string]*yaml.Node{}
		for j := 0; j+1 < len(list.Content); j += 2 {
			p.parseDefault(d.params[kind.Value], kind.Value, list.Content[j], list.Content[j+1])
		}
	}
	return d
}

func (p *parser) parseDefault(params map[string]*yaml.Node, kind string, name, v *yaml.Node) {
	key := joinKey("defaults."+kind, name.Value)
	switch {
	case v.Kind == yaml.MappingNode && len(v.Content) == 0:
		p.errs.add(v, key, "names no parameter")
	case v.Kind != yaml.MappingNode:
		p.errs.add(v, key, "%s is not a mapping of parameters to values", shortText(v))
	case valueOf(v, "name") != nil:
		p.errs.add(keyNode(v, "name"), key+".name", "is not a parameter")
	case params[canonicalName(p.host.Catalogue, kind, name.Value)] != nil:
		p.errs.add(name, key, "given twice")
	default:
		params[canonicalName(p.host.Catalogue, kind, name.Value)] = v
	}
}

// canonicalName returns the name of which an alias is another one.
func canonicalName(plugins catalogue.Catalogue, kind, name string) string {
	switch kind {
	case "env":
		return nameIn(plugins.Environments, name)
	case "protocol":
		return nameIn(plugins.Protocols, name)
	case "rule":
		return nameIn(plugins.Rules, name)
	case "stop":
		return nameIn(plugins.Stopping, name)
	}
	return name
}

func nameIn[T, N any](list []catalogue.Plugin[T, N], name string) string {
	if plugin, err := catalogue.Find("plug-in", list, name); err == nil {
		return plugin.Name
	}
	return name
}

// apply gives the plug-ins of a condition the parameters that they lack.
func (d pluginDefaults) apply(keys map[string]*yaml.Node) {
	if len(d.params) == 0 {
		return
	}
	for _, kind := range choiceKeys {
		if n := keys[kind]; n != nil {
			keys[kind] = d.completePlugin(kind, n)
		}
	}
	if n := keys["models"]; n != nil && n.Kind == yaml.MappingNode {
		out := *n
		out.Content = slices.Clone(n.Content)
		for i := 1; i < len(out.Content); i += 2 {
			out.Content[i] = d.completePlugin("model", out.Content[i])
		}
		keys["models"] = &out
	}
}

// completePlugin returns a plug-in with the defaults for it.
func (d pluginDefaults) completePlugin(kind string, n *yaml.Node) *yaml.Node {
	name := n
	if n.Kind == yaml.MappingNode {
		name = valueOf(n, "name")
	}
	if name == nil || name.Kind != yaml.ScalarNode {
		return n
	}
	params := d.params[kind][canonicalName(d.plugins, kind, name.Value)]
	if params == nil {
		return n
	}
	d.used[params] = true
	out := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	if out.Content = slices.Clone(n.Content); n.Kind != yaml.MappingNode {
		out.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Value: "name", Line: n.Line}, n}
	}
	for i := 0; i+1 < len(params.Content); i += 2 {
		if valueOf(n, params.Content[i].Value) == nil {
			out.Content = append(out.Content, params.Content[i], params.Content[i+1])
		}
	}
	return out
}

// refuseUnused refuses defaults of plug-ins that no condition names; it must have seen
// all of them.
func (d pluginDefaults) refuseUnused(p *parser, conditions []plan.Condition) {
	for _, kind := range choiceKeys {
		for _, name := range slices.Sorted(maps.Keys(d.params[kind])) {
			n := d.params[kind][name]
			if d.used[n] {
				continue
			}
			there := map[string]bool{}
			for _, c := range conditions {
				switch kind {
				case "env":
					there[c.Env.Name] = true
				case "protocol":
					there[c.Protocol.Name] = true
				case "rule":
					there[c.Rule.Name] = true
				case "stop":
					there[c.Stop.Name] = true
				case "model":
					for _, m := range c.AllModels() {
						there[m.Name] = true
					}
				}
			}
			delete(there, "")
			names := slices.Sorted(maps.Keys(there))
			p.errs.add(n, joinKey("defaults."+kind, name), "no condition names it; expected %s%s", wording.Or(names),
				wording.DidYouMean(name, names))
		}
	}
}
