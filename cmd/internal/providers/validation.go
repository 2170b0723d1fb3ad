package providers

import (
	"roundtable/activities/model"
	"roundtable/envs"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/plan"
)

// NewHost returns the checks that a campaign's file needs from its surroundings:
// whether the models that it names can be asked, and at what price. With dial,
// their endpoints must answer.
func NewHost(models Models, prices *PriceList, dial bool) campaignfile.Host {
	dialled := map[string]error{}
	ready := func(p model.Provider, g plan.Generate) error {
		if checker, ok := p.Model.(model.Checker); ok {
			if err := checker.Check(model.Parameters(g)); err != nil {
				return err
			}
		}
		if err := prices.require(p, g.MaxTokens); err != nil || !dial {
			return err
		}
		if _, done := dialled[p.Endpoint]; !done {
			dialled[p.Endpoint] = CheckReachable(p)
		}
		return dialled[p.Endpoint]
	}
	return campaignfile.Host{
		Money: prices.Open,
		Model: func(m plan.Choice, c plan.Condition, decode envs.Decode, env envs.Environment) error {
			p, err := models.Named(m.Name, decode, c, env)
			if err != nil {
				return err
			}
			return ready(p, c.Generate)
		},
		LongestAnswer: func(m plan.Choice) int {
			if price := prices.Of(m.Name); price != nil {
				return price.MaxOutput
			}
			return 0
		},
		Labeller: func(l plan.Labels, decode envs.Decode) error {
			p, err := models.Labeller(l.Model.Name, decode)
			if err != nil {
				return err
			}
			return ready(p, l.Generate)
		},
		Judge: func(j plan.Judge, decode envs.Decode) error {
			p, err := models.Judge(j, decode)
			if err != nil {
				return err
			}
			return ready(p, j.Generate)
		},
	}
}
