package campaignfile

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// parseCondition decodes one point of the grid. What is missing or wrong stays empty.
func (p *parser) parseCondition(keys map[string]*yaml.Node) plan.Condition {
	c := plan.Condition{Stop: plan.Choice{Name: "never"}, Reasks: 2}
	p.parseChoice(keys["env"], "env", pluginNames(p.host.Catalogue.Environments), &c.Env)
	p.parseChoice(keys["protocol"], "protocol", pluginNames(p.host.Catalogue.Protocols), &c.Protocol)
	p.checkRule(keys["rule"], &c)
	p.parseChoice(keys["model"], "model", "models are provider/model, as scripted/trader", &c.Model)
	if keys["stop"] != nil {
		c.Stop = plan.Choice{}
		p.parseChoice(keys["stop"], "stop", pluginNames(p.host.Catalogue.Stopping), &c.Stop)
	}
	p.parseModels(keys["models"], &c)
	p.parseAgents(keys["agents"], &c)
	if n := keys["generate"]; n != nil {
		decodeNode(n, "generate", reflect.ValueOf(&c.Generate), &p.errs)
		p.checkGenerate(n, "generate", c.Generate)
	}
	if n := keys["reasks"]; n != nil {
		decodeNode(n, "reasks", reflect.ValueOf(&c.Reasks), &p.errs)
		p.checkReasks(n, "reasks", c.Reasks)
	}
	if parseWord(p, keys["reask"], "reask", &c.Reask, plan.ReaskFresh, plan.ReaskShown); c.Reask == plan.ReaskFresh {
		c.Reask = "" // as if it were left out
	}
	parseWord(p, keys["reasoning"], "reasoning", &c.Reasoning, protocol.ReasoningFirst, protocol.ReasoningNone,
		protocol.ReasoningPaper)
	p.checkReasoning(c, keys)
	if n := keys[controlKey]; n != nil {
		c.Control = plan.Control(n.Value)
	}
	return c
}

func (p *parser) checkReasks(n *yaml.Node, key string, reasks int) {
	if reasks < 0 || reasks > 10 {
		p.errs.add(n, key, "is %d; expected 0 to 10", reasks)
	}
}

// ownFields of a request are not for extra_body: they hold the question, bound
// what an answer can cost, or have keys of their own.
var ownFields = []string{
	"model", "messages", "input", "stream", "n", "temperature", "top_p", "max_tokens", "max_completion_tokens",
	"max_output_tokens",
	"seed", "stop", "reasoning_effort", "reasoning", "response_format", "text", "store", "service_tier",
	"logprobs", "top_logprobs",
}

// checkGenerate refuses what no provider takes.
func (p *parser) checkGenerate(n *yaml.Node, key string, g plan.Generate) {
	if t := g.Temperature; t != nil && (*t < 0 || *t > 2) {
		p.errs.add(valueOf(n, "temperature"), key+".temperature", "is %v; expected 0 to 2", *t)
	}
	if t := g.TopP; t != nil && (*t <= 0 || *t > 1) {
		p.errs.add(valueOf(n, "top_p"), key+".top_p", "is %v; expected more than 0 and at most 1", *t)
	}
	if e := g.ReasoningEffort; e != "" && !slices.Contains(plan.Efforts(), e) {
		p.errs.add(valueOf(n, "reasoning_effort"), key+".reasoning_effort", "is %q; expected %s", e,
			wording.Or(plan.Efforts()))
	}
	switch at := valueOf(n, "thinking"); {
	case at != nil && g.Thinking <= 0:
		p.errs.add(at, key+".thinking", "is %d; it is a number of tokens above 0, and reasoning_effort: none is not to think", g.Thinking)
	case g.Thinking > 0 && g.ReasoningEffort != "":
		p.errs.add(at, key+".thinking", "reasoning_effort is set, too; leave one of them out")
	}
	for _, field := range slices.Sorted(maps.Keys(g.ExtraBody)) {
		if slices.Contains(ownFields, field) {
			p.errs.add(valueOf(n, "extra_body"), key+".extra_body."+field,
				"is set by roundtable itself; say it with the other keys of %s or of the model", key)
		}
	}
	if g.MaxTokens < 0 {
		p.errs.add(valueOf(n, "max_tokens"), key+".max_tokens", "is %d; it cannot be negative", g.MaxTokens)
	}
}

