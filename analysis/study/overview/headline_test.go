package overview

import (
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/campaign/campaigntest"
)

// conditions of one environment, each with its scores by replicate.
func conditions(scores map[string][]float64) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for rule, values := range scores {
		for i, v := range values {
			one := campaigntest.Cell{Condition: rule + "-1", Env: "exchange", Rule: rule, Replicate: i, Agents: 3, Planned: 1, Scores: []*float64{&v}}
			c.Runs = append(c.Runs, one.Run())
		}
	}
	return c
}

func around(mean float64) []float64 {
	var values []float64
	for i := range 12 {
		values = append(values, mean+0.01*float64(i%4))
	}
	return values
}

// The sentence says who leads, that none do, or that only others differ.
func TestHeadlines(t *testing.T) {
	noisy := []float64{.7, .3, .65, .2, .5, .45, .4, .6, .3, .7, .35, .55}
	for what, x := range map[string]struct {
		scores map[string][]float64
		want   []string
	}{
		"a leader":      {map[string][]float64{"majority": around(.8), "ranked": around(.5)}, []string{"exchange: majority leads.", "majority 0.815, ranked 0.515", "the difference over 12 pairs is 0.300", "p = 0.0005"}},
		"none":          {map[string][]float64{"majority": noisy, "ranked": around(.46)}, []string{"no two of the 2 conditions differ significantly", "p = "}},
		"others only":   {map[string][]float64{"majority": around(.8), "ranked": {.8, .83, .81, .84, .79, .82, .82, .83, .80, .81, .81, .84}, "rated": around(.3)}, []string{"is highest, but does not differ significantly from the next", "2 of 3 pairs of conditions differ significantly: ", "rated"}},
		"a tie":         {map[string][]float64{"majority": around(.8), "ranked": around(.8), "unanimous": around(.8), "rated": around(.3)}, []string{"exchange: unanimous, majority and ranked tie at the top with 0.815 (", "; next is rated with 0.315. 3 of 6 pairs of conditions differ significantly: unanimous – rated; majority – rated; rated – ranked."}},
		"all tie":       {map[string][]float64{"majority": around(.8), "ranked": around(.8), "unanimous": around(.8), "rated": around(.8), "plurality": around(.8)}, []string{"exchange: all 5 conditions tie at the top", "0 of 10 pairs of conditions differ significantly."}},
		"one condition": {map[string][]float64{"majority": around(.8)}, []string{"exchange: share of the greatest total utility is 0.815 (95 % CI "}},
		// On average over all it has, majority is ahead; where both have a value, it is behind.
		"lower in pairs": {map[string][]float64{"majority": append(around(.3), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), "ranked": around(.5)}, []string{"majority has the highest mean, but is significantly lower than ranked in the pairs they have in common", "is -0.200"}},
		"nothing paired": {map[string][]float64{"majority": around(.8)[:1], "ranked": {}}, []string{"exchange: share of the greatest total utility is 0.800."}},
	} {
		said := strings.Join(Headlines(conditions(x.scores)), "\n")
		for _, want := range x.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is not in %q", what, want, said)
			}
		}
	}
	if said := Headlines(campaign.Campaign{}); len(said) > 0 {
		t.Errorf("of nothing is said %q", said)
	}
}
