package regression_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/referencetest"
	"roundtable/analysis/regression"
)

type actsExpected struct {
	Folds []int
	OLS   struct {
		Columns, Names []string
		Collapsed      map[string]any
		N, Rank, DOF   int
		RSS            float64
		Beta, SE, T, P []float64
		Estimable      []bool
		SECR1          []float64 `json:"se_cr1"`
		PCR1           []float64 `json:"p_cr1"`
		Clusters       int
	} `json:"ols_all"`
}

// statsmodels and an independent pipeline in Python fit the same 50 collaborations.
func TestActsReference(t *testing.T) {
	for _, kind := range []string{"exchange", "recsys"} {
		t.Run(kind, func(t *testing.T) {
			runs, _ := analysistest.Reference(t, kind)
			var expected actsExpected
			referencetest.Read(t, "dialogue_acts_"+kind+"_expected.json", &expected)
			want := expected.OLS
			got, err := regression.RegressActs(runs, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			p, err := regression.NewPairs(runs)
			if err != nil {
				t.Fatal(err)
			}
			quick, columns, err := p.Fit(every(len(runs)))
			if err != nil {
				t.Fatal(err)
			}
			if len(columns) != len(want.Columns) || len(got.Effects) != len(want.Columns) {
				t.Fatalf("%d and %d columns, want %d", len(columns), len(got.Effects), len(want.Columns))
			}
			for name, f := range map[string]regression.Fit{"by X": got.Fit, "by X'X": quick} {
				if f.N != want.N || f.Rank != want.Rank || f.DOF != want.DOF || !near(f.RSS, want.RSS) {
					t.Errorf("%s: n %d rank %d dof %d rss %v, want %d %d %d %v", name, f.N, f.Rank, f.DOF, f.RSS, want.N, want.Rank, want.DOF, want.RSS)
				}
				for j, term := range f.Terms {
					if term.Name != want.Names[j] || term.Estimable != want.Estimable[j] || !near(term.Beta, want.Beta[j]) {
						t.Fatalf("%s: %+v, want %s %v", name, term, want.Names[j], want.Beta[j])
					}
					if !near(term.Test.SE, want.SE[j]) || !near(term.Test.T, want.T[j]) || !near(term.Test.P, want.P[j]) {
						t.Errorf("%s: %s %+v, want %v %v %v", name, term.Name, *term.Test, want.SE[j], want.T[j], want.P[j])
					}
				}
			}
			for j, e := range got.Effects {
				if c := e.Clustered; !near(c.SE, want.SECR1[j+1]) || !near(c.P, want.PCR1[j+1]) {
					t.Errorf("CR1 of %s: %+v, want %v %v", e.Name, *c, want.SECR1[j+1], want.PCR1[j+1])
				}
			}
		})
	}
}

func every(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// talk is a trajectory by hand: one word a message, messages of a round by agent.
func talk(t *testing.T, score []float64, rounds ...[]string) acts.Trajectory {
	t.Helper()
	run := acts.Trajectory{ID: fmt.Sprint(score)}
	for i, messages := range rounds {
		round := acts.Round{Score: &score[i]}
		for _, m := range messages {
			set, ok := acts.Of(strings.Fields(m)...)
			if !ok {
				t.Fatalf("%s are not dialogue acts", m)
			}
			round.Acts = append(round.Acts, set)
		}
		run.Rounds = append(run.Rounds, round)
	}
	return run
}

// Request and Confirm always come together after Inform, so they share a coefficient.
func TestPairsThatCannotBeTold(t *testing.T) {
	var runs []acts.Trajectory
	for i := range 12 {
		second := []string{"Request Confirm", "Request Confirm"}
		if i%2 == 0 {
			second = []string{"Propose", "Propose"}
		}
		runs = append(runs, talk(t, []float64{0, float64(i % 4), float64(i % 3)}, []string{"Inform", "Inform"}, second, []string{"Accept", "Accept"}))
	}
	got, err := regression.RegressActs(runs, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Effects) == 0 {
		t.Fatal("nothing is fitted")
	}
	for _, e := range got.Effects {
		if strings.HasPrefix(e.Name, "Inform->Request") && !slices.Contains(e.Same, "Inform->Confirm") {
			t.Errorf("%s: the same as %v", e.Name, e.Same)
		}
	}
	if !slices.Contains(got.Dropped, "Defend->Decline") {
		t.Errorf("dropped: %v", got.Dropped)
	}
}

func TestActsThatCannotBeRegressed(t *testing.T) {
	good := analysistest.Script{Runs: 6, Rounds: 5, Agents: 3, Noise: 0.1}.Make()
	unlabelled := slices.Clone(good)
	unlabelled[2].Rounds = slices.Clone(unlabelled[2].Rounds)
	unlabelled[2].Rounds[3].Acts = nil
	silent := analysistest.Script{Runs: 6, Rounds: 5, Agents: 3, Noise: 0.1}.Make()
	for _, run := range silent {
		for i := range run.Rounds {
			run.Rounds[i].Score = nil
		}
	}
	for _, c := range []struct {
		what string
		runs []acts.Trajectory
		says string
	}{
		{"no labels in one", unlabelled, "1 of 6 collaborations have rounds without dialogue acts"},
		{"no score", silent, "none of the 6 collaborations has a score"},
		{"nobody", nil, "none of the 0"},
		{"score never changes", analysistest.Script{Runs: 6, Rounds: 5, Agents: 3}.Make(), "the same in all 24 rows"},
		{"one collaboration of two rounds", analysistest.Script{Runs: 1, Rounds: 2, Agents: 3, Noise: 1}.Make(), "no pair of dialogue acts is in at least 5 of 1 rounds"},
	} {
		if _, err := regression.RegressActs(c.runs, 0, 0); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
}
