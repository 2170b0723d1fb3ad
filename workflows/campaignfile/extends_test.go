package campaignfile_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"roundtable/workflows/campaignfile"
)

// extending reads main.yaml of some files.
func extending(files map[string]string, changes ...string) (campaignfile.File, error) {
	h := host
	h.Extended = func(from, name string) (campaignfile.Extended, error) {
		at := path.Join(path.Dir(from), name)
		text, ok := files[at]
		if !ok {
			return campaignfile.Extended{}, fmt.Errorf("there is no file %s", at)
		}
		return campaignfile.Extended{Name: at, Data: []byte(text), Path: func(p string) string { return path.Join(path.Dir(at), p) }}, nil
	}
	s := campaignfile.Source{Name: "main.yaml", Data: []byte(files["main.yaml"])}
	for _, text := range changes {
		c, err := campaignfile.NewChange(text)
		if err != nil {
			return campaignfile.File{}, err
		}
		s.Changes = append(s.Changes, c)
	}
	return campaignfile.ParseSource(s, h)
}

// A file that extends another one is that with its own keys in the others' place.
func TestExtends(t *testing.T) {
	const base = `name: base
seed: 4
env: {name: exchange, agents: 4, quantity: [1, 2, 3, 4]}
protocol: {name: roundtable, rounds: 4, ties: first}
rule: rated
model: scripted/trader
generate: {temperature: 0.5, max_tokens: 9}
limits: {calls: 3, models: {a: {calls: 1}}}
`
	for name, x := range map[string]struct{ own, whole string }{
		"nothing more": {"", strings.Replace(base, "name: base", "name: a", 1)},
		"parameters, lists and mappings": {
			"env: {quantity: 5}\nprotocol: {rounds: 7}\nrule: {max: 9}\nmodel: {skip: 0.5}\ngenerate: {temperature: 0}\n",
			"name: a\nseed: 4\nenv: {name: exchange, agents: 4, quantity: 5}\nprotocol: {name: roundtable, rounds: 7, ties: first}\nrule: {name: rated, max: 9}\nmodel: {name: scripted/trader, skip: 0.5}\ngenerate: {temperature: 0, max_tokens: 9}\n",
		},
		"another plug-in": {
			"protocol: {name: debate, rounds: 2}\nrule: plurality\nseed: 5\nenv: exchange\n",
			"name: a\nseed: 5\nenv: exchange\nprotocol: {name: debate, rounds: 2}\nrule: plurality\nmodel: scripted/trader\ngenerate: {temperature: 0.5, max_tokens: 9}\n",
		},
		"a grid in place of values": {
			"grid: {rule: [borda, majority], protocol.rounds: [2, 3], x: [{label: a, set: {env.quantity: 3, protocol.ties: keep}}, {label: b, set: {env.quantity: 4}}]}\n",
			"name: a\nseed: 4\nenv: {name: exchange, agents: 4}\nprotocol: {name: roundtable, ties: first}\nmodel: scripted/trader\ngenerate: {temperature: 0.5, max_tokens: 9}\ngrid: {rule: [borda, majority], protocol.rounds: [2, 3], x: [{label: a, set: {env.quantity: 3, protocol.ties: keep}}, {label: b, set: {env.quantity: 4}}]}\n",
		},
	} {
		got, err := extending(map[string]string{"main.yaml": "extends: ../base.yaml\nname: a\n" + x.own, "../base.yaml": base})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := parse(t, x.whole); got.Campaign.Revision() != want.Campaign.Revision() {
			t.Errorf("%s: got\n%+v, want\n%+v", name, got.Campaign, want.Campaign)
		}
		if m := got.Limits.Models["a"]; got.Limits.Calls != 3 || m.Calls != 1 {
			t.Errorf("%s: limits are %+v", name, got.Limits)
		}
	}
	// The other way round, a value takes the place of an axis; and files may go on.
	file, err := extending(map[string]string{
		"main.yaml":    "name: a\nextends: sub/b.yaml\nprotocol: {rounds: 2}\nrule: majority\ngrid: {stop: [never, first_agreement]}\n",
		"sub/b.yaml":   "extends: c/c.yaml\nprotocol: roundtable\nmodel: scripted/trader\n",
		"sub/c/c.yaml": "data: d/../ml\nprompts: ../../ml-tiny\nmodel: openai/x\nenv: exchange\ngrid: {rule: [borda, rated], protocol.rounds: [4, 5], reasks: [0, 1]}\n",
	}, "rule=borda", "data=ml-tiny")
	if err != nil {
		t.Fatal(err)
	}
	if c := file.Campaign.Conditions; len(c) != 4 || c[0].Rule.Name != "borda" || string(c[3].Protocol.Params) != `{"rounds":2}` {
		t.Errorf("conditions are %+v", c)
	}
	if file.Prompts != "ml-tiny" || file.Data != "ml-tiny" {
		t.Errorf("the folders are %s and %s", file.Prompts, file.Data)
	}
}

