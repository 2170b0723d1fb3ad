// Package forks shows what forks of a campaign's collaborations found: the effect of each
// change against the original and what went on unchanged, from the same beginnings, with
// what chance alone does and what both have cost.
package forks

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/naming"
	"roundtable/analysis/record"
	"roundtable/analysis/study/entry"
)

// Study returns what the list of studies has of this one.
func Study() entry.Study {
	return entry.Study{Readers: []campaign.Reader{Read}, Tables: []entry.Table{
		{Named: naming.Named{Name: "fork-effects", Shows: "forks: what each change does to the outcome, against the original and what went on unchanged",
			Needs: "forks of a campaign that is in the lake (roundtable fork)"}, Build: Effects, Shown: entry.Always},
	}}
}

// left says that a collaboration came to where it leaves the original: it has turns that
// the original has not.
type left bool

// Read keeps whether a fork has left the original.
func Read(r *campaign.Run, rows record.Rows) error {
	own := false
	for _, t := range rows.Turns {
		own = own || t.ForkedFrom == nil
	}
	campaign.Keep(&r.Parts, left(own))
	return nil
}
