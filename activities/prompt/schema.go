package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/envs/jsonschema"
	"roundtable/workflows/transcript"
)

// Form says how the answer to a step is to be written.
type Form struct {
	Schema  json.RawMessage // JSON Schema of the answer; nil if it has none
	Example string          // the form filled in; "" if it is not known
	Words   string          // how a free text ends; "" if that is open
	Text    bool            // the answer is free text, not JSON
}

// FormOf returns the form of the answer to step. Its properties are in the order of the prompt:
// reasons before decisions. Parse may refuse what the schema allows only where no schema can say
// it, such as amounts that must add up to a sum.
func FormOf(step transcript.Step, inst envs.Instance, system SystemPrompt) Form {
	f := formats[step.Payload.Format]
	if f.fields == nil {
		return Form{Text: true, Words: system.AnswerForm}
	}
	fields := f.fields(step, inst)
	if fields == nil {
		return Form{}
	}
	properties, example := make([]jsonschema.Property, len(fields)), make([]string, len(fields))
	for i, field := range fields {
		properties[i] = jsonschema.Property{Name: field.name, Schema: field.schema}
		example[i] = fmt.Sprintf("%q: %s", field.name, field.example)
	}
	return Form{Schema: jsonschema.Object(properties...).JSON(), Example: "{" + strings.Join(example, ", ") + "}"}
}

// field is a property of an answer, with an example of its value in JSON.
type field struct {
	name    string
	schema  jsonschema.Schema
	example string
}

func textField(name, example string) field { return field{name, jsonschema.Text(), quoteJSON(example)} }

func reasonField() field { return textField(reasonProperty, "<your reasons>") }

func quoteJSON(text string) string {
	return string(jsonschema.OneOf(text).JSON()[len(`{"type":"string","enum":[`) : len(jsonschema.OneOf(text).JSON())-2])
}

func messageFields(step transcript.Step, inst envs.Instance) []field {
	names := Names(inst.Agents())
	if step.Speaker.Role == "" { // nobody writes to itself
		names = slices.Delete(names, step.Speaker.Index, step.Speaker.Index+1)
	}
	target := field{"target", jsonschema.Set(jsonschema.OneOf(names...), 0, len(names)), "[]"}
	if len(names) > 0 {
		target.example = "[" + quoteJSON(names[step.Round%len(names)]) + "]"
	}
	fields := []field{target, textField("message", "<your message>")}
	if step.Payload.Reasoned {
		return append([]field{reasonField()}, fields...)
	}
	return fields
}

func proposalFields(step transcript.Step, inst envs.Instance) []field {
	described, ok := inst.(envs.Described)
	if !ok {
		return nil
	}
	form := described.ProposalForm()
	proposal := field{"proposal", form.Schema, form.Example}
	if !step.Payload.Required {
		proposal.schema = jsonschema.OrNull(form.Schema)
	}
	fields := []field{reasonField(), proposal}
	if step.Payload.Bare {
		fields = fields[1:]
	}
	if step.Payload.Reasoned {
		fields = append(fields, textField("explanation", "<why you propose it>"))
	}
	return fields
}

func estimateFields(_ transcript.Step, inst envs.Instance) []field {
	described, ok := inst.(envs.DescribedEstimate)
	if !ok {
		return nil
	}
	form := described.EstimateForm()
	return []field{reasonField(), {"estimate", form.Schema, form.Example}}
}

func personaFields(transcript.Step, envs.Instance) []field {
	return []field{textField("role", "<a title>"), textField("description", "<what this person knows and does>")}
}

func decisionFields(step transcript.Step, _ envs.Instance) []field {
	decision := ballotField(step)
	if step.Payload.Bare {
		return []field{decision}
	}
	decision.schema = jsonschema.OrNull(decision.schema)
	fields := []field{reasonField(), decision}
	if step.Payload.Reasoned {
		fields = append(fields, textField("explanation", "<why you decide so>"))
	}
	return fields
}

// ballotField has in its example another candidate first for each agent and round, so
// that what is copied from it favours none.
func ballotField(step transcript.Step) field {
	b := step.Payload.Ballot
	candidates := make([]any, b.N)
	turned := make([]string, b.N)
	for c := range candidates {
		candidates[c] = c + 1
		turned[c] = fmt.Sprint((c+step.Speaker.Index+step.Round)%b.N + 1)
	}
	candidate := jsonschema.AnyInteger()
	candidate.Enum = candidates
	switch b.Kind {
	case transcript.Choose:
		return field{"decision", candidate, turned[0]}
	case transcript.Rank:
		least := b.N
		if b.Partial {
			least = 0
		}
		return field{"decision", jsonschema.Set(candidate, least, b.N), "[" + strings.Join(turned, ", ") + "]"}
	case transcript.Approve:
		return field{"decision", jsonschema.Set(candidate, 0, b.N), "[" + turned[0] + "]"}
	}
	low, high := b.Min, b.Max
	if b.Kind == transcript.Distribute {
		low, high = 0, b.Points
	}
	points, names, example := jsonschema.Integer(low, high), make([]string, b.N), make([]string, b.N)
	if b.Partial { // strict schemas have no optional names
		points.Type = []string{"integer", "null"}
	}
	for c := range names {
		names[c] = fmt.Sprint(c + 1)
		value := (low + high + 1) / 2
		if b.Kind == transcript.Distribute {
			value = b.Points / b.N
			if c == step.Speaker.Index%b.N {
				value += b.Points % b.N
			}
		}
		example[c] = fmt.Sprintf("%q: %d", names[c], value)
	}
	return field{"decision", jsonschema.ObjectOf(names, points), "{" + strings.Join(example, ", ") + "}"}
}
