package environments

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/entry"
)

const needExchange = "the environment exchange"

// Exchange returns the entry of the study of the exchange economy in the list of studies.
func Exchange() entry.Study {
	return entry.Study{Title: entry.Exchange,
		Readers: append(dialogue.SpeechStudy().Readers, campaign.Keeping[slots]("", readExchange)),
		Tables: []entry.Table{
			{Named: entry.Named{Name: "utility-by-rule", Shows: "exchange: decisions and utility by rule and round",
				Needs: needExchange, Papers: entry.Numbers(1, "table", 1)}, Build: UtilityByRule, Shown: entry.Always},
			{Named: entry.Named{Name: "utility-by-setting", Shows: "exchange: the same for every setting that varies",
				Needs: needExchange, Papers: entry.Numbers(1, "table", 6)}, Build: UtilityBySetting,
				Redundant: variesInRuleAlone},
			{Named: entry.Named{Name: "headline",
				Shows: "the least decision rule against the best, and the growth of messages (paper 1)",
				Needs: "rules of an exchange economy, or messages of at least two rounds"}, Build: Headline},
			{Named: entry.Named{Name: "readings",
				Shows: "exchange: decisions and utility under alternative definitions",
				Needs: needExchange}, Build: Readings},
		}}
}

// variesInRuleAlone reports whether utility-by-setting has no more to say than utility-by-rule.
func variesInRuleAlone(c campaign.Campaign) bool {
	v := c.View(campaign.Exchange)
	return len(v.Labels) == 1 && v.Labels[0] == "rule"
}
