package recount_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/recount"
	"roundtable/workflows/transcript"
)

// What a rule counts is what its winners have the most of, also where it is not a sum of the
// ballots' values: Copeland's points are one for each pair of candidates.
func TestScores(t *testing.T) {
	s, d := played(t, "counted", `
name: counted
replicates: 2
env: {name: exchange, agents: 4}
protocol: {name: roundtable, rounds: 3}
model: scripted/trader
grid: {rule: [copeland, plurality, borda]}
`)
	copeland := 0
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			t.Fatal(err)
		}
		scores := recount.Scores(rows, settings)
		for _, turn := range rows.Turns {
			var act transcript.Act
			if turn.Kind != "decide" || json.Unmarshal([]byte(*turn.DataJSON), &act) != nil || len(act.Decision.Winners) == 0 {
				continue
			}
			counted := scores[turn.Entry]
			top := slices.MaxFunc(counted, (*big.Rat).Cmp)
			sum, most := new(big.Rat), []int(nil)
			for c, score := range counted {
				if sum.Add(sum, score); score.Cmp(top) == 0 {
					most = append(most, c)
				}
			}
			if !slices.Equal(most, act.Decision.Winners) {
				t.Errorf("%v is counted, the winners are %v", counted, act.Decision.Winners)
			}
			if n := int64(len(counted)); rows.Collaborations[0].Rule == "copeland" {
				if copeland++; sum.Cmp(big.NewRat(n*(n-1)/2, 1)) != 0 {
					t.Errorf("%d candidates have %s points together", n, sum)
				}
			}
		}
		rows.Rounds[0].Winners++
		if recount.Scores(rows, settings) != nil {
			t.Error("tables that do not agree are counted")
		}
	}
	if copeland == 0 {
		t.Error("nothing is counted by Copeland")
	}
}
