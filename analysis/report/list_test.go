package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
)

// shownList is a list as its page reads it.
type shownList struct {
	Columns   []column
	Questions []string
	Rows      [][]any
	t         *testing.T
}

func readList(t *testing.T, l *List) shownList {
	t.Helper()
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	shown := shownList{t: t}
	if err := json.Unmarshal(data, &shown); err != nil {
		t.Fatal(err)
	}
	return shown
}

func (l shownList) at(name string) int {
	l.t.Helper()
	i := slices.IndexFunc(l.Columns, func(c column) bool { return c.Name == name })
	if i < 0 {
		l.t.Fatalf("there is no column %q", name)
	}
	return i
}

func (l shownList) of(name string) (all []any) {
	i := l.at(name)
	for _, row := range l.Rows {
		all = append(all, row[i])
	}
	return all
}

// The list says of each collaboration what it was asked, what it answered, what was right,
// and how it went, in the order of the plan.
func TestListSaysWhatCameOut(t *testing.T) {
	asked := Question{Text: "Which\nteam?", Options: []string{"Billing", "Support"}}
	l := NewList(campaign.Campaign{}, Questions{Of: map[AskedIn]Question{{"c", 10}: asked, {"c", 2}: asked}})
	add := func(instance int32, decision string, change func(*record.Collaboration)) {
		c := record.Collaboration{Key: record.Key{ConditionID: "c", CollaborationID: fmt.Sprintf("c-i%d-r0", instance)}, Status: "succeeded", Instance: instance, KeyJSON: p(`["(B)"]`), Measure: record.Share}
		if decision != "" {
			c.DecisionJSON, c.DecisionKey, c.Score = p(decision), p(decision), p(0.)
			if decision == `"(B)"` {
				c.Score = p(1.)
			}
		}
		if change != nil {
			change(&c)
		}
		l.Add(&c, false)
	}
	add(10, `"(A)"`, func(c *record.Collaboration) {
		c.StartedAt, c.EndedAt, c.FinalAgreement, c.Flipped, c.ReaskedTurns, c.CutAnswers = 1_000_000, 3_500_000, p(.6), p(true), p(int32(2)), p(int32(1))
	})
	add(2, `"(B)"`, nil)
	add(3, "", nil)
	add(4, "", func(c *record.Collaboration) { c.Status = "failed" })
	add(5, `3.5`, func(c *record.Collaboration) { c.KeyJSON, c.Score = nil, p(-3.33386651619e-11) })
	add(6, `"(B)"`, func(c *record.Collaboration) { c.Score, c.Asks, c.Calls, c.InputTokens = p(.5), 3, 1, 70 })
	add(7, `"(B)"`, func(c *record.Collaboration) { c.Asks = 3 })
	add(8, `"(B)"`, func(c *record.Collaboration) { c.Asks, c.Simulated = 3, true })
	shown := readList(t, l)
	for name, want := range map[string]string{
		"collaboration": "[c-i2-r0 c-i3-r0 c-i4-r0 c-i5-r0 c-i6-r0 c-i7-r0 c-i8-r0 c-i10-r0]", "mark": "[right undecided failed decided partly right right right wrong]",
		"group's answer": "[(B) Support <nil> <nil> 3.5 (B) (B) (B) (A) Billing]", "right answer": "[(B) Support (B) (B)  (B) (B) (B) (B) Support]",
		"agreement": "[<nil> <nil> <nil> <nil> <nil> <nil> <nil> 0.6]", "time": "[<nil> <nil> <nil> <nil> <nil> <nil> <nil> 2.5]", "flipped": "[<nil> <nil> <nil> <nil> <nil> <nil> <nil> true]",
		"re-asked turns": "[<nil> <nil> <nil> <nil> <nil> <nil> <nil> 2]", "cut answers": "[<nil> <nil> <nil> <nil> <nil> <nil> <nil> 1]", "score": "[1 <nil> <nil> 0 0.5 1 1 0]", "question": "[0 1 2 3 4 5 6 0]", "tokens": "[0 0 0 0 70 reused 0 0]",
	} {
		if got := fmt.Sprint(shown.of(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if shown.Questions[0] != "Which team?" || shown.Questions[1] != "instance 3" {
		t.Errorf("the questions are %q", shown.Questions)
	}
	before, after := l.Neighbours("c-i3-r0")
	first, _ := l.Neighbours("c-i2-r0")
	_, last := l.Neighbours("c-i10-r0")
	if before != "c-i2-r0" || after != "c-i4-r0" || first != "" || last != "" {
		t.Errorf("next to the second are %q and %q; before the first %q, after the last %q", before, after, first, last)
	}
}

// Conditions have their names in one column; each setting that differs can be chosen.
func TestConditionsOfTheList(t *testing.T) {
	var all []record.Rows
	for i, rule := range []string{"majority", "rated"} {
		rows := collaboration(rule, i, 1, "a")
		rows.Collaborations[0].SettingsJSON = fmt.Sprintf(`{"env":{"name":"exchange","params":{"agents":%d}},"protocol":{"name":"roundtable","params":{"rounds":%d}},"rule":{"name":%q},"model":{"name":"m%d"}}`, i+2, i+3, rule, i)
		all = append(all, rows)
	}
	l := NewList(source(all...).Campaign, Questions{})
	for _, rows := range all {
		l.Add(&rows.Collaborations[0], false)
	}
	shown := readList(t, l)
	if name := shown.of("condition")[1]; name != "m1, agents 3, rounds 4, rated" {
		t.Errorf("the second condition is called %q", name)
	}
	facets := 0
	for _, c := range shown.Columns {
		if c.Facet {
			facets++
		}
	}
	if facets != 4 || shown.Columns[shown.at("condition")].Hidden || !shown.Columns[shown.at("right answer")].Hidden || shown.Columns[shown.at("score")].Hidden {
		t.Errorf("%d settings can be chosen; columns %+v", facets, shown.Columns)
	}
}
