package decision_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

func TestParametersThatAreRefused(t *testing.T) {
	build := map[string]func() (decision.Rule, error){}
	for _, p := range []decision.RatedParams{{Min: 3, Max: 3}, {Min: 5, Max: 1}, {Min: -1, Max: 1}, {Min: 1, Max: 1001}, {}} {
		build[fmt.Sprintf("rated %+v", p)] = func() (decision.Rule, error) { return decision.NewRated(p) }
	}
	for _, n := range []decision.Points{-2, 10_001} {
		build[fmt.Sprintf("cumulative %d", int(n))] = func() (decision.Rule, error) {
			return decision.NewCumulative(decision.CumulativeParams{Points: n})
		}
	}
	for name, new := range build {
		t.Run(name, func(t *testing.T) {
			_, err := new()
			if err == nil || !strings.Contains(err.Error(), "expected") {
				t.Errorf("error %v does not say what is accepted", err)
			}
		})
	}
}

func TestPointsInJSON(t *testing.T) {
	for _, x := range []struct {
		text string
		want decision.Points
	}{{`"candidates"`, decision.PerCandidate}, {`"agents"`, decision.PerAgent}, {`25`, 25}, {`10000`, 10000}} {
		var p decision.CumulativeParams
		p.Points = 7
		text := `{"points":` + x.text + `}`
		if err := json.Unmarshal([]byte(text), &p); err != nil || p.Points != x.want {
			t.Errorf("%s is read as %v, error %v", text, p.Points, err)
		}
		if back, err := json.Marshal(p); err != nil || string(back) != text {
			t.Errorf("%s is written as %s, error %v", text, back, err)
		}
	}
	for _, text := range []string{`0`, `-1`, `10001`, `2.5`, `"voters"`, `"25"`, `true`, `null`, `[1]`, `99999999999999999999`} {
		p := decision.Points(7)
		if err := json.Unmarshal([]byte(text), &p); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("points %s is read as %v, error %v", text, p, err)
		}
	}
}

func TestBallotForms(t *testing.T) {
	for _, x := range []struct {
		rule decision.Rule
		want transcript.BallotSpec
	}{
		{unanimous(), transcript.BallotSpec{Kind: transcript.Choose, N: 3}},
		{majority(), transcript.BallotSpec{Kind: transcript.Choose, N: 3}},
		{plurality(), transcript.BallotSpec{Kind: transcript.Choose, N: 3}},
		{rated(), transcript.BallotSpec{Kind: transcript.Rate, N: 3, Min: 1, Max: 5}},
		{ratedFrom(0, 9, true), transcript.BallotSpec{Kind: transcript.Rate, N: 3, Max: 9, Partial: true}},
		{ranked(), transcript.BallotSpec{Kind: transcript.Rank, N: 3}},
		{rankedPartial(), transcript.BallotSpec{Kind: transcript.Rank, N: 3, Partial: true}},
		{cumulative(), transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 3}},
		{cumulativeOf(decision.PerAgent), transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 4}},
		{cumulativeOf(25), transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 25}},
		{made(decision.NewCumulative(decision.DefaultCumulative25())), transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 25, Partial: true}},
		{approval(), transcript.BallotSpec{Kind: transcript.Approve, N: 3}},
		{borda(decision.BordaParams{}), transcript.BallotSpec{Kind: transcript.Rank, N: 3}},
		{agreement(decision.MajorityConsensus()), transcript.BallotSpec{Kind: transcript.Choose, N: 3}},
	} {
		if got := x.rule.Ballot(3, 4); got != x.want {
			t.Errorf("%T: %+v, want %+v", x.rule, got, x.want)
		}
	}
}

// What agents are told is what is counted.
func TestWordsNameTheNumbers(t *testing.T) {
	for _, x := range []struct {
		rule decision.Rule
		want string
	}{
		{unanimous(), "every single agent"},
		{majority(), "more than half of all agents"},
		{ratedFrom(2, 9, false), "from 2 (worst) to 9 (best)"},
		{ratedFrom(1, 5, true), "does not rate gets nothing"},
		{ranked(), "the second 1/2"},
		{rankedPartial(), "leaves out get no points"},
		{cumulative(), "as many points as there are candidates"},
		{cumulativeOf(decision.PerAgent), "as many points as there are agents"},
		{cumulativeOf(25), "25 points"},
		{borda(decision.DefaultBorda5()), "Only the first 5 places"},
		{agreement(decision.MajorityConsensus()), "as more than 1/2 of all agents agree with it;"},
		{agreement(decision.SupermajorityConsensus()), "as at least 2/3 of all agents agree with it;"},
		{agreement(decision.UnanimityConsensus()), "as all agents agree with it;"},
		{agreement(decision.AgreementParams{Share: decision.MajorityConsensus().Share, Agents: 1}), "; in groups of up to 1 all must"},
		{agreement(decision.HybridConsensus()), "at least 3/4 of all agents agree; before round 5 all must; in groups of up to 3 all must"},
	} {
		if got := x.rule.Words().Explanation; !strings.Contains(got, x.want) {
			t.Errorf("%T: %q does not say %q", x.rule, got, x.want)
		}
	}
	for want, rule := range map[string]decision.Rule{"exactly 25 points": cumulativeOf(25), "at most 25 points": made(decision.NewCumulative(decision.DefaultCumulative25()))} {
		if got := rule.Words().Ballot; !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}