// Paths of an extended file are its own.
func TestPathsOfExtendedFiles(t *testing.T) {
	_, err := extending(map[string]string{
		"main.yaml":  "name: a\nextends: sub/b.yaml\nenv: exchange\nprotocol: roundtable\nrule: borda\nmodel: scripted/trader\n",
		"sub/b.yaml": "data: x\nprompts: ../y\n",
	})
	if want := "sub/b.yaml: line 1: data: the folder sub/x cannot be opened: no such file or directory\nsub/b.yaml: line 2: prompts: the folder y cannot be opened: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Errors name the file in which the key is, all at once.
func TestErrorsOfExtendedFiles(t *testing.T) {
	for name, x := range map[string]struct {
		files map[string]string
		want  string
	}{
		"in both": {
			map[string]string{
				"main.yaml": "name: A\nextends: b.yaml\nreasks: 11\n",
				"b.yaml":    "env: exchange\nenv: exchange\nprotocol: {name: roundtable, rounds: 0}\nmodl: x\nmodel: scripted/trader\ngrid:\n  rule: [borda, x]\n",
			},
			`line 1: name: "A" is not a campaign name; use 1 to 63 of a-z, 0-9 and -, not beginning with -
line 3: reasks: is 11; expected 0 to 10
b.yaml: line 2: env: given twice
b.yaml: line 3: protocol.rounds: is 0; expected 1 to 1000
b.yaml: line 4: modl: unknown key;`,
		},
		"missing": {
			map[string]string{"main.yaml": minimal + "extends: c/b.yaml\n", "c/b.yaml": "seed: 3\nextends: ../d.yaml\n"},
			"c/b.yaml: line 2: extends: there is no file d.yaml",
		},
		"cycle": {
			map[string]string{"main.yaml": minimal + "extends: b.yaml\n", "b.yaml": "extends: c.yaml\n", "c.yaml": "seed: 3\nextends: b.yaml\n"},
			"c.yaml: line 2: extends: b.yaml → c.yaml → b.yaml extends itself",
		},
		"itself":       {map[string]string{"main.yaml": minimal + "extends: ./main.yaml\n"}, "line 6: extends: main.yaml → main.yaml extends itself"},
		"a list":       {map[string]string{"main.yaml": minimal + "extends: [b.yaml]\n"}, "line 6: extends: a list is not the path of a campaign file"},
		"nothing":      {map[string]string{"main.yaml": minimal + "extends:\n"}, "line 6: extends: nothing is not the path of a campaign file"},
		"no YAML":      {map[string]string{"main.yaml": minimal + "extends: b.yaml\n", "b.yaml": "seed: [\n"}, "b.yaml: line 2: not valid YAML: did not find expected node content"},
		"no mapping":   {map[string]string{"main.yaml": minimal + "extends: b.yaml\n", "b.yaml": "- x\n"}, "b.yaml: line 1: a campaign file is a mapping with name, env, protocol, rule, model, …"},
		"no own name":  {map[string]string{"main.yaml": "extends: b.yaml\n", "b.yaml": minimal}, "name: is missing; the campaign needs one"},
		"in the grids": {map[string]string{"main.yaml": "name: a\nextends: b.yaml\nrule: borda\n", "b.yaml": strings.Replace(minimal, "rule: majority\n", "grid:\n  rule: [rated]\n  stop: [never]\n  exclude: [{rule: rated}]\n", 1)}, "b.yaml: line 7: grid.exclude.rule: is not an axis of the grid; expected stop"},
	} {
		_, err := extending(x.files)
		if errs, ok := errors.AsType[campaignfile.Errors](err); !ok || !strings.HasPrefix(errs.Error(), x.want) {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, x.want)
		}
	}
	if _, err := campaignfile.Parse([]byte(minimal+"extends: b.yaml\n"), host); err == nil || err.Error() != "line 6: extends: there are no other files here" {
		t.Errorf("without files: %v", err)
	}
	if _, err := changed(minimal, 0, "extends=b.yaml"); err == nil || err.Error() != "--set extends=b.yaml: extends: cannot be given on the command line" {
		t.Errorf("on the command line: %v", err)
	}
}

