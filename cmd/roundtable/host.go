package main

import (
	"roundtable/activities/model"
	"roundtable/envs"
	"roundtable/workflows/plan"
)

// judge is what a campaign's file cannot know by itself: whether the models
// that it names can be asked, and at what price. With dial, their endpoints
// must answer.
func judge(models providers, prices *priceList, dial bool) plan.Host {
	dialled := map[string]error{}
	ready := func(p model.Provider, g plan.Generate) error {
		if checker, ok := p.Model.(model.Checker); ok {
			if err := checker.Check(model.Parameters(g)); err != nil {
				return err
			}
		}
		if err := prices.want(p, g.MaxTokens); err != nil || !dial {
			return err
		}
		if _, done := dialled[p.Endpoint]; !done {
			dialled[p.Endpoint] = reachable(p)
		}
		return dialled[p.Endpoint]
	}
	return plan.Host{
		Money: prices.open,
		Model: func(m plan.Choice, c plan.Condition, decode envs.Decode, env envs.Environment) error {
			p, err := models.named(m.Name, decode, c, env)
			if err != nil {
				return err
			}
			return ready(p, c.Generate)
		},
		Labeller: func(l plan.Labels, decode envs.Decode) error {
			p, err := models.labeller(l.Model.Name, decode)
			if err != nil {
				return err
			}
			return ready(p, l.Generate)
		},
	}
}
