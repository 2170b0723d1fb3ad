package campaign

import (
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/until"
)

// Question is the stopping question of a campaign, with what it must know of the plan.
type Question struct {
	until.Question
	Grid until.Grid
}

// Look returns how far the question is, judged by c's runs, and the design behind it.
func (q Question) Look(c Campaign) (*until.Course, *until.Design, error) {
	index := make(map[string]int, len(q.Grid.Conditions))
	for i, condition := range q.Grid.Conditions {
		index[condition.ID] = i
	}
	runs := make(map[until.Cell]record.Collaboration, len(c.Runs))
	for _, r := range c.Runs {
		// stopped: as far as the question goes it has not ended
		if i, ok := index[r.ConditionID]; ok && r.Status != record.Stopped {
			runs[until.Cell{Condition: i, Instance: int(r.Instance), Replicate: int(r.Replicate)}] = r.Collaboration
		}
	}
	design := until.NewDesign(q.Question, q.Grid)
	course, err := design.Look(func(cell until.Cell) (*float64, bool) {
		r, ok := runs[cell]
		if !ok || r.Status != record.Succeeded {
			return nil, ok
		}
		if v, has := lake.MeasuredOf(r).Value(q.Measure); has {
			return &v, true
		}
		return nil, true
	})
	return course, design, err
}

// IsUnneeded reports whether a collaboration was stopped because the question was answered without
// it.
func IsUnneeded(c record.Collaboration) bool {
	return c.Failure != nil && *c.Failure == record.Answered
}
