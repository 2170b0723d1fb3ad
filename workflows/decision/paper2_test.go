package decision_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// The ballots that paper 2 prints (appendix G), candidates by agent; G.1's ones
// distribute 10 points, as the code of the authors has it.
func TestPrintedBallots(t *testing.T) {
	ten := made(decision.NewCumulative(decision.CumulativeParams{Points: 10}))
	for name, x := range map[string]struct {
		rule    decision.Rule
		ballots []transcript.Ballot
		scores  []string
		winners []int
	}{
		"G.1 simple":                   {plurality(), []transcript.Ballot{choose(2), choose(2), choose(2)}, []string{"0", "0", "3"}, []int{2}},
		"G.1 approval":                 {approval(), []transcript.Ballot{order(0, 2), order(2), order(2)}, []string{"1", "0", "3"}, []int{2}},
		"G.1 cumulative":               {ten, []transcript.Ballot{give(0, 9, 1), give(2, 4, 4), give(1, 2, 7)}, []string{"3", "15", "12"}, []int{1}},
		"G.1 ranked":                   {borda(decision.BordaParams{}), of(3, order(0, 1, 2)), []string{"9", "6", "3"}, []int{0}},
		"G.1 borda5":                   {borda(decision.DefaultBorda5()), of(3, order(0, 1, 2)), []string{"9", "6", "3"}, []int{0}},
		"G.2 simple":                   {plurality(), of(3, choose(1)), []string{"0", "3", "0"}, []int{1}},
		"G.3 simple":                   {plurality(), of(3, choose(0)), []string{"3", "0", "0"}, []int{0}},
		"all approve all, a tie (A.2)": {approval(), of(3, order(0, 1, 2)), []string{"3", "3", "3"}, []int{0, 1, 2}},
	} {
		checkBallots(t, name, x.rule, 3, x.ballots)
		got := x.rule.Tally(decision.Profile{Candidates: 3, Electorate: 3, Ballots: x.ballots})
		var scores []string
		for _, s := range got.Scores {
			scores = append(scores, s.RatString())
		}
		if !slices.Equal(scores, x.scores) || !slices.Equal(got.Winners, x.winners) {
			t.Errorf("%s: %v, winners %v; want %v, %v", name, scores, got.Winners, x.scores, x.winners)
		}
	}
}

func checkBallots(t *testing.T, name string, r decision.Rule, n int, ballots []transcript.Ballot) {
	t.Helper()
	for _, b := range ballots {
		if err := r.Ballot(n, n).Validate(b); err != nil {
			t.Errorf("%s: %+v: %v", name, b, err)
		}
	}
}

// Rankings that stop early: who is left out comes after all others. With five
// places, the sixth of seven gets nothing, as in the code of the authors:
// min(5, n) less the rank.
func TestTruncatedRankings(t *testing.T) {
	for name, x := range map[string]struct {
		rule    decision.Rule
		n       int
		ballots []transcript.Ballot
		scores  []string
		winners []int
	}{
		"one of three named":      {borda(decision.BordaParams{Partial: true}), 3, []transcript.Ballot{order(1), order(0, 1)}, []string{"3", "5", "0"}, []int{1}},
		"places of a tie":         {borda(decision.BordaParams{Partial: true}), 2, []transcript.Ballot{order(0, 1), order(1, 0)}, []string{"3", "3"}, []int{0, 1}},
		"nobody ranks anything":   {borda(decision.BordaParams{Partial: true}), 2, of(2, order()), []string{"0", "0"}, nil},
		"five of seven count":     {borda(decision.DefaultBorda5()), 7, []transcript.Ballot{order(6, 5, 4, 3, 2, 1)}, []string{"0", "0", "1", "2", "3", "4", "5"}, []int{6}},
		"two of three, borda5":    {borda(decision.DefaultBorda5()), 3, []transcript.Ballot{order(2, 0)}, []string{"2", "0", "3"}, []int{2}},
		"all of seven, the paper": {borda(decision.BordaParams{}), 7, []transcript.Ballot{order(6, 5, 4, 3, 2, 1, 0)}, []string{"1", "2", "3", "4", "5", "6", "7"}, []int{6}},
	} {
		checkBallots(t, name, x.rule, x.n, x.ballots)
		got := x.rule.Tally(decision.Profile{Candidates: x.n, Electorate: 3, Ballots: x.ballots})
		var scores []string
		for _, s := range got.Scores {
			scores = append(scores, s.RatString())
		}
		if !slices.Equal(scores, x.scores) || !slices.Equal(got.Winners, x.winners) {
			t.Errorf("%s: %v, winners %v; want %v, %v", name, scores, got.Winners, x.scores, x.winners)
		}
	}
}

