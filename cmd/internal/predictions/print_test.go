package predictions

import (
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"roundtable/workflows/plan"
)

// printed returns what a prediction prints for 10 cells, two at once, with single spaces.
func printed(t *testing.T, p Prediction) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said := os.Stdout
	os.Stdout = w
	p.Print(plan.Limits{Calls: 2}, 10) // less than a pipe holds
	os.Stdout = said
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(string(text), "│", " ")), " ")
}

// What is known is printed, with its unit, and what is not is said to be unknown or left out.
func TestPrint(t *testing.T) {
	labels := Forecast{Calls: Estimate{3, 4, 5, 6}, InputTokens: Estimate{10, 20, 30, 40}, OutputTokens: Estimate{1, 2, 3, 4}}
	whole := Prediction{Basis: "a guess", Bound: "each answer is 9 tokens", Early: "Ends early.", Paid: new(0.25),
		Forecast: Forecast{Calls: Estimate{10, 20, 30, 40}, InputTokens: Estimate{100, 200, math.Inf(1), 400},
			OutputTokens: Estimate{7, 8, 9, 10}, CostUSD: &Estimate{1, 2, math.Inf(1), 4}, ReadTokens: 50, ReadSavesUSD: 0.5,
			Seconds: &Estimate{4, 8, 40, 80}, LimitSeconds: &Estimate{Low: 60, Mean: 90, High: 120}},
		Labels: &labels,
		Usable: []Usability{{"qa", "answer", 40, 20, 30}, {"exchange", "ballot", 50, 49, 50}}}
	got := printed(t, whole)
	for _, want := range []string{"Estimate for the full campaign, by a guess:", "calls 10 20 30", "input tokens 100 200 ?",
		"of them read from a cache 50 (25 %)", "output tokens 7 8 9", "cost $1.00 $2.00 ?", "cost with that cache $1.50",
		"labels: calls 3 4 5", "labels: tokens 11 22 33", "labels: cost ? not known ?", "time, 2 at once 2s 4s 20s",
		"time at the limits a minute 1m0s 1m30s 2m0s", "Ends early. It cannot cost more than $4.00: each answer is 9 tokens.",
		"pays for about 25 % of the likely estimate", "Turns of the pilot with a usable answer:",
		"qa answer 40 20 (50 %) 30 (75 %)", "exchange ballot 50 49 (98 %) 50 (100 %)",
		"qa: 30 (75 %) of the turns with a answer usable. Below 90 % the campaign"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for _, not := range []string{"exchange: 50", "The cost is not known"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in\n%s", not, got)
		}
	}
	labels.CostUSD, whole.Paid, whole.Usable, whole.CostUSD = &Estimate{1, 2, 3, 4}, new(1.), nil, nil
	whole.Unpriced, whole.Seconds, whole.LimitSeconds, whole.Forecast.ReadTokens = []string{"a", "b"}, nil, nil, 0
	got = printed(t, whole)
	for _, want := range []string{"cost ? not known ?", "labels: cost $1.00 $2.00 $3.00", "no price for a, b; give it under prices:",
		"The cap of the file pays for the likely estimate."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for _, not := range []string{"cannot cost more", "usable", "time", "from a cache"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in\n%s", not, got)
		}
	}
}

// The time is that of the calls or of the limits a minute, whichever is longer.
func TestTimeText(t *testing.T) {
	for want, p := range map[string]Prediction{
		"takes seconds, since no model is asked":            {},
		"about 3m0s if a call takes 3 s and 2 run at once":  {live: 120},
		"about 4m30s if a call takes 3 s and 2 run at once": {live: 180, Forecast: Forecast{LimitSeconds: &Estimate{Mean: 100}}},
		"about 5m0s at the limits a minute":                 {live: 120, Forecast: Forecast{LimitSeconds: &Estimate{Mean: 300}}},
	} {
		if got := p.TimeText(plan.Limits{Calls: 2}, 10); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, v := range map[string]float64{"?": math.Inf(1), "1.3s": 1.26, "10s": 10.3, "2m4s": (123*time.Second + 700*time.Millisecond).Seconds()} {
		if got := secondsText(v); got != want {
			t.Errorf("%v s: %q, want %q", v, got, want)
		}
	}
}

// What others said makes prompts longer by as much as a model says more than the scripted agents;
// the answers of the high end are asked again, and so read and written once more.
func TestGuessByHand(t *testing.T) {
	turns := answers(0)
	turns[0].Exact = true
	turns[0].Reasks = 1
	f := guessCalls(1, 10, turns, turns)
	if f.Calls != (Estimate{10, 10, 11, 20}) || f.InputTokens.Mean != 20000./usual || f.InputTokens.Low > f.InputTokens.Mean ||
		f.OutputTokens.Mean != 400./usual || f.OutputTokens.High < 1.1*f.OutputTokens.Mean-1e-9 {
		t.Errorf("%+v", f)
	}
}
