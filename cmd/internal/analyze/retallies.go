package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"go.yaml.in/yaml/v3"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
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

// Retally names the rules, as a campaign file does: a name, or {name: …, parameters}.
type Retally struct {
	Rules []string // none: all rules of ballots
	recount.RetallyOptions
}

// Make counts a campaign's votes and returns the table.
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
