package setup

import (
	"roundtable/activities/model"
	"roundtable/workflows/plan"
)

// Annotator is the model that labels or measures messages for a condition's stopping rule.
type Annotator struct {
	plan.Annotator
	Role     string // of its entries
	Provider model.Provider
}

// newAnnotator builds the annotator of a condition; nil without one.
func newAnnotator(c plan.Condition, models Models) (*Annotator, error) {
	said, ok := c.Annotator()
	if !ok {
		return nil, nil
	}
	_, fit, _ := c.Learned()
	a := &Annotator{Annotator: said, Role: fit.AnnotatorRole()}
	var err error
	a.Provider, err = models(said.Model, plan.Condition{}, nil)
	return a, err
}
