package campaignfile_test

import (
	"strings"
	"testing"
)

// grouped is a grid with an axis whose values set several keys.
const grouped = `name: a
env: {name: exchange, agents: 3}
model: scripted/trader
protocol: roundtable
reasks: 1
grid:
  rule: [majority, plurality]
  size:
    - {label: small, set: {env.agents: 2, protocol.rounds: 3}}
    - {label: large, set: {env.agents: 5, protocol: {name: roundtable, ties: first}, protocol.rounds: 9}}
    - {label: as given, set: {reasks: 3, protocol.rounds: 1}}
`

// Values of an axis with its own name set several keys; what only some of them set
// stays as the file gives it in the others.
func TestValuesThatSetSeveralKeys(t *testing.T) {
	text := strings.Replace(grouped, "agents: 3}", "agents: 3}\ncost: unknown", 1)
	file := parse(t, text)
	var got []string
	for i, c := range file.Campaign.Conditions {
		got = append(got, strings.Join([]string{c.Rule.Name, file.Values[i][1].String(), string(c.Env.Params), string(c.Protocol.Params), number(c.Reasks)}, " "))
	}
	want := []string{
		`majority small {"agents":2} {"rounds":3} 1`,
		`majority large {"agents":5} {"rounds":9,"ties":"first"} 1`,
		`majority as given {"agents":3} {"rounds":1} 3`,
		`plurality small {"agents":2} {"rounds":3} 1`,
		`plurality large {"agents":5} {"rounds":9,"ties":"first"} 1`,
		`plurality as given {"agents":3} {"rounds":1} 3`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	plain := parse(t, "name: a\nenv: {name: exchange, agents: 2}\nmodel: scripted/trader\nprotocol: {name: roundtable, rounds: 3}\nreasks: 1\nrule: majority\n")
	if a, b := plain.Campaign.Conditions[0].ID(), file.Campaign.Conditions[0].ID(); a != b {
		t.Errorf("written out, %s has the id %s", b, a)
	}
	if names, rows := file.Columns(); strings.Join(names, " ") != "rule size" || rows[1][1] != "large" {
		t.Errorf("columns are %v, the second row %v", names, rows[1])
	}
	if labels := file.AxisLabels()[file.Campaign.Conditions[4].ID()]; labels["size"] != "large" {
		t.Errorf("labels are %v", labels)
	}
	if axis := file.Campaign.Grid[1]; axis.Key != "size" || string(axis.Values[0]) != `{"env.agents":2,"protocol.rounds":3}` {
		t.Errorf("the axis is recorded as %v", axis)
	}
}

func TestBundlesInExclusionsAndInstances(t *testing.T) {
	for exclude, want := range map[string]int{
		"[{size: small}]":                          4,
		"[{size: [small, large], rule: majority}]": 4,
		"[{size: {env.agents: 5}}]":                4,
	} {
		if n := len(parse(t, grouped+"  exclude: "+exclude+"\n").Campaign.Conditions); n != want {
			t.Errorf("%s leaves %d conditions, want %d", exclude, n, want)
		}
	}
	drawn := strings.NewReplacer("env: {name: exchange, agents: 3}", "env: publicgoods", "agents: 2", "agents: 8", "trader", "cooperator").Replace(grouped)
	counts := parse(t, drawn+"instances: {large: 3, publicgoods: 2}\n").Campaign.Instances
	if counts[0] != 2 || counts[1] != 3 || counts[2] != 2 {
		t.Errorf("instances are %v", counts)
	}
}

// Everything that is wrong with such an axis is said at once.
func TestBundleErrors(t *testing.T) {
	const text = `name: a
env: exchange
model: scripted/trader
protocol: roundtable
reasks: 1
rule: majority
grid:
  stop: [{label: x, set: {rule: majority}}]
  my.axis: [{label: x, set: {}}]
  seed: [{label: x, set: {reasks: 2}}]
  models.Alex: [scripted/stubborn]
  size:
    - {label: small, set: {env.agents: 2, protocol.rounds: 3}}
    - {label: small, set: {env.agents: 5, protocol: {rounds: 9}, protocol.rounds: 9}}
    - {label: other, set: [env.agents]}
    - large
    - {label: much, set: {seed: 3, reasks: 2, reasks: 3}, value: 3}
    - {label: same, set: {seeds: 3, env.agents: 2, protocol.rounds: 3}}
  other: [{label: one, set: {models.Alex: scripted/trader}}]
`
	pinErrors(t, text,
		"line 8: grid.stop: values that set several keys stand on an axis with its own name, as grid: {size: [{label: …, set: {…}}]}",
		"line 9: grid.my.axis: cannot vary; env, protocol, rule, stop, model, models, agents, generate, reasks, reask, reasoning and keys within them (as protocol.rounds) can; an axis with its own name has values {label: …, set: {…}}",
		"line 10: grid.seed: cannot vary; env, protocol, rule, stop, model, models, agents, generate, reasks, reask, reasoning and keys within them (as protocol.rounds) can; an axis with its own name has values {label: …, set: {…}}",
		"line 14: grid.size.set.protocol.rounds: given twice; protocol has it too",
		"line 15: grid.size.set: a list is not a mapping of keys to values, as {model: …, generate.temperature: 0}",
		`line 16: grid.size: "large" is not a value of an axis with its own name; write {label: …, set: {…}}`,
		"line 17: grid.size: a mapping is not a value of an axis with its own name; write {label: …, set: {…}}",
		"line 18: grid.size.set.seeds: cannot be set here; env, protocol, rule, stop, model, models, agents, generate, reasks, reask, reasoning and keys within them (as protocol.rounds) can",
		"line 19: grid.other: sets models.Alex, and so does grid.models.Alex; leave one out",
	)
}

// pinErrors compares all errors of a file with those that are expected, word by word.
func pinErrors(t *testing.T, text string, want ...string) {
	t.Helper()
	var got []string
	for _, f := range errorsOf(t, text) {
		got = append(got, f.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const included = `name: a
env: exchange
model: scripted/trader
protocol: roundtable
grid:
  rule: [majority, {label: nine, value: {name: rated, max: 9}}]
  protocol.rounds: [2, 3]
  size: [{label: small, set: {env.agents: 2}}, {label: large, set: {env.agents: 5}}]
`

// Combinations are added to the product, with values that the axes have or have not.
func TestInclude(t *testing.T) {
	whole := parse(t, included).Campaign
	file := parse(t, included+`  exclude: [{rule: nine}]
  include:
    - {rule: nine, protocol.rounds: 2, size: small}
    - {rule: borda, protocol.rounds: 7, size: {label: huge, set: {env.agents: 9, generate.temperature: 0}}}
    - {rule: {label: six, value: {name: rated, max: 6}}, protocol.rounds: 3, size: large}
`)
	c := file.Campaign
	if len(c.Conditions) != 4+3 {
		t.Fatalf("%d conditions", len(c.Conditions))
	}
	if id, want := c.Conditions[4].ID(), whole.Conditions[4].ID(); id != want {
		t.Errorf("included again, %s is called %s", want, id)
	}
	if got := string(c.Conditions[5].Env.Params); c.Conditions[5].Rule.Name != "borda" || got != `{"agents":9}` || *c.Conditions[5].Generate.Temperature != 0 {
		t.Errorf("the new combination is %+v", c.Conditions[5])
	}
	if names, rows := file.Columns(); strings.Join(names, " ") != "rule protocol.rounds size" || strings.Join(rows[5], " ") != "borda 7 huge" {
		t.Errorf("columns are %v and the sixth row %v", names, rows[5])
	}
	smaller := parse(t, included).Campaign
	if diff := parse(t, included+"  include: [{rule: borda, protocol.rounds: 2, size: small}]\n").Campaign.Extends(smaller); len(diff) > 0 {
		t.Errorf("a combination more is not an extension: %v", diff)
	}
	if diff := smaller.Extends(c); len(diff) != 1 || !strings.Contains(diff[0], "which the campaign has; conditions can be added, not taken away") {
		t.Errorf("combinations that are taken away: %v", diff)
	}
	if n := len(parse(t, included+"  exclude: [{size: [small, large]}]\n  include: [{rule: borda, protocol.rounds: 2, size: small}]\n").Campaign.Conditions); n != 1 {
		t.Errorf("%d conditions of one that is included", n)
	}
}

func TestIncludeErrors(t *testing.T) {
	pinErrors(t, included+`  include:
    - {rule: nine, protocol.rounds: 2}
    - {rule: nine, protocol.round: 2, size: small, reasks: 3}
    - {rule: nine, rule: nine, protocol.rounds: 9, size: medium}
    - {rule: {label: nine, value: rated}, protocol.rounds: 2, size: {label: small, set: {reasks: 1}}}
    - nine
`,
		"line 10: grid.include: a combination gives every axis of the grid a value; it has none for size",
		"line 11: grid.include.protocol.round: is not an axis of the grid; expected rule, protocol.rounds or size; did you mean protocol.rounds?",
		"line 11: grid.include.reasks: is not an axis of the grid; expected rule, protocol.rounds or size",
		"line 11: grid.include: a combination gives every axis of the grid a value; it has none for protocol.rounds",
		"line 12: grid.include.rule: given twice",
		`line 12: grid.include.size: the axis has no label "medium"; expected one of small, large, or {label: …, set: {…}}`,
		`line 13: grid.include.rule: the axis has another value that is called "nine"`,
		`line 13: grid.include.size: the axis has another value that is called "small"`,
		`line 14: grid.include: "nine" is not a combination; write a mapping with a value for each axis of the grid, as {rule: judge, protocol.rounds: 3}`,
	)
	for include, want := range map[string]string{
		"[]": "line 9: grid.include: a list is not a list of combinations, as [{rule: judge, protocol.rounds: 3}]",
		"{rule: nine, protocol.rounds: 2, size: small}":   "line 9: grid.include: a mapping is not a list of combinations, as [{rule: judge, protocol.rounds: 3}]",
		"[{rule: nine, protocol.rounds: 2, size: small}]": `line 9: grid.include: rule {"max":9,"name":"rated"}, protocol.rounds 2, size small is the same condition as rule {"max":9,"name":"rated"}, protocol.rounds 2, size small`,
		"[{rule: rate, protocol.rounds: 2, size: small}]": `line 9: rule: unknown decision rule "rate"`,
	} {
		if got := errorsOf(t, included+"  include: "+include+"\n").Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", include, got, want)
		}
	}
	pinErrors(t, minimal+"grid: {include: [{rule: majority}]}\n", "line 6: grid.include: the grid has no axis to which a combination could be added")
}
