package plan

import (
	"encoding/json"
	"reflect"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
)

// Labels say who labels the messages of a campaign, and how. They are not part
// of its identity: labels are made of collaborations that have ended.
type Labels struct {
	Model    Choice
	Generate Generate
	Reasks   int // further questions after an answer that cannot be read
}

// parseLabels reads the key labels; nil if the file has none.
func (p *parser) parseLabels(n *yaml.Node) *Labels {
	if n == nil || isNull(n) { // an empty one is an error already
		return nil
	}
	l := Labels{Generate: Generate{Temperature: new(0.0), MaxTokens: 1024}, Reasks: 2}
	in := struct {
		Model    json.RawMessage `json:"model"`
		Generate Generate        `json:"generate"`
		Reasks   int             `json:"reasks"`
	}{Reasks: l.Reasks}
	decodeNode(n, "labels", reflect.ValueOf(&in), &p.errs)
	if n.Kind != yaml.MappingNode {
		return nil
	}
	l.Reasks = in.Reasks
	if given := valueOf(n, "generate"); given != nil {
		l.Generate = in.Generate
		p.checkGenerate(given, "labels.generate", l.Generate)
	}
	p.checkReasks(valueOf(n, "reasks"), "labels.reasks", l.Reasks)
	switch model := valueOf(n, "model"); {
	case model == nil:
		p.errs.add(n, "labels", "has no model; %s", acceptedLabellers)
	case !p.errs.isKnownAt("labels.model", model.Line):
		p.parseChoice(model, "labels.model", acceptedLabellers, &l.Model)
		p.checkLabeller(l, model)
	}
	return &l
}

const acceptedLabellers = "models are provider/model, as scripted/labeller"

// checkLabeller lets the host judge the model.
func (p *parser) checkLabeller(l Labels, n *yaml.Node) {
	if p.host.Labeller == nil || l.Model.Name == "" {
		return
	}
	d := decoder{n: n, key: "labels.model", errs: &p.errs}
	if err := p.host.Labeller(l, envs.Decode(d.decode)); err != nil {
		p.reportRefusal(d, l.Model.Name, err)
	}
}
