package speech

import (
	"context"
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/features"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/analysis/table"
)

// Language is what is measured of a campaign's messages, round by round.
type Language struct {
	Embedder string        // that distances rest on
	Rule     language.Rule // that grades rest on
	Runs     map[lake.Run][]RoundLanguage
}

// RoundLanguage is the means over the messages of one round of a collaboration.
type RoundLanguage struct {
	Messages int
	Words    float64
	Grade    float64
	Distance *float64 // from the round before; nil where it is not defined
}

// LoadLanguage measures all messages. Memory grows with the number of rounds,
// not with that of messages.
func LoadLanguage(ctx context.Context, store store.Store, campaign string, how features.Method) (Language, error) {
	l := Language{Embedder: how.Embedder.Name(), Rule: how.Rule, Runs: map[lake.Run][]RoundLanguage{}}
	d, err := lake.ReadDataset(ctx, store, campaign)
	if err != nil {
		return l, err
	}
	for talk, err := range how.Talks(ctx, store, d) {
		if err != nil {
			return l, err
		}
		l.Runs[talk.Run] = byRound(talk)
	}
	return l, nil
}

func byRound(talk features.Conversation) []RoundLanguage {
	all := make([]RoundLanguage, talk.Rounds)
	messages := make([][]record.Feature, talk.Rounds)
	for _, m := range talk.Messages {
		if n := int(m.Round) - 1; n >= 0 && n < len(all) {
			messages[n] = append(messages[n], m)
		}
	}
	for n, list := range messages {
		var distance table.Sample
		all[n].Messages = len(list)
		for _, m := range list {
			all[n].Words += float64(m.Words) / float64(len(list))
			all[n].Grade += m.Grade / float64(len(list))
			distance.Add(table.Given(m.Distance))
		}
		all[n].Distance = distance.Mean(0).Value
	}
	return all
}

// Measured returns the campaign with what was measured of its messages, which
// Table 8, the figure of distances and the stopping rule by distance show.
func Measured(c campaign.Campaign, l Language) campaign.Campaign {
	campaign.Keep(&c.Parts, &l)
	c.Runs = slices.Clone(c.Runs)
	for i := range c.Runs {
		r := &c.Runs[i]
		campaign.Keep(&r.Parts, l.Runs[lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}])
	}
	trajectories := campaign.Part[campaign.Trajectories](c.Parts)
	trajectories.Runs = slices.Clone(trajectories.Runs)
	for i := range trajectories.Runs {
		t := &trajectories.Runs[i]
		t.Rounds = slices.Clone(t.Rounds)
		for n, measured := range l.Runs[lake.Run{Collaboration: t.ID, Generation: t.Generation}] {
			if n < len(t.Rounds) {
				t.Rounds[n].Distance = measured.Distance
			}
		}
	}
	campaign.Keep(&c.Parts, trajectories)
	return c
}

// MessageLanguage returns the length and complexity of messages and the information distance
// from the round before, by round: means over collaborations.
func MessageLanguage(c campaign.Campaign) (table.Table, bool) {
	measured := MeasuredBy(c)
	if measured == nil {
		return table.Table{}, false
	}
	v, said := c.View(""), false
	t := table.Table{Title: "Language by round: words, Flesch-Kincaid grade, information distance", Shading: table.Heat}
	type measure struct {
		name     string
		decimals int
		of       func(RoundLanguage) (float64, bool)
	}
	type row = campaign.MeasuredGroup[measure]
	measures := []measure{
		{"words", 1, func(r RoundLanguage) (float64, bool) { return r.Words, r.Messages > 0 }},
		{"grade", 1, func(r RoundLanguage) (float64, bool) { return r.Grade, r.Messages > 0 }},
		{"information distance", 3, func(r RoundLanguage) (float64, bool) { return table.Given(r.Distance) }},
	}
	table.Fill(&t, campaign.MeasureEach(measures, v.Groups),
		table.Column("measure", func(x row) table.Cell { return table.Word(x.Measure.name) }),
		table.Of(v.LabelColumns(), func(x row) campaign.Group { return x.Group }),
		campaign.RoundColumns(v, func(x row, round int) table.Cell {
			cell := campaign.MeanCell(x.Succeeded(), x.Measure.decimals, func(r campaign.Run) (float64, bool) {
				rounds := LanguageOf(r)
				if round > len(rounds) {
					return 0, false
				}
				return x.Measure.of(rounds[round-1])
			})
			said = said || cell.Value != nil
			return cell
		}),
		table.Column("n", func(x row) table.Cell { return table.Count(len(x.Succeeded())) }))
	t.Notes = []string{
		"Mean (standard error) over collaborations of a round's mean over messages; n: collaborations. Rounds without a message are left out.",
		fmt.Sprintf("Grades by the rule %q: rules differ by about one grade, so compare trends.", measured.Rule),
		measured.Note(),
	}
	v.AddNotes(&t)
	return t, said
}

// Note says what distances rest on.
func (l Language) Note() string {
	return "Information distances by " + l.Embedder + "; those of different embedders cannot be compared."
}

// AddEmbedderNote says what the stopping rule by distance rests on.
func AddEmbedderNote(c campaign.Campaign, t *table.Table) {
	if l := MeasuredBy(c); l != nil {
		t.Notes = append(t.Notes, l.Note())
	}
}

// MeasuredBy returns what was measured of a campaign's messages; nil if nothing was.
func MeasuredBy(c campaign.Campaign) *Language { return campaign.Part[*Language](c.Parts) }

// LanguageOf returns what was measured of a run's messages, by round.
func LanguageOf(r campaign.Run) []RoundLanguage { return campaign.Part[[]RoundLanguage](r.Parts) }
