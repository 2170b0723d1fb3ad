package prompt_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"

	"roundtable/activities/prompt/protocoltest"
	"roundtable/envs"
	"roundtable/envs/program/programtest"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// What environments need besides their defaults, and what is played besides a
// protocol's defaults. A new environment or protocol is tested without an entry.
var (
	small = map[string]struct{ params, data string }{
		"program": {`{"command":["well"]}`, ""},
		"recsys":  {`{"synthetic":true,"n":5}`, "../../envs/recsys/testdata/ml-tiny"},
		"qa":      {`{"format":"bbh","file":"orders.json","agents":3}`, "../../examples/data"},
	}
	variants = map[string][]string{
		"roundtable":   {`{"rounds":3}`},
		"debate":       {`{"rounds":3}`, `{"rounds":3,"talk":"one_by_one"}`, `{"rounds":3,"talk":"summarizer"}`, `{"rounds":3,"topology":"star"}`},
		"deliberation": {`{"rounds":2}`, `{"rounds":2,"authority":"vote"}`, `{"rounds":2,"tools":["solver","calculator"]}`, `{"variant":"centralized"}`, `{"variant":"oracle"}`},
		"discussion":   {`{"rounds":3}`, `{"rounds":3,"extract":false}`, `{"rounds":3,"all_draft":true}`, `{"rounds":3,"paradigm":"report"}`, `{"rounds":3,"collective":true}`},
	}
)

// Every protocol in every environment that it works in passes the suite.
func TestProtocols(t *testing.T) {
	for _, proto := range catalogue.Builtin().Protocols {
		talks := 3 // in the first environment: who says what in which order does not depend on it
		for _, e := range catalogue.Builtin().Environments {
			x := small[e.Name]
			have := catalogue.Needs{Programs: programtest.Asker{}}
			if x.data != "" {
				have.Data = os.DirFS(x.data)
			}
			env := must(e.New(decodes(cmp.Or(x.params, "{}")), have))
			_, moves := must(env.Instance(1, 0)).(envs.World)
			_, hidden := must(env.Instance(1, 0)).(envs.Estimating)
			if moves != proto.Traits.World || proto.Traits.Estimates && !hidden {
				continue
			}
			for _, params := range append(variants[proto.Name], "{}") {
				t.Run(proto.Name+" in "+e.Name+" "+params, func(t *testing.T) {
					game := protocoltest.Game{
						Env: env, Prompts: must(fs.Sub(protocol.Prompts, "prompts/"+proto.Name)), Talks: talks,
						Build: func(set protocol.Setting) (protocol.Protocol, error) { return proto.New(decodes(params), set) },
					}
					if !proto.Traits.Ruleless {
						game.Rule = rules()["plurality"]
					}
					protocoltest.Run(t, game)
				})
			}
			talks = -1
		}
	}
}

func decodes(params string) envs.Decode {
	return func(v any) error { return json.Unmarshal([]byte(params), v) }
}

// A role's proposal, such as a facilitator's median, has no place in prompts: the
// collaboration ends with a sentence that says so, not with agents who lack it.
func TestWhatNoPromptCanShowIsRefused(t *testing.T) {
	g := newGame(t, threeTraders(), rules()["plurality"], rounds(1), nil)
	step := g.Pending()[0].Step
	median := transcript.Step{
		Kind: transcript.Ask, Speaker: transcript.Speaker{Role: "facilitator"}, Round: 1, Phase: "median",
		Audience: transcript.Everybody, Payload: transcript.Payload{Format: transcript.FormatProposal, Standing: -1},
	}
	source := g.source()
	source.Transcript = &transcript.Transcript{Agents: 3, Entries: []transcript.Entry{{Step: median, Act: transcript.Act{Status: transcript.Said}}}}
	told := g.told(t, 0)
	if _, err := g.templates.Render(source, told, step); err != nil {
		t.Fatalf("not seen: %v", err)
	}
	step.Sees = []transcript.Range{{From: 0, To: 1}}
	_, err := g.templates.Render(source, told, step)
	if err == nil || !strings.Contains(err.Error(), `entry 0 (median of facilitator, format "proposal") is seen by the step message of Alex`) {
		t.Errorf("got %v", err)
	}
}
