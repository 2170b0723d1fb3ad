package campaignfile_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// sized is a campaign file with extras and a grid of rules.
func sized(replicates, instances int, rules string) string {
	return fmt.Sprintf("name: a\nreplicates: %d\ninstances: %d\ndata: ml-tiny\nenv: {name: recsys, synthetic: true, n: 9}\nprotocol: roundtable\nmodel: scripted/rater\ngrid: {rule: [%s]}\n", replicates, instances, rules)
}

// Cell counts every combination exactly once, conditions fastest.
func TestCellsAreABijection(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 4}, {5, 1}, {3, 7}} {
		c := parse(t, sized(size[0], size[1], "majority, rated, ranked")).Campaign
		if c.Size() != 3*size[0]*size[1] {
			t.Fatalf("Size() = %d of %v", c.Size(), size)
		}
		cells, ids := map[plan.Cell]bool{}, map[string]bool{}
		for n := range c.Size() {
			cell := c.Cell(n)
			if cell.Condition >= 3 || cell.Instance >= size[1] || cell.Replicate >= size[0] || cell.Condition < 0 || cell.Instance < 0 || cell.Replicate < 0 {
				t.Fatalf("cell %d is %+v", n, cell)
			}
			if cell.Condition != n%3 {
				t.Errorf("cell %d has condition %d: an unfinished campaign is not balanced", n, cell.Condition)
			}
			cells[cell], ids[c.CollaborationID(cell)] = true, true
		}
		if len(cells) != c.Size() || len(ids) != c.Size() {
			t.Errorf("%d cells have %d places and %d names", c.Size(), len(cells), len(ids))
		}
	}
}

func pluginNames(c plan.Campaign) map[string]uint64 {
	names := map[string]uint64{}
	for n := range c.Size() {
		names[c.CollaborationID(c.Cell(n))] = c.TreatmentSeed(c.Cell(n))
	}
	return names
}

// An extension keeps every cell, with its seed.
func TestIdentitiesAreStable(t *testing.T) {
	before := parse(t, sized(2, 2, "majority, rated")).Campaign
	for what, text := range map[string]string{
		"replicates":    sized(3, 2, "majority, rated"),
		"instances":     sized(2, 9, "majority, rated"),
		"values":        sized(2, 2, "unanimous, majority, ranked, rated, {name: rated, max: 9}"),
		"order":         sized(2, 2, "rated, majority"),
		"all":           sized(7, 5, "ranked, rated, cumulative, majority"),
		"style":         sized(2, 2, "{name: majority}, \"rated\""),
		"limits":        sized(2, 2, "majority, rated") + "limits: {calls: 3}\n",
		"default seed":  sized(2, 2, "majority, rated") + "seed: 1\n",
		"default scope": sized(2, 2, "majority, rated") + "cache_scope: campaign\n",
	} {
		after := parse(t, text).Campaign
		later := pluginNames(after)
		for name, seed := range pluginNames(before) {
			if got, ok := later[name]; !ok || got != seed {
				t.Errorf("%s: %s is lost or has another seed", what, name)
			}
		}
		if diff := after.Extends(before); len(diff) > 0 {
			t.Errorf("%s: %v", what, diff)
		}
		if what == "style" || what == "limits" || strings.HasPrefix(what, "default") {
			if after.Revision() != before.Revision() {
				t.Errorf("%s: another revision", what)
			}
		} else if after.Revision() == before.Revision() {
			t.Errorf("%s: the same revision", what)
		}
	}
}

// Conditions are compared on the same draws; other cells get others.
func TestTreatmentSeeds(t *testing.T) {
	c := parse(t, sized(3, 3, "majority, rated")).Campaign
	seeds := map[uint64]int{}
	for n := range c.Size() {
		seeds[c.TreatmentSeed(c.Cell(n))]++
	}
	if len(seeds) != 9 {
		t.Errorf("%d different seeds of 9 pairs of cells", len(seeds))
	}
	for seed, n := range seeds {
		if n != 2 {
			t.Errorf("seed %d belongs to %d conditions", seed, n)
		}
	}
}

