package plan

import (
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"

	"roundtable/workflows/stopping"
)

// LearnedStop is the name of the stopping rule that is fitted on a past campaign.
const LearnedStop = "learned"

// EmbedderPrefix begins the names of models that measure distances.
const EmbedderPrefix = "embedder/"

// Annotator is the model that a stopping rule's annotations are asked of.
type Annotator struct {
	Model    Choice   `json:"model"`
	Generate Generate `json:"generate"`
	Reasks   int      `json:"reasks"` // further questions after an answer that cannot be read
	Words    string   `json:"words,omitempty"`
}

// Learned returns the parameters of the condition's stopping rule with its fit, which
// is empty before it is fitted; false if it is another rule.
func (c Condition) Learned() (stopping.LearnedParams, stopping.LearnedFit, bool) {
	var p stopping.LearnedParams
	if c.Stop.Name != LearnedStop || json.Unmarshal(c.Stop.Params, &p) != nil {
		return p, stopping.LearnedFit{}, false
	}
	fit, _ := stopping.ParseFit(p.Fit) // what is wrong with it was said when the file was read
	return p, fit, true
}

// Annotator returns who annotates messages for the condition's stopping rule; false if
// the rule needs nobody.
func (c Condition) Annotator() (a Annotator, ok bool) {
	_, fit, learned := c.Learned()
	if !learned || fit.AnnotatorRole() == "" || len(fit.Asks) == 0 {
		return a, false
	}
	return a, json.Unmarshal(fit.Asks, &a) == nil && a.Model.Name != ""
}

// ForHistory returns the stopping rule without the words of its annotator: workflows
// decide by the rule and ask nobody.
func (c Choice) ForHistory() Choice {
	given := c.givenParameters()
	var fit map[string]json.RawMessage
	if c.Name != LearnedStop || json.Unmarshal(given["fit"], &fit) != nil {
		return c
	}
	delete(fit, "asks")
	given["fit"] = jsonOf(fit)
	return Choice{Name: c.Name, Params: jsonOf(given)}
}

// withoutFit returns a condition as its file gives it.
func (c Condition) withoutFit() Condition {
	given := c.Stop.givenParameters()
	if given["fit"] == nil {
		return c
	}
	delete(given, "fit")
	c.Stop.Params = jsonOf(given)
	return c
}

// learn fits the stopping rule of a condition whose file leaves the fit out, and writes
// it into the condition and its keys. What the campaign has recorded of the same
// condition is kept, so that it goes on by the rule that it began with.
func (p *parser) learn(c *Condition, keys map[string]*yaml.Node, campaign string) {
	params, _, ok := c.Learned()
	if !ok || len(params.Fit) > 0 || params.Check() != nil || p.host.Learn == nil {
		return
	}
	var recorded json.RawMessage
	for _, r := range p.recorded {
		if had, _, ok := r.Learned(); ok && r.withoutFit().ID() == c.ID() {
			recorded = had.Fit
		}
	}
	fit, err := p.host.Learn(campaign, *c, recorded)
	if err != nil {
		p.reportFit(keys["stop"], err)
		c.Stop = Choice{} // an error that is reported
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(fit, &doc); err != nil || len(doc.Content) == 0 {
		p.errs.add(keys["stop"], "stop.fit", "%v", err)
		return
	}
	at := keys["stop"]
	atSource(doc.Content[0], at.Line)
	written := &yaml.Node{Kind: yaml.MappingNode, Line: at.Line, Content: append([]*yaml.Node{}, at.Content...)}
	putKey(written, "fit", doc.Content[0])
	keys["stop"] = written
	p.parseChoice(written, "stop", "", &c.Stop)
}

// reportFit reports each reason why nothing can be fitted, where the file names the campaign.
func (p *parser) reportFit(stop *yaml.Node, err error) {
	n, key := stop, "stop"
	if from := valueOf(stop, "from"); from != nil {
		n, key = from, "stop.from"
	}
	if at, ok := errors.AsType[*FitError](err); ok && valueOf(stop, at.Key) != nil {
		n, key = valueOf(stop, at.Key), "stop."+at.Key
	}
	p.errs.add(n, key, "%v", err)
}

// FitError is why a stopping rule cannot be fitted, at a parameter of it.
type FitError struct {
	Key string
	Err error
}

func (e *FitError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *FitError) Unwrap() error { return e.Err }