// checkWeights refuses a rule that weighs votes where those who vote are not asked for log-probabilities.
func (p *parser) checkWeights(c plan.Condition, rule decision.Rule, n *yaml.Node) {
	if !decision.Weighs(rule) {
		return
	}
	asked := c.Generate.Logprobs
	if c.Agents != nil {
		for _, seat := range slices.Concat(c.Agents.List, c.Agents.Pool) {
			asked = asked && (seat.Generate == nil || seat.Generate.Logprobs)
		}
	}
	if !asked {
		p.errs.add(n, "rule", "%s needs the log-probabilities of answers; set generate: {logprobs: true}, also for "+
			"agents with a generate of their own", c.Rule.Name)
	}
}

// refuseLogprobs of answers that are no turns.
func (p *parser) refuseLogprobs(n *yaml.Node, key string, g plan.Generate) {
	if g.Logprobs {
		p.errs.add(valueOf(n, "logprobs"), key+".logprobs",
			"is true; log-probabilities are kept of turns only: leave it out")
	}
}

// parseModels reads the models of single agents and roles.
func (p *parser) parseModels(n *yaml.Node, c *plan.Condition) {
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		p.errs.add(n, "models", "%s is not a mapping of agents or roles to models", shortText(n))
		return
	}
	c.Models = map[string]plan.Choice{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		speaker := n.Content[i].Value
		if _, twice := c.Models[speaker]; twice {
			p.errs.add(n.Content[i], joinKey("models", speaker), "given twice")
		}
		var m plan.Choice
		p.parseChoice(n.Content[i+1], joinKey("models", speaker), "models are provider/model, as scripted/trader", &m)
		c.Models[speaker] = m
	}
}

func pluginNames[T, N any](list []catalogue.Plugin[T, N]) string {
	all := make([]string, len(list))
	for i, plugin := range list {
		all[i] = plugin.Name
	}
	return "expected " + wording.Or(all)
}

// parseChoice reads a plug-in: its name alone, or a mapping with name and parameters.
func (p *parser) parseChoice(n *yaml.Node, key, accepted string, c *plan.Choice) {
	if n == nil {
		if !slices.Contains(p.refusedAxes, key) {
			p.errs.add(nil, key, "is missing; %s", accepted)
		}
		return
	}
	name := n
	if n.Kind == yaml.MappingNode {
		if name = valueOf(n, "name"); name == nil {
			p.errs.add(n, key, "has no name; %s", accepted)
			return
		}
	}
	switch {
	case name.Kind != yaml.ScalarNode:
		p.errs.add(name, key, "%s is neither a name nor a mapping with a name; %s", shortText(name), accepted)
		return
	case isNull(name) || name.Value == "":
		p.errs.add(name, key, "is empty; %s", accepted)
		return
	}
	c.Name = name.Value
	if n.Kind == yaml.MappingNode && len(n.Content) > 2 {
		c.Params, _ = toJSON(paramsOf(n), key, &p.errs)
	}
}

