package numeric_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"roundtable/analysis/study/numeric"
)

func TestStrategy(t *testing.T) {
	at := func(own float64, to float64, others ...float64) numeric.Move {
		m := numeric.Move{Own: []float64{own}, To: []float64{to}}
		for _, x := range others {
			m.Others = append(m.Others, []float64{x})
		}
		return m
	}
	for want, moves := range map[numeric.Strategy][]numeric.Move{
		numeric.Average:            {at(10, 50, 40, 100), at(10, 50.4, 40, 100), at(0, 50, 50, 100)}, // the last is also where one is
		numeric.AverageWithoutSelf: {at(10, 70, 40, 100)},
		numeric.Suggestible:        {at(10, 100, 40, 100), at(10, 40, 40)},
		numeric.Stubborn:           {at(10, 10, 40, 100)},
		numeric.Other:              {at(10, 81, 40, 100), at(10, -50, 40, 100)},
		numeric.Agreed:             {at(10, 10, 10, 10.2), at(10, 90, 10, 10)},
		numeric.Alone:              {at(10, 20)},
	} {
		for _, m := range moves {
			if got := m.Strategy(0.5); got != want {
				t.Errorf("%v is %s, want %s", m, got, want)
			}
		}
	}
	counts := numeric.CountStrategies([]numeric.Move{at(10, 50, 40, 100), at(10, 10, 40), at(10, 10, 40)}, 0.5)
	if counts[numeric.Average] != 1 || counts[numeric.Stubborn] != 2 {
		t.Errorf("%v", counts)
	}
}

// TestScriptedStrategies: the classification finds the strategy that agents were given.
func TestScriptedStrategies(t *testing.T) {
	starts := []float64{3, 40, 100, 71}
	for policy, want := range map[string]numeric.Strategy{
		"average": numeric.Average, "average_without_self": numeric.AverageWithoutSelf,
		"suggestible": numeric.Suggestible, "stubborn": numeric.Stubborn,
	} {
		p := played(t, line(starts, "scripted/"+policy, "full", 4))[0]
		counts := numeric.CountStrategies(p.Moves, 1e-6)
		n := counts[want] + counts[numeric.Agreed]
		if policy == "suggestible" { // going where one is already, as another is too
			n += counts[numeric.Stubborn]
		}
		if n != 16 || counts[want] < 4 {
			t.Errorf("%s: %v", policy, counts)
		}
	}
}

func TestClusters(t *testing.T) {
	for _, c := range []struct {
		gap  float64
		at   numeric.State
		want int
	}{
		{5, numeric.State{{0}, {5}, {10}, {16}}, 2}, // a chain of 5s is one cluster
		{5, numeric.State{{10}, {0}, {5}}, 1},
		{5, numeric.State{{0, 0}, {3, 4}, {6, 8.1}}, 2},
		{0, numeric.State{{1}, {1}, {2}}, 2},
	} {
		if got := c.at.Clusters(c.gap); got != c.want {
			t.Errorf("%v within %v: %d clusters, want %d", c.at, c.gap, got, c.want)
		}
	}
}

func TestPeriod(t *testing.T) {
	for _, c := range []struct {
		states [][]float64
		want   int
	}{
		{[][]float64{{10, 90}, {90, 10}, {10, 90}, {90, 10}}, 2},
		{[][]float64{{5, 5}, {10, 90}, {90, 10}, {10, 90}, {90, 10}}, 2},
		{[][]float64{{1, 0}, {2, 0}, {3, 0}, {1, 0}, {2, 0}, {3, 0}}, 3},
		{[][]float64{{10, 90}, {90, 10}, {10, 90}}, 0}, // too short to tell
		{[][]float64{{10, 90}, {50, 50}, {50, 50}}, 0}, // at rest
		{[][]float64{{10, 90}}, 0},
	} {
		if got := onLine(c.states).Period(0); got != c.want {
			t.Errorf("%v: period %d, want %d", c.states, got, c.want)
		}
	}
}

// TestReached: from the round that is told on the width never grows over
// epsilon again, and the round before it was wider.
func TestReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 4), 3, 3), 1, 8).Draw(t, "states")
		p := onLine(states)
		round, ok := p.Reached(1)
		for time, s := range p.States {
			if time >= round && s.Width() > 1 || time == round-1 && s.Width() <= 1 {
				t.Fatalf("round %d of %v", round, states)
			}
		}
		if ok != (p.Last().Width() <= 1) {
			t.Fatalf("reached is %v", ok)
		}
	})
}

