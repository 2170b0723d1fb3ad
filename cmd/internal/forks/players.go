package forks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/study/forks"
	"roundtable/cmd/internal/cli"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Values of Attribution.Of: the parts to which an outcome is attributed.
const (
	Agents   = "agents"
	Rounds   = "rounds"
	Messages = "messages"
)

// player is a part of a collaboration that takes part or does not.
type player struct {
	name   string
	round  int            // that it is of; 0 for agents
	agent  int            // that it is of, by index; -1 for rounds
	drop   string         // the agent that is dropped without it
	remove map[string]any // the messages that are removed without it
}

// players are those of a campaign's collaborations.
type players struct {
	of         string
	campaign   plan.Campaign
	forked     []string       // conditions by id; all if none is named
	replicates map[string]int // by condition; later ones of the original are not taken in
	list       []player
	instances  []int
	begun      map[int]int // how many collaborations of an instance are forked
	without    int         // how many did not succeed, and are not
}

// newPlayers finds the players in what a campaign has recorded; known is the campaign of
// the forks as far as it is there. Conditions must have the same players.
func newPlayers(ctx context.Context, s store.Store, of string, campaign, known plan.Campaign,
	forked []string) (players, error) {
	p := players{of: of, campaign: campaign, forked: forked, replicates: map[string]int{}, begun: map[int]int{}}
	for j, c := range campaign.Conditions {
		p.replicates[c.ID()] = campaign.ReplicatesOf(j)
	}
	for _, c := range known.Conditions {
		if c.Fork != nil {
			p.replicates[c.Fork.Condition] = c.Fork.Replicates
		}
	}
	agents, rounds, err := p.read(ctx, s)
	if err != nil {
		return p, err
	}
	switch of {
	case Agents:
		for _, a := range agents {
			p.list = append(p.list, player{name: a.name, agent: a.index, drop: a.name})
		}
	case Rounds:
		for round := 1; round <= rounds; round++ {
			p.list = append(p.list, player{name: fmt.Sprintf("round %d", round), round: round, agent: -1,
				remove: map[string]any{"round": round}})
		}
	case Messages:
		for round := 1; round <= rounds; round++ {
			for _, a := range agents {
				p.list = append(p.list, player{name: fmt.Sprintf("%s in round %d", a.name, round), round: round,
					agent: a.index, remove: map[string]any{"round": round, "agent": a.name}})
			}
		}
	default:
		return p, cli.UsageError(fmt.Errorf("--of %s: expected %s", of, wording.Or([]string{Agents, Rounds, Messages})))
	}
	if n := len(p.list); n < 2 || n > forks.MaxPlayers {
		return p, cli.UsageError(fmt.Errorf("--of %s: %d of them take part; 2 to %d can be told apart", of, n,
			forks.MaxPlayers))
	}
	return p, nil
}

// speaker is an agent that takes turns.
type speaker struct {
	index int
	name  string
}

// taking is who takes turns in a condition, for how many rounds.
type taking struct {
	agents int
	rounds int
	names  map[int]string // of those who take turns, by index
}

// read reads who takes part, for how many rounds, and in which instances.
func (p *players) read(ctx context.Context, s store.Store) (agents []speaker, rounds int, err error) {
	d, err := lake.ReadDataset(ctx, s, p.campaign.Name)
	if err != nil {
		return nil, 0, err
	}
	found := map[string]*taking{} // by condition
	for rows, err := range lake.Collaborations(ctx, s, d.ByPart(), record.Collaborations, record.Turns) {
		if err != nil {
			return nil, 0, cli.ExplainDamage(err, p.campaign.Name, "nothing was attributed")
		}
		c := rows.Collaborations[0]
		if int(c.Replicate) >= p.replicates[c.ConditionID] || len(p.forked) > 0 &&
			!slices.Contains(p.forked, c.ConditionID) {
			continue
		}
		if c.Status != record.Succeeded {
			p.without++
			continue
		}
		if c.Measure == record.Error {
			return nil, 0, cli.UsageError(errors.New("an outcome that is an error cannot be attributed: it is not " +
				"defined when nobody takes part"))
		}
		if found[c.ConditionID] == nil {
			found[c.ConditionID] = &taking{int(c.Agents), int(c.RoundsPlanned), map[int]string{}}
		}
		if err := found[c.ConditionID].add(rows); err != nil {
			return nil, 0, err
		}
		p.begun[int(c.Instance)]++
	}
	p.instances = slices.Sorted(maps.Keys(p.begun))
	if len(found) == 0 {
		return nil, 0, cli.UsageError(fmt.Errorf("%s has no collaboration that succeeded", p.campaign.Name))
	}
	var first *taking
	for _, id := range slices.Sorted(maps.Keys(found)) {
		if first == nil {
			first = found[id]
		} else if !reflect.DeepEqual(first, found[id]) {
			return nil, 0, errOthers
		}
	}
	for _, index := range slices.Sorted(maps.Keys(first.names)) {
		agents = append(agents, speaker{index, first.names[index]})
	}
	return agents, first.rounds, nil
}