// Whatever decides how a group works is in the condition's identity.
func TestDifferentSettingsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, change := range [][2]string{
		{"", ""},
		{"env: exchange", "env: {name: exchange, agents: 4}"},
		{"env: exchange", "env: {name: exchange, utility: uniform}"},
		{"env: exchange", "env: {name: exchange, quantity: 5}"},
		{"env: exchange", "env: {name: exchange, quantity: [5, 5, 6]}"},
		{"roundtable", "{name: roundtable, rounds: 3}"},
		{"roundtable", "{name: roundtable, ties: lottery}"},
		{"roundtable", "{name: roundtable, phases: [proposal, vote]}"},
		{"roundtable", "{name: roundtable, phases: [vote, proposal]}"},
		{"majority", "rated"}, {"majority", "{name: rated, max: 6}"}, {"majority", "plurality"},
		{"scripted/trader", "{name: scripted/trader, skip: 0.5}"},
		{"rule:", "stop: first_agreement\nrule:"},
		{"rule:", "reasks: 3\nrule:"},
		{"rule:", "generate: {temperature: 0}\nrule:"},
		{"rule:", "generate: {top_p: 0.5}\nrule:"},
		{"rule:", "generate: {max_tokens: 5}\nrule:"},
		{"rule:", "generate: {seed: 0}\nrule:"},
		{"rule:", "generate: {stop: [END]}\nrule:"},
	} {
		c := parse(t, strings.Replace(minimal, change[0], change[1], 1)).Campaign
		id := c.Conditions[0].ID()
		if other, ok := seen[id]; ok {
			t.Errorf("%q has the identity of %q", change[1], other)
		}
		seen[id] = change[1]
	}
	if len(seen) != 20 {
		t.Errorf("%d identities", len(seen))
	}
}

// What another campaign differs in is named, each thing once.
func TestExtendsNamesEachDifference(t *testing.T) {
	ids := parse(t, "seed: 5\nreplicates: 4\ninstances: 4\ncache_scope: lake\n"+strings.Replace(sizedBase, "R", "[majority, rated]", 1)).Campaign.Conditions
	lostOne := "the file no longer makes " + ids[1].ID() + ", " + lostSome
	lostBoth := "the file no longer makes " + ids[0].ID() + ", " + ids[1].ID() + ", " + lostSome
	base := "seed: 5\nreplicates: 4\ninstances: 4\ncache_scope: lake\n" + strings.Replace(sizedBase, "R", "[majority, rated]", 1)
	recorded := parse(t, base).Campaign
	for _, x := range []struct {
		from, to string
		want     []string
	}{
		{"", "", nil},
		{"replicates: 4", "replicates: 40", nil},
		{"[majority, rated]", "[ranked, majority, rated]", nil},
		{"seed: 5", "seed: 6", []string{"seed was 5 and is 6"}},
		{"replicates: 4", "replicates: 3", []string{"replicates was 4 and is 3; it can only grow"}},
		{"instances: 4", "instances: 3", []string{"instances was 4 and is 3; it can only grow"}},
		{"cache_scope: lake", "cache_scope: campaign", []string{"cache_scope was lake and is campaign"}},
		{"[majority, rated]", "[majority]", []string{`grid.rule lacks "rated", which the campaign has; add it to the list`, lostOne}},
		{"[majority, rated]", "[majority, {name: rated, max: 6}]", []string{`grid.rule lacks "rated", which the campaign has; add it to the list`, lostOne}},
		{"grid: {rule: [majority, rated]}", "rule: majority", []string{`grid.rule was there and is not; write grid: {rule: ["majority","rated"]}`, lostOne}},
		{"grid: {rule: [majority, rated]}", "grid: {how: [{label: x, set: {rule: majority}}, {label: y, set: {rule: rated}}]}", nil},
		{"grid: {", "grid: {generate.seed: [2], ", []string{"grid.generate.seed is new and does not say what the recorded conditions have for it; add their value to the list", lostBoth}},
		{"rounds: 5", "rounds: 6", []string{`protocol was {"name":"roundtable","rounds":5} and is {"name":"roundtable","rounds":6}; to have both, write grid: {protocol: [{"name":"roundtable","rounds":5}, {"name":"roundtable","rounds":6}]}`, lostBoth}},
		{"grid: {", "grid: {protocol.rounds: [6, 7], ", []string{"grid.protocol.rounds lacks 5, which the campaign has; add it to the list", lostBoth}},
		{"reasks: 1", "reasks: 2", []string{"reasks was 1 and is 2; to have both, write grid: {reasks: [1, 2]}", lostBoth}},
		{"reasks: 1\n", "", []string{"reasks was 1 and is nothing", lostBoth}},
		{"scripted/rater", "{name: scripted/rater, skip: 1}", []string{`model was "scripted/rater" and is {"name":"scripted/rater","skip":1}; to have both, write grid: {model: ["scripted/rater", {"name":"scripted/rater","skip":1}]}`, lostBoth}},
	} {
		other := strings.Replace(base, x.from, x.to, 1)
		if got := parse(t, other).Campaign.Extends(recorded); fmt.Sprint(got) != fmt.Sprint(x.want) {
			t.Errorf("%q for %q: %q, want %q", x.to, x.from, got, x.want)
		}
	}
	all := strings.NewReplacer("seed: 5", "seed: 6", "replicates: 4", "replicates: 1", "reasks: 1", "reasks: 3", "majority,", "unanimous,").Replace(base)
	if got := parse(t, all).Campaign.Extends(recorded); len(got) != 5 {
		t.Errorf("five differences are %q", got)
	}
	var broken plan.Campaign
	if got := recorded.Extends(broken); len(got) == 0 {
		t.Error("a record that cannot be read is extended")
	}
}