// The exact thresholds: the least number of agents that agree, by the size of
// the group. Two of three are more than half, and not more than two thirds.
func TestAgreementThresholds(t *testing.T) {
	inclusive := func(share string) decision.Rule {
		var p decision.AgreementParams
		if err := json.Unmarshal([]byte(`{"share": "`+share+`", "inclusive": true}`), &p); err != nil {
			t.Fatal(err)
		}
		return agreement(p)
	}
	for name, x := range map[string]struct {
		rule  decision.Rule
		round int
		least []int // of 1, 2, … agents
	}{
		"majority":                  {agreement(decision.MajorityConsensus()), 1, []int{1, 2, 2, 3, 3, 4}},
		"supermajority":             {agreement(decision.SupermajorityConsensus()), 1, []int{1, 2, 2, 3, 4, 4}},
		"more than two thirds":      {agreement(decision.AgreementParams{Share: decision.SupermajorityConsensus().Share}), 1, []int{1, 2, 3, 3, 4, 5}},
		"unanimity":                 {agreement(decision.UnanimityConsensus()), 1, []int{1, 2, 3, 4, 5, 6}},
		"hybrid in round 4":         {agreement(decision.HybridConsensus()), 4, []int{1, 2, 3, 4, 5, 6}},
		"hybrid in round 5":         {agreement(decision.HybridConsensus()), 5, []int{1, 2, 3, 3, 4, 5}},
		"50 % of the authors' code": {inclusive("1/2"), 1, []int{1, 1, 2, 2, 3, 3}},
		"66 % of the authors' code": {inclusive("0.66"), 1, []int{1, 2, 2, 3, 4, 4}},
	} {
		for i, least := range x.least {
			for agree := range i + 2 {
				p := decision.Profile{Candidates: 1, Electorate: i + 1, Round: x.round, Ballots: of(agree, choose(0))}
				if got := len(x.rule.Tally(p).Winners) == 1; got != (agree >= least) {
					t.Errorf("%s: %d of %d agree: %v", name, agree, i+1, got)
				}
			}
		}
	}
}

func TestAgreementFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"share": "3/2"}`: "share is 3/2", `{"share": 0}`: "share is 0", `{"share": "1"}`: "inclusive: true", `{"share": "most"}`: "a fraction, as 2/3",
		`{"share": "1e-999999"}`: "share is \"1e-999999\"; expected a fraction", `{"share": "1e999999"}`: "share is \"1e999999\"; expected a fraction",
		`{"share": "1/2", "round": -1}`: "round is -1", `{}`: "share is",
	} {
		var p decision.AgreementParams
		err := json.Unmarshal([]byte(text), &p)
		if err == nil {
			_, err = decision.NewAgreement(p)
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := decision.NewBorda(decision.BordaParams{Top: -1}); err == nil || !strings.Contains(err.Error(), "top is -1") {
		t.Errorf("%v", err)
	}
	if data, err := json.Marshal(decision.SupermajorityConsensus()); err != nil || !strings.Contains(string(data), `"share":"2/3"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// Up to 25 points can be given; one more is one too many.
func TestUpTo25Points(t *testing.T) {
	form := made(decision.NewCumulative(decision.DefaultCumulative25())).Ballot(3, 3)
	for _, b := range []transcript.Ballot{give(25, 0, 0), give(0, 0, 0), give(8, 8, 8)} {
		if err := form.Validate(b); err != nil {
			t.Error(err)
		}
	}
	if err := form.Validate(give(25, 1, 0)); err == nil || !strings.Contains(err.Error(), "there are 25 to give") {
		t.Errorf("26 points: %v", err)
	}
}
