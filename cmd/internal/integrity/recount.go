package integrity

import (
	"context"
	"encoding/json"
	"fmt"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/recount"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
)

// Counting returns what says how a collaboration counts its votes, by the settings in
// its row, which can name these plug-ins.
func Counting(plugins catalogue.Catalogue) func(record.Collaboration) (recount.Counting, error) {
	return func(c record.Collaboration) (recount.Counting, error) { return countingOf(plugins, c) }
}

func countingOf(plugins catalogue.Catalogue, c record.Collaboration) (recount.Counting, error) {
	var cond plan.Condition
	if err := json.Unmarshal([]byte(c.SettingsJSON), &cond); err != nil {
		return recount.Counting{}, err
	}
	if cond.Rule.Name == "" {
		return recount.Counting{}, nil
	}
	camp := plan.Campaign{Seed: uint64(c.Seed), Conditions: []plan.Condition{cond}}
	seed := camp.TreatmentSeed(plan.Cell{Instance: int(c.Instance), Replicate: int(c.Replicate)})
	counting, err := countingUnder(plugins, cond, int(c.Agents), seed)
	if err != nil || cond.Fork == nil {
		return counting, err
	}
	original, err := cond.Original()
	if err != nil {
		return counting, err
	}
	before, err := countingUnder(plugins, original, int(c.Agents), seed)
	counting.Before = &before
	return counting, err
}

// countingUnder returns how votes of a condition are counted from its fork on, if it has one.
func countingUnder(plugins catalogue.Catalogue, cond plan.Condition, agents int,
	seed uint64) (recount.Counting, error) {
	rule, err := cond.BuildRule(plugins)
	if err != nil {
		return recount.Counting{}, err
	}
	cond.Fork = nil
	session, err := cond.Session(plugins, agents, seed)
	if err != nil {
		return recount.Counting{}, err
	}
	traits := session.Protocol().Traits()
	return recount.Counting{Rule: rule, Asked: traits.AskedVote, Seats: session.Seats(),
		Break: func(winners []int, round int, phase string) int {
			return protocol.BreakTie(winners, traits.TieBreak(round, phase), seed, round, phase)
		}}, nil
}

// recountDecisions derives every decision from its ballots once more.
func (v *Verification) recountDecisions(ctx context.Context, s store.Store, plugins catalogue.Catalogue) error {
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	r, err := recount.Check(ctx, s, d, Counting(plugins))
	if err != nil {
		return err
	}
	v.Decisions, v.Uncounted = r.Decisions, r.Uncounted
	for _, m := range r.Mismatches {
		v.find(fmt.Sprintf("%s.%d, round %d", m.Collaboration, m.Generation, m.Round), m.Problem)
	}
	return nil
}
