package dialogue

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

// SpeechStudy returns the entry of the study of messages in the list of studies.
func SpeechStudy() entry.Study {
	return entry.Study{Title: entry.Messages, Readers: []campaign.Reader{campaign.Keeping[[]Speech]("", readSpeech)},
		Tables: []entry.Table{
			{Named: entry.Named{Name: "message-length", Shows: "messages: words and reading grade, by round",
				Needs: "messages"}, Build: wordsTable, Redundant: isMeasured},
			{Named: entry.Named{Name: "message-language", Shows: "messages: words, reading grade, information distance",
				Needs: "messages", Papers: entry.Numbers(1, "table", 8)}, Build: messageLanguage, From: entry.Measures},
		}}
}

// isMeasured reports whether message-language has all that message-length says.
func isMeasured(c campaign.Campaign) bool { return LanguageMeasure(c) != nil }