// An axis with a name of its own is named as it is written, unless another one sets the same.
func TestExtendsNamesBundles(t *testing.T) {
	grid := "{how: [{label: x, set: {rule: majority}}, {label: y, set: {rule: rated}}]}"
	base := strings.Replace(sizedBase, "{rule: R}", grid, 1)
	recorded := parse(t, base).Campaign
	ids := recorded.Conditions
	lost := "the file no longer makes " + ids[0].ID() + ", " + ids[1].ID() + ", " + lostSome
	for _, x := range []struct {
		grid string
		want []string
	}{
		{"{rule: [rated, majority]}", nil},
		{"{regel: [{label: z, set: {rule: rated}}, {label: x, set: {rule: majority}}]}", nil},
		{"{reasks: [3]}\nrule: majority", []string{`grid.how was there and is not; write grid: {how: [{"label":"a","set":{"rule":"majority"}},{"label":"b","set":{"rule":"rated"}}]}`,
			"grid.reasks lacks 1, which the campaign has; add it to the list", lost}},
	} {
		if got := parse(t, strings.Replace(base, grid, x.grid, 1)).Campaign.Extends(recorded); fmt.Sprint(got) != fmt.Sprint(x.want) {
			t.Errorf("%s: %q, want %q", x.grid, got, x.want)
		}
	}
	again := strings.Replace(base, grid, `{how: [{"label":"a","set":{"rule":"majority"}},{"label":"b","set":{"rule":"rated"}}]}`, 1)
	if got := parse(t, again).Campaign.Extends(recorded); got != nil {
		t.Errorf("what the message says to write gives %q", got)
	}
}

const sizedBase = "name: a\ndata: ml-tiny\nenv: {name: recsys, synthetic: true, n: 9}\nprotocol: {name: roundtable, rounds: 5}\nreasks: 1\nmodel: scripted/rater\ngrid: {rule: R}\n"

// The canonical form does not depend on the order of keys or the style of YAML.
func TestCanonicalForm(t *testing.T) {
	want := parse(t, good).Campaign
	for what, text := range map[string]string{
		"reversed": reversed(good),
		"JSON":     asJSON,
		"anchors": strings.NewReplacer("seed: 7", "seed: &seven 7", "max: 7", "max: *seven",
			"quantity: [10", "quantity: [ &ten 10").Replace(good),
		"numbers":   strings.NewReplacer("seed: 7", "seed: 0x7", "agents: 3", "agents: 3.0", "max: 7", "max: 7e0", "[10, 20", "[1e1, +20").Replace(good),
		"quotes":    strings.NewReplacer("ties: keep", `"ties": 'keep'`, "name: exchange", "name: !!str exchange", "message", `"mess\x61ge"`).Replace(good),
		"CRLF":      strings.ReplaceAll(good, "\n", "\r\n"),
		"BOM":       "\ufeff" + good,
		"comments":  "# first\n" + strings.ReplaceAll(good, "\n", " # said\n\n"),
		"marks":     "%YAML 1.1\n---\n" + good + "...\n",
		"name only": strings.Replace(good, "stop: first_agreement", "stop: {name: first_agreement}", 1),
	} {
		got := parse(t, text).Campaign
		if got.Revision() != want.Revision() {
			a, _ := json.MarshalIndent(want, "", " ")
			b, _ := json.MarshalIndent(got, "", " ")
			t.Errorf("%s: another campaign\n%s\n%s", what, a, b)
		}
	}
}

