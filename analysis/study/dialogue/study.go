package dialogue

import (
	"roundtable/analysis/study/entry"
)

// Study returns the entry of the study of dialogue acts in the list of studies.
func Study() entry.Study {
	return entry.Study{Title: entry.DialogueActs, Tables: []entry.Table{
		{Named: entry.Named{Name: "dialogue-acts", Shows: "dialogue acts: how often, by rule",
			Needs: entry.NeedLabels, Papers: entry.Numbers(1, "table", 9)}, Shown: entry.Never, From: entry.Labels},
		{Named: entry.Named{Name: "transitions", Shows: "dialogue acts: which follows which",
			Needs: entry.NeedLabels}, Shown: entry.Never, From: entry.Labels},
		{Named: entry.Named{Name: "agreement", Shows: "dialogue acts: how far labellers agree",
			Needs: "labels of at least two labellers (roundtable label)"}, Shown: entry.Never, From: entry.Labels},
		{Named: entry.Named{Name: "label-rates", Shows: "labels of other code books: how often",
			Needs: "labels by another code book (roundtable label --code-book)"}, Shown: entry.Never,
			From: entry.Labels},
		{Named: entry.Named{Name: "label-errors", Shows: "dialogue acts: how often the labeller is right",
			Needs: "labels by hand (roundtable label --gold)"}, Shown: entry.Never, From: entry.Labels},
	}}
}
