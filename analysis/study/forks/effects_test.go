package forks

import (
	"fmt"
	"slices"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
)

// Two data sets number their questions alike: what goes on from a question is compared with
// that question, not with the other of its number.
func TestForksArePairedByQuestion(t *testing.T) {
	c := campaign.Campaign{
		Name:     "f",
		Runs:     []campaign.Run{run("plurality-a", "a", forked("1", drop), 1), run("plurality-b", "b", forked("2", drop), 1)},
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

// What was is the mean of an original that succeeded and of what went on from the same point
// without a change.
func TestAsItWas(t *testing.T) {
	at := func(r campaign.Run, first, asked int) campaign.Run {
		campaign.Keep(&r.Parts, point{Own: true, First: first, Asked: asked})
		return r
	}
	failed := run("plurality-1", "a", "", 0)
	failed.Status = "failed"
	for name, x := range map[string]struct {
		original campaign.Run
		want     float64
	}{"succeeded": {run("plurality-1", "a", "", 0), 0.25}, "failed": {failed, 0.5}} {
		c := campaign.Campaign{Name: "f", Runs: []campaign.Run{
			at(run("plurality-a", "a", forked("1", drop), 1), 2, 3),
			at(run("plurality-same", "a", forked("1", ""), 0.5), 3, 3),
			at(run("plurality-later", "a", forked("1", ""), 1), 4, 4),
		}, Original: &campaign.Campaign{Name: "o", Runs: []campaign.Run{x.original}}}
		rows := slices.DeleteFunc(rowsOf(c, c.View("")), func(r row) bool { return r.ID != "plurality-a" })
		if len(rows) != 1 {
			t.Fatalf("the original has %s: %d rows of what was changed", name, len(rows))
		}
		if got, ok := rows[0].asItWas(rows[0].Runs[0]); !ok || got != x.want {
			t.Errorf("the original has %s: it was %v (%t), want %v", name, got, ok, x.want)
		}
	}
}

// An original is paid once, however often it is gone on from.
func TestOriginals(t *testing.T) {
	again := run("plurality-a", "a", forked("1", drop), 1)
	again.Replicate = 1
	c := campaign.Campaign{
		Name: "f", Runs: []campaign.Run{run("plurality-a", "a", forked("1", drop), 1), again},
		Original: &campaign.Campaign{Name: "o", Runs: []campaign.Run{run("plurality-1", "a", "", 0)}},
	}
	rows := rowsOf(c, c.View(""))
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	if n := len(rows[0].originalRuns()); n != 1 || len(rows[0].Runs) != 2 {
		t.Errorf("%d runs go on from %d originals", len(rows[0].Runs), n)
	}
}

const drop = `,"drop":[0]`

func forked(of, change string) string {
	return fmt.Sprintf(`,"fork":{"campaign":"o","condition":"plurality-%s","replicates":1%s}`, of, change)
}

func run(condition, data, fork string, score float64) campaign.Run {
	settings := fmt.Sprintf(`{"env":{"name":"qa","params":{"file":%q}},"protocol":{"name":"debate"},"rule":{"name":"plurality"},"stop":{"name":"never"},"model":{"name":"openai/gpt-5-mini"},"generate":{}%s}`, data, fork)
	r := analysistest.Cell{Condition: condition, Env: "qa", Rule: "plurality", Settings: settings, Agents: 3, Planned: 1, Scores: []*float64{&score}}.Run()
	r.InstanceHash = &data
	return r
}