// reversed turns the top level's order around.
func reversed(text string) string {
	var blocks []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") {
			blocks[len(blocks)-1] += line
		} else {
			blocks = append(blocks, line)
		}
	}
	turned := ""
	for _, b := range blocks {
		turned = b + turned
	}
	return turned
}

const asJSON = `{"grid": {"rule": ["majority", {"max": 7, "name": "rated"}], "protocol.rounds": [4, 8],
 "env.utility": ["asymmetric", "uniform"], "generate.top_p": [0.5, 0.7]},
 "reasks": 1, "generate": {"stop": ["END"], "seed": 3, "max_tokens": 100, "temperature": 0},
 "model": {"skip": 0.1, "name": "scripted/trader"}, "stop": "first_agreement",
 "protocol": {"phases": ["message", "proposal", {"every": 2, "phase": "vote"}], "ties": "keep", "name": "roundtable"},
 "env": {"quantity": [10, 20, 30], "agents": 3, "name": "exchange"},
 "limits": {"calls": 1}, "cache_scope": "campaign", "prompts": "ml-tiny", "data": "ml-tiny",
 "instances": 1, "replicates": 2, "seed": 7, "name": "good"}`

// The grid is read in the file's order, the last axis varying fastest; what is
// within another axis is set in the other's value, wherever it stands.
func TestGrid(t *testing.T) {
	file := parse(t, good)
	c := file.Campaign
	if len(c.Conditions) != 16 || len(file.Agents) != 16 || len(file.Rounds) != 16 {
		t.Fatalf("%d conditions, %d agents, %d rounds", len(c.Conditions), len(file.Agents), len(file.Rounds))
	}
	if a, b := c.Conditions[0], c.Conditions[1]; *a.Generate.TopP != 0.5 || *b.Generate.TopP != 0.7 || *b.Generate.Temperature != 0 ||
		string(a.Env.Params) != `{"agents":3,"quantity":[10,20,30],"utility":"asymmetric"}` || !reflect.DeepEqual(a.Env, b.Env) {
		t.Errorf("the first two are %+v and %+v", a, b)
	}
	last := c.Conditions[15]
	if last.Rule.Name != "rated" || string(last.Rule.Params) != `{"max":7}` || file.Rounds[15] != 8 || file.Agents[15] != 3 || last.Stop.Name != "first_agreement" || last.Reasks != 1 {
		t.Errorf("the last is %+v of %d rounds", last, file.Rounds[15])
	}
	for _, order := range []string{
		"grid:\n  rule: [rated, {name: rated, min: 2}]\n  rule.max: [6, 7]\n",
		"grid:\n  rule.max: [6, 7]\n  rule: [rated, {name: rated, min: 2}]\n",
	} {
		var params []string
		for _, c := range parse(t, strings.Replace(minimal, "rule: majority\n", "", 1)+order).Campaign.Conditions {
			params = append(params, string(c.Rule.Params))
		}
		if got := strings.Join(params, ""); len(params) != 4 || !strings.Contains(got, `{"max":6}`) || !strings.Contains(got, `{"max":7,"min":2}`) {
			t.Errorf("%s makes %v", order, params)
		}
	}
}

