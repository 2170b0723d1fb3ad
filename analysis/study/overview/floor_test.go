package overview

import (
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
)

var long = flag.Bool("long", false, "simulate as many campaigns as the documentation states")

// drawn returns a campaign of two conditions over questions of different difficulty, in a
// number of replicates; effect is what the second is better by. With same, each has a control
// that is the same again.
func drawn(draw *rand.Rand, questions, replicates int, effect float64, same bool) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for q := range questions {
		chance := 0.2 + 0.6*draw.Float64()
		for i, rule := range []string{"majority", "plurality", "majority", "plurality"}[:map[bool]int{false: 2, true: 4}[same]] {
			for r := range replicates {
				score := 0.0
				if draw.Float64() < chance+effect*float64(i%2) {
					score = 1
				}
				run := asked(rule, q, r, score)
				if i > 1 {
					run = controlled(run, campaign.Same)
				}
				c.Runs = append(c.Runs, run)
			}
		}
	}
	return c
}

// controlled makes a run that of a control of its condition.
func controlled(r campaign.Run, control string) campaign.Run {
	r.ConditionID += control
	r.CollaborationID += control
	r.SettingsJSON = strings.TrimSuffix(r.SettingsJSON, "}") + `,"control":"` + control + `"}`
	return r
}

// Two conditions without a difference are said to differ beyond the floor in at most 5 of 100
// campaigns; with a planted one of three standard errors in at least 80: by replicates alone,
// and by the control same where there is one replicate. -long simulates 2,000 of each.
func TestFloorHolds(t *testing.T) {
	campaigns, most := 100, 0.05+3*math.Sqrt(0.05*0.95/100)
	if *long {
		campaigns, most = 2000, 0.05
	}
	for _, x := range []struct {
		questions, replicates int
		same                  bool
	}{{20, 4, false}, {60, 1, true}, {20, 2, true}, {100, 2, false}} {
		se := math.Sqrt(2 * 0.22 / float64(x.questions*x.replicates)) // p(1 - p) is 0.22 on average
		for effect, holds := range map[float64]func(share float64) bool{
			0:      func(share float64) bool { return share <= most },
			3 * se: func(share float64) bool { return share >= 0.8 },
		} {
			draw, beyond := rand.New(rand.NewPCG(7, 7)), 0
			for range campaigns {
				v := drawn(draw, x.questions, x.replicates, effect, x.same).View("")
				if _, isBeyond := chanceText(v, "qa", rankOutcomes(v, "qa"), false); isBeyond {
					beyond++
				}
			}
			share := float64(beyond) / float64(campaigns)
			t.Logf("%+v, effect %.2f: %.4f of %d campaigns are beyond the floor", x, effect, share, campaigns)
			if !holds(share) {
				t.Errorf("%+v: with an effect of %.2f, %.4f of campaigns are beyond the floor", x, effect, share)
			}
		}
	}
}

// Two questions, one replicate and one of the control each: majority is 1 and 0, and again 0
// and 0; plurality is 1 and 1 both times. The variance of majority's replicates is that of
// the first question, 0.5 over two degrees of freedom, so 0.125 of its mean of two.
func TestFloorOfTheSame(t *testing.T) {
	c := campaign.Campaign{Name: "made-up"}
	for q, scores := range [][2]float64{{1, 0}, {0, 0}} {
		c.Runs = append(c.Runs, asked("majority", q, 0, scores[0]), controlled(asked("majority", q, 0, scores[1]), campaign.Same))
		c.Runs = append(c.Runs, asked("plurality", q, 0, 1), controlled(asked("plurality", q, 0, 1), campaign.Same))
	}
	got, _ := Floor(c)
	if len(got.Rows) != 2 {
		t.Fatalf("%d rows, want one for each condition and none for what is the same again", len(got.Rows))
	}
	row := analysistest.Row(t, got, "majority")
	analysistest.Near(t, "differed", row["differed"].Value, 0.5)
	// R: qt(.975, 2) * sqrt(.125 + .125), one variance twice, and half a step of a mean of two
	analysistest.Near(t, "floor", row["floor"].Value, 4.3026527297495*.5+.25)
	if row["beyond it"].Text != "0 of 1" {
		t.Errorf("beyond it: %q", row["beyond it"].Text)
	}
	// R: qt(.975, 2) * sqrt(.125) + .25, Welch's degrees of freedom being those of majority
	want := ". The difference is within what chance alone makes between two runs of one condition (up to 1.771 in 95 of 100 cases; run again, plurality differed by 0.000, majority differed by 0.500)."
	if said := headlines(c); !strings.Contains(said, want) || !strings.Contains(said, "of the 4 conditions, no two that can be compared") {
		t.Errorf("the headline is %s", said)
	}
	for q := range 2 { // a control that leads is not a group to compare with others
		c.Runs = append(c.Runs, controlled(asked("majority", q, 0, 1), campaign.Alone))
	}
	if said := headlines(c); !strings.Contains(said, "scores 0.500, against 1.000 for majority, alone (nobody is heard; difference -0.500") {
		t.Errorf("the headline is %s", said)
	}
	c.Runs = c.Runs[:8]
	compared, _ := Comparisons(c)
	if notes := strings.Join(compared.Notes, "\n"); len(compared.Rows) != 1 || !strings.Contains(notes, "the difference is within what chance alone makes between two runs of one condition (up to 1.771") {
		t.Errorf("%d comparisons, and %s", len(compared.Rows), notes)
	}
}

