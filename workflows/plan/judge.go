package plan

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Judge says which model scores final decisions, and how. It stands in the
// parameters of an environment, score: {judge: {…}}, and so is part of a condition's
// identity, as every way to score is.
type Judge struct {
	Model    Choice     `json:"model"`
	Rubric   string     `json:"rubric"`
	Scale    [2]float64 `json:"scale"` // the lowest and the highest score that it can give
	Generate Generate   `json:"generate"`
	Reasks   int        `json:"reasks"`  // further questions after an answer that cannot be read
	Samples  int        `json:"samples"` // judgements per decision; their mean is its score
}

// JudgeForm is a judge as files and recorded plans write it.
type JudgeForm struct {
	Model    json.RawMessage `json:"model"`
	Rubric   string          `json:"rubric"`
	Scale    []float64       `json:"scale"`
	Generate *Generate       `json:"generate"`
	Reasks   *int            `json:"reasks"`
	Samples  *int            `json:"samples"`
}

// Judge returns the judge without its Model, with defaults for what f leaves out.
func (f JudgeForm) Judge() Judge {
	j := Judge{Rubric: strings.TrimSpace(f.Rubric), Scale: [2]float64{0, 1},
		Generate: Generate{Temperature: new(0.0), MaxTokens: 1024}, Reasks: 2, Samples: 1}
	if len(f.Scale) == 2 {
		j.Scale = [2]float64{f.Scale[0], f.Scale[1]}
	}
	if f.Generate != nil {
		j.Generate = *f.Generate
	}
	if f.Reasks != nil {
		j.Reasks = *f.Reasks
	}
	if f.Samples != nil {
		j.Samples = *f.Samples
	}
	return j
}

// Share converts a score on the judge's scale to a share: 0 at its lower end, 1 at its upper.
func (j Judge) Share(score float64) float64 { return (score - j.Scale[0]) / (j.Scale[1] - j.Scale[0]) }

// Judge returns the model that scores the condition's decisions; false without one.
func (c Condition) Judge() (Judge, bool) {
	var params struct {
		Score json.RawMessage `json:"score"`
	}
	var score struct {
		Judge *JudgeForm `json:"judge"`
	}
	if json.Unmarshal(c.Env.Params, &params) != nil || json.Unmarshal(params.Score, &score) != nil ||
		score.Judge == nil {
		return Judge{}, false
	}
	j := score.Judge.Judge()
	j.Model = choiceOf(score.Judge.Model)
	return j, true
}

// GenerateFor returns the sampling parameters for m, one of AllModels.
func (c Condition) GenerateFor(m Choice) Generate {
	if j, ok := c.Judge(); ok && reflect.DeepEqual(j.Model, m) {
		return j.Generate
	}
	if a, ok := c.Annotator(); ok && reflect.DeepEqual(a.Model, m) {
		return a.Generate
	}
	return c.Generate
}

// choiceOf reads a plug-in as files write it: its name, or a mapping with its name
// and parameters.
func choiceOf(data json.RawMessage) (c Choice) {
	if json.Unmarshal(data, &c.Name) == nil {
		return c
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil || json.Unmarshal(all["name"], &c.Name) != nil {
		return Choice{}
	}
	delete(all, "name")
	if len(all) > 0 {
		c.Params, _ = json.Marshal(all) // what was read marshals
	}
	return c
}
