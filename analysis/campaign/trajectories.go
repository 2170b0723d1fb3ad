package campaign

import (
	"roundtable/analysis/trajectory"
)

// Trajectories are the collaborations of a campaign round by round, which only the
// tables about early stopping need.
type Trajectories struct {
	Runs     []trajectory.Trajectory
	Excluded []trajectory.Excluded
	Labels   trajectory.Labels // that the runs have
}

// TrajectoriesOf returns the campaign round by round.
func TrajectoriesOf(c Campaign) Trajectories { return Part[Trajectories](c.Parts) }
