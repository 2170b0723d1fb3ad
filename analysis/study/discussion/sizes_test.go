package discussion

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
)

// Accuracy grows by 25 points an agent, in every question by as much.
func TestScalingsByHand(t *testing.T) {
	var c campaign.Campaign
	for n := 1; n <= 4; n++ {
		for i := range 4 {
			decided := map[bool]string{true: "A", false: "B"}[i < n]
			c.Runs = append(c.Runs, Talked{Rule: "simple", env: fmt.Sprintf(`,"agents":%d`, n), Instance: i, Finals: strings.Repeat("A ", n), Decided: decided, Truth: "A"}.Run())
		}
	}
	table, ok := Scalings(c)
	if !ok {
		t.Fatal("no table")
	}
	at := func(name string) *float64 { return analysistest.Column(t, table, name, "agents", "strategyqa") }
	analysistest.Near(t, "one", at("1"), 25)
	analysistest.Near(t, "four", at("4"), 100)
	analysistest.Near(t, "slope", at("slope"), 25)
	analysistest.Near(t, "p", at("p"), 0)
	// The questions' own slopes: 0, 0.3, 0.4, 0.3 of 100 a step; mean 25, sd 17.3205.
	analysistest.Near(t, "by question", at("slope by question"), 25)
	analysistest.Near(t, "its low", at("its low"), 25-3.182446305284263*math.Sqrt(300)/2)
}

// A discussion of seven calls beside one.
func TestComputesByHand(t *testing.T) {
	c := campaign.Campaign{Runs: []campaign.Run{
		Talked{Rule: "simple", Finals: "A", Decided: "A", Truth: "A", Round: 3, calls: 6, input: 900, output: 100}.Run(),
		Talked{Rule: "simple", Instance: 1, Finals: "A", Decided: "A", Truth: "A", Round: 3, calls: 8, input: 1100, output: 300}.Run(),
		Talked{Rule: "plurality", Params: singleAgent, Finals: "A", Decided: "A", Truth: "A", Round: 1, calls: 1, input: 80, output: 20}.Run(),
	}}
	table, ok := Computes(c)
	if !ok {
		t.Fatal("no table")
	}
	for name, want := range map[string]float64{"rounds": 3, "calls": 7, "input tokens": 1000, "output tokens": 200, "calls ×": 7, "tokens ×": 12} {
		analysistest.Near(t, name, analysistest.Column(t, table, name, "strategyqa", "simple"), want)
	}
	if v := analysistest.Column(t, table, "calls ×", "strategyqa", "single agent"); v != nil {
		t.Errorf("the single agent takes %v times as much as itself", *v)
	}
}

// Two discussions by hand: 3 of 6 agents challenge; of these one corrects what
// was wrong, one spoils what was right, and one has no other answer.
func TestChallengesByHand(t *testing.T) {
	of := func(kind string) string { return fmt.Sprintf(`{"name":"discussion","params":{"challenge":%q}}`, kind) }
	c := campaign.Campaign{Runs: []campaign.Run{
		Talked{Rule: "simple", Params: of("solution"), Finals: "A A A", Decided: "A", Truth: "A", Round: 3, challenges: "= B !"}.Run(),
		Talked{Rule: "simple", Params: of("solution"), Instance: 1, Finals: "B B B", Decided: "B", Truth: "A", Round: 3, challenges: "A = ="}.Run(),
		Talked{Rule: "simple", Params: of("irrelevant"), Finals: "A A A", Decided: "A", Truth: "A", Round: 3, challenges: "A A B"}.Run(),
		Talked{Rule: "simple", Params: of("none"), Finals: "A A A", Decided: "A", Truth: "A", Round: 3}.Run(),
	}}
	table, ok := Challenges(c)
	if !ok || len(table.Rows) != 2 {
		t.Fatalf("%v, %d rows", ok, len(table.Rows))
	}
	for name, want := range map[string]float64{"challenged": 50, "improved": 100. / 3, "worsened": 100. / 3, "net": 0, "agents": 6, "n": 2} {
		analysistest.Near(t, name, analysistest.Column(t, table, name, "strategyqa", "solution"), want)
	}
	// Of one improved in three, by discussion 0 of 2 and 1 of 1: residuals -2/3 and 2/3, so √(8/9 · 2/1) / 3.
	for _, row := range table.Rows {
		if i := slices.Index(table.Columns, "improved"); row[1].Text == "solution" {
			analysistest.Near(t, "its standard error", row[i].SE, 100*math.Sqrt(16./9)/3)
		}
	}
	analysistest.Near(t, "irrelevant", analysistest.Column(t, table, "challenged", "strategyqa", "irrelevant"), 100)
	analysistest.Near(t, "irrelevant", analysistest.Column(t, table, "improved", "strategyqa", "irrelevant"), 200./3)
	if _, ok := Challenges((campaign.Campaign{Runs: c.Runs[3:]})); ok {
		t.Error("nothing is challenged")
	}
}

// F1 of challenged answers, and new answers that are a call of their own: of two
// that challenge an F1 of .5 one comes to .8 and one to .4: + 30 and - 10, so + 10 points.
func TestChallengesByF1(t *testing.T) {
	known := 0.0
	r := Talked{format: "squad2", Rule: "simple", Params: `{"name":"discussion","params":{"challenge":"solution"}}`, Finals: "A A A", Decided: "B", Truth: "A",
		score: new(.5), unanswerable: &known, Round: 3, challenges: "= ! !"}
	row := r.Run()
	rows := slices.Clone(r.turns())
	for agent, score := range map[int32]float64{1: .8, 2: .4} {
		rows = append(rows, record.Turn{Round: 1, Agent: new(agent), Kind: "ask", Status: "said", Phase: "new_answer", Format: "answer",
			ProposalKey: new("C"), ProposalUtility: new(0.0), ProposalScore: new(score)})
	}
	table, ok := Challenges((campaign.Campaign{Runs: []campaign.Run{newRun(row.Collaboration, nil, rows)}}))
	if !ok {
		t.Fatal("no table")
	}
	for name, want := range map[string]float64{"challenged": 200. / 3, "improved": 0, "F1 improved": 50, "F1 worsened": 50, "F1 change": 10} {
		analysistest.Near(t, name, analysistest.Column(t, table, name, "squad2", "solution"), want)
	}
}
