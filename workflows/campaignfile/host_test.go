package campaignfile_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

var update = flag.Bool("update", false, "write the golden files")

// host knows one folder of data and models scripted/POLICY with two parameters.
var host = campaignfile.Host{
	Catalogue: catalogue.Builtin(),
	Data: func(path string) (fs.FS, error) {
		if path != "ml-tiny" {
			return nil, fmt.Errorf("the folder %s cannot be opened: no such file or directory", path)
		}
		return os.DirFS("../../envs/recsys/testdata/ml-tiny"), nil
	},
	Model: func(m plan.Choice, _ plan.Condition, decode envs.Decode, env envs.Environment) error {
		params := struct {
			Skip   float64         `json:"skip"`
			Policy struct{ A int } `json:"policy"`
		}{}
		if err := decode(&params); err != nil {
			return err
		}
		name, ok := strings.CutPrefix(m.Name, "scripted/")
		if !ok {
			return fmt.Errorf("%q is not a model; models are scripted/POLICY", m.Name)
		}
		if params.Skip < 0 || params.Skip > 1 {
			return fmt.Errorf("skip is %v; it is a probability from 0 to 1", params.Skip)
		}
		if env == nil {
			return nil
		}
		_, err := env.Policy(name, func(any) error { return nil })
		return err
	},
	Labeller: func(l plan.Labels, decode envs.Decode) error {
		if l.Model.Name != "scripted/labeller" {
			return fmt.Errorf("%q cannot label", l.Model.Name)
		}
		return decode(&struct{}{})
	},
}

func parse(t *testing.T, text string) campaignfile.File {
	t.Helper()
	file, err := campaignfile.Parse([]byte(text), host)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file
}

// errorsOf returns the errors of a file that must have some.
func errorsOf(t *testing.T, text string) campaignfile.Errors {
	t.Helper()
	file, err := campaignfile.Parse([]byte(text), host)
	var found campaignfile.Errors
	if !errors.As(err, &found) || len(found) == 0 {
		t.Fatalf("error %v, want the errors of a file; read as %v", err, file)
	}
	if file.Campaign.Name != "" || file.Campaign.Conditions != nil {
		t.Errorf("a file with errors still gives the campaign %v", file)
	}
	return found
}

// good is a file that uses every key.
const good = `name: good
seed: 7
replicates: 2
instances: 1
data: ml-tiny
prompts: ml-tiny
cache_scope: campaign
limits: {collaborations: 8, calls: 16}
labels: {model: scripted/labeller, generate: {temperature: 0.5}, reasks: 1}
env: {name: exchange, agents: 3, quantity: [10, 20, 30]}
protocol:
  name: roundtable
  ties: keep
  phases: [message, proposal, {phase: vote, every: 2}]
stop: first_agreement
model: {name: scripted/trader, skip: 0.1}
generate: {temperature: 0, max_tokens: 100, seed: 3, stop: [END]}
reasks: 1
grid:
  rule: [majority, {name: rated, max: 7}]
  protocol.rounds: [4, 8]
  env.utility: [asymmetric, uniform]
  generate.top_p: [0.5, 0.7]
`
