package plan

import (
	"encoding/json"

	"roundtable/workflows/stopping"
)

// LearnedStop is the name of the stopping rule that is fitted on a past campaign.
const LearnedStop = "learned"

// EmbedderPrefix is the prefix of the names of embedding models, which measure distances.
const EmbedderPrefix = "embedder/"

// Annotator is the model that makes a stopping rule's annotations.
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

// Annotator returns the model that annotates messages for the condition's stopping rule; ok is
// false if it needs none.
func (c Condition) Annotator() (a Annotator, ok bool) {
	_, fit, learned := c.Learned()
	if !learned || fit.AnnotatorRole() == "" || len(fit.Asks) == 0 {
		return a, false
	}
	return a, json.Unmarshal(fit.Asks, &a) == nil && a.Model.Name != ""
}

// ForHistory returns a learned stopping rule without its annotator, which workflows do not need;
// any other choice as it is.
func (c Choice) ForHistory() Choice {
	given := c.ListParameters()
	var fit map[string]json.RawMessage
	if c.Name != LearnedStop || json.Unmarshal(given["fit"], &fit) != nil {
		return c
	}
	delete(fit, "asks")
	given["fit"] = JSON(fit)
	return Choice{Name: c.Name, Params: JSON(given)}
}

// WithoutFit returns the condition without the fit of its stopping rule, as its file gives it.
func (c Condition) WithoutFit() Condition {
	given := c.Stop.ListParameters()
	if given["fit"] == nil {
		return c
	}
	delete(given, "fit")
	c.Stop.Params = JSON(given)
	return c
}
