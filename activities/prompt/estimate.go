package prompt

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// parseEstimate reads a private belief about the state; its text is canonical.
func parseEstimate(object jsontext.Value, _ transcript.Step, inst envs.Instance) (Answer, error) {
	estimating, ok := inst.(envs.Estimating)
	if !ok {
		return Answer{}, errors.New("there is nothing to estimate here")
	}
	var m struct {
		Reason   jsontext.Value `json:"reason_for_decision"`
		Estimate jsontext.Value `json:"estimate"`
	}
	if err := json.Unmarshal(object, &m); err != nil || isNone(m.Estimate) {
		return Answer{}, errors.New(`it needs "estimate": an object in the form asked for`)
	}
	estimate, err := estimating.Estimate(m.Estimate)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Act: transcript.Act{Status: transcript.Said}, Text: estimate, Reason: textOf(m.Reason)}, nil
}

// cut keeps the first characters of a text; 0 keeps all.
func cut(text string, most int) string {
	if most == 0 {
		return text
	}
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}
