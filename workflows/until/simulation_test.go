package until

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"sync"
	"testing"

	"roundtable/analysis/statistics"
)

var long = flag.Bool("long", false, "run the long tests as well")

// draw returns the values of the levels in one unit; every level but the first is worse by
// the effect, in standard deviations of the difference.
type draw func(r *rand.Rand, levels int, effect float64) []float64

// binaryScores: right or wrong, with a difficulty that the levels share.
func binaryScores(r *rand.Rand, levels int, effect float64) []float64 {
	hard := r.Float64()
	values := make([]float64, levels)
	for i := range values {
		p := .2 + .6*hard // the difference of two has variance E[2p(1-p)] without an effect
		if i == 0 {
			p += effect * .6
		}
		if r.Float64() < p {
			values[i] = 1
		}
	}
	return values
}

// skewed: most are near 0, a few far above it, as shares of a goal that is seldom reached.
// Differences of two of them are symmetric.
func skewed(r *rand.Rand, levels int, effect float64) []float64 {
	values := make([]float64, levels)
	for i := range values {
		values[i] = min(1, .25*r.ExpFloat64()*r.ExpFloat64())
		if i == 0 {
			values[i] = min(1, values[i]+effect*.35)
		}
	}
	return values
}

// spread: rated shares, anywhere from 0 to 1.
func spread(r *rand.Rand, levels int, effect float64) []float64 {
	values := make([]float64, levels)
	for i := range values {
		values[i] = r.Float64()
		if i == 0 {
			values[i] = min(1, values[i]+effect*.4)
		}
	}
	return values
}

// unbounded: minus an error, normal.
func unbounded(r *rand.Rand, levels int, effect float64) []float64 {
	shared := r.NormFloat64()
	values := make([]float64, levels)
	for i := range values {
		values[i] = -3 + 2*shared + r.NormFloat64()
		if i == 0 {
			values[i] += effect * math.Sqrt2
		}
	}
	return values
}

// rare: minus an error, where one level is mostly a little worse and seldom, with a given
// probability, much better: the mean difference is 0, and what makes it 0 may not have been
// seen for long.
func rare(p float64) draw {
	return func(r *rand.Rand, levels int, _ float64) []float64 {
		values := make([]float64, levels)
		for i := range values {
			values[i] = -1
		}
		values[0] += max(-.6, min(.6, .2*r.NormFloat64())) - 2*p
		if r.Float64() < p {
			values[0] += 2
		}
		return values
	}
}

func questionOf(levels int, method string) Question {
	q := Question{Compare: "rule", Measure: Score, Method: method, Low: 0, High: 1, Level: .05, Ahead: DefaultAhead}
	for i := range levels {
		q.Levels = append(q.Levels, Level{Name: fmt.Sprint("level ", i)})
	}
	return q
}

// simulated is what came of simulated campaigns of a plan.
type simulated struct {
	decided  float64 // share of campaigns with a comparison that is decided
	answered float64 // share with all of them
	cells    float64 // mean, with those that were under way when the answer came
	units    []int   // of each campaign, at its end
}

// simulate runs campaigns of one replicate, looked at after every unit.
func simulate(t *testing.T, q Question, d draw, effect float64, units, campaigns int) simulated {
	t.Helper()
	var out simulated
	var mu sync.Mutex
	var all sync.WaitGroup
	for part := range 2 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(21, uint64(part)))
			for range campaigns / 2 {
				cells, n, decided, answered := campaign(t, q, d, effect, units, r)
				mu.Lock()
				out.cells += float64(cells) / float64(campaigns)
				out.units = append(out.units, n)
				out.decided += decided / float64(campaigns)
				out.answered += answered / float64(campaigns)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	sort.Ints(out.units)
	return out
}

func campaign(t *testing.T, q Question, d draw, effect float64, units int, r *rand.Rand) (cells, n int, decided, answered float64) {
	c, err := NewCourse(q)
	if err != nil {
		t.Error(err)
		return
	}
	for c.Units() < units && !c.IsAnswered() {
		if err := c.Add(q.Differences(d(r, len(q.Levels), effect))); err != nil {
			t.Error(err)
			return
		}
	}
	for u := range units {
		levels, ok := c.Needs(u)
		if !ok {
			break
		}
		for _, needed := range levels {
			if needed {
				cells++
			}
		}
	}
	for _, f := range c.found {
		if f.Verdict != Open {
			decided = 1
		}
	}
	if c.IsAnswered() {
		answered = 1
	}
	return cells, c.Units(), decided, answered
}

