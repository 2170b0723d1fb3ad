package recsys

import (
	"roundtable/analysis/naming"
	"roundtable/analysis/study/entry"
)

// Study returns what the list of studies has of this one.
func Study() entry.Study {
	return entry.Study{Title: entry.Recommendations, Tables: []entry.Table{
		{Named: naming.Named{Name: "rating-errors", Shows: "recsys: errors of ratings by rule and round",
			Needs: entry.NeedRecsys, Papers: naming.Numbers(1, "table", 7)}, Build: RatingErrors, Shown: entry.Always},
	}}
}
