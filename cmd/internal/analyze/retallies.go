package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"go.yaml.in/yaml/v3"

	"roundtable/activities/model"
	"roundtable/activities/programs"
	"roundtable/activities/setup"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/recount"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/plan"
)

// Retally names the rules to count under, each as in a campaign file: NAME, or {name: NAME, PARAMETERS}.
type Retally struct {
	Rules []string // none: all rules of ballots
	recount.RetallyOptions
}

// Make counts the votes of campaign name under each rule and returns the table.
func (r Retally) Make(ctx context.Context, o *cli.Options, s store.Store, name string) (table.Table, error) {
	rules, err := r.build(o.Plugins)
	if err != nil {
		return table.Table{}, cli.UsageError(err)
	}
	worth, err := newWorth(ctx, o.Plugins, s, name)
	if err != nil {
		return table.Table{}, err
	}
	d, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		return table.Table{}, err
	}
	counting := integrity.Counting(o.Plugins)
	r.Draw = func(c record.Collaboration, entry int) *rand.Rand {
		return envs.Stream(uint64(c.Seed), "retally", c.CollaborationID, c.Generation, entry)
	}
	for rows, err := range lake.Collaborations(ctx, s, d.ByPart(), record.Collaborations, record.Rounds, record.Turns,
		record.Ballots) {
		if err != nil {
			return table.Table{}, cli.ExplainDamage(err, name, "nothing was counted")
		}
		for i := range rules {
			if err := r.count(&rules[i], rows, counting, worth); err != nil {
				return table.Table{}, err
			}
		}
	}
	c, err := ReadCampaign(ctx, s, name, campaign.Kept{})
	if err != nil {
		return table.Table{}, err
	}
	return recount.RetallyTable(c, rules), nil
}

// count counts one collaboration under a rule, and keeps why that cannot be done.
func (r Retally) count(rule *recount.RetallyRule, rows record.Rows, counting recount.Settings, w *worth) error {
	c := rows.Collaborations[0]
	if c.Status != record.Succeeded || rule.Refused[c.ConditionID] != "" {
		return nil
	}
	counted, err := recount.Retally(rows, counting, rule.Counts, r.RetallyOptions)
	if untold, ok := errors.AsType[recount.Untold](err); ok {
		rule.Refused[c.ConditionID] = untold.Error()
		return nil
	}
	if err != nil {
		return err
	}
	result := recount.Retallied{Recounted: counted}
	if counted.First > 0 {
		if result.Was, err = w.worthOf(rows, counted.Was); err != nil {
			return err
		}
		if result.Instead, err = w.worthOf(rows, counted.Instead); err != nil {
			return err
		}
	}
	rule.Runs[lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)}] = result
	return nil
}

// build returns the rules that were named, or all that count ballots.
func (r Retally) build(plugins catalogue.Catalogue) (rules []recount.RetallyRule, err error) {
	names, named := r.Rules, len(r.Rules) > 0
	if !named {
		for _, p := range plugins.Rules {
			names = append(names, p.Name)
		}
	}
	for _, text := range names {
		rule, err := buildRule(plugins, text)
		if err != nil {
			return nil, fmt.Errorf("--rule %s: %w", text, err)
		}
		if decision.MeansOf(rule) != decision.ByBallots {
			if named {
				return nil, fmt.Errorf("--rule %s: it counts no ballots of agents", text)
			}
			continue
		}
		rules = append(rules, recount.RetallyRule{Name: text, Counts: rule, Runs: map[lake.Run]recount.Retallied{},
			Refused: map[string]string{}})
	}
	return rules, nil
}

// buildRule builds a rule as a campaign file names it.
func buildRule(plugins catalogue.Catalogue, text string) (decision.Rule, error) {
	var given any
	if err := yaml.Unmarshal([]byte(text), &given); err != nil {
		return nil, errors.New("expected a name, or {name: …, parameters}")
	}
	choice := plan.Choice{}
	switch given := given.(type) {
	case string:
		choice.Name = given
	case map[string]any:
		choice.Name, _ = given["name"].(string)
		delete(given, "name")
		params, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		choice.Params = params
	}
	if choice.Name == "" {
		return nil, errors.New("expected a name, or {name: …, parameters}")
	}
	return plan.Condition{Rule: choice}.BuildRule(plugins)
}

// worth scores decisions that were not made, with the environments of a campaign.
type worth struct {
	seed         uint64
	environments map[string]envs.Environment // by condition
	instances    map[string]envs.Instance    // by condition and number
}

func newWorth(ctx context.Context, plugins catalogue.Catalogue, s store.Store, name string) (*worth, error) {
	p, _, err := recorded.ReadRecorded(ctx, s, name)
	if err != nil {
		return nil, err
	}
	nobody := func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error) {
		return model.Provider{}, nil
	} // nothing is asked
	built, err := setup.Build(p, plugins,
		setup.Sources{Data: setup.OpenFolder, Lake: s, Programs: programs.New(s).Recording}, nobody)
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