// The family-wise level holds although the data are looked at after every unit.
func TestLevelHoldsAtEveryLook(t *testing.T) {
	if testing.Short() {
		t.Skip("long; its two goroutines share sums alone")
	}
	campaigns := 2_000
	if *long {
		campaigns = 10_000
	}
	for _, x := range []struct {
		name   string
		levels int
		method string
		draw
	}{
		{"binary, 1 comparison", 2, Betting, binaryScores}, {"binary, 3 comparisons", 3, Betting, binaryScores},
		{"skewed alike, 1 comparison", 2, Betting, skewed}, {"spread, 3 comparisons", 3, Betting, spread},
		{"unbounded, 1 comparison", 2, Asymptotic, unbounded}, {"unbounded, 3 comparisons", 3, Asymptotic, unbounded},
		{"skewed alike, asymptotic, 1 comparison", 2, Asymptotic, skewed}, {"binary, asymptotic, 3 comparisons", 3, Asymptotic, binaryScores},
	} {
		got := simulate(t, questionOf(x.levels, x.method), x.draw, 0, 100, campaigns)
		t.Logf("%s: %.2f %% of %d campaigns decide a difference that is not there", x.name, 100*got.decided, campaigns)
		if got.decided > .05 {
			t.Errorf("%s: %.4f", x.name, got.decided)
		}
	}
}

// Rare differences of one sign are what the asymptotic method does not hold against, as
// the guide says, and what bounds are for.
func TestLevelWithRareDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("long; its two goroutines share sums alone")
	}
	campaigns := 2_000
	if *long {
		campaigns = 10_000
	}
	exceeds := false
	for _, p := range []float64{.01, .02, .05, .1, .2} {
		asymptotic := simulate(t, questionOf(2, Asymptotic), rare(p), 0, 100, campaigns)
		bounds := questionOf(2, Betting)
		bounds.Low, bounds.High = -2, 2
		betting := simulate(t, bounds, rare(p), 0, 100, campaigns)
		t.Logf("a rare difference in %.0f %% of units: asymptotic decides a difference that is not there in %.2f %% of %d campaigns, betting within bounds in %.2f %%", 100*p, 100*asymptotic.decided, campaigns, 100*betting.decided)
		if betting.decided > .05 {
			t.Errorf("p = %v: betting %.4f", p, betting.decided)
		}
		exceeds = exceeds || asymptotic.decided > .05
	}
	if !exceeds {
		t.Error("the asymptotic method holds its level: the guide warns for nothing")
	}
}

// What the sequences are for: Student's test, looked at as often, finds differences that
// are not there in more than a quarter of the campaigns.
func TestFixedTestDoesNotHoldAtEveryLook(t *testing.T) {
	const campaigns, first = 2000, 10
	critical := map[int]float64{}
	for n := first; n <= 100; n++ {
		critical[n] = statistics.QuantileT(.975, float64(n-1))
	}
	r := rand.New(rand.NewPCG(2, 2))
	wrong := 0
	for range campaigns {
		sum, squares := 0., 0.
		for n := 1; n <= 100; n++ {
			v := unbounded(r, 2, 0)
			d := v[0] - v[1]
			sum, squares = sum+d, squares+d*d
			variance := (squares - sum*sum/float64(n)) / float64(n-1)
			if n >= first && math.Abs(sum/float64(n)) > critical[n]*math.Sqrt(variance/float64(n)) {
				wrong++
				break
			}
		}
	}
	t.Logf("Student's test at each of the pairs 10 to 100: %.1f %% of campaigns find a difference that is not there", 100*float64(wrong)/campaigns)
	if wrong < campaigns/4 {
		t.Errorf("%d of %d", wrong, campaigns)
	}
}

// At half a standard deviation a campaign takes at least 40 % fewer calls than the fixed n
// of equal power: the plan is so large that the question is answered in 99 % of campaigns.
func TestFewerCallsThanTheFixedSize(t *testing.T) {
	const campaigns = 4000
	for _, x := range []struct {
		name   string
		method string
		draw
		effect float64 // that makes half a standard deviation of the difference
	}{
		{"binary", Betting, halfBinary, .5}, {"unbounded", Asymptotic, unbounded, .5},
	} {
		q := questionOf(2, x.method)
		all := simulate(t, q, x.draw, x.effect, 1000, campaigns)
		for _, power := range []float64{.8, .9, .95, .99} {
			plan := all.units[int(math.Ceil(power*campaigns))-1]
			got := simulate(t, q, x.draw, x.effect, plan, campaigns)
			pairs, err := statistics.Design{Paired: true, Alpha: q.Level}.Size(.5, got.answered)
			if err != nil {
				t.Fatal(err)
			}
			fixed := 2 * math.Ceil(pairs)
			t.Logf("%s: plan of %d pairs, power %.3f: %.1f cells on average, fixed %.1f: %.0f %% fewer", x.name, plan, got.answered, got.cells, fixed, 100*(1-got.cells/fixed))
			if power == .99 && got.cells > .6*fixed {
				t.Errorf("%s: %.1f cells, more than 60 %% of %.1f", x.name, got.cells, fixed)
			}
		}
	}
}

// halfBinary: pairs of right and wrong whose difference has half a standard deviation: the
// levels disagree on half of the instances.
func halfBinary(r *rand.Rand, _ int, effect float64) []float64 {
	const disagree = .5
	mean := effect * math.Sqrt(disagree/(1+effect*effect))
	if r.Float64() >= disagree {
		v := float64(r.IntN(2))
		return []float64{v, v}
	}
	if r.Float64() < (1+mean/disagree)/2 {
		return []float64{1, 0}
	}
	return []float64{0, 1}
}
