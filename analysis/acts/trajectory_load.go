package acts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Excluded is a collaboration that is not analysed, and the reason.
type Excluded struct {
	ID, Reason string
	Early      bool // it succeeded, but ended before its last planned round
}

// endedEarlyError is why a collaboration that succeeded is not analysed.
type endedEarlyError struct{ rounds, planned int }

func (e endedEarlyError) Error() string {
	return fmt.Sprintf("it ended after round %d of %d", e.rounds, e.planned)
}

// Load returns a campaign's trajectories from the lake, in the order of conditions, and the
// collaborations without one. Acts and distances are not set.
func Load(ctx context.Context, store store.Store, campaign string) ([]Trajectory, []Excluded, error) {
	d, err := lake.ReadDataset(ctx, store, campaign)
	if err != nil {
		return nil, nil, err
	}
	var gathered []Gathered
	for rows, err := range lake.Collaborations(ctx, store, d.ByPart(), record.Collaborations, record.Rounds,
		record.Turns, record.Calls) {
		if err != nil {
			return nil, nil, err
		}
		gathered = append(gathered, Gather(rows))
	}
	all, left := Sorted(gathered)
	return all, left, nil
}

// Gathered is the trajectory of a collaboration, or why there is none.
type Gathered struct {
	Trajectory *Trajectory
	Excluded   *Excluded
}

// Gather returns the trajectory of one collaboration's rows, or why there is none.
func Gather(rows record.Rows) Gathered {
	t, err := FromRows(rows)
	if err != nil {
		_, early := errors.AsType[endedEarlyError](err)
		return Gathered{Excluded: &Excluded{rows.Collaborations[0].CollaborationID, err.Error(), early}}
	}
	return Gathered{Trajectory: &t}
}

// Sorted separates trajectories, sorted by condition and ID, from what was excluded, sorted by ID.
func Sorted(gathered []Gathered) (all []Trajectory, left []Excluded) {
	for _, g := range gathered {
		if g.Trajectory != nil {
			all = append(all, *g.Trajectory)
		} else if g.Excluded != nil {
			left = append(left, *g.Excluded)
		}
	}
	slices.SortStableFunc(all, func(a, b Trajectory) int {
		return cmp.Or(cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.ID, b.ID))
	})
	slices.SortStableFunc(left, func(a, b Excluded) int { return cmp.Compare(a.ID, b.ID) })
	return all, left
}

// FromRows returns the trajectory of one collaboration. The error says why there is
// none: it did not succeed, or it ended before its last planned round, so that
// what stopping elsewhere would have brought is not known.
func FromRows(rows record.Rows) (Trajectory, error) {
	if len(rows.Collaborations) != 1 {
		return Trajectory{}, fmt.Errorf("expected 1 row in collaborations, got %d", len(rows.Collaborations))
	}
	c := rows.Collaborations[0]
	switch {
	case c.Status != record.Succeeded:
		return Trajectory{}, fmt.Errorf("it is %s", c.Status)
	case len(rows.Rounds) == 0:
		return Trajectory{}, fmt.Errorf("it has no rounds")
	case len(rows.Rounds) < int(c.RoundsPlanned):
		return Trajectory{}, endedEarlyError{len(rows.Rounds), int(c.RoundsPlanned)}
	}
	t := Trajectory{
		ID: c.CollaborationID, Generation: int(c.Generation), Condition: c.ConditionID, Instance: int(c.Instance),
		Environment: c.Environment, Rule: c.Rule, Simulated: c.Simulated, Agents: int(c.Agents),
	}
	if c.InstanceHash != nil {
		t.Hash = *c.InstanceHash
	}
	t.Unit = t.UnitOf(c.Replicate)
	for _, r := range rows.Rounds {
		round := Round{Score: c.Worth(r.Score), Agreed: r.Passed, Agreement: r.Agreement,
			Proposals: int(r.NewProposals)}
		if c.Protocol != record.Imported {
			round.CostUSD = new(float64)
		}
		t.Rounds = append(t.Rounds, round)
	}
	spend(t.Rounds, rows)
	return t, nil
}

// spend adds up what the calls of each round took.
func spend(rounds []Round, rows record.Rows) {
	byEntry := make(map[int32]int32, len(rows.Turns))
	for _, turn := range rows.Turns {
		byEntry[turn.Entry] = turn.Round
	}
	for _, call := range rows.Calls {
		n := byEntry[call.Entry]
		if call.Cached || n < 1 || int(n) > len(rounds) {
			continue
		}
		r := &rounds[n-1]
		for _, tokens := range []*int64{call.InputTokens, call.OutputTokens} {
			if tokens != nil {
				r.Tokens += *tokens
			}
		}
		if r.CostUSD == nil || call.CostUSD == nil {
			r.CostUSD = nil
			continue
		}
		sum := *r.CostUSD + *call.CostUSD
		r.CostUSD = &sum
	}
}
