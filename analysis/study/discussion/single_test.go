package discussion

import (
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
)

// Paper 2's Table 2 of 600 discussions each: its rules of voting take 3.37 rounds (it prints 3.38)
// and those of consensus 1.42.
func TestRoundsOfKinds(t *testing.T) {
	var c campaign.Campaign
	for rule, decided := range map[string][]int{
		"simple": {0, 0, 596, 3}, "cumulative25": {0, 0, 564, 33}, "borda": {0, 0, 547, 47}, "approval": {0, 0, 160, 86},
		"majority_consensus": {480, 82, 29, 6}, "supermajority_consensus": {476, 86, 29, 6}, "unanimity_consensus": {357, 130, 76, 21},
	} {
		n := 0
		for round, count := range append(decided, 0) {
			for range count {
				c.Runs = append(c.Runs, Talked{Rule: rule, Instance: n, Finals: "A", Decided: "A", Round: round + 1, Truth: "A"}.Run())
				n++
			}
		}
		for ; n < 600; n++ {
			c.Runs = append(c.Runs, Talked{Rule: rule, Instance: n, Finals: "A", Decided: "A", Truth: "A"}.Run())
		}
	}
	ends, _ := Terminations(c)
	for kind, want := range map[string]float64{"voting": 3.38, "consensus": 1.42} {
		if got := analysistest.Column(t, ends, "rounds", "strategyqa", kind); got == nil || *got < want-.01 || *got > want+.01 {
			t.Errorf("%s takes %s rounds, printed are %v", kind, analysistest.Show(got), want)
		}
	}
	if analysistest.Column(t, ends, "n", "strategyqa", "voting") == nil || !strings.Contains(strings.Join(ends.Notes, " "), "approval among them") {
		t.Errorf("%q", ends.Notes)
	}
}

// Each kind, and each setting, against one agent alone.
func TestKindsAgainstTheSingleAgent(t *testing.T) {
	const alone, drafts = `{"name":"debate","params":{"agents":1,"rounds":0}}`, `{"name":"discussion","params":{"all_draft":true}}`
	var c campaign.Campaign
	add := func(format, rule, params string, decided ...string) {
		for i, d := range decided {
			c.Runs = append(c.Runs, Talked{format: format, Rule: rule, Params: params, Instance: i, Finals: "A", Decided: d, Round: 1, Truth: "A"}.Run())
		}
	}
	for _, format := range []string{"strategyqa", "musr"} {
		add(format, "simple", "", "A", "A", "A", "B") // 75 %
		add(format, "borda", "", "A", "A", "B", "B")  // 50 %
		add(format, "majority_consensus", "", "A", "B", "B", "B")
		add(format, "plurality", alone, "A", "A", "A", "B") // 75 %
	}
	kinds, ok := Kinds(c)
	if !ok {
		t.Fatal("no table")
	}
	for _, place := range []string{"strategyqa", "reasoning tasks"} {
		analysistest.Near(t, "voting", analysistest.Column(t, kinds, "voting - single", place), -12.5)
		analysistest.Near(t, "consensus", analysistest.Column(t, kinds, "consensus - single", place), -50)
	}
	add("musr", "simple", drafts, "A", "A", "A", "A")
	diverse, _ := Diversities(c)
	analysistest.Near(t, "without drafts", analysistest.Column(t, diverse, "above single", "musr", ""), -25) // 75, 50 and 25 against 75
	analysistest.Near(t, "with drafts", analysistest.Column(t, diverse, "above single", "musr", "true"), 25)
	ofOther := c
	ofOther.Runs = ofOther.Runs[:12]
	if kinds, _ = Kinds(ofOther); strings.Contains(strings.Join(kinds.Columns, " "), "single") {
		t.Errorf("there is no single agent: %q", kinds.Columns)
	}
}
