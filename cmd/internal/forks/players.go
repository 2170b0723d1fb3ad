package forks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"roundtable/analysis/counterfactual"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// What an outcome can be attributed to.
const (
	Agents   = "agents"
	Rounds   = "rounds"
	Messages = "messages"
)

// player is a part of a collaboration that takes part or does not.
type player struct {
	name   string
	drop   string         // the agent that is dropped without it
	remove map[string]any // the messages that are removed without it
}

// players are those of a campaign's collaborations.
type players struct {
	of        string
	campaign  plan.Campaign
	forked    []string // conditions by id; all if none is named
	list      []player
	instances []int
}

// newPlayers finds the players in what a campaign has recorded. Conditions must have the
// same ones.
func newPlayers(ctx context.Context, s storage.Store, of string, campaign plan.Campaign, forked []string) (players, error) {
	p := players{of: of, campaign: campaign, forked: forked}
	agents, rounds, err := p.read(ctx, s)
	if err != nil {
		return p, err
	}
	switch of {
	case Agents:
		for _, name := range agents {
			p.list = append(p.list, player{name: name, drop: name})
		}
	case Rounds:
		for round := 1; round <= rounds; round++ {
			p.list = append(p.list, player{name: fmt.Sprintf("round %d", round), remove: map[string]any{"round": round}})
		}
	case Messages:
		for round := 1; round <= rounds; round++ {
			for _, name := range agents {
				p.list = append(p.list, player{name: fmt.Sprintf("%s in round %d", name, round), remove: map[string]any{"round": round, "agent": name}})
			}
		}
	default:
		return p, cli.UsageError(fmt.Errorf("--of %s: expected %s", of, wording.Or([]string{Agents, Rounds, Messages})))
	}
	if n := len(p.list); n < 2 || n > counterfactual.MaxPlayers {
		return p, cli.UsageError(fmt.Errorf("--of %s: there are %d of them; 2 to %d can be told apart", of, n, counterfactual.MaxPlayers))
	}
	return p, nil
}

// read reads who takes part, for how many rounds, and in which instances.
func (p *players) read(ctx context.Context, s storage.Store) (agents []string, rounds int, err error) {
	d, err := lake.ReadDataset(ctx, s, p.campaign.Name)
	if err != nil {
		return nil, 0, err
	}
	for rows, err := range lake.Collaborations(ctx, s, d.ByPart(), record.Collaborations, record.Turns) {
		if err != nil {
			return nil, 0, cli.ExplainDamage(err, p.campaign.Name, "nothing was attributed")
		}
		c := rows.Collaborations[0]
		if c.Status != record.Succeeded || len(p.forked) > 0 && !slices.Contains(p.forked, c.ConditionID) {
			continue
		}
		if c.MeasureOf() == record.Error {
			return nil, 0, cli.UsageError(errors.New("an outcome that is an error cannot be attributed: it is not defined when nobody takes part"))
		}
		names := make([]string, c.Agents)
		for _, t := range rows.Turns {
			if t.Agent != nil && t.Role == "" {
				names[*t.Agent] = t.AgentName
			}
		}
		if agents != nil && (!slices.Equal(names, agents) || rounds != int(c.RoundsPlanned)) {
			return nil, 0, cli.UsageError(errors.New("its conditions have other agents or numbers of rounds; name those that have the same with --condition"))
		}
		agents, rounds = names, int(c.RoundsPlanned)
		if i := int(c.Instance); !slices.Contains(p.instances, i) {
			p.instances = append(p.instances, i)
		}
	}
	slices.Sort(p.instances)
	if agents == nil {
		err = cli.UsageError(fmt.Errorf("%s has no collaboration that succeeded", p.campaign.Name))
	}
	return agents, rounds, err
}

// orders returns the orders in which the players join in an instance.
func (p players) orders(instance, pairs int) [][]int {
	return counterfactual.Orders(len(p.list), pairs, envs.Stream(p.campaign.Seed, "attribute", p.of, instance))
}

// change returns the change of a file that leaves out who is not in a coalition.
func (p players) change(c counterfactual.Coalition, instances []int) map[string]any {
	change := map[string]any{"label": p.label(c), "instances": instances}
	var drop, remove []any
	for _, i := range c.Absent(len(p.list)) {
		if p.of == Agents {
			drop = append(drop, p.list[i].drop)
		} else {
			remove = append(remove, p.list[i].remove)
		}
	}
	if len(drop) > 0 {
		change["at"], change["drop"] = map[string]any{"round": 1}, drop
	}
	if len(remove) > 0 {
		change["remove"] = remove
	}
	return change
}

// label names a coalition by its players' numbers.
func (p players) label(c counterfactual.Coalition) string {
	if c == 0 {
		return "nobody"
	}
	return fmt.Sprintf("coalition %x", uint64(c))
}

// needs returns the coalitions that some pairs of orders go through, but everyone, each
// with the instances that need it, in an order that more pairs only add to.
func (p players) needs(pairs int) (all []counterfactual.Coalition, instances map[counterfactual.Coalition][]int) {
	instances = map[counterfactual.Coalition][]int{}
	orders := map[int][][]int{}
	for _, i := range p.instances {
		orders[i] = p.orders(i, pairs)
	}
	for n := range 2 * pairs {
		for _, i := range p.instances {
			for _, c := range counterfactual.Along(orders[i][n]) {
				switch {
				case c == counterfactual.Everyone(len(p.list)) || slices.Contains(instances[c], i):
					continue
				case instances[c] == nil:
					all = append(all, c)
				}
				instances[c] = append(instances[c], i)
			}
		}
	}
	return all, instances
}

// cells returns how many collaborations some pairs of orders need.
func (p players) cells(pairs int) (n int) {
	conditions := len(p.forked)
	if conditions == 0 {
		conditions = len(p.campaign.Conditions)
	}
	_, instances := p.needs(pairs)
	for _, list := range instances {
		n += len(list) * conditions * p.campaign.Replicates
	}
	return n
}

// isExact reports whether some pairs of orders go through every coalition in every instance.
func (p players) isExact(pairs int) bool {
	all, instances := p.needs(pairs)
	if len(p.list) > 16 || len(all) != 1<<len(p.list)-1 {
		return false
	}
	return !slices.ContainsFunc(all, func(c counterfactual.Coalition) bool { return len(instances[c]) != len(p.instances) })
}
