package campaign

import (
	"fmt"
	"slices"

	"roundtable/analysis/acts"
	"roundtable/analysis/lake"
)

// Trajectories are a campaign's collaborations round by round, which only tables about early
// stopping need.
type Trajectories struct {
	Runs     []acts.Trajectory
	Excluded []acts.Excluded
	Labels   acts.Labels // whose labels the runs have, and how many lack them
}

// TrajectoriesOf returns the Trajectories of c.
func TrajectoriesOf(c Campaign) Trajectories { return Part[Trajectories](c.Parts) }

// add takes over the trajectories of a campaign, under names of their own. Gold stays with
// the campaigns, of whose draws it is.
func (t *Trajectories) add(c Campaign) error {
	from := TrajectoriesOf(c)
	for _, run := range from.Runs {
		run.ID, run.Condition = c.qualifiedName(run.ID), c.qualifiedName(run.Condition)
		t.Runs = append(t.Runs, run)
	}
	for _, left := range from.Excluded {
		left.ID = c.qualifiedName(left.ID)
		t.Excluded = append(t.Excluded, left)
	}
	l := &t.Labels
	if l.By != "" && from.Labels.By != "" && l.By != from.Labels.By {
		return fmt.Errorf("campaign %s is labelled by %s, and others by %s; choose one with --labeller", c.Name,
			from.Labels.By, l.By)
	}
	if from.Labels.By == "" {
		l.Missing += len(from.Runs)
		return nil
	}
	l.By, l.Simulated = from.Labels.By, l.Simulated || from.Labels.Simulated
	l.Invalid, l.Missing = l.Invalid+from.Labels.Invalid, l.Missing+from.Labels.Missing
	l.Others = append(l.Others, from.Labels.Others...)
	slices.Sort(l.Others)
	l.Others = slices.Compact(l.Others)
	return nil
}

// numberInstances gives the trajectories the instances that the runs have.
func (t Trajectories) numberInstances(runs []Run) {
	byRun := make(map[lake.Run]Run, len(runs))
	for _, r := range runs {
		byRun[lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}] = r
	}
	for i, one := range t.Runs {
		if r, ok := byRun[lake.Run{Collaboration: one.ID, Generation: one.Generation}]; ok {
			one.Instance = int(r.Instance)
			one.Unit = one.UnitOf(r.Replicate)
			t.Runs[i] = one
		}
	}
}
