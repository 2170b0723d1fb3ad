package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/workflows/plan"
)

// Judge is the model that scores a condition's decisions, with the text that it reads in every
// question.
type Judge struct {
	plan.Judge
	Provider model.Provider
	Words    string
	ID       string // of the judge with its rubric and words
}

// newJudge builds the judge of a condition; nil without one.
func newJudge(p plan.Condition, templates *prompt.Templates, models Models) (*Judge, error) {
	said, ok := p.Judge()
	if !ok {
		return nil, nil
	}
	j := &Judge{Judge: said}
	var err error
	if j.Words, j.ID, err = JudgeWords(said, templates); err != nil {
		return nil, err
	}
	j.Provider, err = models(said.Model, plan.Condition{Env: p.Env}, nil)
	return j, err
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// JudgeWords returns the text that judge j reads in every question, and its id: its model's name,
// and 8 digits of a hash of everything that its answers depend on.
func JudgeWords(j plan.Judge, templates *prompt.Templates) (words, id string, err error) {
	if words, err = templates.RenderJudge(prompt.Rubric{Rubric: j.Rubric, Low: j.Scale[0],
		High: j.Scale[1]}); err != nil {
		return "", "", err
	}
	data, err := json.Marshal(struct {
		plan.Judge
		Words string `json:"words"`
	}{j, words})
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(data)
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(j.Model.Name), "-"), "-")
	return words, name[:min(len(name), 60)] + "-" + hex.EncodeToString(sum[:4]), nil
}
