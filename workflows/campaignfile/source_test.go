package campaignfile_test

import (
	"errors"
	"strings"
	"testing"

	"roundtable/workflows/campaignfile"
)

// changed reads a file with what the command line changes in it.
func changed(text string, limit int, set ...string) (campaignfile.File, error) {
	s := campaignfile.Source{Data: []byte(text), Limit: limit}
	for _, x := range set {
		c, err := campaignfile.NewChange(x)
		if err != nil {
			return campaignfile.File{}, err
		}
		s.Changes = append(s.Changes, c)
	}
	return campaignfile.ParseSource(s, host)
}

// A campaign that is changed on the command line is that of a changed file.
func TestChangesAreThoseOfTheFile(t *testing.T) {
	for name, x := range map[string]struct {
		set  []string
		file string
	}{
		"plug-in":             {[]string{"rule=borda"}, strings.Replace(minimal, "majority", "borda", 1)},
		"parameter of a name": {[]string{"protocol.rounds=3"}, strings.Replace(minimal, "roundtable", "{name: roundtable, rounds: 3}", 1)},
		"plug-in, mapping":    {[]string{"rule={name: rated, max: 9}"}, strings.Replace(minimal, "majority", "{name: rated, max: 9}", 1)},
		"after each other":    {[]string{"rule=rated", "rule.max=9"}, strings.Replace(minimal, "majority", "{name: rated, max: 9}", 1)},
		"header":              {[]string{"seed=9", "replicates=4", "name=b"}, strings.Replace(minimal, "name: a", "name: b", 1) + "seed: 9\nreplicates: 4\n"},
		"new mapping":         {[]string{"generate.temperature=0.5", "models.Alex=scripted/stubborn"}, minimal + "generate: {temperature: 0.5}\nmodels: {Alex: scripted/stubborn}\n"},
		"new axis":            {[]string{"grid.protocol.rounds=[2, 3]"}, minimal + "grid: {protocol.rounds: [2, 3]}\n"},
		"limits of a model":   {[]string{"limits.models.a/b-4.1.calls=3"}, minimal + "limits: {models: {a/b-4.1: {calls: 3}}}\n"},
	} {
		text := minimal
		if name == "limits of a model" {
			text += "limits: {models: {a/b-4.1: {calls: 2}}}\n"
		}
		got, err := changed(text, 0, x.set...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := parse(t, x.file)
		if got.Campaign.Revision() != want.Campaign.Revision() || got.Limits.Models["a/b-4.1"] != want.Limits.Models["a/b-4.1"] {
			t.Errorf("%s gives\n%+v, want\n%+v", name, got.Campaign, want.Campaign)
		}
	}
	file, err := changed(grouped, 0, "grid.rule=[borda]", "grid.size=[{label: one, set: {generate.seed: 4}}]")
	if err != nil || len(file.Campaign.Conditions) != 1 || file.Campaign.Conditions[0].Rule.Name != "borda" {
		t.Errorf("other axes give %v, error %v", file, err)
	}
}

// Nodes that an alias shares are not changed in both places.
func TestChangeOfASharedValue(t *testing.T) {
	text := "name: a\nenv: exchange\nprotocol: roundtable\nrule: majority\nmodel: &m {name: scripted/trader}\nmodels: {Alex: *m}\n"
	file, err := changed(text, 0, "model.skip=0.5")
	if err != nil {
		t.Fatal(err)
	}
	if c := file.Campaign.Conditions[0]; string(c.Model.Params) != `{"skip":0.5}` || c.Models["Alex"].Params != nil {
		t.Errorf("model is %v and that of Alex %v", c.Model, c.Models["Alex"])
	}
}

// The limit is that of each environment; one that has fewer runs all it has.
func TestLimit(t *testing.T) {
	for limit, want := range map[int][2]int{1: {1, 1}, 4: {1, 4}, 100: {1, 9}} {
		file, err := changed(twoTasks, limit)
		if err != nil {
			t.Fatal(err)
		}
		if n := file.Campaign.Instances; n[0] != want[0] || n[2] != want[1] {
			t.Errorf("at most %d instances are %v", limit, n)
		}
	}
	file, err := changed(twoTasks+"instances: {recsys: [u1-m12, u10-m34]}\n", 1)
	if err != nil || file.Campaign.Instances[2] != 1 || file.Campaign.Chosen.Of(2)[0] != 1 {
		t.Errorf("of the chosen ones it runs %v, error %v", file.Campaign.Chosen, err)
	}
}

// Errors of the command line name the flag, and come with those of the file.
func TestErrorsOfChanges(t *testing.T) {
	text := grouped + "modl: x\n"
	_, err := changed(text, 0, "rule=borda", "env.agents=3", "protocol.rounds=0", "sed=1", "seed=", "reasks=[", "seed=x", "name=A B", "rule=rated", "grid.stop=never")
	errs, ok := errors.AsType[campaignfile.Errors](err)
	if !ok {
		t.Fatal(err)
	}
	want := `line 12: modl: unknown key; known are name, seed, replicates, instances, data, prompts, private_data, cache_scope, limits, notify, card, embedder, labels, prices, cost, baselines, controls, until, fork, extends, defaults, env, protocol, rule, stop, model, models, agents, generate, reasks, reask, reasoning, grid; did you mean model?
--set rule=borda: rule: the grid varies it; --set grid.rule=[…] replaces the whole axis
--set protocol.rounds=0: protocol.rounds: the grid varies it; --set grid.size=[…] replaces the whole axis
--set sed=1: sed: unknown key; known are name, seed, replicates, instances, data, prompts, private_data, cache_scope, limits, notify, card, embedder, labels, prices, cost, baselines, controls, until, fork, extends, defaults, env, protocol, rule, stop, model, models, agents, generate, reasks, reask, reasoning, grid; did you mean seed?
--set seed=: seed: is empty
--set reasks=[: reasks: "[" is not valid YAML: did not find expected node content
--set seed=x: seed: is given by --set seed=, too
--set name=A B: name: "A B" is not a campaign name; use 1 to 63 of a-z, 0-9 and -, not beginning with -
--set rule=rated: rule: is given by --set rule=borda, too
--set grid.stop=never: grid.stop: "never" is not a list of values; write [never]`
	if errs.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", errs, want)
	}
	for _, text := range []string{"rule", "=x", ".a=3", "a..b=3", " =3"} {
		if _, err := campaignfile.NewChange(text); err == nil || !strings.Contains(err.Error(), "write KEY=VALUE with a key of the campaign file, as rule=borda or protocol.rounds=3") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
