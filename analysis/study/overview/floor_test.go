package overview

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table/tabletest"
)

// drawn returns a campaign of two conditions over questions of different difficulty, in a
// number of replicates; effect is what the second is better by.
func drawn(draw *rand.Rand, questions, replicates int, effect float64) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for q := range questions {
		chance := 0.2 + 0.6*draw.Float64()
		for rule, p := range map[string]float64{"majority": chance, "plurality": chance + effect} {
			for r := range replicates {
				score := 0.0
				if draw.Float64() < p {
					score = 1
				}
				c.Runs = append(c.Runs, asked(rule, q, r, score))
			}
		}
	}
	return c
}

// Two conditions without a difference are said to differ beyond the floor in at most 5 of 100
// campaigns; with a planted one of three standard errors in at least 80.
func TestFloorHolds(t *testing.T) {
	const questions, replicates = 20, 4
	se := math.Sqrt(2 * 0.22 / (questions * replicates)) // p(1 - p) is 0.22 on average
	for _, x := range []struct {
		effect      float64
		least, most float64
	}{{0, 0, 0.083}, {3 * se, 0.8, 1}} { // 0.05 and three standard errors of 400 campaigns
		draw, beyond := rand.New(rand.NewPCG(7, 7)), 0
		const campaigns = 400
		for range campaigns {
			ranked := rankOutcomes(drawn(draw, questions, replicates, x.effect).View(""), "qa")
			if strings.Contains(floorText(ranked), "beyond") {
				beyond++
			}
		}
		if share := float64(beyond) / campaigns; share < x.least || share > x.most {
			t.Errorf("with an effect of %.2f, %.3f of campaigns are beyond the floor", x.effect, share)
		}
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
	row := tabletest.Row(t, got, "majority")
	tabletest.Near(t, "sd", row["sd of replicates"].Value, math.Sqrt(.5))
	// R: qt(.975, 4) * sqrt(.25), and by sqrt(2 / qchisq(c(.975, .025), 2))
	tabletest.Near(t, "floor", row["floor"].Value, 2.7764451051978*.5)
	tabletest.Near(t, "low", row["low"].Value, 2.7764451051978*.5*math.Sqrt(2/7.377758908228))
	tabletest.Near(t, "high", row["high"].Value, 2.7764451051978*.5*math.Sqrt(2/0.050635615968))
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
	said := strings.Join(Headlines(c), "\n")
	for _, want := range []string{
		"qa: debate leads, but only because vote comes to no decision more often.",
		"No decision, counted as 0: 40 of 80 groups of vote (those that decided: 0.500).",
		"Where both debate and vote decided, the difference over 20 pairs is 0.000",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	c.Planned = []campaign.Planned{{Condition: "debate-1", Cells: 100, Instances: 50}, {Condition: "vote-1", Cells: 100, Instances: 50}}
	if said := fmt.Sprint(Headlines(c)); !strings.Contains(said, "Of 200 collaborations, 40 have not ended.") {
		t.Errorf("a campaign under way: %s", said)
	}
}
