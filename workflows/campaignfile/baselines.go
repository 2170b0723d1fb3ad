package campaignfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/workflows/plan"
)

// What a group can be compared to: one agent alone, also with the budget of the whole
// group, and the most frequent answer of many that are asked alone.
const (
	singleBaseline  = "single"
	samplesBaseline = "self_consistency"
)

// baselineAxis is the label of a baseline in AxisLabels: what it is, with its number of
// answers. No axis of a grid has this name.
const baselineAxis = "baseline"

// samplesPerTurn is how many answers self-consistency asks for, unless the file says,
// for each turn that the group's agents can take at most. A turn of a group reads what
// the others said, so it takes as many tokens as several answers alone.
const samplesPerTurn = 4

// baseline is one that a file asks for.
type baseline struct {
	name    string
	samples int  // 0: by the group's turns
	budget  bool // may take as many tokens in one answer as the group in all
	turns   int  // of the group, whose tokens the budget has; 0: all, or as many as the model takes
}

// titleOf returns what a baseline of that many answers is called.
func (b baseline) titleOf(answers int, c plan.Condition) string {
	switch {
	case b.budget:
		return fmt.Sprintf("%s of %d tokens", singleBaseline, c.Generate.MaxTokens)
	case b.name == singleBaseline:
		return singleBaseline
	}
	return fmt.Sprintf("self-consistency of %d", answers)
}

const expectedBaselines = "expected single, {single: {budget: group}}, self_consistency or {self_consistency: " +
	"{samples: 30}}"

// parseBaselines reads the key baselines; n is nil if the file has none.
func (p *parser) parseBaselines(n *yaml.Node) []baseline {
	return parseList(p, n, "baselines", expectedBaselines, p.parseBaseline)
}

func (p *parser) parseBaseline(n *yaml.Node, key string) (baseline, bool) {
	options, single := valueOf(n, samplesBaseline), valueOf(n, singleBaseline)
	switch {
	case n.Kind == yaml.MappingNode && single != nil && len(n.Content) == 2:
		budget := valueOf(single, "budget")
		if single.Kind != yaml.MappingNode || budget == nil || len(single.Content) != 2 || budget.Value != "group" {
			p.errs.add(single, key+"."+singleBaseline, "%s is not a budget; expected {budget: group}", nodeText(single))
			return baseline{}, false
		}
		return baseline{name: singleBaseline, budget: true}, true
	case n.Kind == yaml.ScalarNode && (n.Value == singleBaseline || n.Value == samplesBaseline):
		return baseline{name: n.Value}, true
	case n.Kind != yaml.MappingNode || options == nil || len(n.Content) != 2:
		p.errs.add(n, key, "%s is not a baseline; %s", shortText(n), expectedBaselines)
		return baseline{}, false
	}
	var in struct {
		Samples int `json:"samples"`
	}
	before := len(p.errs)
	decodeNode(options, key+"."+samplesBaseline, reflect.ValueOf(&in), &p.errs)
	if len(p.errs) == before && in.Samples < 2 {
		p.errs.add(options, key+"."+samplesBaseline, "samples is %d; expected 2 or more", in.Samples)
	}
	return baseline{name: samplesBaseline, samples: in.Samples}, len(p.errs) == before
}

// addBaselines adds a condition for each baseline of each group: its questions, model
// and sampling, and answers that are given alone. Groups that differ in the rest share it.
func (x *expansion) addBaselines(n *yaml.Node, points []expanded, all []baseline) {
	forGroups(x, n, "baselines", points, all, func(b baseline, g expanded) string {
		made, errs := x.checkBaseline(b, g)
		if len(errs) > 0 && x.p.envs[plan.Digest(g.Env)] == nil && strings.HasPrefix(errs[0].Key, "env") {
			return "" // the group's own environment is refused, too
		}
		if len(errs) > 0 {
			return fmt.Sprintf("%s does not fit %s, which an agent must be able to answer alone in free text, with "+
				"the size of the group in env.agents: %s: %s", b.name, envText(g.Env), errs[0].Key, errs[0].Text)
		}
		x.addShared(made)
		x.addRecorded(b, g, made)
		return ""
	})
}

