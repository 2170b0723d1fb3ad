package table

// Shading is how a table highlights its cells.
type Shading int

const (
	Plain    Shading = iota
	Extremes         // the least and the greatest mean of each column
	Heat             // all means by size, within the rows of one measure
)

// ExtremesNote is the note under tables with the shading Extremes.
const ExtremesNote = "↓ and ↑: the least and the greatest mean of a column."

// Mark is how a cell is highlighted.
type Mark struct {
	Least, Greatest bool
	Heat            int // 1 to HeatSteps, from the least to the greatest; 0 for none
}

// HeatSteps is the number of colours of a heat map.
const HeatSteps = 6

// Sign returns the mark as a character, for readers without colours.
func (m Mark) Sign() string {
	switch {
	case m.Least:
		return "↓"
	case m.Greatest:
		return "↑"
	}
	return ""
}

// Marks returns the mark of each cell, by row and column.
func (t Table) Marks() [][]Mark {
	marks := make([][]Mark, len(t.Rows))
	for i, row := range t.Rows {
		marks[i] = make([]Mark, len(row))
	}
	switch t.Shading {
	case Extremes:
		for j := range t.Columns {
			t.mark(marks, func(_, column int) bool { return column == j })
		}
	case Heat:
		measures := map[string]bool{}
		for _, row := range t.Rows {
			measures[t.measure(row)] = true
		}
		for measure := range measures {
			t.mark(marks, func(row, _ int) bool { return t.measure(t.Rows[row]) == measure })
		}
	}
	return marks
}

// measure of a row: means of different measures have no common scale.
func (t Table) measure(row []Cell) string {
	if t.Columns[0] == "measure" {
		return row[0].Text
	}
	return ""
}

// mark marks the means among some cells by their size, if they differ.
func (t Table) mark(marks [][]Mark, within func(row, column int) bool) {
	var low, high *float64
	each := func(do func(i, j int, v float64)) {
		for i, row := range t.Rows {
			for j, c := range row {
				if c.Value != nil && c.N > 0 && within(i, j) {
					do(i, j, *c.Value)
				}
			}
		}
	}
	each(func(_, _ int, v float64) {
		if low == nil || v < *low {
			low = &v
		}
		if high == nil || v > *high {
			high = &v
		}
	})
	if low == nil || *low == *high {
		return
	}
	each(func(i, j int, v float64) {
		if t.Shading == Heat {
			marks[i][j].Heat = 1 + min(int(HeatSteps*(v-*low)/(*high-*low)), HeatSteps-1)
			return
		}
		marks[i][j] = Mark{Least: v == *low, Greatest: v == *high}
	})
}
