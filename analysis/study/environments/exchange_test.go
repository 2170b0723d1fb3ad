package environments

import (
	"math"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/referencetest"
	"roundtable/envs"
	"roundtable/envs/envtest"
	"roundtable/envs/exchange"
)

// TestReferenceTrajectories sends the reference vectors through rows into Table 1.
func TestReferenceTrajectories(t *testing.T) {
	var reference struct {
		Trajectories []struct {
			K, R      int
			Decisions [][][]float64
			Proposals [][][][]float64
			Expected  struct {
				Total       map[string]float64 `json:"group_total_utility"`
				AUC         map[string]float64 `json:"auc_mean"`
				Fairness    *float64           `json:"fairness_percent"`
				Rigidity    float64            `json:"rigidity_percent"`
				Rationality float64            `json:"rationality_slots_percent"`
			}
		}
	}
	referencetest.Read(t, "exchange_economy_reference.json", &reference)
	c := campaign.Campaign{Name: "reference"}
	want := map[string][]float64{}
	for i, x := range reference.Trajectories {
		e, err := exchange.New(exchange.Params{Agents: x.K, Tolerance: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		one := analysistest.Cell{Condition: "majority-1", Env: "exchange", Rule: "majority", Replicate: i, Agents: x.K, Planned: x.R}
		var standing *envs.Score
		for r := range x.R {
			for agent, amounts := range x.Proposals[r] {
				var slot [2]*float64
				if amounts != nil {
					slot[0] = new(e.Utility(agent, envtest.ExchangeProposal(t, e, amounts)))
				}
				if standing != nil {
					slot[1] = new(standing.Utilities[agent])
				}
				one.Slots = append(one.Slots, slot)
			}
			if x.Decisions[r] != nil {
				s := e.Score(envtest.ExchangeProposal(t, e, x.Decisions[r]))
				standing, one.Utilities = &s, s.Utilities
			}
			if standing == nil {
				one.Scores = append(one.Scores, nil)
			} else {
				one.Scores = append(one.Scores, new(standing.Value))
			}
		}
		c.Runs = append(c.Runs, one.Run(Exchange().Readers...))
		for _, n := range []string{"3", "5", "10"} {
			want["utility@"+n] = append(want["utility@"+n], x.Expected.Total[n])
			want["AUC@"+n] = append(want["AUC@"+n], x.Expected.AUC[n])
		}
		want["rigidity"] = append(want["rigidity"], x.Expected.Rigidity)
		want["rationality"] = append(want["rationality"], x.Expected.Rationality)
		if x.Expected.Fairness != nil {
			want["fairness"] = append(want["fairness"], *x.Expected.Fairness)
		}
	}
	table, _ := UtilityByRule(c)
	cells := analysistest.Row(t, table, "majority")
	if len(want) != 9 || len(want["fairness"]) != 7 {
		t.Fatalf("the vectors have %d measures and %d values of fairness", len(want), len(want["fairness"]))
	}
	for column, values := range want {
		mean, squares := 0.0, 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		analysistest.Near(t, column, cells[column].Value, mean)
		analysistest.Near(t, column+" se", cells[column].SE, math.Sqrt(squares/float64(len(values)-1))/math.Sqrt(float64(len(values))))
		if cells[column].N != len(values) {
			t.Errorf("%s rests on %d, want %d", column, cells[column].N, len(values))
		}
	}
}
