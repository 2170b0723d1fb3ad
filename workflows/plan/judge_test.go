package plan

import (
	"encoding/json"
	"testing"

	"roundtable/workflows/protocol"
)

func TestJudgeOfCondition(t *testing.T) {
	for _, x := range []struct {
		params string
		ok     bool
		model  Choice
		scale  [2]float64
	}{
		{`{}`, false, Choice{}, [2]float64{}},
		{`{"score":"exact"}`, false, Choice{}, [2]float64{}},
		{`{"score":{"command":["./x"]}}`, false, Choice{}, [2]float64{}},
		{`{"score":{"judge":{"model":"openai/a","rubric":"x"}}}`, true, Choice{Name: "openai/a"}, [2]float64{0, 1}},
		{`{"score":{"judge":{"model":{"name":"openai/a","base_url":"u"},"rubric":"x","scale":[1,5]}}}`, true, Choice{Name: "openai/a", Params: json.RawMessage(`{"base_url":"u"}`)}, [2]float64{1, 5}},
	} {
		c := Condition{Env: Choice{Name: "qa", Params: json.RawMessage(x.params)}, Model: Choice{Name: "scripted/answerer"}}
		j, ok := c.Judge()
		if ok != x.ok || j.Model.Name != x.model.Name || string(j.Model.Params) != string(x.model.Params) || j.Scale != x.scale {
			t.Errorf("%s: %+v, %v", x.params, j, ok)
		}
		if want := 1 + map[bool]int{true: 1}[x.ok]; len(c.AllModels()) != want {
			t.Errorf("%s: models %v", x.params, c.AllModels())
		}
		if ok && (j.Reasks != 2 || j.Samples != 1 || j.Generate.MaxTokens != 1024 || c.GenerateFor(j.Model).MaxTokens != 1024 || c.GenerateFor(c.Model).MaxTokens != 0) {
			t.Errorf("%s: defaults %+v", x.params, j)
		}
	}
	n := 0
	own := JudgeForm{Generate: &Generate{MaxTokens: 9}, Reasks: &n, Samples: new(3)}.Judge()
	if own.Generate.MaxTokens != 9 || own.Reasks != 0 || own.Samples != 3 {
		t.Errorf("what a form sets is %+v", own)
	}
	if share := (Judge{Scale: [2]float64{1, 5}}).Share(4); share != 0.75 {
		t.Errorf("4 of 1 to 5 is %v", share)
	}
}

// Questions of one's own are asked in the words that protocols share, others in the protocol's; what a condition says
// goes before.
func TestHowAgentsAreAsked(t *testing.T) {
	for _, x := range []struct {
		env, params, protocol, of string
		says, want                protocol.Reasoning
	}{
		{"qa", `{"format":"csv"}`, "debate", `{}`, "", protocol.ReasoningFirst}, {"qa", `{"format":"csv"}`, "debate", `{"chain_of_thought":false}`, "", protocol.ReasoningNone},
		{"qa", `{"format":"csv"}`, "debate", `{"chain_of_thought":true}`, "", protocol.ReasoningFirst}, {"qa", `{"format":"mmlu"}`, "debate", `{}`, "", protocol.ReasoningPaper},
		{"qa", `{"format":7}`, "debate", `{}`, "", protocol.ReasoningPaper}, {"exchange", `{}`, "debate", `{}`, "", protocol.ReasoningPaper},
		{"qa", `{"format":"csv"}`, "consensus", `{}`, "", protocol.ReasoningPaper}, {"exchange", `{}`, "debate", `{}`, protocol.ReasoningNone, protocol.ReasoningNone},
	} {
		c := Condition{Env: Choice{Name: x.env, Params: json.RawMessage(x.params)}, Protocol: Choice{Name: x.protocol, Params: json.RawMessage(x.of)}, Reasoning: x.says}
		if got := c.Asks(); got != x.want {
			t.Errorf("%+v: %q", x, got)
		}
	}
}