// Defaults are what plug-ins have wherever the file names them without saying otherwise.
func TestDefaultsOfPlugins(t *testing.T) {
	const text = `name: a
env: exchange
model: scripted/trader
models: {Alex: scripted/stubborn, Blake: {name: scripted/stubborn, skip: 0.5}}
reasks: 0
defaults:
  env: {exchange: {agents: 4, utility: uniform}}
  protocol: {debate: {rounds: 2, order: random}, roundtable: {rounds: 3}}
  rule: {first_past_the_post: {}}
  model: {scripted/stubborn: {skip: 0.25}}
grid:
  protocol: [roundtable, debate, {name: debate, rounds: 1}, {label: long, value: {name: roundtable, rounds: 9}}]
  rule: [plurality]
  env.utility: [symmetric]
`
	file := parse(t, strings.Replace(text, "  rule: {first_past_the_post: {}}\n", "", 1))
	whole := parse(t, `name: a
env: {name: exchange, agents: 4}
model: scripted/trader
models: {Alex: {name: scripted/stubborn, skip: 0.25}, Blake: {name: scripted/stubborn, skip: 0.5}}
reasks: 0
grid:
  protocol: [{name: roundtable, rounds: 3}, {name: debate, rounds: 2, order: random}, {name: debate, rounds: 1, order: random}, {name: roundtable, rounds: 9}]
  rule: [plurality]
  env.utility: [symmetric]
`)
	for i, c := range whole.Campaign.Conditions {
		if got := file.Campaign.Conditions[i]; got.ID() != c.ID() {
			t.Errorf("condition %d is\n%+v, want\n%+v", i, got, c)
		}
	}
	if got := strings.Join(file.Shared(), ", "); got != "env exchange (agents 4, utility symmetric), rule plurality, model scripted/trader, models (Alex {\"name\":\"scripted/stubborn\",\"skip\":0.25}, Blake {\"name\":\"scripted/stubborn\",\"skip\":0.5}), reasks 0" {
		t.Errorf("they share %s", got)
	}
	pinErrors(t, text, "line 9: defaults.rule.first_past_the_post: names no parameter")
}

func TestDefaultErrors(t *testing.T) {
	pinErrors(t, minimal+`defaults:
  protcol: {debate: {rounds: 2}}
  env: [exchange]
  rule: {majority: 3, rated: {name: x}, simple: {a: 1}, plurality: {b: 1}}
  protocol: {roundtable: {rounds: 0, round: 3}}
`,
		"line 7: defaults.protcol: unknown key; known are env, protocol, rule, stop, model; did you mean protocol?",
		"line 8: defaults.env: a list is not a mapping of names to parameters, as {protocol: {debate: {rounds: 2}}}",
		`line 9: defaults.rule.majority: "3" is not a mapping of parameters to values`,
		"line 9: defaults.rule.rated.name: is not a parameter",
		"line 9: defaults.rule.plurality: given twice",
		"line 10: protocol.round: unknown key; known are rounds, phases, ties, reasons; did you mean rounds?",
		"line 10: protocol.rounds: is 0; expected 1 to 1000",
	)
	pinErrors(t, minimal+"defaults: {rule: {rated: {max: 9}, majority: {}}}\n", "line 6: defaults.rule.majority: names no parameter", "line 6: defaults.rule.rated: no condition names it; expected majority")
	pinErrors(t, minimal+"defaults: {rule: {rated: {max: 9}}, model: {scripted/tradr: {skip: 1}}}\n",
		"line 6: defaults.rule.rated: no condition names it; expected majority",
		"line 6: defaults.model.scripted/tradr: no condition names it; expected scripted/trader; did you mean scripted/trader?",
	)
	pinErrors(t, minimal+"defaults: x\n", `line 6: defaults: "x" is not a mapping of env, protocol, rule, stop and model to plug-ins, as {protocol: {debate: {rounds: 2}}}`)
}
