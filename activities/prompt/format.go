package prompt

import (
	"slices"
	"strings"

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
	parser       func(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error)
	objectParser func(object jsontext.Value, step transcript.Step, inst envs.Instance) (Answer, error)
	// objectShaper also says what it changed.
	objectShaper func(object jsontext.Value, step transcript.Step) (jsontext.Value, []string)
)

// formats are all forms of answers. What is in proposals and estimates the environment
// says, if it does (envs.Described).
var formats = map[transcript.Format]format{
	transcript.FormatText:     {parse: parseText},
	transcript.FormatAnswer:   {parse: parseAnswer},
	transcript.FormatReply:    {parse: parseReply},
	transcript.FormatMessage:  {parse: inObject(parseMessage), fields: messageFields},
	transcript.FormatEstimate: {parse: inObject(parseEstimate), fields: estimateFields},
	transcript.FormatProposal: {parse: parseProposalText, fields: proposalFields},
	transcript.FormatBallot:   {parse: parseBallot, fields: decisionFields},
	transcript.FormatPersona:  {parse: inObject(parsePersona), fields: personaFields},
}

// objectNames are the names of the members of a format's object, by which one is known; the
// first is what a list that stands alone is. Other formats are free text.
var objectNames = map[transcript.Format][]string{
	transcript.FormatMessage:  {"message", "target", "reason_for_decision"},
	transcript.FormatEstimate: {"estimate", "reason_for_decision"},
	transcript.FormatProposal: {"proposal", "reason_for_decision", "explanation"},
	transcript.FormatBallot:   {"decision", "reason_for_decision", "explanation"},
	transcript.FormatPersona:  {"role", "description"},
}

// Parse reads a whole answer in the step's format; see ParseReply.
func Parse(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error) {
	return ParseReply(Reply{Raw: raw}, step, inst)
}

// inObject returns a parser of the one object of a text, which may have to be brought into shape first.
func inObject(parse objectParser, reshape ...objectShaper) parser {
	return func(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error) {
		names := objectNames[step.Payload.Format]
		object, repairs, err := objectIn(text, cut)
		if list := bareList(text); err != nil && list != nil && !cut {
			object, repairs, err = slices.Concat([]byte(`{"`+names[0]+`":`), list, []byte(`}`)),
				[]string{"list without an object"}, nil
		}
		if err != nil {
			return Answer{}, err
		}
		object, shaped := shapeObject(object, names)
		for _, reshape := range reshape {
			var more []string
			object, more = reshape(object, step)
			shaped = slices.Compact(slices.Concat(shaped, more))
		}
		a, err := parse(object, step, inst)
		if err == nil {
			a.ReadAs = readAsJSON(slices.Concat(repairs, shaped))
		}
		return a, err
	}
}

// bareList returns the JSON list that a text consists of; nil if it does not.
func bareList(text string) jsontext.Value {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), "```"),
		"json"), "```"))
	if list := jsontext.Value(text); strings.HasPrefix(text, "[") && list.IsValid() && len(text) < MaxAnswer/4 {
		return list
	}
	return nil
}
