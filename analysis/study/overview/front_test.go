package overview

import (
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
)

// Three conditions over four questions: cheap is as often right as dear and takes half as
// much of everything, poor takes as much as cheap and is right less often.
func TestFrontByHand(t *testing.T) {
	var c campaign.Campaign
	taking := func(rule string, question int, score float64, times int64) {
		r := asked(rule, question, 0, score)
		r.Asked.Input, r.Asked.Output = 10*times+int64(question), 5*times
		r.Asked.USD, r.CostUSD, r.EndedAt = float64(times), new(0.), r.StartedAt+times*1e6 // whoever paid for the answers
		c.Runs = append(c.Runs, r)
	}
	for q := range 4 {
		taking("cheap", q, float64(q%2), 1)
		taking("dear", q, float64(q%2), 2)
		taking("poor", q, 0, 1)
	}
	c.Runs = append(c.Runs, controlled(asked("cheap", 0, 0, 1), campaign.Same))
	got, ok := Front(c)
	if !ok || len(got.Rows) != 3 {
		t.Fatalf("%d rows, want those of 3 conditions", len(got.Rows))
	}
	for rule, want := range map[string]struct {
		tokens float64
		by     string
	}{"cheap": {16.5, ""}, "dear": {31.5, "cheap?"}, "poor": {16.5, "cheap?"}} { // as right as dear; and two of four are no certainty
		row := analysistest.Row(t, got, rule)
		analysistest.Near(t, rule, row["tokens"].Value, want.tokens)
		for _, resource := range Resources() {
			if by := row["dominated in "+resource.Name+" by"].Text; by != want.by {
				t.Errorf("%s is dominated in %s by %q, want %q", rule, resource.Name, by, want.by)
			}
		}
	}
	for q := 4; q < 40; q++ { // now it is certain
		taking("cheap", q, 1, 1)
		taking("poor", q, 0, 2)
	}
	got, _ = Front(c)
	if by := analysistest.Row(t, got, "poor")["dominated in tokens by"].Text; by != "cheap; dear?" {
		t.Errorf("poor is dominated by %q", by)
	}
}

// Who reaches no less for no more dominates, if one of the two differs; of what took nothing known nobody says so.
func TestIsDominated(t *testing.T) {
	at := func(value, taken float64) InFront { // 0 is not known
		x := InFront{Outcome: Outcome{Value: value}, Taken: make([]Taken, 1)}
		if taken > 0 {
			x.Taken[0].Ratio = &statistics.Ratio{Value: taken}
		}
		return x
	}
	for name, x := range map[string]struct {
		mine, by InFront
		want     bool
	}{
		"equal":          {at(1, 2), at(1, 2), false},
		"better":         {at(1, 2), at(2, 2), true},
		"cheaper":        {at(1, 2), at(1, 1), true},
		"better, dearer": {at(1, 2), at(2, 3), false},
		"worse, cheaper": {at(2, 2), at(1, 1), false},
		"mine unknown":   {at(1, 0), at(2, 1), false},
		"its unknown":    {at(1, 2), at(2, 0), false},
	} {
		if got := x.mine.isDominated(x.by, 0); got != x.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
