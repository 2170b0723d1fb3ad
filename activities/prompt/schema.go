package prompt

import (
	"encoding/json"
	"fmt"

	"roundtable/workflows/transcript"
)

// Schema returns the JSON Schema of a step's answer; nil if it has none.
func Schema(step transcript.Step, names []string) json.RawMessage {
	f := formats[step.Payload.Format]
	if f.schema == nil {
		return nil
	}
	data, err := json.Marshal(f.schema(step, names))
	if err != nil {
		panic("prompt: " + err.Error()) // maps of plain values always marshal
	}
	return data
}

// schema is a JSON Schema, or a part of one.
type schema map[string]any

type property struct {
	name string
	of   schema
}

// objectSchema describes an object that has all of the properties and no others,
// which is what strict schemas ask for.
func objectSchema(properties ...property) schema {
	all, required := schema{}, make([]string, len(properties))
	for i, p := range properties {
		all[p.name], required[i] = p.of, p.name
	}
	return schema{"type": "object", "properties": all, "required": required, "additionalProperties": false}
}

func textProperty(name string) property { return property{name, schema{"type": "string"}} }

func messageSchema(step transcript.Step, names []string) schema {
	target := property{"target", schema{"type": "array", "items": schema{"type": "string", "enum": names}}}
	if step.Payload.Reasoned {
		return objectSchema(textProperty("reason_for_decision"), target, textProperty("message"))
	}
	return objectSchema(target, textProperty("message"))
}

func decisionSchema(step transcript.Step, _ []string) schema {
	decision := property{"decision", schema{"anyOf": []schema{ballotSchema(step.Payload.Ballot), {"type": "null"}}}}
	switch {
	case step.Payload.BallotAlone:
		return objectSchema(decision)
	case step.Payload.Reasoned:
		return objectSchema(textProperty("reason_for_decision"), decision, textProperty("explanation"))
	}
	return objectSchema(textProperty("reason_for_decision"), decision)
}

func ballotSchema(b transcript.BallotSpec) schema {
	integer := schema{"type": "integer"}
	switch b.Kind {
	case transcript.Choose:
		return integer
	case transcript.Rank, transcript.Approve:
		return schema{"type": "array", "items": integer}
	}
	if b.Partial { // strict schemas have no optional names
		integer["type"] = []string{"integer", "null"}
	}
	points := make([]property, b.N)
	for c := range points {
		points[c] = property{fmt.Sprint(c + 1), integer}
	}
	return objectSchema(points...)
}
