package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/environments"
	"roundtable/analysis/study/overview"
)

// garbled is a collaboration of n asked turns, of which some are invalid,
// with as many decisions of the rule, and of whose answers some were cut off.
func garbled(replicate, asked, invalid, cut int) campaign.Run {
	c := analysistest.Majority(replicate)
	c.Scores = []*float64{nil, nil, nil}
	run := c.Run()
	var turns []record.Turn
	var calls []record.Call
	for i := range asked {
		t := record.Turn{Key: run.Key, Entry: int32(2 * i), Kind: "ask", Status: "said", AnswerHash: fmt.Sprint(replicate, i)}
		if i < invalid {
			t.Status, t.InvalidReason = "invalid", new(fmt.Sprintf("no JSON object in %d bytes", 100+i))
		}
		turns = append(turns, t, record.Turn{Key: run.Key, Entry: int32(2*i + 1), Kind: "decide", Status: "said"})
		end := "stop"
		if i < cut {
			end = "length"
		}
		calls = append(calls, record.Call{Key: run.Key, Status: "answered", FinishReason: end, Cached: i%3 == 0})
	}
	run = NewRun(run.Collaboration, nil, turns)
	run.Scores = c.Scores
	run.Usable.AddAnswers(calls)
	return run
}

// A condition in which nothing could be used is marked in every table, with the
// reason, an example and what was cut off; one with a tenth is not.
func TestUnusableAnswersAreMarked(t *testing.T) {
	bad := campaign.Campaign{Name: "made-up"}
	for replicate := range 4 {
		bad.Runs = append(bad.Runs, garbled(replicate, 12, 12, 11))
	}
	for _, table := range All(bad) {
		notes := strings.Join(table.Notes, "\n")
		for _, want := range []string{campaign.Unusable, "48 of 48 asked turns are invalid", "(48) because: no JSON object in 100 bytes (majority-1-i0-r0, entry 0)", "44 of 48 answers"} {
			if !strings.Contains(notes, want) {
				t.Errorf("table %s does not say %q: %q", table.Name, want, notes)
			}
		}
	}
	if w := bad.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], campaign.Unusable) {
		t.Errorf("warnings are %q", w)
	}
	one, _ := environments.UtilityByRule(bad)
	analysistest.Near(t, "invalid", analysistest.Row(t, one, "majority")["invalid, %"].Value, 100)
	summary, _ := overview.Summary(bad)
	m := analysistest.Row(t, summary, "majority")
	analysistest.Near(t, "asked turns", m["asked turns"].Value, 48)
	analysistest.Near(t, "invalid turns", m["invalid turns"].Value, 48)
	analysistest.Near(t, "cut answers", m["cut answers"].Value, 44)
	analysistest.Near(t, "cached", m["cached"].Value, 16)
	analysistest.Near(t, "cached of all", analysistest.Row(t, summary, "all")["cached"].Value, 16)

	fair := campaign.Campaign{Runs: []campaign.Run{garbled(0, 20, 2, 2)}}
	if w := fair.Warnings(); len(w) != 0 {
		t.Errorf("a tenth is warned of: %q", w)
	}
	two := campaign.Campaign{Runs: []campaign.Run{garbled(0, 20, 3, 0), garbled(1, 20, 0, 0)}}
	two.Runs[1].Environment, two.Runs[1].ConditionID = "qa", "majority-2"
	two.Runs[1].SettingsJSON = strings.Replace(two.Runs[1].SettingsJSON, `"exchange"`, `"qa"`, 1)
	if w := two.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], campaign.Unusable+" in exchange: ") {
		t.Errorf("conditions that differ in their environment alone are not named by it: %q", w)
	}
	invalid := campaign.Campaign{Runs: []campaign.Run{garbled(0, 20, 3, 0)}}
	if w := invalid.Warnings(); len(w) != 1 || !strings.Contains(w[0], "3 of 20 asked turns are invalid") || strings.Contains(w[0], "answers ended") {
		t.Errorf("invalid turns: %q", w)
	}
	cut := campaign.Campaign{Runs: []campaign.Run{garbled(0, 20, 0, 3)}}
	if w := cut.Warnings(); len(w) != 1 || !strings.Contains(w[0], "3 of 20 answers") || strings.Contains(w[0], "invalid") {
		t.Errorf("cut answers: %q", w)
	}
}

// Twelve replicates of the same words are one: n never stands alone.
func TestEqualReplicatesAreCounted(t *testing.T) {
	c := campaign.Campaign{Name: "made-up"}
	for replicate := range 12 {
		run := garbled(0, 12, 0, 0)
		run.Replicate = int32(replicate)
		c.Runs = append(c.Runs, run)
	}
	one, _ := environments.UtilityByRule(c)
	m := analysistest.Row(t, one, "majority")
	analysistest.Near(t, "n", m["n"].Value, 12)
	analysistest.Near(t, "distinct", m["distinct"].Value, 1)
	if notes := strings.Join(one.Notes, "\n"); !strings.Contains(notes, "12 collaborations, 1 distinct") {
		t.Errorf("it is not said: %q", notes)
	}
	if notes := strings.Join(one.Notes, "\n"); !strings.Contains(notes, "standard errors over replicates, where there is only one instance, are too small") {
		t.Errorf("errors over one instance are not marked: %q", notes)
	}
	c.Runs = []campaign.Run{garbled(0, 12, 0, 0), garbled(1, 12, 0, 0)}
	if one, _ = environments.UtilityByRule(c); slices.Contains(one.Columns, "distinct") {
		t.Error("replicates of other words are called equal")
	}
}
