package forks

import (
	"fmt"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
)

// Two data sets number their questions alike: what goes on from a question is compared with
// that question, not with the other of its number.
func TestForksArePairedByQuestion(t *testing.T) {
	run := func(condition, data, fork string, score float64) campaign.Run {
		settings := fmt.Sprintf(`{"env":{"name":"qa","params":{"file":%q}},"protocol":{"name":"debate"},"rule":{"name":"plurality"},"stop":{"name":"never"},"model":{"name":"openai/gpt-5-mini"},"generate":{}%s}`, data, fork)
		r := analysistest.Cell{Condition: condition, Env: "qa", Rule: "plurality", Settings: settings, Agents: 3, Planned: 1, Scores: []*float64{&score}}.Run()
		r.InstanceHash = &data
		return r
	}
	forked := func(of string) string {
		return fmt.Sprintf(`,"fork":{"campaign":"o","condition":%q,"replicates":1,"drop":[0]}`, of)
	}
	c := campaign.Campaign{
		Name:     "f",
		Runs:     []campaign.Run{run("plurality-a", "a", forked("plurality-1"), 1), run("plurality-b", "b", forked("plurality-2"), 1)},
		Original: &campaign.Campaign{Name: "o", Runs: []campaign.Run{run("plurality-1", "a", "", 0), run("plurality-2", "b", "", 0.25)}},
	}
	rows := rowsOf(c, c.View(""))
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		want := map[string]float64{"plurality-a": 0, "plurality-b": 0.25}[r.ID]
		for _, run := range r.Runs {
			if got, ok := r.asItWas(run); !ok || got != want {
				t.Errorf("%s was %v (%t), want %v", r.ID, got, ok, want)
			}
		}
	}
}