var errOthers = cli.UsageError(errors.New("its conditions have other agents or numbers of rounds; name those that " +
	"have the same with --condition"))

// add takes in who takes turns in a collaboration.
func (t *taking) add(rows record.Rows) error {
	if c := rows.Collaborations[0]; t.agents != int(c.Agents) || t.rounds != int(c.RoundsPlanned) {
		return errOthers
	}
	for _, turn := range rows.Turns {
		if turn.Agent == nil || turn.Role != "" {
			continue
		}
		if name, known := t.names[int(*turn.Agent)]; known && name != turn.AgentName {
			return errOthers
		}
		t.names[int(*turn.Agent)] = turn.AgentName
	}
	return nil
}

// drawOrders returns the orders in which the players join in an instance.
func (p players) drawOrders(instance, pairs int) [][]int {
	return forks.Orders(len(p.list), pairs, envs.Stream(p.campaign.Seed, "attribute", p.of, instance))
}

// changeWithout returns the change of a file that leaves out who is not in a coalition.
func (p players) changeWithout(c forks.Coalition, instances []int) map[string]any {
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
func (p players) label(c forks.Coalition) string {
	if c == 0 {
		return "nobody"
	}
	return fmt.Sprintf("coalition %x", uint64(c))
}

// coalitionsNeeded returns the coalitions that some pairs of orders go through, but everyone, each
// with the instances that need it, in an order that more pairs only add to.
func (p players) coalitionsNeeded(pairs int) (all []forks.Coalition, instances map[forks.Coalition][]int) {
	instances = map[forks.Coalition][]int{}
	orders := map[int][][]int{}
	for _, i := range p.instances {
		orders[i] = p.drawOrders(i, pairs)
	}
	for n := range 2 * pairs {
		for _, i := range p.instances {
			for _, c := range forks.Along(orders[i][n]) {
				switch {
				case c == forks.Everyone(len(p.list)) || slices.Contains(instances[c], i):
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

// countCells returns how many collaborations some pairs of orders need.
func (p players) countCells(pairs int) (n int) {
	_, instances := p.coalitionsNeeded(pairs)
	for _, list := range instances {
		for _, i := range list {
			n += p.begun[i]
		}
	}
	return n
}

// playerOf returns the number of the player that a round's turns of an agent are, either of
// which may be any (0 and -1); false if there is none.
func (p players) playerOf(round, agent int) (int, bool) {
	i := slices.IndexFunc(p.list, func(x player) bool { return x.round == round && x.agent == agent })
	return i, i >= 0
}

// pairsOf returns the least pairs of orders that go through every coalition of the forks in
// a campaign, in each instance that it runs them in; false if some are of no order.
func (p players) pairsOf(known plan.Campaign) (needed int, ok bool) {
	missing, open := map[int]map[forks.Coalition]bool{}, 0
	for j, c := range known.Conditions {
		of, ok := p.coalitionOf(c.Fork)
		if !ok {
			return 0, false
		}
		for _, i := range known.InstancesOf(j) {
			if missing[i] == nil {
				missing[i] = map[forks.Coalition]bool{}
			}
			if !missing[i][of] {
				missing[i][of] = true
				open++
			}
		}
	}
	for pairs := 1; open > 0 && pairs <= mostOrders; pairs *= 2 {
		for i := range missing {
			for n, order := range p.drawOrders(i, pairs) {
				for _, of := range forks.Along(order) {
					if missing[i][of] {
						delete(missing[i], of)
						needed, open = max(needed, n/2+1), open-1
					}
				}
			}
		}
	}
	return needed, open == 0
}

// mostOrders bounds the pairs of orders in which a recorded coalition is looked for.
const mostOrders = 1 << 14

// coalitionOf returns which coalition a fork leaves; false if it is of another kind.
func (p players) coalitionOf(f *plan.Fork) (forks.Coalition, bool) {
	of := forks.Everyone(len(p.list))
	if f == nil || len(f.Was)+len(f.Replace) > 0 || len(f.Drop) > 0 && p.of != Agents || len(f.Remove) > 0 &&
		p.of == Agents {
		return 0, false
	}
	for _, agent := range f.Drop {
		i, ok := p.playerOf(0, agent)
		if !ok {
			return 0, false
		}
		of &^= 1 << i
	}
	for _, m := range f.Remove {
		agent := -1
		if m.Agent != nil {
			agent = *m.Agent
		}
		i, ok := p.playerOf(m.Round, agent)
		if !ok {
			return 0, false
		}
		of &^= 1 << i
	}
	return of, true
}

// isExact reports whether some pairs of orders go through every coalition in every instance.
func (p players) isExact(pairs int) bool {
	all, instances := p.coalitionsNeeded(pairs)
	if len(p.list) > 16 || len(all) != 1<<len(p.list)-1 {
		return false
	}
	return !slices.ContainsFunc(all, func(c forks.Coalition) bool { return len(instances[c]) != len(p.instances) })
}
