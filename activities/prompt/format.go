package prompt

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// format is how answers in one form are read and described to services.
type format struct {
	parse  parser
	fields func(step transcript.Step, inst envs.Instance) []field // of the object; nil of free text
}

type (
	parser       func(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error)
	objectParser func(object jsontext.Value, step transcript.Step, inst envs.Instance) (Answer, error)
)

// formats are all forms of answers. What is in proposals and estimates the environment
// says, if it does (envs.Described).
var formats = map[transcript.Format]format{
	transcript.FormatText:     {parse: parseText},
	transcript.FormatAnswer:   {parse: parseAnswer},
	transcript.FormatReply:    {parse: parseReply},
	transcript.FormatMessage:  {parse: inObject(parseMessage), fields: messageFields},
	transcript.FormatEstimate: {parse: inObject(parseEstimate), fields: estimateFields},
	transcript.FormatProposal: {parse: inObject(withExplanation(parseProposal)), fields: proposalFields},
	transcript.FormatBallot:   {parse: parseBallot, fields: decisionFields},
	transcript.FormatPersona:  {parse: inObject(parsePersona), fields: personaFields},
}

// Parse reads a raw answer in the step's format. The error tells the model what
// to fix; an answer in free text keeps its text next to it.
func Parse(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error) {
	f, ok := formats[step.Payload.Format]
	if !ok {
		return Answer{}, fmt.Errorf("no answer can have the format %q", step.Payload.Format)
	}
	a, err := f.parse(raw, step, inst)
	if err == nil {
		err = check(a, step, inst)
	}
	return a, err
}

func inObject(parse objectParser) parser {
	return func(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error) {
		object, err := Object(raw)
		if err != nil {
			return Answer{}, err
		}
		return parse(object, step, inst)
	}
}
