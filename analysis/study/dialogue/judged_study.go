package dialogue

import (
	"roundtable/analysis/study/entry"
)

// JudgesStudy returns the entry of the study of judges in the list of studies.
func JudgesStudy() entry.Study {
	return entry.Study{Title: entry.Judges, Tables: []entry.Table{
		{Named: entry.Named{Name: "judge-agreement", Shows: "scores by a judge: how far they agree with scores by hand",
			Needs: "score: {judge: …} and scores by hand (--hand-scores FILE)"}, Shown: entry.Never,
			From: entry.HandScores},
	}}
}
