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
	schema func(step transcript.Step, names []string) schema // nil: described in words only
}

type (
	parser       func(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error)
	objectParser func(object jsontext.Value, step transcript.Step, inst envs.Instance) (Answer, error)
)

// formats are all forms of answers. Proposals, estimates and personas have no
// schema: what is in them belongs to the environment.
var formats = map[transcript.Format]format{
	transcript.FormatText:     {parse: parseText},
	transcript.FormatAnswer:   {parse: parseAnswer},
	transcript.FormatReply:    {parse: parseReply},
	transcript.FormatMessage:  {parse: inObject(parseMessage), schema: messageSchema},
	transcript.FormatEstimate: {parse: inObject(parseEstimate)},
	transcript.FormatProposal: {parse: inObject(withExplanation(parseProposal))},
	transcript.FormatBallot:   {parse: parseBallot, schema: decisionSchema},
	transcript.FormatPersona:  {parse: inObject(parsePersona)},
}

// Parse reads a raw answer in the step's format. The error tells the model what
// to fix; an answer in free text keeps its text next to it.
func Parse(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error) {
	f, ok := formats[step.Payload.Format]
	if !ok {
		return Answer{}, fmt.Errorf("no answer can have the format %q", step.Payload.Format)
	}
	return f.parse(raw, step, inst)
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
