package speech

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/naming"
	"roundtable/analysis/study/entry"
)

// Study returns what the list of studies has of this one.
func Study() entry.Study {
	return entry.Study{Title: entry.Messages, Readers: []campaign.Reader{Read}, Tables: []entry.Table{
		{Named: naming.Named{Name: "message-length", Shows: "messages: words and reading grade, by round",
			Needs: "messages"}, Build: Words, Redundant: isMeasured},
		{Named: naming.Named{Name: "message-language", Shows: "messages: words, reading grade, information distance",
			Needs: "messages", Papers: naming.Numbers(1, "table", 8)}, Build: MessageLanguage, From: entry.Measures},
	}}
}

// isMeasured reports whether message-language has all that message-length says.
func isMeasured(c campaign.Campaign) bool { return MeasuredBy(c) != nil }
