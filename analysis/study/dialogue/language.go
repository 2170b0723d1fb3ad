package dialogue

import (
	"context"
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/language"
	"roundtable/analysis/table"
)

// Language says by what a campaign's messages were measured.
type Language struct {
	Embedder string        // that distances rest on
	Rule     language.Rule // that grades rest on
}

// RoundLanguage holds the means over the messages of one round of a collaboration.
type RoundLanguage struct {
	Messages int
	Words    float64
	Grade    *float64 // nil where the collaboration's messages are not in English
	Distance *float64 // from the round before; nil where it is not defined
}

// MeasureLanguage returns a function for a campaign.Reader, which measures the messages of a run and keeps the
// results with it. Memory grows with the number of rounds, not of messages.
func MeasureLanguage(ctx context.Context, how language.Method) func(*campaign.Run, record.Rows) error {
	return func(r *campaign.Run, rows record.Rows) error {
		measured, err := how.Of(ctx, rows.Turns)
		campaign.Keep(&r.Parts, byRound(measured, int(r.RoundsRun)))
		return err
	}
}

func byRound(measured []record.Feature, rounds int) []RoundLanguage {
	all := make([]RoundLanguage, rounds)
	messages := make([][]record.Feature, rounds)
	for _, m := range measured {
		if n := int(m.Round) - 1; n >= 0 && n < len(all) {
			messages[n] = append(messages[n], m)
		}
	}
	for n, list := range messages {
		var distance, grade table.Sample
		all[n].Messages = len(list)
		for _, m := range list {
			all[n].Words += float64(m.Words) / float64(len(list))
			grade.Add(table.ValueOrNone(m.Grade))
			distance.Add(table.ValueOrNone(m.Distance))
		}
		all[n].Distance, all[n].Grade = distance.Mean(0).Value, grade.Mean(0).Value
	}
	return all
}

// WithLanguage returns c with by, the settings by which its messages were measured; a reader from
// MeasureLanguage must have read c's runs. Table 8, the figure of distances and the stopping rule by distance
// use it.
func WithLanguage(c campaign.Campaign, by Language) campaign.Campaign {
	campaign.Keep(&c.Parts, &by)
	runs := make(map[lake.Run]campaign.Run, len(c.Runs))
	for _, r := range c.Runs {
		runs[lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}] = r
	}
	trajectories := campaign.Part[campaign.Trajectories](c.Parts)
	trajectories.Runs = slices.Clone(trajectories.Runs)
	for i := range trajectories.Runs {
		t := &trajectories.Runs[i]
		t.Rounds = slices.Clone(t.Rounds)
		for n, measured := range languageOf(runs[lake.Run{Collaboration: t.ID, Generation: t.Generation}]) {
			if n < len(t.Rounds) {
				t.Rounds[n].Distance = measured.Distance
			}
		}
	}
	campaign.Keep(&c.Parts, trajectories)
	return c
}

// messageLanguage returns the length and complexity of messages and the information distance
// from the round before, by round: means over collaborations.
func messageLanguage(c campaign.Campaign) (table.Table, bool) {
	measured := LanguageMeasure(c)
	if measured == nil {
		return table.Table{}, false
	}
	v, said := c.View(""), false
	t := table.Table{Title: "Language by round: words, Flesch-Kincaid grade, information distance", Shading: table.Heat}
	type measure struct {
		name     string
		decimals int
		at       func(r campaign.Run, round int) (float64, bool)
	}
	type row = campaign.MeasuredGroup[measure]
	measures := []measure{
		{"words", 1, func(r campaign.Run, round int) (float64, bool) {
			measured := languageAt(r, round)
			return measured.Words, measured.Messages > 0
		}},
		{"grade", 1, func(r campaign.Run, round int) (float64, bool) {
			return table.ValueOrNone(languageAt(r, round).Grade)
		}},
		{"information distance", 3, InformationDistance},
	}
	table.Fill(&t, campaign.MeasureEach(measures, v.Groups),
		table.Column("measure", func(x row) table.Cell { return table.Word(x.Measure.name) }),
		table.Of(v.LabelColumns(), func(x row) campaign.Group { return x.Group }),
		campaign.RoundColumns(v, func(x row, round int) table.Cell {
			cell := campaign.MeanCell(x.Succeeded(), x.Measure.decimals, campaign.AtRound(x.Measure.at, round))
			said = said || cell.Value != nil
			return cell
		}),
		table.Column("n", func(x row) table.Cell { return table.Count(len(x.Succeeded())) }))
	t.Notes = []string{
		"Mean (standard error) over collaborations of a round's mean over messages; n: collaborations. Rounds " +
			"without a message are left out.",
		fmt.Sprintf("Grades by the rule %q: rules differ by about one grade, so compare trends. "+englishNote,
			measured.Rule),
		measured.Note(),
	}
	v.AddNotes(&t)
	return t, said
}

// Note returns a note that names the embedder behind distances.
func (l Language) Note() string {
	return "Information distances by " + l.Embedder + "; those of different embedders cannot be compared."
}

// AddEmbedderNote adds to t a note on the embedder that the stopping rule by distance uses.
func AddEmbedderNote(c campaign.Campaign, t *table.Table) {
	if l := LanguageMeasure(c); l != nil {
		t.Notes = append(t.Notes, l.Note())
	}
}

// LanguageMeasure returns by what a campaign's messages were measured; nil if they were not.
func LanguageMeasure(c campaign.Campaign) *Language { return campaign.Part[*Language](c.Parts) }

// languageOf returns the measures of a run's messages, by round.
func languageOf(r campaign.Run) []RoundLanguage { return campaign.Part[[]RoundLanguage](r.Parts) }

// languageAt returns the measures of a round, from 1; the zero value if the run did not get that far.
func languageAt(r campaign.Run, round int) RoundLanguage {
	rounds := languageOf(r)
	if round > len(rounds) {
		return RoundLanguage{}
	}
	return rounds[round-1]
}

// InformationDistance returns the mean information distance of a round, from 1, to the one before; false where
// there is none, or if the campaign was not measured.
func InformationDistance(r campaign.Run, round int) (v float64, ok bool) {
	return table.ValueOrNone(languageAt(r, round).Distance)
}