// Two questions of two replicates, 1 and 0 each: the variance of a replicate is 0.5 with two
// degrees of freedom, so that of a mean of four is 0.125, and of a difference 0.25.
func TestFloorByHand(t *testing.T) {
	var c campaign.Campaign
	for q := range 2 {
		for r := range 2 {
			c.Runs = append(c.Runs, asked("majority", q, r, float64(r)), asked("plurality", q, 0, 1))
		}
	}
	got, ok := Floor(c)
	if !ok {
		t.Fatal("no table")
	}
	row := analysistest.Row(t, got, "majority")
	analysistest.Near(t, "sd", row["sd of replicates"].Value, math.Sqrt(.5))
	// R: qt(.975, 2) * sqrt(.25), one variance twice, and by sqrt(2 / qchisq(c(.975, .025), 2)); half a step is 1/8
	analysistest.Near(t, "floor", row["floor"].Value, 4.3026527297495*.5+.125)
	analysistest.Near(t, "low", row["low"].Value, 4.3026527297495*.5*math.Sqrt(2/7.377758908228)+.125)
	analysistest.Near(t, "high", row["high"].Value, 4.3026527297495*.5*math.Sqrt(2/0.050635615968)+.125)
	if one, ok := Floor(campaign.Campaign{Runs: c.Runs[:1]}); ok {
		t.Errorf("one replicate has a floor: %v", one.Rows)
	}
}

// Half of the groups of vote come to no decision, and where both decide there is no
// difference: what leads does so by deciding, and the headline says so.
func TestHeadlineOfUndecided(t *testing.T) {
	var c campaign.Campaign
	for q := range 40 {
		score := float64(q % 3 % 2)
		vote := score
		if q%2 == 0 {
			vote = -1 // no decision
		}
		for r := range 2 {
			c.Runs = append(c.Runs, asked("debate", q, r, 1-float64(q%4/3)), asked("vote", q, r, map[bool]float64{true: 1 - float64(q%4/3), false: -1}[vote >= 0]))
		}
	}
	said := headlines(c)
	for _, want := range []string{
		"qa: debate leads, but only because vote comes to no decision more often: 0.750 against 0.250 for vote (accuracy), a difference of 0.500 over 40 pairs (95 % CI 0.338 to 0.662), p = 0.0001. But ",
		"groups came to no decision (scored 0): 40 of 80 of vote (the others score 0.500); ",
		"where both debate and vote decided, the difference is 0.000 over 20 pairs, p = 1.0000.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	c.Planned = []campaign.Planned{{Condition: "debate-1", Cells: 100, Instances: 50}, {Condition: "vote-1", Cells: 100, Instances: 50}}
	if said := headlines(c); !strings.HasPrefix(said, "qa (of 200 collaborations, 40 have not finished): debate leads") {
		t.Errorf("a campaign under way: %s", said)
	}
}

// The floor of the same runs is the same to the last bit, whatever order a map has.
func TestFloorIsOneNumber(t *testing.T) {
	t.Parallel()
	c := drawn(rand.New(rand.NewPCG(5, 1)), 40, 5, 0.1, false)
	var g campaign.Group
	for _, r := range c.Runs {
		if r.Replicate%2 == 0 || r.Instance%3 == 0 { // as many replicates everywhere make sums without rest
			g.Runs = append(g.Runs, r)
		}
	}
	first, ok := floorOf(g, campaign.Group{})
	if !ok {
		t.Fatal("there is no floor")
	}
	for range 50 {
		if again, _ := floorOf(g, campaign.Group{}); again.variance != first.variance {
			t.Fatalf("%v, then %v", first.variance, again.variance)
		}
	}
}
