package scoring

import (
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"roundtable/activities/answers"
	"roundtable/activities/prompt"
	"roundtable/envs/jsonschema"
)

// mostWhy bounds the reason that is kept of a judgement, in bytes.
const mostWhy = 4000

// Parse parses a judge's answer: {"score": …, "why": "…"} and no other names. The error tells the
// model what to fix.
func Parse(raw []byte, scale [2]float64) (score float64, why string, err error) {
	object, err := prompt.Object(raw)
	if err != nil {
		return 0, "", err
	}
	var answer struct {
		Score *float64 `json:"score"`
		Why   string   `json:"why"`
	}
	if err := jsonv2.Unmarshal(object, &answer, jsonv2.RejectUnknownMembers(true)); err != nil || answer.Score == nil {
		return 0, "", fmt.Errorf(`it needs "score", a number from %v to %v, and "why", a text, and nothing else`,
			scale[0], scale[1])
	}
	if s := *answer.Score; !(s >= scale[0] && s <= scale[1]) {
		return 0, "", fmt.Errorf(`"score" is %v; expected a number from %v to %v`, s, scale[0], scale[1])
	}
	return *answer.Score, prompt.Clean([]byte(answer.Why), mostWhy), nil
}

// Schema returns the JSON Schema of a judge's answer: the reason, then the score.
func Schema(scale [2]float64) json.RawMessage {
	return jsonschema.Object(
		jsonschema.Property{Name: "why", Schema: jsonschema.Text()},
		jsonschema.Property{Name: "score", Schema: jsonschema.Number(scale[0], scale[1])}).JSON()
}

// scoreForm returns the form of an answer, with a score in its example that hardly anybody gives.
func scoreForm(scale [2]float64) prompt.Form {
	return prompt.Form{Schema: Schema(scale),
		Example: fmt.Sprintf(`{"why": "<your reason>", "score": %.4g}`, scale[0]+0.37*(scale[1]-scale[0]))}
}

// Judged is the result of a judgement, stored with the judge's answer.
type Judged struct {
	Question string  `json:"question"` // its id
	Decision string  `json:"decision"` // as rows have it
	Score    float64 `json:"score"`    // on the judge's scale
	Share    float64 `json:"share"`    // from 0 to 1
}

func (j Judged) encode() string {
	data, err := json.Marshal(j)
	if err != nil {
		panic("judging: " + err.Error()) // Parse lets only finite numbers pass
	}
	return string(data)
}

// ReadJudged returns the result stored in turn t.
func ReadJudged(t answers.Turn) (j Judged, err error) {
	if err = json.Unmarshal([]byte(t.Proposal), &j); err != nil {
		err = fmt.Errorf("a stored judgement cannot be read: %w", err)
	}
	return j, err
}