// checkCondition builds everything a condition names, so that wrong parameters are found
// before anything starts, all at once.
func (p *parser) checkCondition(c plan.Condition, keys map[string]*yaml.Node, camp plan.Campaign) (agents, rounds,
	instances int) {
	env := p.environmentOf(camp.Name, c, keys["env"])
	rule, _ := buildAt(p, "rule", "decision rule", p.host.Catalogue.Rules, c.Rule, keys["rule"], struct{}{})
	stop, stops := buildAt(p, "stop", "stopping rule", p.host.Catalogue.Stopping, c.Stop, keys["stop"], struct{}{})
	var members []envs.Agent
	var first envs.Instance
	agents = 2 // the protocol's parameters are checked even if the environment is wrong
	if env != nil {
		instances = env.Instances()
		if inst, err := env.Instance(camp.Seed, 0); err != nil {
			p.errs.add(keys["env"], "env", "%v", err)
		} else {
			agents = len(inst.Agents())
			first, members = inst, inst.Agents()
			p.checkState(c, keys["protocol"], inst)
		}
	}
	if members != nil {
		p.checkAgents(c, keys, members)
	}
	p.checkWeights(c, rule, keys["rule"])
	set := protocol.Setting{Agents: agents, Rule: rule, Reasoning: c.Asks(), Hears: c.Control.Hears()}
	if a := c.Agents; a != nil && (len(a.Pool) == 0 || len(a.Pool) >= agents) {
		set.Seats = plan.SeatsOf(c.Seated(agents, 0))
	}
	proto, built := buildAt(p, "protocol", "protocol", p.host.Catalogue.Protocols, c.Protocol, keys["protocol"], set)
	if plugin, err := catalogue.Find("protocol", p.host.Catalogue.Protocols, c.Protocol.Name); stops && built {
		p.checkStop(c, stop, keys["stop"], proto.Traits())
	} else if stops && err == nil {
		p.checkStop(c, stop, keys["stop"], plugin.Traits)
	}
	if built {
		rounds = proto.Rounds()
		p.checkControl(c, proto, env)
		if members != nil {
			p.checkSpeakers(keys["models"], members, proto.Traits().Roles)
			p.checkCues(c, keys["protocol"], proto, first)
			p.checkTools(c, keys["agents"], proto.Traits().Tools)
		}
	}
	p.checkModel(c.Model, c, keys["model"], "model", env)
	for _, speaker := range slices.Sorted(maps.Keys(c.Models)) {
		p.checkModel(c.Models[speaker], c, valueOf(keys["models"], speaker), joinKey("models", speaker), env)
	}
	p.checkAgentModels(c, keys, env)
	p.checkJudge(keys["env"])
	return agents, rounds, instances
}

func (p *parser) checkModel(m plan.Choice, c plan.Condition, n *yaml.Node, key string, env envs.Environment) {
	if p.host.Model == nil || m.Name == "" {
		return
	}
	if env == nil { // it is refused; what the model says of a policy is checked all the same
		if plugin, err := catalogue.Find("environment", p.host.Catalogue.Environments, c.Env.Name); err == nil {
			env = plugin.Blank
		}
	}
	d := decoder{n: n, key: key, errs: &p.errs}
	if err := p.host.Model(m, c, d.decode, env); err != nil {
		p.reportRefusal(d, m.Name, err)
	}
}

// environmentOf builds each environment once: some read large data sets.
func (p *parser) environmentOf(campaign string, c plan.Condition, n *yaml.Node) envs.Environment {
	id := plan.Digest(c.Env)
	env, known := p.envs[id]
	if !known {
		needs := catalogue.Needs{Data: p.data}
		if !plan.IsName(campaign) { // an error that is reported already
			campaign = ""
		}
		if p.host.Programs != nil {
			needs.Programs = p.host.Programs(campaign, c)
		}
		env, _ = buildAt(p, "env", "environment", p.host.Catalogue.Environments, c.Env, n, needs)
		p.envs[id] = env
	}
	return env
}

// buildAt builds a plug-in; false if that is not possible or its name is wrong.
func buildAt[T, N any](p *parser, key, kind string, list []catalogue.Plugin[T, N], c plan.Choice, n *yaml.Node,
	needs N) (built T, ok bool) {
	if c.Name == "" { // an error that is reported already
		return built, false
	}
	plugin, err := catalogue.Find(kind, list, c.Name)
	if err != nil {
		p.errs.add(n, key, "%v", err)
		return built, false
	}
	d := decoder{n: n, key: key, errs: &p.errs}
	d.failed = key == "env" && p.noData // its folder's error says enough
	if built, err = plugin.New(d.decode, needs); err != nil {
		p.reportRefusal(d, c.Name, err)
	}
	if err != nil || d.failed {
		var none T
		return none, false
	}
	return built, true
}

// decoder fills a plug-in's parameters from its node; errors keep their lines
// and the plug-in is built all the same, with defaults in their places, to find
// what else is wrong.
type decoder struct {
	n      *yaml.Node
	key    string
	errs   *Errors
	failed bool
}

func (d *decoder) decode(v any) error {
	if d.n == nil || d.n.Kind != yaml.MappingNode {
		return nil
	}
	var found Errors
	decodeNode(paramsOf(d.n), d.key, reflect.ValueOf(v), &found)
	*d.errs = d.errs.mergedWith(found)
	d.failed = d.failed || len(found) > 0
	return nil
}

