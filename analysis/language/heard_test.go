package language_test

import (
	"fmt"
	"math"
	"testing"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/language"
)

// The distance of a round as it is heard is the mean of what is measured of its messages
// when nothing has been said after it.
func TestHeardIsMeasuredSoFar(t *testing.T) {
	texts := [][]string{{"we have ten apples", "I want bread"}, {"apples for bread", "no deal"}, {"ten apples, then", "deal"}}
	var turns []record.Turn
	for round, said := range texts {
		for i, text := range said {
			agent := int32(i)
			turns = append(turns, record.Turn{Entry: int32(len(turns)), Round: int32(round + 1), Kind: "ask", Format: "message", Status: "said", Agent: &agent, AgentName: fmt.Sprint(i), Text: &text})
		}
		rows, err := language.DefaultMethod().Of(t.Context(), turns)
		if err != nil {
			t.Fatal(err)
		}
		sum, n := 0.0, 0
		for _, r := range rows {
			if r.Round == int32(round+1) && r.Distance != nil {
				sum, n = sum+*r.Distance, n+1
			}
		}
		got, err := language.DistanceHeard(t.Context(), language.Hashed{}, texts[:round+1])
		if err != nil {
			t.Fatal(err)
		}
		if (got == nil) != (n == 0) || got != nil && math.Abs(*got-sum/float64(n)) > 1e-9 {
			t.Errorf("round %d: heard %v, measured %v", round+1, got, sum/float64(n))
		}
	}
}
