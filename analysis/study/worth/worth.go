package worth

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Worth returns the decision that the majority of first answers would have made compared with the final one,
// and the cost of each point gained.
func Worth(c campaign.Campaign) (table.Table, bool) {
	v := viewOf(c, true)
	t := table.Table{Title: "Was it worth talking? The majority of the first answers against the decision"}
	share := func(header string, of func(campaign.Run) float64) table.Columns[campaign.Group] {
		return table.Column(header, func(g campaign.Group) table.Cell {
			return shareCell(g.Succeeded(), func(r campaign.Run) (float64, bool) { return of(r), true })
		})
	}
	table.Fill(&t, v.Groups, v.LabelColumns(),
		share("first majority, %", firstMajority),
		share("last majority, %", lastMajority),
		share("decision, %", campaign.Run.Right),
		pointsColumns("gain", campaign.MostOfPercent, gainOf),
		share("to right, %", func(r campaign.Run) float64 { return (1 - firstMajority(r)) * r.Right() }),
		share("to wrong, %", func(r campaign.Run) float64 { return firstMajority(r) * (1 - r.Right()) }),
		costColumns(gainOf), v.EndedColumns())
	t.Notes = []string{
		"First majority: the collaborations in which the most frequent first answer is right; of tied ones it counts " +
			"as the share of these that are right, which is what a fair draw among them is worth. Last majority: the " +
			"same of the answers that stand at the end, so what lies between it and the decision is the rule's. " +
			"Decision: right at the end; without a decision it is wrong. Of texts (SQuAD) an exact match is right.",
		"Gain: decision minus first majority in percentage points, paired: the mean over " + c.CountedUnits() +
			", with its 95 % t interval and Student's p, not corrected for the number of conditions. " +
			campaign.CutNote + " To right and to wrong: the collaborations (with ties by their share) in which the " +
			"first majority was wrong and the decision is right, and the reverse; the gain is their difference.",
		"Later tokens and USD: what the rounds after the first answers took, a collaboration; answers from the cache " +
			"count, at what they cost when they were bought, and calls of unknown outcome are left out. A point: the " +
			"same divided by the gain, so what one percentage point more takes for each question; empty where " +
			"nothing was gained, and worth little where the interval of the gain holds 0.",
	}
	v.addNotes(&t)
	return t, len(v.Groups) > 0
}

// TalkGain is the gain of talk over the first answers of a condition, as in the table worth.
type TalkGain struct {
	Name, Environment string       // of the condition
	Points            float64      // percentage points of the decision over the first majority
	Interval          []table.Cell // its ends; empty cells if there is none
}

// IsBeyondChance reports whether the interval excludes 0.
func (g TalkGain) IsBeyondChance() bool {
	low, high := g.Interval[0].Value, g.Interval[1].Value
	return low != nil && high != nil && (*low > 0 || *high < 0)
}

// GainsByTalk returns the gains of the table worth, without those of controls.
func GainsByTalk(c campaign.Campaign) (gains []TalkGain) {
	titles := c.View("")
	for _, g := range viewOf(c, true).Groups {
		cells := gainOf(g).meanCells(campaign.MostOfPercent)
		if g.Settings[campaign.Control] == "" && cells[0].Value != nil {
			gains = append(gains, TalkGain{titles.Title(g), g.Settings["env"], *cells[0].Value, cells[1:3]})
		}
	}
	return gains
}

// gainOf returns by how much the decision is right more often than the first majority.
func gainOf(g campaign.Group) points {
	return meanChange(g.Succeeded(), func(r campaign.Run) (float64, bool) { return r.Right() - firstMajority(r), true })
}

// firstMajority returns the worth of the most frequent first answer; 0 without any.
func firstMajority(r campaign.Run) float64 {
	if t := talkOf(r); len(t.Steps) > 0 {
		return t.Steps[0].Plurality()
	}
	return 0
}

func lastMajority(r campaign.Run) float64 {
	if t := talkOf(r); len(t.Steps) > 0 {
		return t.Steps[t.lastStep()].Plurality()
	}
	return 0
}

// costColumns are what the later rounds took, also for each point gained.
func costColumns(gain func(campaign.Group) points) table.Columns[campaign.Group] {
	tokens := func(r campaign.Run) (float64, bool) {
		return float64(talkOf(r).Later.Tokens()), !isImported(r)
	}
	usd := func(r campaign.Run) (float64, bool) {
		later := talkOf(r).Later
		return later.USD, later.Unpriced == 0 && !isImported(r)
	}
	mean := func(header string, decimals int, of func(campaign.Run) (float64, bool)) table.Columns[campaign.Group] {
		return table.Column(header, func(g campaign.Group) table.Cell { return campaign.MeanCell(g.Succeeded(), decimals, of) })
	}
	each := func(header string, decimals int, of func(campaign.Run) (float64, bool)) table.Columns[campaign.Group] {
		return table.Column(header, func(g campaign.Group) table.Cell { return perPoint(g, decimals, of, gain(g)) })
	}
	return table.Join(mean("later tokens", 0, tokens), mean("later USD", 6, usd), each("tokens a point", 0, tokens),
		each("USD a point", 6, usd))
}

// perPoint returns the mean of what was taken divided by the points gained; empty where
// none were, or where what was taken is not known of all.
func perPoint(g campaign.Group, decimals int, of func(campaign.Run) (float64, bool), gain points) table.Cell {
	taken, gained := campaign.MeanCell(g.Succeeded(), 0, of), (&table.Sample{Values: gain, Of: len(gain)}).Mean(0)
	if taken.Value == nil || taken.Partial || gained.Value == nil || *gained.Value <= 0 {
		return table.Cell{}
	}
	return table.Number(*taken.Value / *gained.Value, decimals)
}
