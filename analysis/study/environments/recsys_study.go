package environments

import (
	"roundtable/analysis/study/entry"
)

// Recommendation returns the entry of the study of recommendations in the list of studies.
func Recommendation() entry.Study {
	return entry.Study{Title: entry.Recommendations, Tables: []entry.Table{
		{Named: entry.Named{Name: "rating-errors", Shows: "recsys: errors of ratings by rule and round",
			Needs: entry.NeedRecsys, Papers: entry.Numbers(1, "table", 7)}, Build: RatingErrors, Shown: entry.Always},
	}}
}
