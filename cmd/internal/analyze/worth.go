package analyze

import (
	"context"
	"fmt"

	"roundtable/activities/model"
	"roundtable/activities/programs"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/providers"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// worth scores decisions that were not made, with the environments of a campaign.
type worth struct {
	seed         uint64
	environments map[string]envs.Environment // by condition
	instances    map[string]envs.Instance    // by condition and number
}

func newWorth(ctx context.Context, plugins catalogue.Catalogue, s store.Store, name string) (*worth, error) {
	p, _, err := campaign.ReadRecorded(ctx, s, name)
	if err != nil {
		return nil, err
	}
	nobody := func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error) {
		return model.Provider{}, nil
	} // nothing is asked
	built, err := setup.Build(p, plugins,
		setup.Sources{Data: providers.OpenData, Lake: s, Programs: programs.New(s).Recording}, nobody)
	if err != nil {
		return nil, fmt.Errorf("decisions are scored by the campaign's environment: %w", err)
	}
	w := &worth{seed: p.Campaign.Seed, environments: map[string]envs.Environment{},
		instances: map[string]envs.Instance{}}
	for _, c := range built.Conditions {
		w.environments[c.ConditionID] = c.Environment
	}
	return w, nil
}

// worthOf returns what a decision for a proposal of a collaboration would have been worth;
// nil if that is not defined, or scored from outside.
func (w *worth) worthOf(rows record.Rows, key string) (*float64, error) {
	c := rows.Collaborations[0]
	if key == "" {
		return c.Worth(nil), nil
	}
	if c.Measure == record.Scored {
		return nil, nil
	}
	instance, err := w.instanceOf(c)
	if err != nil {
		return nil, err
	}
	for _, t := range rows.Turns {
		if t.ProposalKey == nil || *t.ProposalKey != key || t.ProposalJSON == nil {
			continue
		}
		p, err := instance.Parse([]byte(*t.ProposalJSON))
		if err != nil {
			return nil, fmt.Errorf("collaboration %s, entry %d: its proposal cannot be read again: %w",
				c.CollaborationID, t.Entry, err)
		}
		return c.Worth(new(instance.Score(p).Value)), nil
	}
	return nil, fmt.Errorf("collaboration %s: nobody has proposed %q", c.CollaborationID, key)
}

func (w *worth) instanceOf(c record.Collaboration) (envs.Instance, error) {
	name := fmt.Sprintf("%s %d", c.ConditionID, c.Instance)
	if known, ok := w.instances[name]; ok {
		return known, nil
	}
	env, ok := w.environments[c.ConditionID]
	if !ok {
		return nil, fmt.Errorf("collaboration %s: the plan has no condition %s", c.CollaborationID, c.ConditionID)
	}
	instance, err := env.Instance(w.seed, int(c.Instance))
	if err == nil {
		w.instances[name] = instance
	}
	return instance, err
}
