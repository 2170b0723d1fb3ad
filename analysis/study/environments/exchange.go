// Package environments shows what environments measure: of the exchange economy total utility by rule and
// round, how rational, fair and rigid groups are, and the headline figures of the voting study (paper 1); of
// recommendations the errors of ratings by round, next to simple methods on the same items (paper 1); of
// decisions under partial information the reward, its difference from that of informed and of single agents,
// and the errors of estimates (paper 3).
package environments

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

const (
	utilityNote = "Group total utility and AUC are shares of the greatest possible total utility, 0 before the first " +
		"decision; AUC@n is the mean of rounds 1 to n."
	otherNote = "Rationality: proposals worth more to their maker than the decision that stands, of all chances to " +
		"propose; a skipped one and one before the first decision are not. " +
		"Fairness: lowest over highest utility at the end, undefined without a decision. " +
		"Rigidity: rounds whose total utility is that of the round before, over the rounds that were run; round 1 is " +
		"compared with 0."
)

// UtilityByRule returns Table 1 of paper 1 for an exchange economy: one row per condition, named first by its
// rule.
func UtilityByRule(c campaign.Campaign) (table.Table, bool) {
	return economyTable(c.View(campaign.Exchange, "rule"), "Exchange economy by decision rule")
}

// UtilityBySetting returns Table 6 of paper 1: the same metrics, with rows named only by the settings that
// vary.
func UtilityBySetting(c campaign.Campaign) (table.Table, bool) {
	return economyTable(c.View(campaign.Exchange), "Exchange economy by setting")
}

func economyTable(v campaign.View, title string) (table.Table, bool) {
	measures := campaign.AtRounds("utility@", v.Rounds(), statistics.Shares.TotalUtility)
	measures = append(measures, campaign.AtRounds("AUC@", v.Rounds(), statistics.Shares.AUC)...)
	measures = append(measures,
		campaign.Measure{Column: "rationality",
			Of: func(r campaign.Run) (float64, bool) { return rationalityOf(r).PerSlot() }},
		campaign.Measure{Column: "fairness",
			Of: func(r campaign.Run) (float64, bool) { return statistics.Fairness(r.Utilities) }},
		campaign.Measure{Column: "rigidity",
			Of: func(r campaign.Run) (float64, bool) { return statistics.Shares(r.Scores).Rigidity() }},
	)
	return v.MeansTable(title, measures, v.PercentNote(), table.ExtremesNote, utilityNote, otherNote)
}

// Readings returns other readings of the metrics in Table 1 of paper 1.
func Readings(c campaign.Campaign) (table.Table, bool) {
	reading := func(name string, of func(statistics.Rationality) (float64, bool)) campaign.Measure {
		return campaign.Measure{Column: "rational of " + name,
			Of: func(r campaign.Run) (float64, bool) { return of(rationalityOf(r)) }}
	}
	return c.View(campaign.Exchange, "rule").MeansTable("Other readings of the exchange economy's metrics",
		[]campaign.Measure{
			reading("chances", statistics.Rationality.PerSlot),
			reading("made", statistics.Rationality.PerMade),
			reading("comparable", statistics.Rationality.PerComparable),
			{Column: "rigid by utility", Of: func(r campaign.Run) (float64, bool) { return statistics.Shares(r.Scores).Rigidity() }},
			{Column: "rigid by decision",
				Of: func(r campaign.Run) (float64, bool) { return statistics.DecisionRigidity(r.Keys) }},
			{Column: "fairness", Of: func(r campaign.Run) (float64, bool) { return statistics.Fairness(r.Utilities) }},
			{Column: "fairness or 100", Of: func(r campaign.Run) (float64, bool) {
				if v, ok := statistics.Fairness(r.Utilities); ok {
					return v, true
				}
				return 100, true
			}},
		}, c.View(campaign.Exchange).PercentNote(),
		"Rational, of all chances to propose, of the proposals made, and of the comparable ones: those made while a "+
			"decision stood. Rigid by decision: the allocation itself is the one of the round before. Fairness "+
			"leaves out collaborations without a decision, or counts them as 100.")
}

// TotalUtility returns the group's total utility, in percent of the greatest possible, under the decision that
// stands after a round; false if the round was not planned.
func TotalUtility(r campaign.Run, round int) (percent float64, ok bool) {
	return statistics.Shares(r.Carried()).TotalUtility(round)
}

// slots are an agent's chances to propose.
type slots []statistics.Slot

// readExchange keeps the chances to propose of a run.
func readExchange(r *campaign.Run, rows record.Rows) error {
	var all slots
	for _, t := range rows.Turns {
		if t.Kind == "ask" && t.Format == "proposal" {
			all = append(all, statistics.Slot{Own: t.ProposalUtility, Standing: t.StandingUtility})
		}
	}
	campaign.Keep(&r.Parts, all)
	return nil
}

// rationalityOf counts the rational proposals of a run.
func rationalityOf(r campaign.Run) statistics.Rationality {
	return statistics.CountRational(campaign.Part[slots](r.Parts))
}
