package acts

import (
	"fmt"
	"slices"

	"roundtable/envs/wording"
)

// Trajectory is one collaboration that ran all its rounds.
type Trajectory struct {
	ID         string // collaboration_id
	Generation int    // of which these are the rows
	Condition  string // condition_id
	Instance   int    // the problem as dealt; replicates of one have it in common
	Hash       string // of the question and its key: equal ones are one problem, whatever its number; "" without one
	// cluster of runs, independent of all others: instance and replicate, unless a caller says otherwise
	Unit        string
	Environment string
	Rule        string
	Simulated   bool // scripted agents answered
	Agents      int  // members of the group
	Rounds      []Round
}

// Round is one round of a trajectory.
type Round struct {
	// Score of what stands at the round's end, higher is better: the share of the
	// greatest total utility (0 before a decision), or minus the absolute error. Nil if it is not defined.
	Score     *float64
	Agreed    bool     // the count selected a proposal
	Agreement *float64 // greatest share of the agents behind one candidate; nil if nothing was counted
	Proposals int      // new proposals made
	Acts      []Set    // by agent, empty for one that said nothing; nil if the round is not labelled
	Distance  *float64 // information distance to the round before; nil in round 1 and where it was not computed
	Tokens    int64    // input and output of calls that were billed
	CostUSD   *float64 // of these calls; nil if a price is not known
}

// ScoreAt returns the score at the end of a round, from 1; nil if it is not defined.
func (t Trajectory) ScoreAt(round int) *float64 { return t.Rounds[round-1].Score }

// Best returns the earliest round with the greatest score. varies is false if the score is the same
// in all rounds that have one; round is then the first of these, or 1.
func (t Trajectory) Best() (round int, varies bool) {
	round = 1
	var best *float64
	for i, r := range t.Rounds {
		switch {
		case r.Score == nil:
		case best == nil:
			best, round = r.Score, i+1
		case *r.Score > *best:
			best, round, varies = r.Score, i+1, true
		case *r.Score < *best:
			varies = true
		}
	}
	return round, varies
}

// IsLabelled reports whether every round has dialogue acts.
func (t Trajectory) IsLabelled() bool {
	return len(t.Rounds) > 0 && !slices.ContainsFunc(t.Rounds, func(r Round) bool { return r.Acts == nil })
}

// Distances returns how many rounds have an information distance. Round 1 never has one, nor does a
// round without messages or the round after it.
func (t Trajectory) Distances() int {
	n := 0
	for _, r := range t.Rounds {
		if r.Distance != nil {
			n++
		}
	}
	return n
}

// Same returns an error unless trajectories can be analysed together: there are at least least of
// them, no two share an ID, and all have the same number of rounds.
func Same(all []Trajectory, least int) error {
	if len(all) < least {
		return fmt.Errorf("%s can be analysed; at least %d are needed", wording.Count(len(all), "collaboration"), least)
	}
	seen := map[string]bool{}
	for _, t := range all {
		switch {
		case len(t.Rounds) == 0:
			return fmt.Errorf("collaboration %s has no rounds", t.ID)
		case len(t.Rounds) != len(all[0].Rounds):
			return fmt.Errorf("collaboration %s has %d rounds and %s has %d; only collaborations of equal length are compared", t.ID, len(t.Rounds), all[0].ID, len(all[0].Rounds))
		case seen[t.ID]:
			return fmt.Errorf("collaboration %s is there twice", t.ID)
		}
		seen[t.ID] = true
	}
	return nil
}

// ByInstance returns runs with the instance as Unit if their environment has at least least
// instances, so that replicates of one instance stay together; other runs keep their Unit.
func ByInstance(runs []Trajectory, least int) []Trajectory {
	instances := map[string]map[string]bool{} // by environment
	for _, t := range runs {
		if instances[t.Environment] == nil {
			instances[t.Environment] = map[string]bool{}
		}
		instances[t.Environment][t.instanceName()] = true
	}
	runs = slices.Clone(runs)
	for i, t := range runs {
		if len(instances[t.Environment]) >= least {
			runs[i].Unit = t.instanceName()
		}
	}
	return runs
}

// UnitOf returns the Unit of a replicate of this trajectory's instance.
func (t Trajectory) UnitOf(replicate int32) string {
	return fmt.Sprintf("%s-r%d", t.instanceName(), replicate)
}

// instanceName names the problem.
func (t Trajectory) instanceName() string {
	if t.Hash != "" {
		return t.Hash
	}
	return fmt.Sprintf("i%d", t.Instance)
}