// reportRefusal reports what a plug-in says of its parameters, at the line of the
// parameter that an error begins with. Beside parameters that could not be
// read, nothing else that it says can be trusted.
func (p *parser) reportRefusal(d decoder, name string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			p.reportRefusal(d, name, e)
		}
		return
	}
	text := strings.TrimPrefix(err.Error(), name+": ")
	word, rest, _ := strings.Cut(text, " ")
	if d.n != nil && d.n.Kind == yaml.MappingNode && valueOf(d.n, word) != nil && strings.HasPrefix(rest, "is ") {
		if at := valueOf(d.n, word); !p.errs.isKnownAt(joinKey(d.key, word), at.Line) {
			p.errs.add(at, joinKey(d.key, word), "%s", rest)
		}
	} else if !d.failed {
		p.errs.add(d.n, d.key, "%s", text)
	}
}

// checkRule is needed by protocols that vote, and refused with the others.
func (p *parser) checkRule(n *yaml.Node, c *plan.Condition) {
	proto, err := catalogue.Find("protocol", p.host.Catalogue.Protocols, c.Protocol.Name)
	if err != nil || !proto.Traits.Ruleless {
		p.parseChoice(n, "rule", pluginNames(p.host.Catalogue.Rules), &c.Rule)
	} else if n != nil {
		p.errs.add(n, "rule", "the protocol %s decides without a rule; leave it out", proto.Name)
	}
}

// checkStop refuses a stopping rule that would never end the rounds of a protocol of
// these traits, or not for the reason that it is named after.
func (p *parser) checkStop(c plan.Condition, rule stopping.Rule, n *yaml.Node, traits protocol.Traits) {
	accepted, name := p.host.Catalogue.StopsOf(traits), c.Stop.Name
	if r, ok := rule.(stopping.Reader); ok &&
		slices.ContainsFunc(r.Reads(), func(t stopping.Trace) bool { return !slices.Contains(traits.Leaves, t) }) {
		accepted = slices.DeleteFunc(accepted, func(accepts string) bool { return accepts == name })
		if params, _, learned := c.Learned(); learned {
			name += " with the method " + params.Method
		}
	}
	switch {
	case c.Stop.Name == "" || slices.Contains(accepted, c.Stop.Name):
	case slices.Equal(p.missingTraces(c.Stop.Name, traits), []stopping.Trace{stopping.Confidences}):
		p.errs.add(n, "stop", "%s needs agents who state a confidence, as they do in the protocol debate with "+
			"confidence: true; %s is accepted without",
			c.Stop.Name, wording.Or(accepted))
	case traits.AtEnd:
		p.errs.add(n, "stop", "%s means nothing for the protocol %s with the rule %s, which decides after the last "+
			"round; %s is accepted with it",
			name, c.Protocol.Name, c.Rule.Name, wording.Or(accepted))
	default:
		p.errs.add(n, "stop", "%s means nothing for the protocol %s; %s is accepted with it", name, c.Protocol.Name,
			wording.Or(accepted))
	}
}

// missingTraces returns what a stopping rule looks at and a protocol of these traits does not leave.
func (p *parser) missingTraces(stop string, traits protocol.Traits) []stopping.Trace {
	rule, err := catalogue.Find("stopping rule", p.host.Catalogue.Stopping, stop)
	if err != nil {
		return nil // reported where it is read
	}
	return slices.DeleteFunc(slices.Clone(rule.Reads),
		func(t stopping.Trace) bool { return slices.Contains(traits.Leaves, t) })
}

// checkState refuses a protocol that needs of the environment's state what it has not.
func (p *parser) checkState(c plan.Condition, n *yaml.Node, inst envs.Instance) {
	proto, err := catalogue.Find("protocol", p.host.Catalogue.Protocols, c.Protocol.Name)
	if err != nil {
		return
	}
	if _, moves := inst.(envs.World); proto.Traits.World && !moves {
		p.errs.add(n, "protocol", "%s needs agents with states that move, and the environment %s has none",
			proto.Name, c.Env.Name)
	}
	if _, hidden := inst.(envs.Estimating); proto.Traits.Estimates && !hidden {
		p.errs.add(n, "protocol", "%s needs a state that agents estimate, and the environment %s has none",
			proto.Name, c.Env.Name)
	}
}

