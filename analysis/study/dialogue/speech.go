package dialogue

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/language"
	"roundtable/analysis/table"
)

// Speech sums up the messages of voting agents in one round.
type Speech struct {
	Messages int
	Words    float64 // mean length of a message; 0 without messages, as is
	Grade    float64 // the mean of their Flesch-Kincaid grades
	English  bool    // the collaboration's messages are in English, so they have grades
}

// readSpeech keeps the speech of each round that was run.
func readSpeech(r *campaign.Run, rows record.Rows) error {
	rounds := len(rows.Rounds)
	all := make([]Speech, rounds)
	var texts []string
	for _, t := range rows.Turns {
		n := int(t.Round) - 1
		if t.Kind != "ask" || t.Role != "" || t.Format != "message" || t.Text == nil || n < 0 || n >= rounds {
			continue
		}
		texts = append(texts, *t.Text)
		s, counts := &all[n], language.Portable.Count(*t.Text)
		s.Messages++
		s.Words += (float64(counts.Words) - s.Words) / float64(s.Messages)
		s.Grade += (counts.Grade() - s.Grade) / float64(s.Messages)
	}
	english := language.IsEnglish(texts)
	for i := range all {
		all[i].English = english
	}
	campaign.Keep(&r.Parts, all)
	return nil
}

const englishNote = "No grade where a collaboration's messages are not in English, as far as letters and frequent " +
	"words tell."

// MessageLength returns the mean number of words of a run's messages in a round, from 1; false without messages.
func MessageLength(r campaign.Run, round int) (words float64, ok bool) {
	s := speechAt(r, round)
	return s.Words, s.Messages > 0
}

// messageGrade returns the mean grade of English messages.
func messageGrade(r campaign.Run, round int) (grade float64, ok bool) {
	s := speechAt(r, round)
	return s.Grade, s.Messages > 0 && s.English
}

// speechAt returns the speech in a round, from 1, of a run; the zero value if the run did not get that far.
func speechAt(r campaign.Run, round int) Speech {
	speech := campaign.Part[[]Speech](r.Parts)
	if round > len(speech) {
		return Speech{}
	}
	return speech[round-1]
}

// wordsTable returns length and complexity of the messages by round: what of Table 8
// needs no embeddings. A collaboration counts once, with the mean of its
// messages in the round.
func wordsTable(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env", "rule")
	t := table.Table{Title: "Length and complexity of messages by round"}
	type measure struct {
		name string
		at   func(r campaign.Run, round int) (float64, bool)
	}
	said := false
	campaign.FillByRound(v, &t, campaign.MeasureEach([]measure{
		{"words per message", MessageLength},
		{"Flesch-Kincaid grade", messageGrade},
	}, v.Groups), func(m measure) string { return m.name }, func(m measure, g campaign.Group, round int) table.Cell {
		cell := campaign.MeanCell(g.Succeeded(), 1, campaign.AtRound(m.at, round))
		said = said || cell.Value != nil
		return cell
	})
	t.Notes = []string{
		"Mean (standard error) over collaborations of the mean over a collaboration's messages; n= where not all of " +
			"them have messages in the round. Rounds that a stopping rule cut off are not carried on.",
		"Words: what spaces separate, if it holds a letter or a digit; of scripts without spaces, as Chinese, " +
			"segments by Unicode. Grade: 0.39 words a sentence + 11.8 syllables a word - 15.59, counted by portable " +
			"rules made for English; compare trends, not levels, with other programs. " + englishNote,
	}
	v.AddNotes(&t)
	return t, said
}
