package prompt

import (
	"cmp"
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
)

// formats are all forms of answers. What is in proposals and estimates the environment
// says, if it does (envs.Described).
var formats = map[transcript.Format]format{
	transcript.FormatText:     {parse: parseText},
	transcript.FormatAnswer:   {parse: parseAnswer},
	transcript.FormatReply:    {parse: parseReply},
	transcript.FormatMessage:  {parse: inObject(parseMessage, nil), fields: messageFields},
	transcript.FormatEstimate: {parse: inObject(parseEstimate, nil), fields: estimateFields},
	transcript.FormatProposal: {parse: parseProposalText, fields: proposalFields},
	transcript.FormatBallot:   {parse: parseBallot, fields: decisionFields},
	transcript.FormatPersona:  {parse: inObject(parsePersona, nil), fields: personaFields},
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

// Parse reads a whole answer to step, without separate thinking; see ParseReply.
func Parse(raw []byte, step transcript.Step, inst envs.Instance) (Answer, error) {
	return ParseReply(Reply{Raw: raw}, step, inst)
}

// inObject returns a parser of the one object of a text, which may have to be brought into shape first.
func inObject(parse objectParser, shaper *shaper) parser {
	return func(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error) {
		names := objectNames[step.Payload.Format]
		object, repairs, err := objectIn(text, cut)
		if list := bareList(text); err != nil && list != nil && !cut {
			object, repairs, err = slices.Concat([]byte(`{"`+names[0]+`":`), list, []byte(`}`)),
				[]string{"list without an object"}, nil
		}
		readAs := ""
		if err != nil && shaper != nil && shaper.ballot == "" && !cut && beginsObject(text) < 0 {
			if words, is := shaper.inWords(text); words != nil {
				object, readAs, err = words, is, nil
			}
		}
		if err != nil {
			return Answer{}, err
		}
		object, shaped := shapeObject(object, names)
		if shaper != nil {
			var more []string
			object, more = shaper.shape(object, standsAlone(text, cut))
			shaped = slices.Compact(slices.Concat(shaped, more))
		}
		a, err := parse(object, step, inst)
		if err == nil {
			a.ReadAs = cmp.Or(readAs, readAsJSON(slices.Concat(repairs, shaped)))
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