func TestDefaults(t *testing.T) {
	file := parse(t, minimal)
	c := file.Campaign
	if c.Seed != 1 || c.Replicates != 1 || c.Instances[0] != 1 || c.CacheScope != "campaign" || c.Conditions[0].Stop.Name != "never" || c.Conditions[0].Reasks != 2 {
		t.Errorf("defaults are %+v", c)
	}
	if file.Agents[0] != 3 || file.Rounds[0] != 10 || file.String() != "a: 1 condition, 1 cell" {
		t.Errorf("%d agents, %d rounds, %q", file.Agents[0], file.Rounds[0], file)
	}
	few := strings.Replace(sized(1, 1, "majority"), "instances: 1\n", "", 1)
	if n := parse(t, few).Campaign.Instances[0]; n != 9 {
		t.Errorf("%d instances of an environment that has 9", n)
	}
}

// A campaign read back from JSON is the same campaign, and its choices build.
func TestJSONRoundTrip(t *testing.T) {
	c := parse(t, good).Campaign
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back plan.Campaign
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, back) || back.Revision() != c.Revision() {
		t.Errorf("%+v comes back as %+v", c, back)
	}
	for _, choice := range []plan.Choice{{}, {Name: "a"}, {Name: "a", Params: json.RawMessage(`{"x":[1,{"y":null}]}`)}} {
		data, err := json.Marshal(choice)
		if err != nil {
			t.Fatal(err)
		}
		var back plan.Choice
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, choice) {
			t.Errorf("%s comes back as %+v, error %v", data, back, err)
		}
	}
	for i, condition := range back.Conditions {
		s, err := condition.Session(catalogue.Builtin(), 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{4, 8}[i/4%2]; s.Protocol().Rounds() != want || len(s.Pending()) != 3 {
			t.Errorf("condition %d has %d rounds and %d first turns", i, s.Protocol().Rounds(), len(s.Pending()))
		}
		env, err := condition.BuildEnv(catalogue.Builtin(), catalogue.Needs{})
		if err != nil || env.Version() < 1 {
			t.Errorf("condition %d: %v", i, err)
		}
	}
}

func TestChoiceDecodesStrictly(t *testing.T) {
	var params struct {
		X int `json:"x"`
	}
	c := plan.Choice{Name: "rule", Params: json.RawMessage(`{"x":3}`)}
	var decode envs.Decode = c.Decode()
	if err := decode(&params); err != nil || params.X != 3 {
		t.Errorf("x is %d, error %v", params.X, err)
	}
	c.Params = json.RawMessage(`{"y":3}`)
	if err := c.Decode()(&params); err == nil || !strings.Contains(err.Error(), "parameters of rule") {
		t.Errorf("an unknown key gives the error %v", err)
	}
	if err := (plan.Choice{}).Decode()(&params); err != nil || params.X != 3 {
		t.Errorf("without parameters x becomes %d, error %v", params.X, err)
	}
}

const (
	lostSome = "which the campaign has; conditions can be added, not taken away"
)

// A campaign grows in whatever way its file says it, as long as every recorded condition is made.
func TestCampaignsGrow(t *testing.T) {
	const base = "name: a\nenv: {name: exchange, agents: 3}\nprotocol: {name: roundtable, rounds: 2}\n"
	const rest = "rule: majority\nmodel: scripted/trader\n"
	for name, x := range map[string]struct{ before, after string }{
		"a value becomes an axis":     {base + rest, base + "model: scripted/trader\ngrid: {rule: [rated, majority]}\n"},
		"a parameter becomes an axis": {base + rest, base + rest + "grid: {protocol.rounds: [1, 2]}\n"},
		"a plug-in for its parameter": {base + rest + "grid: {protocol.rounds: [2, 3]}\n", base + rest + "grid: {protocol: [{name: roundtable, rounds: 2}, {name: roundtable, rounds: 3}, debate]}\n"},
		"an axis with a name":         {base + rest + "grid: {protocol.rounds: [2, 3]}\n", base + rest + "grid: {length: [{label: short, set: {protocol.rounds: 2}}, {label: long, set: {protocol.rounds: 3}}]}\n"},
		"a name is another":           {base + rest + "grid: {x: [{label: a, set: {reasks: 1}}]}\n", base + rest + "grid: {y: [{label: b, set: {reasks: 1}}]}\n"},
		"labels":                      {base + rest + "grid: {rule: [rated]}\n", base + rest + "grid: {rule: [{label: stars, value: rated}]}\n"},
		"an axis becomes a value":     {base + rest + "grid: {reasks: [1]}\n", base + rest + "reasks: 1\n"},
		"a stated default":            {base + rest, base + rest + "reasks: 2\n"},
	} {
		if diff := parse(t, x.after).Campaign.Extends(parse(t, x.before).Campaign); len(diff) > 0 {
			t.Errorf("%s: %q", name, diff)
		}
	}
}