func (x *expansion) checkBaseline(b baseline, g expanded) (expanded, Errors) {
	if b.budget && g.Generate.MaxTokens == 0 {
		return expanded{}, Errors{{Key: "generate.max_tokens",
			Text: "is missing; the group's budget is that many tokens for each of its turns"}}
	}
	turns, _ := g.MostCalls(x.p.host.Catalogue, g.agents) // it was built before
	all := turns
	if b.budget {
		turns = cmp.Or(b.turns, x.affordedTurns(g, turns))
	}
	keys := b.keysFor(g, turns)
	made, errs := x.check(keys)
	// an environment that is refused says so once
	built := x.p.envs[plan.Digest(made.Env)] != nil
	// a model may be refused to think for as long
	for n := turns - 1; b.budget && built && len(errs) > 0 && n > 0; n-- {
		fewer := b.keysFor(g, n)
		if again, none := x.check(fewer); len(none) == 0 {
			keys, made, errs, turns = fewer, again, nil, n
		}
	}
	if b.budget && b.turns == 0 && len(errs) == 0 {
		x.noteBudget(g, made, turns, all)
	}
	if env := x.p.envs[plan.Digest(made.Env)]; len(errs) == 0 && b.name == samplesBaseline && env != nil &&
		env.Measure() == envs.Scored {
		errs.add(nil, "score", "equal answers are counted, of which some are right; a program's or judge's score "+
			"says of none that it is; expected single")
	}
	made.count, made.chosen, made.replicates, made.baseline = g.count, g.chosen, g.replicates,
		b.titleOf(made.agents, made.Condition)
	made.values = sharedValues(x.axes, g, keys, made.baseline)
	return made, errs
}

// affordedTurns returns of how many of its turns the model of a group can have the tokens in
// one answer.
func (x *expansion) affordedTurns(g expanded, turns int) int {
	if x.p.host.LongestAnswer == nil {
		return turns
	}
	if most := x.p.host.LongestAnswer(g.Model); most > 0 {
		turns = min(turns, max(1, most/g.Generate.MaxTokens))
	}
	return turns
}

// noteBudget says what keeps a budget from being that of the group.
func (x *expansion) noteBudget(g, made expanded, turns, all int) {
	note := func(format string, args ...any) {
		if text := "baselines: " + fmt.Sprintf(format, args...); !slices.Contains(x.notes, text) {
			x.notes = append(x.notes, text)
		}
	}
	if turns < all {
		note("%s takes no more than %d tokens in one answer here: one agent has the budget of %d of the group's %d turns", g.Model.Name, made.Generate.MaxTokens, turns, all)
	}
	if effort := g.Generate.ReasoningEffort; effort != "" && effort != "none" {
		note("one agent with the group's budget is asked with the group's reasoning_effort %s, which is no number of "+
			"tokens: it may think no longer; give thinking: or a budget in extra_body where the model takes one", effort)
	}
}

// addRecorded adds the same baseline with as many samples, or as large a budget, as the
// campaign that goes on has: a group that now takes more turns is no reason to lose those.
func (x *expansion) addRecorded(b baseline, g, made expanded) {
	for _, r := range x.p.recorded {
		var was struct {
			Agents int `json:"agents"`
		}
		if json.Unmarshal(r.Env.Params, &was) != nil || plan.Digest(r.Protocol) != plan.Digest(made.Protocol) {
			continue
		}
		switch {
		case b.budget && was.Agents == 1 && r.Generate.MaxTokens > g.Generate.MaxTokens:
			b.turns = r.Generate.MaxTokens / g.Generate.MaxTokens
		case b.name == samplesBaseline && was.Agents > 1:
			b.samples = was.Agents
		default:
			continue
		}
		if earlier, errs := x.checkBaseline(b, g); len(errs) == 0 && earlier.ID() == r.ID() {
			x.addShared(earlier)
		}
	}
}

