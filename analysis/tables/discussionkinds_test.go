package tables

import (
	"math/rand/v2"
	"testing"

	"roundtable/analysis/record"
)

// answered is runs of so many questions in three replicates. Questions differ
// in difficulty: each is right with the probability share ± 0.2.
func answered(rng *rand.Rand, n int, share float64) []Run {
	var all []Run
	for i := range n {
		easy := 0.2 * float64(1-i%2*2)
		for r := range 3 {
			score := 0.0
			if rng.Float64() < share+easy {
				score = 1
			}
			all = append(all, Run{Collaboration: record.Collaboration{Status: succeeded, Instance: int32(i), Replicate: int32(r), Score: &score}, unit: int32(i)})
		}
	}
	return all
}

func between(rng *rand.Rand, voting, consensus float64) []Cell {
	kind := func(share float64) units {
		return meanOf([]units{perQuestion(answered(rng, 150, share), Run.goodness), perQuestion(answered(rng, 150, share), Run.goodness)})
	}
	return kind(voting).differences(kind(consensus)).interval()
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
	var c Campaign
	add := func(rule string, decided ...string) {
		for i, d := range decided {
			c.Runs = append(c.Runs, talked{rule: rule, instance: i, finals: "A", decided: d, round: 1, truth: "A"}.run())
		}
	}
	add("simple", "A", "A", "B")
	add("ranked", "A", "B", "B")
	add("majority_consensus", "B", "B", "B")
	add("judge", "A", "A", "A") // of neither kind
	table, ok := c.Kinds()
	if !ok {
		t.Fatal("no table")
	}
	for name, want := range map[string]float64{"voting": 50, "rules": 2, "consensus": 0, "rules of it": 1, "voting - consensus": 50, "questions": 3} {
		near(t, name, column(t, table, name, "strategyqa"), want)
	}
	if len(table.Rows) != 1 {
		t.Errorf("%d rows", len(table.Rows))
	}
	c.Runs = c.Runs[:6]
	if _, ok := c.Kinds(); ok {
		t.Error("voting alone is compared")
	}
}
