package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/providers"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

const planted = `
name: planted
replicates: 60
env: exchange
protocol: {name: roundtable, rounds: 8}
model: scripted/trader
grid: {rule: [majority, ranked]}
`

// accepts is Propose->Accept.
const accepts = acts.Pair(5*11 + 8)

// plantRows commits scripted collaborations of one condition, with their labels.
// Before the round agreed, nothing is selected.
func plantRows(t *testing.T, s store.Store, p campaign.Plan, condition int, runs []acts.Trajectory, agreed int) {
	t.Helper()
	c := p.Campaign.Conditions[condition]
	settings, err := json.Marshal(c)
	noError(t, err)
	for i, run := range runs {
		key := record.Key{
			SchemaVersion: record.SchemaVersion, CampaignID: "planted", ConditionID: c.ID(),
			CollaborationID: p.Campaign.CollaborationID(plan.Cell{Condition: condition, Replicate: i}),
		}
		rows := record.Rows{Collaborations: []record.Collaboration{{
			Key: key, Status: "succeeded", Environment: "exchange", Measure: record.Share, Replicate: int32(i), Rule: c.Rule.Name, Model: c.Model.Name, Simulated: true, Agents: 3,
			RoundsPlanned: int32(len(run.Rounds)), RoundsRun: int32(len(run.Rounds)), EndReason: "rounds", Score: run.Rounds[len(run.Rounds)-1].Score, SettingsJSON: string(settings), CostUSD: ptr(0.),
		}}}
		var labels []record.Label
		for r, round := range run.Rounds {
			rows.Rounds = append(rows.Rounds, record.Round{Key: key, Round: int32(r + 1), Voted: true, Passed: r+1 >= agreed, NewProposals: 1, Score: round.Score})
			for agent, shown := range round.Acts {
				text, entry := fmt.Sprint("message ", r, agent), int32(len(rows.Turns))
				rows.Turns = append(rows.Turns, record.Turn{
					Key: key, Entry: entry, Round: int32(r + 1), Phase: "message", Kind: "ask", Agent: ptr(int32(agent)), Format: "message", Status: "said", Asks: 1, SeesJSON: "[]", Text: &text,
				})
				l := record.Label{Key: key, Labeller: "planter", Entry: entry, Round: int32(r + 1), Agent: int32(agent), Status: record.Labelled, Simulated: true}
				l.Show(shown.Names()...)
				labels = append(labels, l)
			}
		}
		m, err := commits.Commit(t.Context(), s, rows)
		if err == nil {
			_, err = commits.CommitAnnotations(t.Context(), s, lake.Marker{Campaign: m.Campaign, Condition: m.Condition, Collaboration: m.Collaboration, By: "planter", Status: "succeeded"}, labels)
		}
		noError(t, err)
	}
}

// plant makes a lake of two conditions of scripted trajectories, and returns
// the folder that it is in.
func plant(t *testing.T, majority, ranked analysistest.Script, agreed [2]int) string {
	t.Helper()
	dir := t.TempDir()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	file, err := campaignfile.Parse([]byte(planted), campaignfile.Host{Catalogue: catalogue.Builtin()})
	noError(t, err)
	p, err := planning.Recordable(catalogue.Builtin(), file, providers.FileFolder{}, nil)
	noError(t, err)
	if err := planning.RecordPlan(t.Context(), s, p, campaign.Manifest{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision()}); err != nil {
		t.Fatal(err)
	}
	plantRows(t, s, p, 0, majority.Make(), agreed[0])
	plantRows(t, s, p, 1, ranked.Make(), agreed[1])
	return dir
}

// cell is the number in a column of the only row that has the given texts; nil if it is empty.
func (a analysed) cell(t *testing.T, column string, texts ...string) *float64 {
	t.Helper()
	var found []map[string]json.RawMessage
next:
	for _, row := range a.Tables[0].Rows {
		for _, text := range texts {
			if !slices.ContainsFunc(slices.Collect(maps.Values(row)), func(cell json.RawMessage) bool {
				var word string
				return json.Unmarshal(cell, &word) == nil && word == text
			}) {
				continue next
			}
		}
		found = append(found, row)
	}
	if len(found) != 1 {
		t.Fatalf("%d rows of %q", len(found), texts)
	}
	return number(t, found[0][column])
}