func envText(c plan.Choice) string {
	return strings.TrimSpace("the environment " + c.Name + " " + string(c.Params))
}

// isAlone reports whether nobody in a group sees anything of another: it is a baseline itself.
func (x *expansion) isAlone(g expanded) bool {
	return g.agents < 2 || g.rounds < 2 && canonicalName(x.p.host.Catalogue, "protocol", g.Protocol.Name) == "debate"
}

// keysFor returns the keys of the baseline's condition, for a group of so many turns.
func (b baseline) keysFor(g expanded, turns int) map[string]*yaml.Node {
	word := func(text string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: g.keys["env"].Line}
	}
	number := func(n int) *yaml.Node { w := word(strconv.Itoa(n)); w.Tag = "!!int"; return w }
	agents := 1
	if b.name == samplesBaseline {
		if agents = b.samples; agents == 0 {
			agents = samplesPerTurn * turns
		}
	}
	debate := &yaml.Node{Kind: yaml.MappingNode, Line: g.keys["env"].Line}
	putKey(debate, "name", word("debate"))
	putKey(debate, "rounds", number(0))
	if thinks := valueOf(g.keys["protocol"], "chain_of_thought"); thinks != nil {
		putKey(debate, "chain_of_thought", thinks)
	}
	keys := map[string]*yaml.Node{"protocol": debate, "rule": word("plurality")}
	for _, key := range []string{"model", "generate", "reasks", "reask", "reasoning"} {
		if n := g.keys[key]; n != nil {
			keys[key] = n
		}
	}
	if b.budget {
		keys["generate"] = withBudgets(g.keys["generate"], turns)
	}
	keys["env"] = withValue(g.keys["env"], []string{"agents"}, number(agents), "env")
	return keys
}

// budgetKeys limit the tokens of an answer, or of the thinking before it: those of generate,
// and what services call it that take it in extra_body.
var budgetKeys = []string{"max_tokens", "thinking", "budget_tokens", "thinking_budget", "thinkingBudget"}

// withBudgets returns a value in which each budget is so many times as large.
func withBudgets(n *yaml.Node, times int) *yaml.Node {
	larger := *n
	larger.Content = nil
	for i, inner := range n.Content {
		inner = withBudgets(inner, times)
		if tokens, err := strconv.Atoi(inner.Value); err == nil && tokens > 0 && n.Kind == yaml.MappingNode &&
			i%2 == 1 && slices.Contains(budgetKeys, n.Content[i-1].Value) {
			inner.Value = strconv.Itoa(tokens * times)
		}
		larger.Content = append(larger.Content, inner)
	}
	return &larger
}

// keptRoots are the keys that a baseline has in common with its group.
var keptRoots = []string{"env", "model", "generate", "reasks", "reask", "reasoning"}

// sharedValues returns the values of a baseline on the axes of the grid: those of its
// group where it shares them, and its own title on other axes.
func sharedValues(axes []axis, g expanded, keys map[string]*yaml.Node, title string) []plan.Value {
	given := givenSettings(keys)
	values := slices.Clone(g.values)
	for i, v := range values {
		shared, all := false, true
		for _, path := range axes[i].setPaths() {
			root, _, _ := strings.Cut(path, ".")
			is := slices.Contains(keptRoots, root)
			shared, all = shared || is, all && is
		}
		if !axes[i].own {
			values[i].Value = givenAt(given, v.Axis)
		}
		if !shared {
			values[i].Label = title
		} else if !all {
			values[i].Label += ", " + title
		}
	}
	return values
}

// setPaths returns the paths of a condition that an axis sets.
func (a axis) setPaths() []string {
	paths := map[string]bool{}
	for _, x := range a.values {
		for _, set := range x.listAssignments() {
			paths[set.path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// givenAt returns what was given at a dotted path; null if nothing was.
func givenAt(given map[string]json.RawMessage, path string) json.RawMessage {
	root, rest, nested := strings.Cut(path, ".")
	v := given[root]
	for nested && v != nil {
		root, rest, nested = strings.Cut(rest, ".")
		v = plan.Fields(v)[root]
	}
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}
