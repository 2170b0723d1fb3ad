package study

import (
	"slices"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/campaign/campaigntest"
	"roundtable/analysis/naming"
	"roundtable/analysis/naming/namingtest"
)

func TestNames(t *testing.T) {
	namingtest.Check(t, "table", Tables(), map[string]string{
		"1": "utility-by-rule", "6": "utility-by-setting", "7": "rating-errors",
		"4.1": "debate-accuracy", "4.2": "debate-by-agents", "4.rounds": "debate-by-round",
		"4.gains": "debate-gains", "4.repeats": "debate-repetitions", "4.6": "viewpoints",
		"2.protocols": "discussion-accuracy", "2.kinds": "voting-against-consensus", "2.answerable": "answerable-questions",
		"2.1": "answer-diversity", "2.2": "decision-time", "2.4": "solution-counting",
		"2.scaling": "discussion-scaling", "2.challenge": "challenges", "2.compute": "discussion-compute",
		"3.2": "deliberation-rewards", "3.3": "full-information", "3.4": "solver-use",
		"3.6": "estimate-errors", "3.7": "centralized-gap", "words": "message-length",
		"8": "message-language", "2": "early-stopping-recsys", "10": "early-stopping",
		"11": "stopping-times", "9": "dialogue-acts",
	})
}

// A table that is made has the name by which it is listed.
func TestTablesAreMadeUnderTheirNames(t *testing.T) {
	made := 0
	for _, c := range []campaign.Campaign{campaigntest.ByHand(Readers()...), campaigntest.Ratings()} {
		for _, name := range naming.Of(Tables()) {
			if table, err := Make(c, name); err == nil {
				made++
				if table.Name != name {
					t.Errorf("table %s is made as %q", name, table.Name)
				}
			}
		}
		for _, table := range All(c) {
			if !slices.Contains(naming.Of(Tables()), table.Name) {
				t.Errorf("table %q is not listed", table.Name)
			}
		}
	}
	if made < 20 {
		t.Errorf("%d tables were made", made)
	}
}
