// Package label asks a model which dialogue acts a message performs (paper 1,
// appendix D.5) and reads its answer. It also holds the labeller that uses
// rules on words and needs no model.
package label

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"roundtable/activities/model"
	"roundtable/analysis/record"
)

// Words is what labellers are told, in our own words.
//
//go:embed words.txt
var Words string

// Said is one message.
type Said struct {
	From string `json:"from"` // name of the agent
	Text string `json:"text"`
}

// Question is one message to label, after what was said in the round before.
type Question struct {
	Before  []Said `json:"previous_round"`
	Message Said   `json:"message"`
}

// Messages returns the question as a model gets it. The texts are inside a JSON
// document, so message text cannot inject instructions.
func (q Question) Messages(words string) []model.Message {
	if q.Before == nil {
		q.Before = []Said{}
	}
	return document(words, q)
}

// Whole is a question about a whole collaboration.
type Whole struct {
	Transcript []Said `json:"transcript"`
}

// Messages returns the question as a model gets it, as that about a message.
func (q Whole) Messages(words string) []model.Message { return document(words, q) }

func document(words string, q any) []model.Message {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(q); err != nil {
		panic("label: " + err.Error()) // strings always marshal
	}
	return []model.Message{{Role: "system", Content: words}, {Role: "user", Content: b.String()}}
}

// Schema returns the JSON Schema of an answer.
func Schema() json.RawMessage {
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"acts"}, "additionalProperties": false,
		"properties": map[string]any{
			"acts": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": record.Acts}},
		},
	})
	if err != nil {
		panic("label: " + err.Error()) // maps of plain values always marshal
	}
	return schema
}