// A key outside the grid gives way to the grid, with a note; it need not even be sound.
func TestGridWins(t *testing.T) {
	for text, note := range map[string]string{
		minimal + "grid:\n  rule: [rated]\n":                                                                               "line 4: rule is given outside the grid too; the grid's values count",
		minimal + "grid:\n  env.name: [exchange]\n":                                                                        "line 2: env.name is given outside the grid too; the grid's values count",
		minimal + "reasks: 1\ngrid:\n  x: [{label: a, set: {reasks: 3}}]\n":                                                "line 6: reasks is given outside the grid too; the grid's values count",
		strings.Replace(minimal, "roundtable", "\n  name: roundtable\n  rounds: 7", 1) + "grid:\n  protocol.rounds: [1]\n": "line 5: protocol.rounds is given outside the grid too; the grid's values count",
	} {
		file := parse(t, text)
		if len(file.Notes) != 1 || file.Notes[0] != note {
			t.Errorf("%s: notes are %q, want %s", text, file.Notes, note)
		}
	}
	if with, without := parse(t, minimal+"grid: {rule: [rated]}\n"), parse(t, strings.Replace(minimal, "rule: majority\n", "", 1)+"grid: {rule: [rated]}\n"); with.Campaign.Revision() != without.Campaign.Revision() {
		t.Error("what does not count makes another campaign")
	}
}

// Where a model is served is not part of a condition, wherever the model stands.
func TestServersMove(t *testing.T) {
	model := func(name, params string) plan.Choice { return plan.Choice{Name: name, Params: json.RawMessage(params)} }
	made := func(address string) plan.Condition {
		m := model("openai/llama", `{`+address+`"x":1}`)
		inner := `{"name":"openai/judge",` + address + `"x":1}`
		return plan.Condition{
			Env: model("qa", `{"score":{"judge":{"model":`+inner+`,"rubric":"say \"base_url\""}}}`), Stop: model("learned", `{"fit":{"asks":{"model":[`+inner+`]}}}`),
			Model: m, Models: map[string]plan.Choice{"Alex": m}, Agents: &plan.Agents{List: []plan.Agent{{Model: &m}}, Pool: []plan.Agent{{}}},
		}
	}
	none, a, b := made(""), made(`"api_key_env":"A","base_url":"http://a/v1",`), made(`"base_url":"http://b/v1",`)
	if a.ID() != b.ID() || a.ID() != none.ID() {
		t.Errorf("ids are %s, %s and %s", a.ID(), b.ID(), none.ID())
	}
	if a.Model.Address() != "http://a/v1" || a.Models["Alex"].Address() != "http://a/v1" || (*a.Agents.List[0].Model).Address() != "http://a/v1" {
		t.Errorf("the condition itself lost an address: %+v", a)
	}
	alone := plan.Condition{Model: model("openai/llama", `{"base_url":"http://a/v1"}`)}
	if alone.ID() != (plan.Condition{Model: plan.Choice{Name: "openai/llama"}}).ID() {
		t.Error("a model with nothing but an address is another one than without")
	}
}

// Contains knows every cell of the campaign and nothing else.
func TestContains(t *testing.T) {
	c := parse(t, sized(2, 3, "majority, rated")).Campaign
	has := c.Contains()
	for n := range c.Size() {
		if id := c.CollaborationID(c.Cell(n)); !has(id) {
			t.Errorf("%s is not contained", id)
		}
	}
	id := c.Conditions[0].ID()
	for _, other := range []string{"", id, id + "-i3-r0", id + "-i0-r2", id + "-i-1-r0", id + "-i0-r0x", id + "-i00-r0", "other-00000000-i0-r0"} {
		if has(other) {
			t.Errorf("%q is contained", other)
		}
	}
}