// effect is a row of a regression.
type effect struct {
	Pair        string
	Coefficient struct{ Value float64 }
	T           float64
	P           *float64 `json:"permutation p"`
	BH          *float64
}

// effects are the rows of a regression whose column has a text.
func (a analysed) effects(t *testing.T, column, text string) (list []effect) {
	t.Helper()
	for _, row := range a.Tables[0].Rows {
		var of string
		var e effect
		data, err := json.Marshal(row)
		noError(t, errors.Join(err, json.Unmarshal(data, &e), json.Unmarshal(row[column], &of)))
		if of == text {
			list = append(list, e)
		}
	}
	return list
}

// claims are the pairs of them that are claimed.
func (a analysed) claims(t *testing.T, column, text string) (pairs []string, tested int) {
	t.Helper()
	for _, e := range a.effects(t, column, text) {
		if e.BH != nil {
			if tested++; *e.BH < 0.05 {
				pairs = append(pairs, e.Pair)
			}
		}
	}
	return pairs, tested
}

// What is planted in the rows of a lake is found by the commands: a pair of acts
// that raises score, a rule that agrees sooner, a round at which score
// peaks, and by how much one rule is better in the end.
func TestPlantedEffectsAreFound(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	steady := analysistest.Script{Runs: 60, Rounds: 8, Agents: 3, Seed: 4, Pair: accepts, Effect: 0.2, Own: 0.05, Noise: 0.1}
	peaking := analysistest.Script{Runs: 60, Rounds: 8, Agents: 3, Seed: 5, Peak: 3, Own: 0.05, Noise: 0.01}
	dir := plant(t, steady, peaking, [2]int{5, 2})

	regression := analyse(t, dir, "planted", "regression")
	if claims, tested := regression.claims(t, "rule", "majority"); !slices.Equal(claims, []string{accepts.String()}) || tested < 50 {
		t.Errorf("of %d pairs %q are claimed, planted was %s", tested, claims, accepts)
	}
	if claims, tested := regression.claims(t, "rule", "ranked"); len(claims) > 0 || tested < 50 {
		t.Errorf("of %d pairs %q are claimed, planted was none", tested, claims)
	}
	if beta := regression.cell(t, "coefficient", "majority", accepts.String()); math.Abs(*beta-0.2) > 0.05 {
		t.Errorf("the pair is worth %v, planted were 0.2", *beta)
	}
	eleven := analyse(t, dir, "planted", "stopping-times")
	for _, x := range []struct {
		rule, method string
		round        float64
	}{{"majority", "First Agreement", 5}, {"ranked", "First Agreement", 2}, {"ranked", "Fixed Best Round", 3}, {"ranked", "Validation Checkpoint", 3}} {
		if got := eleven.cell(t, x.method, "last round of all", x.rule); *got != x.round {
			t.Errorf("%s of %s is %v, planted was %v", x.method, x.rule, *got, x.round)
		}
	}
	// In the last round the peak has cost 0.25, and the pair has brought up to 0.2.
	compared := analyse(t, dir, "planted", "comparisons")
	if p, difference := compared.cell(t, "p Holm", "majority", "ranked"), compared.cell(t, "A - B", "majority", "ranked"); *p > 0.01 || *difference < 0.25 || *difference > 0.45 {
		t.Errorf("majority is better by %v (p %v)", *difference, *p)
	}
}

// Where nothing is planted, nothing is claimed.
func TestNothingPlantedIsFound(t *testing.T) {
	if !*long {
		t.Skip("studies test their levels; -long")
	}
	t.Parallel()
	null := analysistest.Script{Runs: 60, Rounds: 8, Agents: 3, Seed: 11, Trend: 0.02, Drift: 0.02, Own: 0.05, Noise: 0.1}
	other := null
	other.Seed = 12
	dir := plant(t, null, other, [2]int{2, 2})
	regression := analyse(t, dir, "planted", "regression")
	for _, rule := range []string{"majority", "ranked"} {
		if claims, tested := regression.claims(t, "rule", rule); len(claims) > 0 || tested < 50 {
			t.Errorf("of %d pairs %q are claimed for %s", tested, claims, rule)
		}
	}
	if p := analyse(t, dir, "planted", "comparisons").cell(t, "p Holm", "majority", "ranked"); *p < 0.05 {
		t.Errorf("two equal rules differ with p %v", *p)
	}
}
