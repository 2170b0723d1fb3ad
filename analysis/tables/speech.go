package tables

import (
	"roundtable/analysis/language"
	"roundtable/analysis/record"
	"roundtable/analysis/table"
)

// Speech is what voting agents said in one round.
type Speech struct {
	Messages int
	Words    float64 // mean length of a message; 0 without messages, as is
	Grade    float64 // the mean of their Flesch-Kincaid grades
}

// readSpeech keeps the speech of each round that was run.
func readSpeech(r *Run, rows record.Rows) error {
	rounds := len(rows.Rounds)
	all := make([]Speech, rounds)
	for _, t := range rows.Turns {
		n := int(t.Round) - 1
		if t.Kind != "ask" || t.Role != "" || t.Format != "message" || t.Text == nil || n < 0 || n >= rounds {
			continue
		}
		s, counts := &all[n], language.Portable.Count(*t.Text)
		s.Messages++
		s.Words += (float64(counts.Words) - s.Words) / float64(s.Messages)
		s.Grade += (counts.Grade() - s.Grade) / float64(s.Messages)
	}
	Keep(&r.Parts, all)
	return nil
}

// Spoken returns the speech of a round of a run; none if it was not run.
func Spoken(r Run, round int) Speech {
	speech := Part[[]Speech](r.Parts)
	if round > len(speech) {
		return Speech{}
	}
	return speech[round-1]
}

// Words are length and complexity of the messages by round: what of Table 8
// needs no embeddings. A collaboration counts once, with the mean of its
// messages in the round.
func (c Campaign) Words() (table.Table, bool) {
	v := c.view("", "env", "rule")
	t := v.start("words", "Length and complexity of messages by round")
	t.Columns = append([]string{"measure"}, t.Columns...)
	t.Columns = append(t.Columns, v.atRounds()...)
	t.Columns = append(t.Columns, v.ended()...)
	said := false
	for _, m := range []struct {
		name     string
		decimals int
		of       func(Speech) float64
	}{
		{"words per message", 1, func(s Speech) float64 { return s.Words }},
		{"Flesch-Kincaid grade", 1, func(s Speech) float64 { return s.Grade }},
	} {
		for _, g := range v.groups {
			row := append([]table.Cell{table.Word(m.name)}, v.label(g)...)
			for n := 1; n <= v.rounds(); n++ {
				cell := meanCell(g.done(), m.decimals, func(r Run) (float64, bool) { spoken := Spoken(r, n); return m.of(spoken), spoken.Messages > 0 })
				said = said || cell.Value != nil
				row = append(row, cell)
			}
			t.Rows = append(t.Rows, append(row, v.endedCells(g)...))
		}
	}
	t.Notes = []string{
		"Mean (standard error) over collaborations of the mean over a collaboration's messages; n= where not all of them have messages in the round. Rounds that a stopping rule cut off are not carried on.",
		"Words: what spaces separate, if it holds a letter or a digit. Grade: 0.39 words a sentence + 11.8 syllables a word - 15.59, counted by portable rules made for English; compare trends, not levels, with other programs.",
	}
	v.notes(&t)
	return t, said
}
