package scaffold_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"roundtable/cmd/internal/scaffold"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/seats"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("campaign.json", decoded(t, scaffold.CampaignSchema(catalogue.Builtin()))); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("campaign.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// decoded returns a value as the validator takes it.
func decoded(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func check(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return s.Validate(decoded(t, v))
}

// Every example is accepted, and every key of a file is described.
func TestExamplesFit(t *testing.T) {
	s := compiled(t)
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(t, s, string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	properties, _ := scaffold.CampaignSchema(catalogue.Builtin())["properties"].(scaffold.Schema)
	for _, key := range campaignfile.Keys() {
		if properties[key] == nil {
			t.Errorf("%s is not described", key)
		}
	}
	if len(properties) != len(campaignfile.Keys()) {
		t.Errorf("%d keys are described, and there are %d", len(properties), len(campaignfile.Keys()))
	}
}

// What a schema can see of a wrong file is refused.
func TestWrongFilesDoNotFit(t *testing.T) {
	const good = "name: a\nenv: exchange\nprotocol: {name: roundtable, rounds: 3}\nrule: majority\nmodel: scripted/trader\ngrid: {generate.seed: [1]}\n"
	s := compiled(t)
	if err := check(t, s, good); err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{
		"seed: 0", "reasks: 0", "reasks: 10", "agents: {stances: {" + seats.Stances()[0] + ": 0}}", "instances: 1",
		"until: {compare: rule, measure: score, reference: 1, low: -1, high: 2.5, ahead: 1}", "until: {compare: rule, measure: score, reference: a}",
		"until: {compare: rule, measure: score, reference: true}",
	} {
		if err := check(t, s, good+more+"\n"); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
	for _, x := range [][2]string{
		{"name: a", "name: a\nuntil: {compare: rule, measure: score, reference: [1]}"}, {"name: a", "name: a\nuntil: {compare: rule, measure: score, low: x}"},
		{"name: a", "name: a\nuntil: {compare: rule, measure: score, high: x}"}, {"name: a", "name: a\nuntil: {compare: rule}"}, {"name: a", "name: a\nuntil: {compare: rule, measure: score, level: 1}"}, {"name: a", "name: a\nreasks: -1"},
		{"name: a", "name: a\nuntil: {compare: rule, measure: score, ahead: 0}"},
		{"generate.seed: [1]", "rule: [{label: a}]"}, {"generate.seed: [1]", "env: [{label: a}]"},
		{"name: a", "name: A"}, {"name: a\n", ""}, {"rule:", "rules:"}, {"majority", "condorcet"}, {"exchange", "[exchange]"},
		{"rounds: 3", "round: 3"}, {"rounds: 3", "rounds: many"}, {"name: roundtable", "name: parliament"}, {"scripted/trader", "trader"},
		{"name: a", "name: a\nseed: -1"}, {"name: a", "name: a\nreplicates: x"}, {"name: a", "name: a\ninstances: 0"}, {"name: a", "name: a\ninstances: []"},
		{"name: a", "name: a\nlimits: {call: 3}"}, {"name: a", "name: a\nlimits: {models: {a: {timeout: 3}}}"}, {"name: a", "name: a\ncache_scope: all"},
		{"name: a", "name: a\nlabels: {agent: x}"}, {"name: a", "name: a\ngenerate: {temprature: 1}"}, {"name: a", "name: a\nreasks: 11"},
		{"name: a", "name: a\ndefaults: {protocol: {roundtable: {round: 3}}}"}, {"name: a", "name: a\ndefaults: {protoco: {}}"}, {"name: a", "name: a\nextends: [b]"},
		{"[1]", "[]"}, {"[1]", "1"}, {"generate.seed", "seed"}, {"generate.seed: [1]", "rule: [majority, condorcet]"},
		{"generate.seed: [1]", "size: [{label: a, set: {seed: 3}}]"}, {"generate.seed: [1]", "size: [{set: {reasks: 3}}]"}, {"generate.seed: [1]", "rule: [{label: '', value: majority}]"},
		{"generate.seed: [1]", "exclude: []"}, {"generate.seed: [1]", "include: {rule: majority}"},
	} {
		text := strings.Replace(good, x[0], x[1], 1)
		if text == good {
			t.Fatalf("the file has no %q", x[0])
		}
		if err := check(t, s, text); err == nil {
			t.Errorf("it is accepted:\n%s", text)
		}
	}
	whole := scaffold.CampaignSchema(catalogue.Builtin())
	if whole["$schema"] != "https://json-schema.org/draft/2020-12/schema" || whole["title"] == "" {
		t.Errorf("its head is %v, %v", whole["$schema"], whole["title"])
	}
	text, err := json.Marshal(whole["properties"].(scaffold.Schema)["protocol"])
	if err != nil || !strings.Contains(string(text), `"default":`) {
		t.Errorf("no parameter has its default: %v, %s", err, text)
	}
	faults, err := os.ReadFile("../../../workflows/campaignfile/testdata/faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if yaml.Unmarshal(faults, &v) == nil && check(t, s, string(faults)) == nil {
		t.Error("testdata/faults.yaml is accepted")
	}
}
