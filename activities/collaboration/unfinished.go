package collaboration

import (
	"roundtable/analysis/lake/record"
	"roundtable/workflows/task"
)

// RowsOfUnfinished makes the rows of a collaboration that has not ended, from what is stored of
// it: the most that can be made. They are shown and never committed.
func RowsOfUnfinished(c *Collaboration) (record.Rows, error) {
	level := complete
	if c.Session == nil {
		level = bare
	}
	for ; ; level-- {
		rows, err := rowsOf(c, task.Ending{Status: record.Unfinished}, level)
		if err != nil && level > bare {
			continue
		}
		if err != nil {
			return rows, err
		}
		if c.Session != nil { // a round has begun once its first call may be made
			sum := &rows.Collaborations[0]
			sum.RoundsRun = max(sum.RoundsRun, int32(c.Round()))
		}
		return rows.Sorted()
	}
}
