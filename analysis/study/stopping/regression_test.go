package stopping

import (
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/referencetest"
)

// The table has the figures of the reference, by pair.
func TestRegressionReference(t *testing.T) {
	for _, kind := range []string{"exchange", "recsys"} {
		runs, _ := analysistest.Reference(t, kind)
		var want struct {
			OLS struct {
				Names []string
				Beta  []float64
				SE, P []float64
				SECR1 []float64 `json:"se_cr1"`
			} `json:"ols_all"`
		}
		referencetest.Read(t, "dialogue_acts_"+kind+"_expected.json", &want)
		table, ok := Regression(analysistest.OfTrajectories(kind, map[string][]acts.Trajectory{"majority": runs}))
		if !ok || len(table.Rows) != len(want.OLS.Names)-1 {
			t.Fatalf("%s: %d rows, want %d", kind, len(table.Rows), len(want.OLS.Names)-1)
		}
		for j, name := range want.OLS.Names[1:] {
			got := analysistest.Row(t, table, name)
			analysistest.Near(t, name, got["coefficient"].Value, want.OLS.Beta[j+1])
			analysistest.Near(t, name+" SE", got["coefficient"].SE, want.OLS.SE[j+1])
			analysistest.Near(t, name+" p", got["p"].Value, want.OLS.P[j+1])
			analysistest.Near(t, name+" clustered SE", got["clustered SE"].Value, want.OLS.SECR1[j+1])
		}
	}
}

// Replicates of an instance share a cluster; where there is one instance, each is its own.
func TestRegressionGoesByInstance(t *testing.T) {
	errors := func(replicates int) (found []float64) {
		runs := analysistest.Script{Runs: 80, Rounds: 8, Agents: 3, Seed: 4, Own: 0.1, Noise: 0.1}.Make()
		for i := range runs {
			runs[i].Instance = i / replicates
		}
		table, _ := Regression(analysistest.OfTrajectories("recsys", map[string][]acts.Trajectory{"majority": runs}))
		for _, cells := range table.Rows {
			if se := analysistest.ByColumn(table, cells)["clustered SE"].Value; se != nil {
				found = append(found, *se)
			}
		}
		return found
	}
	each, pairs, one := errors(1), errors(20), errors(80)
	if len(each) == 0 || !slices.Equal(each, one) || slices.Equal(each, pairs) {
		t.Errorf("clustered SE by 80 instances %v, by 4 %v, by the replicates of one %v", each, pairs, one)
	}
}

// Where score rises with the rounds and with one pair, the table claims that
// pair alone, and warns of the rise.
func TestRegressionClaimsWhatWasPlanted(t *testing.T) {
	const accepts = acts.Pair(5*11 + 8) // Propose->Accept
	c := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{
		"majority": analysistest.Script{Runs: 80, Rounds: 8, Agents: 3, Seed: 4, Pair: accepts, Effect: 0.2, Trend: 0.02, Own: 0.1, Noise: 0.1}.Make(),
	})
	table, _ := Regression(c)
	for _, cells := range table.Rows {
		got := analysistest.ByColumn(table, cells)
		if claimed := got["BH"].Value != nil && *got["BH"].Value < 0.05; claimed != (got["pair"].Text == accepts.String()) {
			t.Errorf("%s has p %v, after Benjamini and Hochberg %v", got["pair"], got["permutation p"], got["BH"])
		}
	}
	if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "a round (n = 80") || !strings.Contains(notes, "560 rows") {
		t.Errorf("the notes are\n%s", notes)
	}
	if at := func(name string) int { return slices.Index(table.Columns, name) }; at("coefficient") != at("permutation p")-1 || at("permutation p") > at("clustered p") || at("clustered p") > at("p") {
		t.Errorf("the p-value that claims rest on is not the first of %q", table.Columns)
	}
	top, _ := RegressionTop(c)
	if len(top.Rows) != 10 || analysistest.ByColumn(top, top.Rows[0])["pair"].Text != accepts.String() || !strings.Contains(strings.Join(top.Notes, "\n"), "shown are the 10") {
		t.Errorf("of the top there are %d rows", len(top.Rows))
	}
}

// What cannot be fitted is explained, condition by condition.
func TestRegressionExplains(t *testing.T) {
	unlabelled := analysistest.Script{Runs: 6, Rounds: 5, Agents: 3, Noise: 0.1}.Make()
	for _, run := range unlabelled {
		for i := range run.Rounds {
			run.Rounds[i].Acts = nil
		}
	}
	c := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{
		"constant": analysistest.Script{Runs: 6, Rounds: 5, Agents: 3}.Make(),
		"mute":     unlabelled,
		"one":      analysistest.Script{Runs: 1, Rounds: 12, Agents: 3, Noise: 0.1}.Make(),
	})
	table, ok := Regression(c)
	if !ok {
		t.Fatal("no table")
	}
	notes := strings.Join(table.Notes, "\n")
	for _, says := range []string{
		"constant-1, the outcome is the same in all 24 rows", "mute-1, 6 of 6 collaborations have rounds without dialogue acts; label them first",
		"one-1: No permutation p-values: no two instances", "one-1: clustered standard errors need at least 2 clusters; there is 1",
	} {
		if !strings.Contains(notes, says) {
			t.Errorf("no %q in\n%s", says, notes)
		}
	}
	if text := table.Text(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf)") {
		t.Errorf("the table has figures that are none:\n%s", text)
	}
	if _, ok := Regression((campaign.Campaign{Name: "empty"})); ok {
		t.Error("a campaign of nothing has a regression")
	}
}
