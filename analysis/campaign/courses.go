package campaign

import (
	"roundtable/analysis/trajectory"
)

// Courses are the collaborations of a campaign round by round, which only the
// tables about early stopping need.
type Courses struct {
	Runs   []trajectory.Trajectory
	Left   []trajectory.Left
	Labels trajectory.Labels // that the runs have
}

// CoursesOf returns the campaign round by round.
func CoursesOf(c Campaign) Courses { return Part[Courses](c.Parts) }
