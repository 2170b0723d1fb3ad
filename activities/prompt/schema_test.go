package prompt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/consensus"
	"roundtable/envs/exchange"
	"roundtable/envs/publicgoods"
	"roundtable/workflows/transcript"
)

// The bytes that are sent: a service that holds a model to a schema has it write in this
// order, so reasons come before decisions and whom a message is for before the message.
func TestSchemaBytes(t *testing.T) {
	reasoned := func(s transcript.Step) transcript.Step { s.Payload.Reasoned = true; return s }
	bare := func(s transcript.Step) transcript.Step { s.Payload.Bare = true; return s }
	required := func(s transcript.Step) transcript.Step { s.Payload.Required = true; return s }
	const reason, text = `"reason_for_decision":{"type":"string"}`, `{"type":"string"}`
	const goods = `{"type":"object","properties":{"apples":{"type":"number","minimum":0,"maximum":100},"bread":{"type":"number","minimum":0,"maximum":100}},"required":["apples","bread"],"additionalProperties":false}`
	const shares = `{"type":"object","properties":{"Alex":` + goods + `,"Blake":` + goods + `},"required":["Alex","Blake"],"additionalProperties":false}`
	object := func(properties, required string) string {
		return `{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`
	}
	orNull := func(s string) string { return `{"anyOf":[` + s + `,{"type":"null"}]}` }
	decision := func(ballot string) string {
		return object(reason+`,"decision":`+orNull(ballot), `"reason_for_decision","decision"`)
	}
	const target = `"target":{"type":"array","items":{"type":"string","enum":["Blake"]},"minItems":0,"maxItems":1,"uniqueItems":true},"message":{"type":"string"}`
	const candidate = `{"type":"integer","enum":[1,2,3]}`
	points := func(one string) string {
		return object(`"1":`+one+`,"2":`+one+`,"3":`+one, `"1","2","3"`)
	}
	for _, x := range []struct {
		step transcript.Step
		want string
	}{
		{step(transcript.FormatMessage, none), object(target, `"target","message"`)},
		{reasoned(step(transcript.FormatMessage, none)), object(reason+","+target, `"reason_for_decision","target","message"`)},
		{step(transcript.FormatProposal, none), object(reason+`,"proposal":`+orNull(shares), `"reason_for_decision","proposal"`)},
		{required(step(transcript.FormatProposal, none)), object(reason+`,"proposal":`+shares, `"reason_for_decision","proposal"`)},
		{bare(step(transcript.FormatProposal, none)), object(`"proposal":`+orNull(shares), `"proposal"`)},
		{reasoned(step(transcript.FormatProposal, none)), object(reason+`,"proposal":`+orNull(shares)+`,"explanation":`+text, `"reason_for_decision","proposal","explanation"`)},
		{step(transcript.FormatPersona, none), object(`"role":`+text+`,"description":`+text, `"role","description"`)},
		{step(transcript.FormatBallot, choose), decision(candidate)},
		{bare(step(transcript.FormatBallot, choose)), object(`"decision":`+candidate, `"decision"`)},
		{step(transcript.FormatBallot, rank), decision(`{"type":"array","items":` + candidate + `,"minItems":3,"maxItems":3,"uniqueItems":true}`)},
		{step(transcript.FormatBallot, approve), decision(`{"type":"array","items":` + candidate + `,"minItems":0,"maxItems":3,"uniqueItems":true}`)},
		{step(transcript.FormatBallot, rate), decision(points(`{"type":"integer","minimum":1,"maximum":5}`))},
		{step(transcript.FormatBallot, partial), decision(points(`{"type":["integer","null"],"minimum":0,"maximum":5}`))},
		{step(transcript.FormatBallot, spread), decision(points(`{"type":"integer","minimum":0,"maximum":3}`))},
	} {
		if got := string(prompt.FormOf(x.step, economy(t), prompt.SystemPrompt{}).Schema); got != x.want {
			t.Errorf("%s %s:\n%s\nwant\n%s", x.step.Payload.Format, x.step.Payload.Ballot.Kind, got, x.want)
		}
	}
	if form := prompt.FormOf(step(transcript.FormatAnswer, none), economy(t), prompt.SystemPrompt{AnswerForm: "End so."}); form.Schema != nil || !form.Text || form.Words != "End so." {
		t.Errorf("free text has the form %+v", form)
	}
}

