package conformance

import (
	"encoding/json"

	"roundtable/envs"
)

// checkForms holds that what an environment says of the form of its proposals and estimates
// is right: the example is one, and the schema is JSON.
func checkForms(r Reporter, env envs.Environment, opt Options) {
	for i := range opt.Instances {
		in := DealInstance(r, env, i)
		if described, ok := in.(envs.Described); ok {
			form := described.ProposalForm()
			if _, err := in.Parse([]byte(form.Example)); err != nil || !json.Valid(form.Schema.JSON()) {
				r.Errorf("instance %d: the example of a proposal %s is refused: %v", i, form.Example, err)
			}
		}
		estimating, estimates := in.(envs.Estimating)
		if described, ok := in.(envs.DescribedEstimate); ok && estimates {
			form := described.EstimateForm()
			if _, err := estimating.Estimate([]byte(form.Example)); err != nil || !json.Valid(form.Schema.JSON()) {
				r.Errorf("instance %d: the example of an estimate %s is refused: %v", i, form.Example, err)
			}
		}
	}
}
