package campaignfile

import (
	"math"
	"reflect"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/workflows/plan"
)

const acceptedJudges = "models are provider/model, as scripted/judge"

// checkJudge checks env.score.judge, if the file has one.
func (p *parser) checkJudge(env *yaml.Node) {
	const key = "env.score.judge"
	if env == nil || env.Kind != yaml.MappingNode || valueOf(env, "score") == nil ||
		valueOf(env, "score").Kind != yaml.MappingNode {
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
	var form plan.JudgeForm
	decodeNode(n, key, reflect.ValueOf(&form), &p.errs)
	j := form.Judge()
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

func (p *parser) checkJudgeNumbers(n *yaml.Node, key string, form plan.JudgeForm, j plan.Judge) {
	if scale := valueOf(n, "scale"); scale != nil && !p.errs.isKnownAt(key+".scale", scale.Line) {
		if finite := func(v float64) bool { return math.Abs(v) <= 1e6 }; len(form.Scale) != 2 || !finite(j.Scale[0]) ||
			!finite(j.Scale[1]) || j.Scale[0] >= j.Scale[1] {
			p.errs.add(scale, key+".scale",
				"is %v; expected two numbers, the lowest score and a higher one, as [1, 5]", form.Scale)
		}
	}
	if form.Generate != nil {
		p.checkGenerate(valueOf(n, "generate"), key+".generate", j.Generate)
		p.refuseLogprobs(valueOf(n, "generate"), key+".generate", j.Generate)
	}
	p.checkReasks(valueOf(n, "reasks"), key+".reasks", j.Reasks)
	if j.Samples < 1 || j.Samples > mostSamples {
		p.errs.add(valueOf(n, "samples"), key+".samples", "is %d; expected 1 to %d", j.Samples, mostSamples)
	}
}

// mostSamples bounds the judgements of one decision.
const mostSamples = 25

// checkJudgeModel lets the host judge the model.
func (p *parser) checkJudgeModel(j plan.Judge, n *yaml.Node, key string) {
	if p.host.Judge == nil || j.Model.Name == "" {
		return
	}
	d := decoder{n: n, key: key, errs: &p.errs}
	if err := p.host.Judge(j, envs.Decode(d.decode)); err != nil {
		p.reportRefusal(d, j.Model.Name, err)
	}
}
