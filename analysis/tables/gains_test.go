package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/record"
	"roundtable/analysis/table"
	"roundtable/analysis/table/tabletest"
)

// Of two questions one gains, in all of its replicates or one, and the other does
// not: by Student's t with one degree of freedom more than 300 points to either
// side, where no difference of percentages goes. Log-likelihoods have no such end.
func TestIntervalsOfGainsEnd(t *testing.T) {
	var debates, talks campaign.Campaign
	alone := `{"name":"debate","params":{"rounds":0,"agents":1}}`
	for i, better := range []string{"A", "B"} {
		for replicate := range 2 {
			add := func(protocol, final string) {
				debates.Runs = append(debates.Runs, debated{protocol: protocol, file: "logic.json", model: "m", agents: 2, instance: i, replicate: replicate, rounds: []string{"A B", final}, truth: "A"}.run())
			}
			add(`{}`, "B A")
			add(`{"order":"madc"}`, map[bool]string{true: "A A", false: "B A"}[better == "A" && replicate == 0])
		}
		talk := func(rule, params, finals, decided string) {
			talks.Runs = append(talks.Runs, talked{rule: rule, params: params, instance: i, finals: finals, decided: decided, round: 1, truth: "A"}.run())
		}
		talk("simple", "", "B B B", better)
		talk("majority_consensus", "", "B B B", "B")
		talk("simple", `{"name":"discussion","params":{"drafting":true}}`, "B B B", "B")
		talk("majority", alone, "B", "B")
	}
	for _, x := range []struct {
		build func() (table.Table, bool)
		low   string
		gain  float64
	}{
		{func() (table.Table, bool) { return Strategies(debates) }, "logic gain low", 25},
		{func() (table.Table, bool) { return DebateGains(debates) }, "gain low", 25},
		{func() (table.Table, bool) { return DebateRepetitions(debates) }, "gain low", 25},
		{func() (table.Table, bool) { return Kinds(talks) }, "low", 50},
		{func() (table.Table, bool) { return Discussions(talks) }, "strategyqa gain low", 50},
		{func() (table.Table, bool) { return Countings(talks) }, "low", 50},
		{func() (table.Table, bool) { return Diversities(talks) }, "gain low", -50},
	} {
		tab, _ := x.build()
		at := slices.Index(tab.Columns, x.low)
		i := slices.IndexFunc(tab.Rows, func(row []table.Cell) bool { return row[at-1].Value != nil && *row[at-1].Value == x.gain })
		if i < 0 {
			t.Errorf("%s has no gain of %v:\n%s", tab.Name, x.gain, tab.Text())
			continue
		}
		cells := tab.Rows[i]
		tabletest.Near(t, tab.Name+": low", cells[at].Value, -100)
		tabletest.Near(t, tab.Name+": high", cells[at+1].Value, 100)
		if notes := strings.Join(tab.Notes, "\n"); !strings.Contains(notes, "are cut at -100 and 100") {
			t.Errorf("%s does not say that intervals are cut: %s", tab.Name, notes)
		}
	}
	table, _ := DebateGains(debates)
	if low := tabletest.Column(t, table, "gain low", "log-likelihood"); low == nil || *low > -1 {
		t.Errorf("a gain in log-likelihood is at least %v", tabletest.Show(low))
	}
}

// Differences of shares end at -1 and 1, those of errors nowhere.
func TestIntervalsOfComparisonsEnd(t *testing.T) {
	compared := func(environment string, first, second float64) map[string]table.Cell {
		var c campaign.Campaign
		for i, scores := range [][2]float64{{first, second}, {second, second}} {
			for k, rule := range []string{"majority", "ranked"} {
				c.Runs = append(c.Runs, newRun(record.Collaboration{
					Key: record.Key{ConditionID: rule, CollaborationID: fmt.Sprint(rule, i)}, Status: record.Succeeded, Environment: environment, Rule: rule,
					InstanceID: fmt.Sprint(i), Instance: int32(i), SettingsJSON: fmt.Sprintf(`{"env":{"name":%q}}`, environment), Score: &scores[k], DecisionJSON: new("1"),
				}, nil, nil))
			}
		}
		table, _ := Comparisons(c)
		if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "of shares cut at -1 and 1") {
			t.Errorf("nothing says that intervals are cut: %s", notes)
		}
		return tabletest.ByColumn(table, table.Rows[0])
	}
	shares := compared("qa", 1, 0)
	tabletest.Near(t, "difference", shares["A - B"].Value, .5)
	tabletest.Near(t, "low", shares["95 % from"].Value, -1)
	tabletest.Near(t, "high", shares["to"].Value, 1)
	errors := compared(campaign.Recsys, -1, -2)
	tabletest.Near(t, "low of errors", errors["95 % from"].Value, .5-12.706204736174698*.5)
	if high := *errors["to"].Value; math.Abs(high-(.5+12.706204736174698*.5)) > 1e-9 {
		t.Errorf("high of errors is %v", high)
	}
}
