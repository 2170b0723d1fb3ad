package predictions

import (
	"math"
	"testing"

	"roundtable/workflows/transcript"
)

// answers are 10 free texts of a scripted agent, whose one sentence says little
// about a real model's chain of thought.
func answers(longest int) []Turns {
	return []Turns{{Format: transcript.FormatAnswer, Calls: 10, Shown: 20000, Fixed: 8000, Said: 400, Longest: longest, Rate: &Rate{1, 2}}}
}

// A real model's answers are as long as recorded ones, not as the scripted agents'.
func TestGuessTakesRecordedLengths(t *testing.T) {
	f := guessCalls(3, 10, answers(1000))
	if mean := f.OutputTokens.Mean / 30; mean != 531./4 {
		t.Errorf("an answer has about %v tokens, recorded ones have %v", mean, 531./4)
	}
	if f.InputTokens.Mean <= 3*20000./4 {
		t.Errorf("longer answers are shown to others, but %v input tokens are all that the scripted agents took", f.InputTokens.Mean)
	}
	ballots := answers(1000)
	ballots[0].Format = transcript.FormatBallot // with a reason next to the structure that scripted agents write
	if f := guessCalls(3, 10, ballots); f.OutputTokens.Mean != 3*(400+10*540.)/4 {
		t.Errorf("ballots with reasons take about %v tokens", f.OutputTokens.Mean)
	}
	scripted := answers(0)
	scripted[0].Exact = true
	if f := guessCalls(3, 10, scripted); f.OutputTokens.Mean != 3*400./4 || f.InputTokens.Mean != 3*20000./4 {
		t.Errorf("a scripted campaign takes %+v", f)
	}
}

// A bound on the length of answers never raises any figure.
func TestBoundLowersTheGuess(t *testing.T) {
	before := guessCalls(1, 20, answers(16384))
	for _, longest := range []int{4096, 1024, 200, 50, 5} {
		now := guessCalls(1, 20, answers(longest))
		for name, pair := range map[string][2]Estimate{
			"input": {before.InputTokens, now.InputTokens}, "output": {before.OutputTokens, now.OutputTokens}, "cost": {*before.CostUSD, *now.CostUSD},
		} {
			a, b := pair[0], pair[1]
			if b.Low > a.Low || b.Mean > a.Mean || b.High > a.High || b.Low > b.Mean || b.Mean > b.High {
				t.Errorf("%s: %+v without, %+v with at most %d tokens", name, a, b, longest)
			}
		}
		if most := float64(20 * longest); now.OutputTokens.High != most {
			t.Errorf("20 answers of at most %d tokens take up to %v", longest, now.OutputTokens.High)
		}
		before = now
	}
}

// Every answer may be asked for again: the bound counts it, with what the
// question then shows, and what is expected stays.
func TestReasksRaiseTheBoundAlone(t *testing.T) {
	again := answers(200)
	again[0].Reasks = 2
	once, f := guessCalls(3, 20, answers(200)), guessCalls(3, 20, again)
	if f.Calls.High != 3*once.Calls.High || f.OutputTokens.High != 3*once.OutputTokens.High || f.InputTokens.High < 3*once.InputTokens.High+3*20*3*200 {
		t.Errorf("with 2 re-asks %+v, without %+v", f, once)
	}
	if f.Calls.Mean != once.Calls.Mean || f.InputTokens.Mean != once.InputTokens.Mean || f.CostUSD.Low != once.CostUSD.Low || f.CostUSD.Mean != once.CostUSD.Mean {
		t.Errorf("re-asks are expected: %+v, without %+v", f, once)
	}
}

// Agents with models of their own are priced each by its own; where a price
// lacks, so does the sum.
func TestGuessPricesEachModel(t *testing.T) {
	both := append(answers(100), answers(100)...)
	both[1].Rate = &Rate{10, 20}
	one, two := guessCalls(1, 20, answers(100)), guessCalls(1, 20, both)
	if got, want := two.CostUSD.Mean, 11*one.CostUSD.Mean; got < want*0.999 || got > want*1.001 {
		t.Errorf("cost %v, want %v", got, want)
	}
	both[0].Rate = nil
	if f := guessCalls(1, 20, both); f.CostUSD != nil {
		t.Errorf("a cost without a price: %+v", f.CostUSD)
	}
}

// What a pilot extrapolates to ends at what can be, and never below its mean.
func TestCappedByWhatCanBe(t *testing.T) {
	pilot := Forecast{
		Calls: Estimate{90, 120, 171}, InputTokens: Estimate{0, 10, math.Inf(1)}, OutputTokens: Estimate{5, 10, 15},
		CostUSD: &Estimate{1, 3, 9}, Seconds: &Estimate{1, 2, 3},
	}
	got := pilot.CappedBy(Forecast{Calls: Estimate{High: 140}, InputTokens: Estimate{High: 50}, OutputTokens: Estimate{High: 99}, CostUSD: &Estimate{High: 2}})
	if got.Calls != (Estimate{90, 120, 140}) || got.InputTokens.High != 50 || got.OutputTokens != pilot.OutputTokens || *got.CostUSD != (Estimate{1, 3, 3}) || *got.Seconds != *pilot.Seconds {
		t.Errorf("%+v, cost %+v", got, *got.CostUSD)
	}
	if pilot.CostUSD.High != 9 {
		t.Error("the pilot's own forecast has changed")
	}
}
