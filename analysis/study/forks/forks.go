// Package forks shows the results of forks of a campaign's collaborations: the effect of each change compared
// with the original and with unchanged continuations from the same point, the variation by chance alone, and
// the cost of both.
//
// Effects of changes and contributions of parts (Shapley values) are estimated from outcomes that were
// continued in different ways from the same beginning. In every interval, everything of one unit (an instance)
// counts as one. Chance is measured, not assumed: it is the variation of outcomes between unchanged
// continuations.
package forks

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/entry"
	"roundtable/workflows/transcript"
)

// Study returns the study's entry in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.Forks, Readers: []campaign.Reader{campaign.Keeping[point]("", readPoint)},
		Tables: []entry.Table{
			{Named: entry.Named{Name: "fork-effects",
				Shows: "forks: what each change does to the outcome, against the original and what continued unchanged",
				Needs: "forks of a campaign that is in the lake (roundtable fork)"}, Build: Effects, Apart: true,
				Shown: entry.Always},
		}}
}

// point is where a collaboration leaves the original.
type point struct {
	Own bool // it has turns that the original has not
	// The first of these turns, and the first of them that an agent was asked for: none that
	// was removed, replaced, skipped or counted. The number of turns if there is none.
	First, Asked int
}

// isOf reports whether a collaboration that nothing was changed in continues from the same
// point: a message that is replaced may be its last turn or the one before it, and counts
// follow of themselves.
func (p point) isOf(unchanged point) bool {
	return p.First <= unchanged.First && unchanged.First <= p.Asked
}

// readPoint keeps where a fork leaves the original.
func readPoint(r *campaign.Run, rows record.Rows) error {
	p := point{First: len(rows.Turns), Asked: len(rows.Turns)}
	for i, t := range rows.Turns {
		if t.ForkedFrom != nil {
			continue
		}
		if !p.Own {
			p.Own, p.First = true, i
		}
		given := t.Kind == transcript.Decide.String() || t.Kind == transcript.Ask.String() && t.AnswerHash == ""
		if p.Asked == len(rows.Turns) && !given {
			p.Asked = i
		}
	}
	campaign.Keep(&r.Parts, p)
	return nil
}
