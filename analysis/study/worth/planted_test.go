package worth

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// planted are debates of scripted agents, as the environment's answerer holds them: each
// first answer is right with the accuracy of its question; then an agent takes the
// right answer with probability insight, or else a random other's with probability
// conformity, or keeps its own. Without insight the share of right answers is a martingale.
type planted struct {
	instances, replicates, agents, rounds int
	accuracy, spread                      float64 // of a question: accuracy plus or minus spread
	conformity, insight                   float64
	untilAgreed                           bool // a debate ends as soon as all agree
}

func (p planted) make(draw *rand.Rand) campaign.Campaign {
	c := campaign.Campaign{Name: "planted"}
	for instance := range p.instances {
		accuracy := p.accuracy + p.spread*float64(2*draw.IntN(2)-1)
		for replicate := range max(1, p.replicates) {
			rounds := [][]bool{p.first(accuracy, draw)}
			for len(rounds) <= p.rounds && !(p.untilAgreed && agreed(rounds[len(rounds)-1])) {
				rounds = append(rounds, p.next(rounds[len(rounds)-1], draw))
			}
			c.Runs = append(c.Runs, talked{instance: instance, replicate: replicate, rounds: letters(rounds)}.run())
		}
	}
	return c
}

func (p planted) first(accuracy float64, draw *rand.Rand) []bool {
	answers := make([]bool, p.agents)
	for i := range answers {
		answers[i] = draw.Float64() < accuracy
	}
	return answers
}

func (p planted) next(before []bool, draw *rand.Rand) []bool {
	after := slices.Clone(before)
	for i := range after {
		peer := (i + 1 + draw.IntN(p.agents-1)) % p.agents
		switch u := draw.Float64(); {
		case u < p.insight:
			after[i] = true
		case draw.Float64() < p.conformity:
			after[i] = before[peer]
		}
	}
	return after
}

func agreed(answers []bool) bool {
	return !slices.ContainsFunc(answers, func(a bool) bool { return a != answers[0] })
}

func letters(rounds [][]bool) []string {
	var all []string
	for _, answers := range rounds {
		text := ""
		for _, right := range answers {
			text += map[bool]string{true: "A", false: "B"}[right]
		}
		all = append(all, text)
	}
	return all
}

// rejections returns the shares of campaigns in which the tests of the table reject at
// 0.05, and the means of the figures.
func rejections(t *testing.T, p planted, times int) (shares, means map[string]float64) {
	t.Helper()
	shares, means = map[string]float64{}, map[string]float64{}
	draw := rand.New(rand.NewPCG(17, 1))
	for range times {
		got, ok := Drift(p.make(draw))
		if !ok {
			t.Fatal("no table")
		}
		row := analysistest.ByColumn(got, got.Rows[0])
		for _, figure := range []string{"drift", "herding"} {
			means[figure] += *row[figure].Value / float64(times)
			if pValue := row[figure+" p"].Value; pValue != nil && *pValue < 0.05 {
				shares[figure] += 1 / float64(times)
			}
		}
	}
	return shares, means
}

var long = flag.Bool("long", false, "run the long tests as well")

// Where talk moves answers in neither direction, one campaign in twenty says it does:
// also where replicates share their question, questions differ, and debates end early.
func TestSizeOfTheMartingaleTest(t *testing.T) {
	campaigns, within := 250, .04
	if *long {
		campaigns, within = 4000, .01
	}
	for name, p := range map[string]planted{
		"two rounds":       {instances: 40, agents: 5, rounds: 2, accuracy: .6, conformity: .6},
		"replicates":       {instances: 30, replicates: 2, agents: 3, rounds: 1, accuracy: .5, spread: .3, conformity: .5},
		"until they agree": {instances: 40, agents: 4, rounds: 4, accuracy: .55, conformity: .7, untilAgreed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shares, means := rejections(t, p, campaigns)
			t.Logf("rejected in %v, on average %v", shares, means)
			for _, figure := range []string{"drift", "herding"} {
				if math.Abs(shares[figure]-.05) > within || math.Abs(means[figure]) > 25*within {
					t.Errorf("%s is rejected in %.4f of %d campaigns, want 0.05 ± %v; on average it is %.3f points", figure, shares[figure], campaigns, within, means[figure])
				}
			}
		})
	}
}

// Three points of drift are found in four campaigns of five, more points more often, and
// the figure is what was planted.
func TestPowerOfTheMartingaleTest(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	for _, x := range []struct {
		points float64
		least  float64
	}{{3, .8}, {5, .99}, {10, .999}} {
		p := planted{instances: 300, replicates: 2, agents: 5, rounds: 1, accuracy: .6, conformity: .6, insight: x.points / 40}
		shares, means := rejections(t, p, 100)
		share, mean := shares["drift"], means["drift"]
		t.Logf("%v points are found in %.3f, on average %.3f", x.points, share, mean)
		if share < x.least || math.Abs(mean-x.points) > .3 {
			t.Errorf("%v points of drift are found in %.3f of the campaigns, want %v; on average they are %.3f", x.points, share, x.least, mean)
		}
	}
}

// The correlation of errors is that of the questions' accuracies: 0.3² of 0.6·0.4 is
// 0.375, so five votes are 2; the first majority is right as often as questions at 0.9
// and at 0.3 make it.
func TestVotesAreRecovered(t *testing.T) {
	c := planted{instances: 3000, replicates: 2, agents: 5, accuracy: .6, spread: .3}.make(rand.New(rand.NewPCG(5, 5)))
	got, ok := Votes(c)
	if !ok {
		t.Fatal("no table")
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	majority := func(p float64) float64 {
		q := 1 - p
		return 100 * (math.Pow(p, 5) + 5*math.Pow(p, 4)*q + 10*math.Pow(p, 3)*q*q)
	}
	for column, x := range map[string]struct{ want, within float64 }{
		"votes": {5, 0}, "right, %": {60, 1.5}, "correlation": {.375, .02}, "effective votes": {2, .07},
		"Condorcet, %": {68.256, 2}, "Condorcet at effective, %": {60, 2}, "first majority, %": {(majority(.9) + majority(.3)) / 2, 2},
	} {
		if v := row[column].Value; v == nil || math.Abs(*v-x.want) > x.within+1e-9 {
			t.Errorf("%s is %v, want %v", column, row[column], x.want)
		}
	}
	if row["n"] != table.Count(6000) && *row["n"].Value != 6000 {
		t.Errorf("n is %v", row["n"])
	}
}