// checkCues refuses a protocol that asks the environment for what it does not have.
func (p *parser) checkCues(c plan.Condition, n *yaml.Node, proto protocol.Protocol, first envs.Instance) {
	for _, cue := range proto.Traits().Cues {
		if cued, ok := first.(envs.Cued); !ok {
			p.errs.add(n, "protocol", "%s needs what the environment %s does not have: %s", c.Protocol.Name,
				c.Env.Name, cue.Name)
		} else if _, err := cued.Cue(cue); err != nil {
			p.errs.add(n, "protocol", "%s needs what the environment %s does not have: %v", c.Protocol.Name,
				c.Env.Name, err)
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
			p.errs.add(k, joinKey("models", k.Value), "unknown agent; expected %s", wording.Or(known))
		}
	}
}

// checkReasoning refuses what the condition's protocol or environment cannot do.
func (p *parser) checkReasoning(c plan.Condition, keys map[string]*yaml.Node) {
	n := keys["reasoning"]
	if n != nil && (c.Env.Name != "qa" || !c.SharesWords()) {
		p.errs.add(n, "reasoning", "goes with the environment qa and the protocols debate, discussion and "+
			"roundtable; leave it out")
	}
	for reasoning, opposite := range map[protocol.Reasoning]bool{protocol.ReasoningFirst: false,
		protocol.ReasoningNone: true} {
		if c.Reasoning == reasoning && c.AsksToThink(opposite) {
			p.errs.add(valueOf(keys["protocol"], "chain_of_thought"), "protocol.chain_of_thought",
				"is %t, and reasoning is %s; leave one of them out", opposite, reasoning)
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

// stateDefaults writes down the parameters that the catalogue wants a condition to
// state (catalogue.Plugin.Explicit) and that its file leaves out.
func stateDefaults(plugins catalogue.Catalogue, c *plan.Condition) {
	stateParameters(plugins.Environments, &c.Env)
	stateParameters(plugins.Protocols, &c.Protocol)
	stateParameters(plugins.Rules, &c.Rule)
}

func stateParameters[T, N any](list []catalogue.Plugin[T, N], c *plan.Choice) {
	plugin, err := catalogue.Find("plug-in", list, c.Name)
	if err != nil || len(plugin.Explicit) == 0 {
		return
	}
	given, defaults := c.ListParameters(), plan.Fields(plugin.Params)
	for _, key := range plugin.Explicit {
		if given[key] == nil {
			given[key] = defaults[key]
		}
	}
	c.Params = plan.JSON(given)
}

// learn fits the stopping rule of a condition whose file leaves the fit out, and writes
// it into the condition and its keys. What the campaign has recorded of the same
// condition is kept, so that it goes on by the rule that it began with.
func (p *parser) learn(c *plan.Condition, keys map[string]*yaml.Node, campaign string) {
	params, _, ok := c.Learned()
	if !ok || len(params.Fit) > 0 || params.Check() != nil || p.host.Learn == nil {
		return
	}
	var recorded json.RawMessage
	for _, r := range p.recorded {
		if had, _, ok := r.Learned(); ok && r.WithoutFit().ID() == c.ID() {
			recorded = had.Fit
		}
	}
	fit, err := p.host.Learn(campaign, *c, recorded)
	if err != nil {
		p.reportFit(keys["stop"], err)
		c.Stop = plan.Choice{} // an error that is reported
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(fit, &doc); err != nil || len(doc.Content) == 0 {
		p.errs.add(keys["stop"], "stop.fit", "%v", err)
		return
	}
	at := keys["stop"]
	atSource(doc.Content[0], at.Line)
	written := &yaml.Node{Kind: yaml.MappingNode, Line: at.Line, Content: append([]*yaml.Node{}, at.Content...)}
	putKey(written, "fit", doc.Content[0])
	keys["stop"] = written
	p.parseChoice(written, "stop", "", &c.Stop)
}

// reportFit reports each reason why nothing can be fitted, where the file names the campaign.
func (p *parser) reportFit(stop *yaml.Node, err error) {
	n, key := stop, "stop"
	if from := valueOf(stop, "from"); from != nil {
		n, key = from, "stop.from"
	}
	if at, ok := errors.AsType[*FitError](err); ok && valueOf(stop, at.Key) != nil {
		n, key = valueOf(stop, at.Key), "stop."+at.Key
	}
	p.errs.add(n, key, "%v", err)
}

// FitError says why a stopping rule cannot be fitted; Key is the parameter to blame.
type FitError struct {
	Key string
	Err error
}

func (e *FitError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *FitError) Unwrap() error { return e.Err }
