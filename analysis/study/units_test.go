package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/debate"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
)

// asked4 is four questions, each in five replicates that say the same, under one order.
func asked4(order string, right ...bool) []campaign.Run {
	var runs []campaign.Run
	for i, yes := range right {
		for replicate := range 5 {
			settings := fmt.Sprintf(`{"env":{"name":"qa"},"protocol":{"name":"debate","params":{"order":%q}},"rule":{"name":"majority"}}`, order)
			row := record.Collaboration{
				Key: record.Key{ConditionID: "majority-" + order, CollaborationID: fmt.Sprint(order, i, replicate)}, Status: record.Succeeded, Environment: "qa", Measure: record.Share, Rule: "majority", Protocol: "debate",
				InstanceID: fmt.Sprint("q", i), Instance: int32(i), Replicate: int32(replicate), Agents: 3, RoundsPlanned: 1, SettingsJSON: settings,
			}
			if yes { // the others come to no decision
				row.Score, row.DecisionJSON, row.Utilities = new(1.), new(`"A"`), []float64{1, 1, 1}
			}
			runs = append(runs, NewRun(row, []record.Round{{Round: 1, Score: row.Score, DecisionKey: row.DecisionJSON}}, nil))
		}
	}
	return runs
}

// Replicates of one question are one pair, and what is undecided has the same
// outcome in every table.
func TestReplicatesOfAQuestionAreOnePair(t *testing.T) {
	c := campaign.Campaign{Runs: slices.Concat(asked4("fixed", true, true, true, false), asked4("random", true, false, false, false))}
	table, ok := overview.Comparisons(c)
	if !ok || len(table.Rows) != 1 {
		t.Fatalf("%d comparisons", len(table.Rows))
	}
	m := analysistest.ByColumn(table, table.Rows[0])
	analysistest.Near(t, "n", m["n"].Value, 4)
	analysistest.Near(t, "difference", m["A - B"].Value, .5)
	analysistest.Near(t, "p of signs", m["p sign flip"].Value, .5) // of four differences two are 0: 2 of the 4 signs of the others
	if m["A"].Text != "order fixed" || m["B"].Text != "order random" {
		t.Errorf("the conditions are called %q and %q", m["A"].Text, m["B"].Text)
	}
	if notes := strings.Join(table.Notes, "\n"); strings.Contains(notes, "utility") {
		t.Errorf("questions have a utility: %q", notes)
	}
	scores, _ := overview.ByCondition(c)
	fixed := analysistest.Row(t, scores, "fixed")
	analysistest.Near(t, "outcome", fixed["outcome"].Value, .75)
	analysistest.Near(t, "standard error over four questions", fixed["outcome"].SE, .25)
	analysistest.Near(t, "of decided", fixed["of decided"].Value, 1)
	analysistest.Near(t, "decided", fixed["decided, %"].Value, 75)
	rounds, _ := overview.Rounds(c)
	rounds.Rows = rounds.Rows[2:]
	analysistest.Near(t, "rounds", analysistest.Row(t, rounds, "fixed")["@1"].Value, .75)
	strategies, _ := debate.Strategies(c)
	analysistest.Near(t, "4.1", analysistest.Row(t, strategies, "MAD")["qa"].Value, 75)
	instances, _ := overview.ByInstance(c)
	analysistest.Near(t, "question 3", instances.Rows[3][2].Value, 0)

	one := campaign.Campaign{Runs: slices.Concat(asked4("fixed", true), asked4("random", false))}
	table, _ = overview.Comparisons(one)
	analysistest.Near(t, "pairs of the only question", analysistest.ByColumn(table, table.Rows[0])["n"].Value, 5)
}

// An instance where one condition did not decide in some replicate is compared
// over the replicates in which both did: of errors 1 and 9 against 2 and nothing
// the difference is 1, not -3.
func TestPairsAreOfTheSameReplicates(t *testing.T) {
	var runs []campaign.Run
	for _, x := range []struct {
		rule                string
		instance, replicate int
		score               *float64
	}{
		{"majority", 0, 0, new(-1.)}, {"majority", 0, 1, new(-9.)}, {"majority", 1, 0, new(-1.)}, {"majority", 1, 1, new(-2.)},
		{"ranked", 0, 0, new(-2.)}, {"ranked", 0, 1, nil}, {"ranked", 1, 0, new(-3.)}, {"ranked", 1, 1, new(-4.)},
		{"rated", 0, 0, nil}, {"rated", 0, 1, new(-5.)}, {"rated", 1, 0, nil}, {"rated", 1, 1, nil},
	} {
		row := record.Collaboration{
			Key: record.Key{ConditionID: x.rule, CollaborationID: fmt.Sprint(x.rule, x.instance, x.replicate)}, Status: record.Succeeded, Environment: campaign.Recsys, Measure: record.Error, Rule: x.rule,
			InstanceID: fmt.Sprint("u", x.instance), Instance: int32(x.instance), Replicate: int32(x.replicate), SettingsJSON: `{"env":{"name":"recsys"}}`, Score: x.score,
		}
		if x.score != nil {
			row.DecisionJSON = new("1")
		}
		runs = append(runs, NewRun(row, nil, nil))
	}
	table, _ := overview.Comparisons(campaign.Campaign{Runs: runs})
	first := analysistest.ByColumn(table, table.Rows[1])
	analysistest.Near(t, "n", first["n"].Value, 2)
	analysistest.Near(t, "difference", first["A - B"].Value, 1.5) // (1 + (2+2)/2) / 2
	analysistest.Near(t, "standard error", first["A - B"].SE, .5)
	second := analysistest.ByColumn(table, table.Rows[0])
	analysistest.Near(t, "n of one replicate", second["n"].Value, 1)
	analysistest.Near(t, "its difference", second["A - B"].Value, -4)
	notes := strings.Join(table.Notes, "\n")
	for _, want := range []string{"majority against rated 3; majority against ranked 1", "in common: 1 pair of conditions."} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
}

// Notes say what n in a cell and the column n count, and a note of what is the
// same names nothing in which conditions differ.
func TestNotesNameTheUnits(t *testing.T) {
	several := campaign.Campaign{Runs: slices.Concat(asked4("fixed", true, false), asked4("random", true, true))}
	for _, build := range []func() (table.Table, bool){func() (table.Table, bool) { return overview.ByCondition(several) }, func() (table.Table, bool) { return overview.Rounds(several) }} {
		table, _ := build()
		if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "n= in a cell: instances with a value, where some collaborations have none; column n: collaborations.") {
			t.Errorf("%s does not say what n counts: %s", table.Name, notes)
		}
	}
	if units := several.CountedUnits(); units != "instances" {
		t.Errorf("points rest on %s", units)
	}
	if units := (campaign.Campaign{Runs: asked4("fixed", true)}).CountedUnits(); units != "replicates" {
		t.Errorf("points of one question rest on %s", units)
	}
	v := several.View("", "env")
	v.Labels = nil
	v.Groups[1].Settings["env"] = "menu"
	if same := v.Constant(); strings.Contains(same, "env") || !strings.Contains(same, "protocol debate") {
		t.Errorf("the same in all rows: %s", same)
	}
}
