package debate

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// The columns that name a debate, of rows of any kind that hold one.

func taskColumn[R any](of func(R) debateGroup) table.Columns[R] {
	return table.Column("task", func(r R) table.Cell { return table.Word(of(r).task) })
}

func strategyColumn[R any](of func(R) debateGroup) table.Columns[R] {
	return table.Column("strategy", func(r R) table.Cell { return table.Word(of(r).called) })
}

func sizeColumn[R any](of func(R) debateGroup) table.Columns[R] {
	return table.Column("agents", func(r R) table.Cell { return table.Count(of(r).size) })
}

func roundsColumn[R any](of func(R) debateGroup) table.Columns[R] {
	return table.Column("debate rounds", func(r R) table.Cell { return table.Count(of(r).rounds) })
}

func labelColumns[R any](v debateView, of func(R) debateGroup) table.Columns[R] {
	return table.Of(v.LabelColumns(), func(r R) campaign.Group { return of(r).Group })
}

// firstOf of a row of several debates.
func firstOf(row []debateGroup) debateGroup { return row[0] }

// measured is a row for one measure of one debate.
type measured struct {
	debateMeasure
	debateGroup
}

func debateOf(m measured) debateGroup { return m.debateGroup }

func measureColumn() table.Columns[measured] {
	return table.Column("measure", func(m measured) table.Cell { return table.Word(m.name) })
}

// measuredRows returns the rows of all measures: all debates under the first, then under the next.
func (v debateView) measuredRows() []measured {
	var rows []measured
	for _, m := range debateMeasures() {
		for _, d := range v.all {
			rows = append(rows, measured{m, d})
		}
	}
	return rows
}