// TestLead: in groups of averagers the coefficients are the weights of the
// DeGroot limit, here of three agents on a line (2/7, 3/7, 2/7), exactly.
func TestLead(t *testing.T) {
	campaign := "name: lead\ninstances: 12\nenv: {name: consensus, agents: 3}\nprotocol: {name: consensus, rounds: 40, network: line, memory: current}\nmodel: scripted/average\n"
	paths := played(t, campaign)
	lead, r2, ok := numeric.Lead(paths)
	if !ok || len(lead) != 3 || r2 < 1-1e-9 {
		t.Fatalf("%v, R² %v, %v", lead, r2, ok)
	}
	for i, want := range []float64{2. / 7, 3. / 7, 2. / 7} {
		nearly(t, "the coefficient", lead[i].Coefficient, want, 1e-8)
		nearly(t, "its error", lead[i].SE, 0, 1e-8)
	}
	if _, _, ok := numeric.Lead(paths[:4]); ok {
		t.Error("four runs are enough for four coefficients")
	}
	same := []numeric.Path{paths[0], paths[0], paths[0], paths[0], paths[0], paths[0]}
	if _, _, ok := numeric.Lead(same); ok {
		t.Error("starts that do not vary say who leads")
	}
}

// TestLeadErrors compares with the textbook form of simple regression.
func TestLeadErrors(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{1.1, 1.9, 3.2, 3.9, 5.1, 5.8}
	noise := []float64{4, -1, 3, -2, 5, -7}
	var paths []numeric.Path
	for i := range x {
		paths = append(paths, onLine([][]float64{{x[i], noise[i]}, {y[i], y[i]}}))
	}
	lead, _, ok := numeric.Lead(paths)
	if !ok {
		t.Fatal("not defined")
	}
	// The same by partialling noise and intercept out of x and y.
	residual := func(v []float64) []float64 {
		a, b := stat.LinearRegression(noise, v, nil, false)
		r := make([]float64, len(v))
		for i := range v {
			r[i] = v[i] - a - b*noise[i]
		}
		return r
	}
	rx, ry := residual(x), residual(y)
	sxy, sxx, rss := 0.0, 0.0, 0.0
	for i := range rx {
		sxy, sxx = sxy+rx[i]*ry[i], sxx+rx[i]*rx[i]
	}
	for i := range rx {
		rss += math.Pow(ry[i]-sxy/sxx*rx[i], 2)
	}
	nearly(t, "the coefficient", lead[0].Coefficient, sxy/sxx, 1e-12)
	nearly(t, "its error", lead[0].SE, math.Sqrt(rss/3/sxx), 1e-12)
}

// TestVariance: the 95 % interval of a variance of 4 with n = 10, χ² quantiles 19.0228 and 2.7004.
func TestVariance(t *testing.T) {
	values := make([]float64, 10)
	for i := range values {
		values[i] = float64(i)
	}
	v, within, ok := numeric.Variance(values)
	nearly(t, "variance", v, 55./6, 1e-12)
	nearly(t, "low", within.Low, 82.5/19.02277, 1e-4)
	nearly(t, "high", within.High, 82.5/2.700389, 1e-4)
	if _, _, one := numeric.Variance(values[:1]); one || !ok {
		t.Error("one value has a variance")
	}
}

// TestRobots: robots meet, on paths that join the positions at whole rounds.
func TestRobots(t *testing.T) {
	p := played(t, "name: robots\nenv: robots\nprotocol: {name: consensus, rounds: 15, memory: current}\nmodel: scripted/average\n")[0]
	if len(p.States) != 16 || len(p.Steps) != 15 || len(p.Moves) != 45 {
		t.Fatalf("%d times, %d rounds of steps, %d moves", len(p.States), len(p.Steps), len(p.Moves))
	}
	for round, byAgent := range p.Steps {
		for agent, path := range byAgent {
			if end := path[len(path)-1]; len(path) != 20 || end[0] != p.States[round+1][agent][0] || end[1] != p.States[round+1][agent][1] {
				t.Fatalf("round %d: agent %d goes %v and is at %v", round+1, agent, path, p.States[round+1][agent])
			}
		}
	}
	steps, ok := p.Gathered(2)
	round, reached := p.Reached(2)
	if !ok || !reached || steps <= 20*(round-1) || steps > 20*round {
		t.Errorf("gathered after %d steps (%v), in round %d (%v)", steps, ok, round, reached)
	}
	if _, ok := p.Gathered(1e-9); ok && p.Last().Width() > 1e-9 {
		t.Error("gathered although they are not")
	}
}

// TestHeard: an agent that remembers an agent it no longer hears does not count it.
func TestHeard(t *testing.T) {
	for memory, rounds := range map[string]int{"full": 4, "current": 4} {
		campaign := line([]float64{10, 40, 100}, "scripted/average", "[full, chain]", rounds)
		p := played(t, strings.Replace(campaign, "memory: current", "memory: "+memory, 1))[0]
		heard := map[[2]int]int{}
		for _, m := range p.Moves {
			heard[[2]int{m.Round, m.Agent}] = len(m.Others)
		}
		for round := 1; round <= rounds; round++ {
			for agent := range 3 {
				want := 2 // full
				if round%2 == 0 {
					want = min(agent, 1)
				}
				if got := heard[[2]int{round, agent}]; got != want {
					t.Errorf("memory %s, round %d: agent %d hears %d, want %d", memory, round, agent, got, want)
				}
			}
		}
	}
}