// The example of a form is one of its schema, and Parse takes it: also of agents, rounds
// and sizes other than the first.
func TestExamplesAreValid(t *testing.T) {
	for _, inst := range []envs.Instance{economy(t), dealt(t, must(exchange.New(exchange.Params{Agents: 7, Quantity: exchange.Quantity{33.3}}))),
		dealt(t, must(consensus.New(consensus.Defaults()))), dealt(t, must(publicgoods.New(publicgoods.Defaults())))} {
		for _, s := range forms() {
			if s.Payload.Format == transcript.FormatText {
				continue
			}
			for speaker := range len(inst.Agents()) {
				for s.Round = range 3 {
					s.Speaker.Index = speaker
					form := prompt.FormOf(s, inst, prompt.SystemPrompt{})
					if err := fits(t, form.Schema, form.Example); err != nil {
						t.Errorf("%s %s: %s: %v", s.Payload.Format, s.Payload.Ballot.Kind, form.Example, err)
					}
					if _, err := prompt.Parse([]byte(form.Example), s, inst); err != nil {
						t.Errorf("%s %s: %s: %v", s.Payload.Format, s.Payload.Ballot.Kind, form.Example, err)
					}
				}
			}
		}
	}
}

// What weak models wrote under schemas without bounds, and Parse refused.
func TestSchemaForbidsWhatParseRefuses(t *testing.T) {
	for _, x := range []struct {
		step transcript.Step
		raw  string
	}{
		{step(transcript.FormatMessage, none), `{"target": ["Blake", "Blake"], "message": "hello"}`},
		{step(transcript.FormatMessage, none), `{"target": ["Alex"], "message": "hello"}`},
		{step(transcript.FormatBallot, rank), `{"reason_for_decision": "", "decision": [1, 2, 3, 1, 2, 3]}`},
		{step(transcript.FormatBallot, rank), `{"reason_for_decision": "", "decision": [1, 1, 2]}`},
		{step(transcript.FormatBallot, rank), `{"reason_for_decision": "", "decision": [1]}`},
		{step(transcript.FormatBallot, choose), `{"reason_for_decision": "", "decision": 4}`},
		{step(transcript.FormatBallot, rate), `{"reason_for_decision": "", "decision": {"1": 100, "2": 0, "3": 0}}`},
		{step(transcript.FormatBallot, rate), `{"reason_for_decision": "", "decision": {"1": 1}}`},
		{step(transcript.FormatBallot, approve), `{"reason_for_decision": "", "decision": [0]}`},
		{step(transcript.FormatProposal, none), `{"reason_for_decision": "", "proposal": {"Alex": {"apples": 1, "bread": 1}}}`},
		{step(transcript.FormatProposal, none), `{"reason_for_decision": "", "proposal": {"Alex": {"apples": 101, "bread": 1}, "Blake": {"apples": -1, "bread": 99}}}`},
		{step(transcript.FormatProposal, none), `{"reason_for_decision": "", "proposal": 7}`},
		{step(transcript.FormatPersona, none), `{"role": "cook"}`},
	} {
		_, refused := prompt.Parse([]byte(x.raw), x.step, economy(t))
		outside := fits(t, prompt.FormOf(x.step, economy(t), prompt.SystemPrompt{}).Schema, x.raw)
		if (refused == nil && x.step.Payload.Format != transcript.FormatMessage) || outside == nil {
			t.Errorf("%s: Parse says %v, the schema %v", x.raw, refused, outside)
		}
	}
}

func dealt(t *testing.T, env envs.Environment) envs.Instance {
	t.Helper()
	inst, err := env.Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

func fits(t *testing.T, schema json.RawMessage, raw string) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", must(jsonschema.UnmarshalJSON(bytes.NewReader(schema)))); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", schema, err))
	}
	return must(c.Compile("s.json")).Validate(must(jsonschema.UnmarshalJSON(bytes.NewReader([]byte(raw)))))
}
