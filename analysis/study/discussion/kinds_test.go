package discussion

import (
	"math"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// answered is runs of n questions in three replicates. Questions differ
// in difficulty: each is right with the probability share ± 0.2.
func answered(rng *rand.Rand, n int, share float64) []campaign.Run {
	var all []campaign.Run
	for i := range n {
		easy := 0.2 * float64(1-i%2*2)
		for r := range 3 {
			score := 0.0
			if rng.Float64() < share+easy {
				score = 1
			}
			all = append(all, campaign.Run{Collaboration: record.Collaboration{Status: record.Succeeded, Instance: int32(i), Replicate: int32(r), Score: &score}, Unit: int32(i)})
		}
	}
	return all
}

func between(rng *rand.Rand, voting, consensus float64) []table.Cell {
	kind := func(share float64) campaign.Units {
		return campaign.MeanOf([]campaign.Units{campaign.PerQuestion(answered(rng, 150, share), campaign.Run.ScoreOrZero), campaign.PerQuestion(answered(rng, 150, share), campaign.Run.ScoreOrZero)})
	}
	return kind(voting).Minus(kind(consensus)).Interval(campaign.MostOfPercent)
}

// A planted advantage of voting of ten points is found, and its interval holds
// it as often as it says; of a null as many are called different as 5 % allow.
func TestKindsRecovery(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const times = 200
	held, found, wrong := 0, 0, 0
	for range times {
		effect, null := between(rng, 0.7, 0.6), between(rng, 0.65, 0.65)
		if *effect[1].Value <= 10 && 10 <= *effect[2].Value {
			held++
		}
		if *effect[1].Value > 0 {
			found++
		}
		if *null[1].Value > 0 || *null[2].Value < 0 {
			wrong++
		}
	}
	// 95 % of 200 is 190 with a standard deviation of 3; 5 % is 10.
	if held < 181 || wrong > 19 || wrong == 0 || found < 190 {
		t.Errorf("of %d: %d intervals hold the effect, %d find it, %d nulls are called different", times, held, found, wrong)
	}
}

// The table pairs by question and takes the mean over the rules of a kind.
func TestKindsByHand(t *testing.T) {
	var c campaign.Campaign
	add := func(rule string, decided ...string) {
		for i, d := range decided {
			c.Runs = append(c.Runs, Talked{Rule: rule, Instance: i, Finals: "A", Decided: d, Round: 1, Truth: "A"}.Run())
		}
	}
	add("simple", "A", "A", "B")
	add("approval", "B", "B", "B") // the paper leaves it out
	add("ranked", "A", "B", "B")
	add("majority_consensus", "B", "B", "B")
	add("judge", "A", "A", "A") // of neither kind
	table, ok := Kinds(c)
	if !ok {
		t.Fatal("no table")
	}
	for name, want := range map[string]float64{"voting": 50, "rules": 2, "consensus": 0, "rules of it": 1, "voting - consensus": 50, "questions": 3} {
		analysistest.Near(t, name, analysistest.Column(t, table, name, "strategyqa"), want)
	}
	if len(table.Rows) != 1 {
		t.Errorf("%d rows", len(table.Rows))
	}
	c.Runs = c.Runs[:6]
	if _, ok := Kinds(c); ok {
		t.Error("voting alone is compared")
	}
}

// Over the knowledge tasks each data set counts the same, however many questions
// it has: MMLU has 100 - 0, GPQA 50 - 50 and MMLU-Pro 0 - 0, so a difference of
// 100/3, where the 2 + 2 + 4 questions pooled would have 25.
func TestTasksByHand(t *testing.T) {
	var c campaign.Campaign
	add := func(format, rule string, decided ...string) {
		for i, d := range decided {
			c.Runs = append(c.Runs, Talked{format: format, Rule: rule, Instance: i, Finals: "A", Decided: d, Round: 1, Truth: "A"}.Run())
		}
	}
	add("mmlu", "simple", "A", "A")
	add("mmlu", "majority_consensus", "B", "B")
	add("gpqa", "simple", "A", "B")
	add("gpqa", "majority_consensus", "A", "B")
	add("mmlu_pro", "simple", "B", "B", "B", "B")
	add("mmlu_pro", "majority_consensus", "B", "B", "B", "B")
	add("musr", "simple", "A", "B")
	add("musr", "majority_consensus", "A", "B")
	table, ok := Kinds(c)
	if !ok || len(table.Rows) != 5 {
		t.Fatalf("%v, %d rows", ok, len(table.Rows))
	}
	for name, want := range map[string]float64{
		"voting": 50, "consensus": 50. / 3, "voting - consensus": 100. / 3, "rules": 1, "questions": 8,
	} {
		analysistest.Near(t, name, analysistest.Column(t, table, name, "knowledge tasks"), want)
	}
	if low := analysistest.Column(t, table, "low", "knowledge tasks"); low != nil {
		t.Errorf("differences without spread have an interval from %v", *low)
	}
	// One reasoning task is not a mean over tasks.
	for _, row := range table.Rows {
		if row[0].Text == "reasoning tasks" {
			t.Error("a mean over one data set")
		}
	}
}

// Means over data sets with errors 1/√2·√(1/2) …: 0, 2 and 0, 4 have means 1 and
// 2 with variances of the mean 1 and 4, so 1.5 ± √5/2, and (1 + 4)²/(1 + 16) = 25/17
// degrees of freedom.
func TestMeansByHand(t *testing.T) {
	mean, se, dof := means{{0, 2}, {0, 4}}.meanOfMeans()
	analysistest.Near(t, "mean", &mean, 1.5)
	analysistest.Near(t, "se", &se, math.Sqrt(5)/2)
	analysistest.Near(t, "dof", &dof, 25./17)
}
