package predictions

import (
	"fmt"
	"math"
	"testing"

	"roundtable/activities/collaboration"
	"roundtable/activities/scoring"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// answers are 10 free texts of a scripted agent, whose one sentence says little
// about a real model's chain of thought.
func answers(longest int) []Turns {
	return []Turns{{Format: transcript.FormatAnswer, Calls: 10, Shown: 20000, Fixed: 8000, Said: 400, Longest: longest, Rate: &Rate{Input: 1, Output: 2}}}
}

// A real model's answers are as long as recorded ones, not as the scripted agents'.
func TestGuessTakesRecordedLengths(t *testing.T) {
	f := guessCalls(3, 10, answers(1000), answers(1000))
	if mean := f.OutputTokens.Mean / 30; mean != 531./4 {
		t.Errorf("an answer has about %v tokens, recorded ones have %v", mean, 531./4)
	}
	if f.InputTokens.Mean <= 3*20000./4 {
		t.Errorf("longer answers are shown to others, but %v input tokens are all that the scripted agents took", f.InputTokens.Mean)
	}
	ballots := answers(1000)
	ballots[0].Format = transcript.FormatBallot // with a reason next to the structure that scripted agents write
	if f := guessCalls(3, 10, ballots, ballots); f.OutputTokens.Mean != 3*(400+10*540.)/4 {
		t.Errorf("ballots with reasons take about %v tokens", f.OutputTokens.Mean)
	}
	scripted := answers(0)
	scripted[0].Exact = true
	if f := guessCalls(3, 10, scripted, scripted); f.OutputTokens.Mean != 3*400./4 || f.InputTokens.Mean != 3*20000./4 {
		t.Errorf("a scripted campaign takes %+v", f)
	}
}

// A bound on the length of answers never raises any figure.
func TestBoundLowersTheGuess(t *testing.T) {
	before := guessCalls(1, 20, answers(16384), answers(16384))
	for _, longest := range []int{4096, 1024, 200, 50, 5} {
		now := guessCalls(1, 20, answers(longest), answers(longest))
		for name, pair := range map[string][2]Estimate{
			"input": {before.InputTokens, now.InputTokens}, "output": {before.OutputTokens, now.OutputTokens}, "cost": {*before.CostUSD, *now.CostUSD},
		} {
			a, b := pair[0], pair[1]
			if b.Low > a.Low || b.Mean > a.Mean || b.High > a.High || b.Most > a.Most || b.Low > b.Mean || b.Mean > b.High || b.High > b.Most {
				t.Errorf("%s: %+v without, %+v with at most %d tokens", name, a, b, longest)
			}
		}
		if most := float64(20 * longest); now.OutputTokens.Most != most {
			t.Errorf("20 answers of at most %d tokens take up to %v", longest, now.OutputTokens.Most)
		}
		before = now
	}
}

// Every answer may be asked for again: the bound counts it, with what the
// question then shows, and what is expected stays.
func TestReasksRaiseTheBoundAlone(t *testing.T) {
	again := answers(200)
	again[0].Reasks = 2
	once, f := guessCalls(3, 20, answers(200), answers(200)), guessCalls(3, 20, again, again)
	if f.Calls.Most != 3*once.Calls.Most || f.OutputTokens.Most != 3*once.OutputTokens.Most || f.InputTokens.Most < 3*once.InputTokens.Most+3*20*3*200 {
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
	both[1].Rate = &Rate{Input: 10, Output: 20}
	one, two := guessCalls(1, 20, answers(100), answers(100)), guessCalls(1, 20, both, both)
	if got, want := two.CostUSD.Mean, 11*one.CostUSD.Mean; got < want*0.999 || got > want*1.001 {
		t.Errorf("cost %v, want %v", got, want)
	}
	both[0].Rate = nil
	if f := guessCalls(1, 20, both, both); f.CostUSD != nil {
		t.Errorf("a cost without a price: %+v", f.CostUSD)
	}
}

// What a pilot extrapolates to ends at what can be, and never below its mean.
func TestCappedByWhatCanBe(t *testing.T) {
	pilot := Forecast{
		Calls: Estimate{90, 120, 171, 171}, InputTokens: Estimate{0, 10, math.Inf(1), math.Inf(1)}, OutputTokens: Estimate{5, 10, 15, 15},
		CostUSD: &Estimate{1, 3, 9, 9}, Seconds: &Estimate{1, 2, 3, 3},
	}
	got := pilot.CappedBy(Forecast{Calls: Estimate{Most: 140}, InputTokens: Estimate{Most: 50}, OutputTokens: Estimate{Most: 99}, CostUSD: &Estimate{Most: 2}})
	if got.Calls != (Estimate{90, 120, 140, 140}) || got.InputTokens.High != 50 || got.OutputTokens != (Estimate{5, 10, 15, 99}) || *got.CostUSD != (Estimate{1, 3, 3, 3}) || *got.Seconds != *pilot.Seconds {
		t.Errorf("%+v, cost %+v", got, *got.CostUSD)
	}
	if pilot.CostUSD.High != 9 {
		t.Error("the pilot's own forecast has changed")
	}
}

// High is a bound that a person can use: every round, answers three times as long, one in ten
// asked again; far below what there can be at most.
func TestHighIsUsable(t *testing.T) {
	turns := answers(16384)
	turns[0].Reasks = 2
	f := guessCalls(1, 40, turns, turns) // scripted agents end after a quarter of the rounds
	if f.Calls.Low != 10 || f.Calls.Mean != 10 || math.Abs(f.Calls.High-44) > 1e-9 || f.Calls.Most != 120 {
		t.Errorf("calls %+v", f.Calls)
	}
	if want := 44 * 3 * 531. / 3; math.Abs(f.OutputTokens.High-want) > 1e-6 || f.OutputTokens.Most != 120*16384 {
		t.Errorf("output %+v, want %v at the high end", f.OutputTokens, want)
	}
	if c := *f.CostUSD; c.High > c.Most/50 || c.High < 4*c.Mean {
		t.Errorf("cost %+v", c)
	}
}

func TestCapPaysFor(t *testing.T) {
	cost := Estimate{1, 40, 100, 9000}
	of := func(l plan.Limits) string {
		share := Prediction{Forecast: Forecast{CostUSD: &cost, InputTokens: Estimate{Mean: 900}, OutputTokens: Estimate{Mean: 100}}}.paidShare(l)
		if share == nil {
			return "none"
		}
		return fmt.Sprint(*share)
	}
	for want, l := range map[string]plan.Limits{
		"none": {}, "0.005": {CostUSD: new(0.2)}, "1": {CostUSD: new(40.)}, "0.25": {CostUSD: new(20.), Tokens: 250}, "0": {CostUSD: new(0.)},
	} {
		if got := of(l); got != want {
			t.Errorf("of %+v it pays %s, want %s", l, got, want)
		}
	}
}

// The time at the limits a minute is that of the model that takes longest.
func TestTimeAtLimits(t *testing.T) {
	b := bounds{byModel: map[string]Forecast{}}
	turns := answers(1000)
	turns[0].Model = "a"
	turns = append(turns, turns[0])
	turns[1].Model = "b"
	b.addModels(30, 20, turns)
	limits := plan.Limits{Models: map[string]plan.ModelLimits{"a": {RequestsPerMinute: 60}, "b": {RequestsPerMinute: 600}}}
	if got := b.atLimits(limits); got == nil || math.Abs(got.Mean-300) > 1e-9 {
		t.Errorf("300 calls at 60 a minute take %+v seconds", got)
	}
	one := bounds{byModel: map[string]Forecast{}}
	turns[0].Calls = 1
	if one.addModels(1, 10, turns[:1]); one.byModel["a"].Calls.Most != 10 {
		t.Errorf("10 calls of one model in one turn: %+v", one.byModel["a"].Calls)
	}
	if got := b.atLimits(plan.Limits{}); got != nil {
		t.Errorf("without limits: %+v", got)
	}
}

// Input that is read from a cache was written to it before; no more than is read is written.
func TestCostCached(t *testing.T) {
	tenth, quarterMore := 0.1, 1.25
	p := campaign.Price{Input: 1, CachedInput: &tenth, CacheWrite: &quarterMore, Output: 6}
	for read, want := range map[float64]float64{0: 1060, 10e6: 1060 - 9 + 2.5, 900e6: 1060 - 810 + 25} {
		if got := CostCached(p, 1000e6, read, 10e6); math.Abs(got-want) > 1e-9 {
			t.Errorf("of 1,000 million tokens %v are read from the cache: $%v, want %v", read, got, want)
		}
	}
	if got := CostCached(campaign.Price{Input: 1, Output: 6}, 1000e6, 900e6, 0); got != 1000 {
		t.Errorf("without a price of what is read: $%v", got)
	}
}

// What a judge may say and be asked again is of its own answers, and not of those of others.
func TestJudgesHaveTheirOwnBounds(t *testing.T) {
	c := plan.Condition{Reasks: 2, Generate: plan.Generate{MaxTokens: 50}, Env: plan.Choice{Name: "qa",
		Params: []byte(`{"score": {"judge": {"model": "openai/j", "rubric": "?", "scale": [0, 1], "reasks": 1, "generate": {"max_tokens": 7}}}}`)}}
	for _, judged := range []bool{true, false} {
		var b bounds
		got := b.boundTurns([]collaboration.Rehearsed{{Model: "openai/a", Format: transcript.FormatAnswer}, {Model: "openai/j", Format: scoring.Role}}, c, campaign.Manifest{})
		if len(got) != 2 || got[0].Reasks != 2 || got[0].Longest != 50 || judged && (got[1].Reasks != 1 || got[1].Longest != 7) || !judged && got[1].Longest != 50 {
			t.Errorf("judged %t: %+v", judged, got)
		}
		c.Env.Params = nil
	}
}

// A pilot has as many cells of each condition, no fewer than tell something, and no more than there are.
func TestPilotSize(t *testing.T) {
	for want, of := range map[int]struct {
		share             float64
		cells, conditions int
	}{30: {0.02, 300, 3}, 12: {0.02, 12, 3}, 60: {0.02, 3000, 3}, 63: {0.0201, 3000, 3}, 3000: {1, 3000, 3}} {
		if got := pilotSize(of.share, of.cells, of.conditions); got != want {
			t.Errorf("%+v: %d, want %d", of, got, want)
		}
	}
}

// What others are shown grows by as much as answers are longer than the scripted agents' 400 bytes.
func TestGrowth(t *testing.T) {
	about, high, most := growthOf(answers(1000))
	for want, got := range map[float64]float64{5310. / 400: about, 3 * 5310. / 400: high, short * 10 * 1000 / 400: most} {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%v times as long, want %v", got, want)
		}
	}
}
