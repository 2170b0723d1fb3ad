package debate

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// debatesRepeated returns the debates that were repeated: those of Figures 3 to 5 of paper 4,
// after their last round.
func debatesRepeated(c campaign.Campaign) debateView {
	v := debatesOf(c, func(d debateGroup) bool { return !d.isFixed() && d.rounds > 0 })
	repeated := func(d debateGroup) bool {
		return slices.ContainsFunc(d.Succeeded(),
			func(r campaign.Run) bool { return r.Replicate != d.Succeeded()[0].Replicate })
	}
	if !slices.ContainsFunc(v.all, repeated) {
		v.all = nil
	}
	return v
}

// byRepetition returns a measure after the last round, by repetition: the mean
// over its questions.
func (m debateMeasure) byRepetition(d debateGroup) campaign.Units {
	return campaign.ByReplicate(d.Succeeded(), func(r campaign.Run) (float64, bool) { return m.at(r, d.rounds+1) })
}

// gainsOver returns by repetition what a debate gains over another one of as many
// rounds, question by question.
func (m debateMeasure) gainsOver(d, base debateGroup) campaign.Units {
	return campaign.ByReplicate(d.Succeeded(),
		campaign.Above(base.Succeeded(), func(r campaign.Run) (float64, bool) { return m.at(r, d.rounds+1) }))
}

// DebateRepetitions returns the spread of Figures 3 to 5 of paper 4: each strategy's
// mean and standard deviation over repetitions, and its gain over MAD tested
// over them.
func DebateRepetitions(c campaign.Campaign) (table.Table, bool) {
	v := debatesRepeated(c)
	t := table.Table{Title: "Debate: accuracy, log-likelihood and entropy over repetitions"}
	table.Fill(&t, v.measuredRows(), measureColumn(), taskColumn(debateOf), strategyColumn(debateOf),
		sizeColumn(debateOf), roundsColumn(debateOf), labelColumns(v, debateOf),
		table.Columns[measured]{Headers: []string{"mean", "sd", "least", "greatest", "repetitions"},
			Cells: func(m measured) []table.Cell {
				return m.spread(m.byRepetition(m.debateGroup).Values())
			}},
		table.Columns[measured]{Headers: []string{"gain", "gain low", "gain high", "p t", "p sign flip", "pairs"},
			Cells: func(m measured) []table.Cell {
				if base, ok := v.baseOf(m.debateGroup); ok {
					return m.testGains(m.debateGroup, m.gainsOver(m.debateGroup, base).Values())
				}
				return make([]table.Cell, 6)
			}})
	t.Notes = append([]string{
		"A repetition is a replicate of the campaign: the mean over its questions, after the last round. Sd: sample " +
			"standard deviation over repetitions.",
		"Gain: over the debate in the fixed order (" + mad +
			") with all else equal, question by question, averaged within each repetition, with its 95 % t interval " +
			"over repetitions. " +
			"p: Student's paired test over repetitions (none where all gains are equal but for rounding), and the " +
			"signs of the gains exchanged (exact up to 20 pairs, else 9,999 draws). Not corrected for the number of " +
			"comparisons. " +
			"Repetitions have their questions in common: p says whether the gain would show again on the same " +
			"questions; for other questions go by debate-gains. " + campaign.CutNote,
	}, measureNotes...)
	v.AddNotes(&t)
	return t, len(t.Rows) > 0
}

// spread returns mean, standard deviation, least and greatest value, and how many there are.
func (m debateMeasure) spread(values []float64) []table.Cell {
	mean, sd, ok := statistics.MeanOfRuns(values)
	if !ok {
		return append(make([]table.Cell, 4), table.Count(0))
	}
	return []table.Cell{table.Number(mean, m.decimals), table.NumberOrEmpty(sd, m.decimals),
		table.Number(slices.Min(values), m.decimals), table.Number(slices.Max(values), m.decimals),
		table.Count(len(values))}
}

// testGains returns the mean of the gains of a debate, its interval, two p-values and the number of pairs.
func (m debateMeasure) testGains(d debateGroup, gains []float64) []table.Cell {
	var student, signs *float64
	if test, err := statistics.Paired(gains); err == nil {
		student = &test.P
	}
	if p, err := statistics.SignFlip(gains, campaign.Flips, campaign.CompareSeed); err == nil && len(gains) > 1 {
		signs = &p
	}
	return append(campaign.MeanInterval(gains, m.decimals, m.most(d)), table.PValue(student), table.PValue(signs),
		table.Count(len(gains)))
}
