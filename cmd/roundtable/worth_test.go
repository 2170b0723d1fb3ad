package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/study"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
)

// worthQuestions is how many questions the campaign of TestWorthIsRecovered has.
const worthQuestions = 60

// runWorth runs debates of one round whose agents take the right answer with a planted
// insight: of accuracy 0.6, each point of drift takes an insight of 1/40.
func runWorth(t *testing.T, replicates int) campaign.Campaign {
	t.Helper()
	dir := t.TempDir()
	var questions strings.Builder
	questions.WriteString("id,question,answer\n")
	for i := range worthQuestions {
		fmt.Fprintf(&questions, "q%d,Is statement %d true?,%s\n", i, i, []string{"yes", "no"}[i%2])
	}
	save(t, dir, "questions.csv", questions.String())
	save(t, dir, "worth.yaml", fmt.Sprintf(`name: worth
seed: 3
replicates: %d
data: .
env: {name: qa, format: csv, file: questions.csv, kind: yesno, agents: 5}
protocol: {name: debate, rounds: 1}
rule: plurality
grid:
  model:
    - {name: scripted/answerer, policy: {accuracy: 0.6, conformity: 0.6}}
    - {name: scripted/answerer, policy: {accuracy: 0.6, conformity: 0.6, insight: 0.075}}
    - {name: scripted/answerer, policy: {accuracy: 0.6, conformity: 0.6, insight: 0.25}}
`, replicates))
	output(t, dir, "run", "worth.yaml")
	output(t, dir, "verify", "worth")
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	c, err := analyze.ReadCampaign(t.Context(), s, "worth", campaign.Kept{})
	noError(t, err)
	return c
}

// worthRow returns the row of a table about the condition with this insight, of some replicates.
func worthRow(t *testing.T, c campaign.Campaign, name, insight string, from, to int32) map[string]table.Cell {
	t.Helper()
	c.Planned, c.Runs = nil, slices.DeleteFunc(slices.Clone(c.Runs), func(r campaign.Run) bool {
		return r.Replicate < from || r.Replicate >= to || campaign.Flatten([]byte(r.SettingsJSON))["model.policy.insight"] != insight
	})
	got, err := study.Make(c, name)
	if err != nil || len(got.Rows) != 1 {
		t.Fatalf("table %s of insight %q: %d rows, %v", name, insight, len(got.Rows), err)
	}
	return analysistest.ByColumn(got, got.Rows[0])
}

// What is planted in scripted agents is found in what they left: no drift, three points
// and ten; votes without a correlation, right as often as Condorcet promises.
func TestWorthIsRecovered(t *testing.T) {
	if !*statedLimits {
		t.Skip("the tables' own tests plant the same; -limits")
	}
	t.Parallel()
	const replicates = 160
	c := runWorth(t, replicates)
	for insight, points := range map[string]float64{"": 0, "0.075": 3, "0.25": 10} {
		row := worthRow(t, c, "worth-drift", insight, 0, replicates)
		if low, high := row["drift low"].Value, row["drift high"].Value; low == nil || *low > points || *high < points {
			t.Errorf("planted are %v points of drift, found %v, from %v to %v", points, row["drift"], row["drift low"], row["drift high"])
		}
		if p := row["drift p"].Value; points == 10 && *p > 1e-6 {
			t.Errorf("ten points of drift have p %v", *p)
		}
		if p := row["herding p"].Value; points == 0 && *p < .001 {
			t.Errorf("agents who imitate each other move away from, or towards, what most hold: %v, p %v", row["herding"], *p)
		}
		votes := worthRow(t, c, "worth-votes", insight, 0, replicates)
		if rho := *votes["correlation"].Value; math.Abs(rho) > .06 {
			t.Errorf("independent votes correlate by %v", rho)
		}
		promised, majority := *votes["Condorcet, %"].Value, votes["first majority, %"]
		if math.Abs(promised-*majority.Value) > 4**majority.SE || *votes["votes"].Value != 5 {
			t.Errorf("Condorcet promises %v, the first majority is right in %v; %v votes", promised, majority, votes["votes"])
		}
	}
	if rejected := worthRejections(t, c, "", 1, replicates); math.Abs(rejected-.05) > 4*math.Sqrt(.05*.95/float64(replicates)) {
		t.Errorf("without drift %.3f of the campaigns say that there is one", rejected)
	}
	if found := worthRejections(t, c, "0.25", 1, replicates); found < .8 {
		t.Errorf("ten points of drift are found in %.2f of campaigns of %d debates", found, worthQuestions)
	}
	if found := worthRejections(t, c, "0.075", 10, replicates); found < .8 {
		t.Errorf("three points of drift are found in %.2f of campaigns of %d debates", found, 10*worthQuestions)
	}
}

// worthRejections takes each so many replicates for a campaign, and returns the share of
// these in which the test of no drift rejects.
func worthRejections(t *testing.T, c campaign.Campaign, insight string, each, replicates int32) float64 {
	t.Helper()
	rejected, campaigns := 0., 0.
	for from := int32(0); from+each <= replicates; from += each {
		campaigns++
		if p := worthRow(t, c, "worth-drift", insight, from, from+each)["drift p"].Value; p != nil && *p < .05 {
			rejected++
		}
	}
	return rejected / campaigns
}
