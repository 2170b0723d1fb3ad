package plan

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
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
	Samples  int        `json:"samples"` // judgements of one decision, whose mean is its score
}

// judgeForm is a judge as files and recorded plans write it.
type judgeForm struct {
	Model    json.RawMessage `json:"model"`
	Rubric   string          `json:"rubric"`
	Scale    []float64       `json:"scale"`
	Generate *Generate       `json:"generate"`
	Reasks   *int            `json:"reasks"`
	Samples  *int            `json:"samples"`
}

// judge returns the judge of a form but its model, with defaults for what it leaves out.
func (f judgeForm) judge() Judge {
	j := Judge{Rubric: strings.TrimSpace(f.Rubric), Scale: [2]float64{0, 1}, Generate: Generate{Temperature: new(0.0), MaxTokens: 1024}, Reasks: 2, Samples: 1}
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

// Share returns a score of the judge's scale as a share, 0 at its lower end and 1 at
// its upper.
func (j Judge) Share(score float64) float64 { return (score - j.Scale[0]) / (j.Scale[1] - j.Scale[0]) }

// Judge returns the model that scores the condition's decisions; false without one.
func (c Condition) Judge() (Judge, bool) {
	var params struct {
		Score json.RawMessage `json:"score"`
	}
	var score struct {
		Judge *judgeForm `json:"judge"`
	}
	if json.Unmarshal(c.Env.Params, &params) != nil || json.Unmarshal(params.Score, &score) != nil || score.Judge == nil {
		return Judge{}, false
	}
	j := score.Judge.judge()
	j.Model = choiceOf(score.Judge.Model)
	return j, true
}

// GenerateFor returns the sampling parameters that one of AllModels is asked with.
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

const acceptedJudges = "models are provider/model, as scripted/judge"

// checkJudge checks env.score.judge, if the file has one.
func (p *parser) checkJudge(env *yaml.Node) {
	const key = "env.score.judge"
	if env == nil || env.Kind != yaml.MappingNode || valueOf(env, "score") == nil || valueOf(env, "score").Kind != yaml.MappingNode {
		return
	}
	n := valueOf(valueOf(env, "score"), "judge")
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.errs.add(n, key, "%s is not a mapping of model, rubric and others", shortText(n))
		return
	}
	var form judgeForm
	decodeNode(n, key, reflect.ValueOf(&form), &p.errs)
	j := form.judge()
	if rubric := valueOf(n, "rubric"); rubric == nil {
		p.errs.add(n, key, "has no rubric; say in words what earns which score")
	} else if j.Rubric == "" && !p.errs.isKnownAt(key+".rubric", rubric.Line) {
		p.errs.add(rubric, key+".rubric", "is empty; say in words what earns which score")
	}
	p.checkJudgeNumbers(n, key, form, j)
	switch model := valueOf(n, "model"); {
	case model == nil:
		p.errs.add(n, key, "has no model; %s", acceptedJudges)
	case !p.errs.isKnownAt(key+".model", model.Line):
		p.parseChoice(model, key+".model", acceptedJudges, &j.Model)
		p.checkJudgeModel(j, model, key+".model")
	}
}

func (p *parser) checkJudgeNumbers(n *yaml.Node, key string, form judgeForm, j Judge) {
	if scale := valueOf(n, "scale"); scale != nil && !p.errs.isKnownAt(key+".scale", scale.Line) {
		if finite := func(v float64) bool { return math.Abs(v) <= 1e6 }; len(form.Scale) != 2 || !finite(j.Scale[0]) || !finite(j.Scale[1]) || j.Scale[0] >= j.Scale[1] {
			p.errs.add(scale, key+".scale", "is %v; expected two numbers, the lowest score and a higher one, as [1, 5]", form.Scale)
		}
	}
	if form.Generate != nil {
		p.checkGenerate(valueOf(n, "generate"), key+".generate", j.Generate)
	}
	p.checkReasks(valueOf(n, "reasks"), key+".reasks", j.Reasks)
	if j.Samples < 1 || j.Samples > mostSamples {
		p.errs.add(valueOf(n, "samples"), key+".samples", "is %d; expected 1 to %d", j.Samples, mostSamples)
	}
}

// mostSamples bounds the judgements of one decision.
const mostSamples = 25

// checkJudgeModel lets the host judge the model.
func (p *parser) checkJudgeModel(j Judge, n *yaml.Node, key string) {
	if p.host.Judge == nil || j.Model.Name == "" {
		return
	}
	d := decoder{n: n, key: key, errs: &p.errs}
	if err := p.host.Judge(j, envs.Decode(d.decode)); err != nil {
		p.reportRefusal(d, j.Model.Name, err)
	}
}
