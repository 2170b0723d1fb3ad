package overview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/worth"
)

// With few questions and many conditions no difference can be significant, and the headline
// says so: 12 pairs have 4,096 ways to exchange signs.
func TestHeadlineSaysWhatIsOutOfReach(t *testing.T) {
	for _, x := range []struct {
		pairs, comparisons int
		want               string
	}{
		{12, 45, ""},
		{12, 105, "; none could be significant: with 12 pairs and 105 comparisons of conditions, p cannot be below 0.051 (ask more, or compare fewer conditions)"},
		{3, 1, "; none could be significant: with 3 pairs and 1 comparison of conditions, p cannot be below 0.250 (ask more, or compare fewer conditions)"},
		{60, 300, ""},
		{0, 1, ""},
	} {
		list := make([]statistics.Comparison, x.comparisons)
		list[0].N = x.pairs
		if got := outOfReachText(list); got != x.want {
			t.Errorf("%d pairs, %d comparisons: %q", x.pairs, x.comparisons, got)
		}
	}
}

// conditions of one environment, each with its scores by replicate.
func conditions(scores map[string][]float64) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for rule, values := range scores {
		for i, v := range values {
			one := analysistest.Cell{Condition: rule + "-1", Env: "exchange", Rule: rule, Replicate: i, Agents: 3, Planned: 1, Scores: []*float64{&v}}
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

func headlines(c campaign.Campaign) string {
	var said []string
	for _, h := range Headlines(c) {
		said = append(said, h.String())
	}
	return strings.Join(said, "\n")
}

// The sentence says who leads, that none do, or that only others differ.
func TestHeadlines(t *testing.T) {
	noisy := []float64{.7, .3, .65, .2, .5, .45, .4, .6, .3, .7, .35, .55}
	for what, x := range map[string]struct {
		scores map[string][]float64
		want   []string
	}{
		"a leader":      {map[string][]float64{"majority": around(.8), "ranked": around(.5)}, []string{"exchange: majority leads: 0.815 against 0.515 for ranked (share of the greatest total utility), a difference of 0.300 over 12 pairs, p = 0.0005. The difference is larger than what chance alone makes between two runs of one condition (up to 0.010 in 95 of 100 cases); but all are replicates of one instance, and nothing"}},
		"of three":      {map[string][]float64{"majority": around(.8), "ranked": around(.5), "rated": around(.3)}, []string{"majority leads: 0.815 against 0.515 for ranked", ", p = 0.0015 corrected for all comparisons. "}},
		"none":          {map[string][]float64{"majority": noisy, "ranked": around(.46)}, []string{"no two of the 2 conditions differ significantly: the highest are ", "p = "}},
		"others only":   {map[string][]float64{"majority": around(.8), "ranked": {.8, .83, .81, .84, .79, .82, .82, .83, .80, .81, .81, .84}, "rated": around(.3)}, []string{"is highest, but not significantly above the next", "; 2 of 3 pairs of conditions differ significantly (table comparisons)."}},
		"a tie":         {map[string][]float64{"majority": around(.8), "ranked": around(.8), "unanimous": around(.8), "rated": around(.3)}, []string{"exchange: unanimous, majority and ranked tie at the top with 0.815 (", ": next is rated with 0.315; 3 of 6 pairs of conditions differ significantly (table comparisons)."}},
		"all tie":       {map[string][]float64{"majority": around(.8), "ranked": around(.8), "unanimous": around(.8), "rated": around(.8), "plurality": around(.8)}, []string{"exchange: all 5 conditions tie at the top", ": 0 of 10 pairs of conditions differ significantly (table comparisons)."}},
		"one condition": {map[string][]float64{"majority": around(.8)}, []string{"exchange: share of the greatest total utility is 0.815 (95 % CI "}},
		// On average over all it has, majority is ahead; where both have a value, it is behind.
		"lower in pairs": {map[string][]float64{"majority": append(around(.3), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), "ranked": around(.5)}, []string{"majority has the highest mean, but is significantly lower than ranked in the pairs they have in common", "there a difference of -0.200"}},
		"nothing paired": {map[string][]float64{"majority": around(.8)[:1], "ranked": {}}, []string{"exchange: share of the greatest total utility is 0.800."}},
	} {
		said := headlines(conditions(x.scores))
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

// What makes a headline misleading stands in it, before anything that it could mislead about
// but the lead itself.
func TestHeadlinesOfWhatIsNoPlainResult(t *testing.T) {
	made := func(env string, instances int, change func(*campaign.Run)) (runs []campaign.Run) {
		for q := range instances {
			for r := range 12 / instances {
				for rule, score := range map[string]float64{"debate": .8, "vote": .5} {
					one := asked(rule, q, r, score+0.01*float64((3*q+r)%4))
					one.Environment, one.SettingsJSON = env, strings.Replace(one.SettingsJSON, `"qa"`, `"`+env+`"`, 1)
					one.ConditionID += env
					change(&one)
					runs = append(runs, one)
				}
			}
		}
		return runs
	}
	plain := func(*campaign.Run) {}
	half := func(r *campaign.Run) { r.Simulated = r.Rule == "vote" }
	for what, x := range map[string]struct {
		runs    []campaign.Run
		planned []campaign.Planned
		want    []string
		not     []string
	}{
		"plain":     {runs: made("qa", 12, plain), want: []string{"qa: debate leads: 0.81"}, not: []string{"simulated", "But ", "used", "finished"}},
		"simulated": {runs: made("qa", 12, func(r *campaign.Run) { r.Simulated = true }), want: []string{"qa (simulated: no language model answered): debate leads: "}},
		"in part":   {runs: made("qa", 12, half), want: []string{"qa (simulated in 12 of 24 collaborations): debate leads: "}},
		"unusable": {runs: made("qa", 12, func(r *campaign.Run) {
			if r.Rule == "vote" {
				r.Usable.Answers, r.Usable.Cut = 10, 2
			}
		}), want: []string{"qa (no result: more than a tenth of the answers of vote could not be used, see the table summary): debate leads: "}, not: []string{"answers of debate"}},
		"unfinished": {runs: made("qa", 12, plain), planned: []campaign.Planned{{Condition: "debate-1qa", Cells: 24, Instances: 12}, {Condition: "vote-1qa", Cells: 24, Instances: 12}}, want: []string{"qa (of 48 collaborations, 24 have not finished): debate leads: "}},
		"failed": {runs: made("qa", 12, func(r *campaign.Run) {
			if r.Rule == "vote" && r.Instance < 3 {
				r.Status = "failed"
			}
		}), want: []string{"qa (of 24 collaborations, 3 failed): debate leads: "}},
		"one instance":     {runs: made("qa", 1, plain), want: []string{"; but all are replicates of one instance, and nothing is said of other instances."}},
		"two environments": {runs: append(made("qa", 12, plain), made("recall", 6, plain)...), want: []string{"qa: debate leads: ", "\nrecall: debate leads: ", "over 12 pairs", "over 6 pairs"}},
	} {
		said := headlines(campaign.Campaign{Name: "made-up", Runs: x.runs, Planned: x.planned})
		for _, want := range x.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is not in\n%s", what, want, said)
			}
		}
		for _, not := range x.not {
			if strings.Contains(said, not) {
				t.Errorf("%s: %q is in\n%s", what, not, said)
			}
		}
	}
}

// A condition that never decided has no outcome where outcomes are errors, and is named all the same.
func TestHeadlineNamesWhoNeverDecides(t *testing.T) {
	var c campaign.Campaign
	for r := range 4 {
		for rule, scores := range map[string][]*float64{"majority": {new(-float64(r))}, "unanimous": {nil}} {
			c.Runs = append(c.Runs, analysistest.Cell{Condition: rule + "-1", Env: "recsys", Rule: rule, Replicate: r, Agents: 3, Planned: 1, Scores: scores}.Run())
		}
	}
	if said := headlines(c); !strings.Contains(said, " But groups came to no decision (not counted): 4 of 4 of unanimous; all are") {
		t.Error(said)
	}
}

// The headline says what talk did to the first answers: where it is not chance, or of the only condition that talks.
func TestHeadlineSaysWhatTalkDid(t *testing.T) {
	talks := func(rule string, instance int, first, last float64) campaign.Run {
		r := asked(rule, instance, 0, last)
		r.Utilities = []float64{last}
		replies := func(score float64) statistics.Replies {
			reply := statistics.Reply{Key: fmt.Sprint(score), JSON: fmt.Sprint(score), Right: score == 1}
			return statistics.Replies{reply, reply, reply}
		}
		campaign.Keep(&r.Parts, worth.Talk{Steps: []statistics.Replies{replies(first), replies(last)}, Rounds: []int32{1, 2}})
		return r
	}
	var lost, unmoved, none []campaign.Run
	for q := range 12 {
		lost = append(lost, talks("debate", q, 1, float64(q%4/3)))
		unmoved = append(unmoved, talks("delphi", q, float64(q%2), float64((q+q/6)%2)))
		none = append(none, asked("vote", q, 0, float64(q%2)))
	}
	for what, x := range map[string]struct {
		runs []campaign.Run
		want string
	}{
		// R: mean(x <- rep(c(-1,-1,-1,0), 3)) * 100; t.test(x)$conf.int * 100, cut at -100
		"a loss":         {append(slices.Clone(lost), none...), " Against the majority of the first answers, talk cost 75.0 points in debate (95 % CI -100.0 to -46.3)."},
		"one of several": {append(slices.Clone(lost), unmoved...), " talk cost 75.0 points in debate (95 % CI -100.0 to -46.3); not corrected for the number of conditions."},
		"chance":         {append(slices.Clone(unmoved), none...), " talk changed 0.0 points in delphi (95 % CI -46.9 to 46.9), which can be chance."},
		"nobody talks":   {append(slices.Clone(lost[:0]), none...), ""},
		"a control":      {append([]campaign.Run{controlled(lost[0], campaign.Alone), controlled(lost[1], campaign.Alone)}, none...), ""},
	} {
		said := headlines(campaign.Campaign{Runs: x.runs})
		if x.want == "" && strings.Contains(said, "talk") || !strings.Contains(said, x.want) {
			t.Errorf("%s: %s", what, said)
		}
	}
}

// What guessing scores is known where all collaborations say the same.
func TestGuessing(t *testing.T) {
	for what, x := range map[string]struct {
		blind []*string
		want  float64 // 0 for none
	}{
		"three options":     {[]*string{new(`{"chance":0.25}`), new(`{"chance":0.25}`)}, 0.25},
		"different numbers": {[]*string{new(`{"chance":0.25}`), new(`{"chance":0.5}`)}, 0},
		"not all":           {[]*string{new(`{"chance":0.25}`), nil}, 0},
		"other baselines":   {[]*string{new(`{"always_unknown":0.25}`)}, 0},
	} {
		var c campaign.Campaign
		for i, blind := range x.blind {
			r := asked([]string{"vote", "debate"}[i], 0, 0, 1)
			r.BaselinesJSON = blind
			c.Runs = append(c.Runs, r)
		}
		if got := GuessingScore(c.View("")); (got == nil) != (x.want == 0) || got != nil && *got != x.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// Why a repeated condition is not compared is said.
func TestRepeatsAreDescribed(t *testing.T) {
	var c campaign.Campaign
	c.Runs = append(c.Runs, asked("debate", 0, 0, 1), asked("vote", 0, 0, 1))
	if said := DescribeRepeats(c); said != "" {
		t.Error(said)
	}
	c.Runs = append(c.Runs, controlled(asked("debate", 0, 0, 1), campaign.Same))
	if said := DescribeRepeats(c); !strings.HasPrefix(said, "Left out: debate, same. It repeats its condition with new answers") {
		t.Error(said)
	}
	c.Runs = append(c.Runs, controlled(asked("vote", 0, 0, 1), campaign.Same))
	if said := DescribeRepeats(c); !strings.HasPrefix(said, "Left out: debate, same; vote, same. They repeat") {
		t.Error(said)
	}
}

// From one replicate of each instance nothing is known of chance, and what would tell is what any
// campaign can have: baselines have no control same. Conditions are counted as plan does.
func TestHeadlineWithoutReplicates(t *testing.T) {
	var c campaign.Campaign
	for q := range 6 {
		c.Runs = append(c.Runs, asked("debate", q, 0, float64(q%2)), asked("vote", q, 0, float64(q%3%2)))
	}
	want := "How much two runs of one condition differ by chance alone is not known from one replicate of each instance (replicates: 2 tells)."
	if said := headlines(c); !strings.Contains(said, want) || !strings.Contains(said, "no two of the 2 conditions differ") {
		t.Error(said)
	}
	for q := range 6 { // of debate something is known, which is not the whole comparison
		c.Runs = append(c.Runs, controlled(asked("debate", q, 0, float64(q/3)), campaign.Same))
	}
	// R: qt(.975, 6) * sqrt(2 * (0.5 + 0.5) / 6 / 6) + 1 / 6 / 2, half a step of the mean of 6 outcomes of 0 or 1
	want = ". Whether the difference is more than chance makes is not known without a second run of vote (replicates: 2 tells): two runs of debate differ by up to 0.660 in 95 of 100 cases; run again, debate differed by 0.000."
	if said := headlines(c); !strings.Contains(said, want) || !strings.Contains(said, "of the 3 conditions, no two that can be compared differ") {
		t.Error(said)
	}
}

// Where not all is paired, the difference in pairs is not that of the means, and the sentence says which it is.
func TestHeadlineOfPairsInCommon(t *testing.T) {
	var c campaign.Campaign
	for q := range 12 {
		c.Runs = append(c.Runs, asked("debate", q, 0, float64(q%2)))
		if q < 6 { // the others have not finished
			c.Runs = append(c.Runs, asked("vote", q, 0, float64(q%3%2)))
		}
	}
	if said := headlines(c); !strings.Contains(said, "debate with 0.500 and vote with 0.333 (accuracy), a difference of 0.167 over 6 pairs") {
		t.Error(said)
	}
	for i := range c.Runs {
		if c.Runs[i].Rule == "debate" && c.Runs[i].Instance >= 6 {
			c.Runs[i].Score = new(1.0)
		}
	}
	if said := headlines(c); !strings.Contains(said, "debate with 0.750 and vote with 0.333 (accuracy), in the pairs they have in common a difference of 0.167 over 6 pairs") {
		t.Error(said)
	}
}

// Controls that are others again are no rivals: who ties with all others ties with all that are compared.
func TestTiesOfAllThatAreCompared(t *testing.T) {
	ranked := make([]outcome, 6)
	for conditions, want := range map[int]string{6: "all 6 conditions tie", 8: "all 6 conditions that are compared tie"} {
		if claim, next := tieText(ranked, 6, conditions); !strings.HasPrefix(claim, want) || next != "" {
			t.Errorf("of %d: %s, %s", conditions, claim, next)
		}
	}
	if claim, _ := tieText(ranked, 5, 8); !strings.HasPrefix(claim, "5 of the 8 conditions tie") {
		t.Error(claim)
	}
}

// Replicates that repeat each other are replicates: a floor of 0 is known, also if only the next has one.
func TestHeadlineOfReplicatesThatRepeat(t *testing.T) {
	var c campaign.Campaign
	for q := range 6 {
		c.Runs = append(c.Runs, asked("debate", q, 0, float64(q%2)), asked("vote", q, 0, float64(q%3%2)), asked("vote", q, 1, float64(q%3%2)))
	}
	if said := headlines(c); strings.Contains(said, "not known from one replicate") || strings.Contains(said, "Whether the difference") || !strings.Contains(said, "no two of the 2") {
		t.Error(said)
	}
}

// A condition and its control that share one instance have a difference, and no interval.
func TestHeadlineOfOneInstanceAndItsControls(t *testing.T) {
	run := asked("debate", 0, 0, 1)
	said := headlines(campaign.Campaign{Runs: []campaign.Run{run,
		controlled(asked("debate", 0, 0, 0), campaign.Strangers), controlled(asked("debate", 0, 0, 1), campaign.Alone)}})
	for _, want := range []string{"nobody is heard; difference 0.000)", "texts about other instances are heard; difference 1.000)"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
}

// A difference is significant below the level, as its letters are apart, and not at it.
func TestSignificanceIsBelowTheLevel(t *testing.T) {
	for p, want := range map[float64]bool{0.049: true, level: false, 0.051: false} {
		if got := isSignificant(statistics.Comparison{Difference: new(0.1), Holm: &p}); got != want {
			t.Errorf("at p = %v: %t", p, got)
		}
	}
	if isSignificant(statistics.Comparison{Holm: new(0.01)}) || isSignificant(statistics.Comparison{Difference: new(0.1)}) {
		t.Error("what is not known is significant")
	}
}
