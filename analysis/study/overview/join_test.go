package overview

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
)

// named is a campaign of one condition: instances in their order with their scores.
func named(name, env string, seed int64, instances []string, scores ...float64) campaign.Campaign {
	c := campaign.Campaign{Name: name}
	for i, score := range scores {
		index, replicate := i%len(instances), i/len(instances)
		row := record.Collaboration{
			Key: record.Key{CampaignID: name, ConditionID: "majority-1", CollaborationID: fmt.Sprintf("majority-1-i%d-r%d", index, replicate)}, Status: record.Succeeded, Environment: env, Measure: analysistest.MeasureOf(env), Rule: "majority",
			InstanceID: instances[index], Instance: int32(index), Replicate: int32(replicate), Seed: seed, Score: &score, DecisionJSON: new("1"),
			SettingsJSON: fmt.Sprintf(`{"env":{"name":%q},"rule":{"name":"majority"}}`, env),
		}
		r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{row}})
		if err != nil {
			panic(err)
		}
		c.Runs = append(c.Runs, r)
	}
	return c
}

// Two campaigns that drew their questions by other seeds are paired by the questions
// that both have, wherever these stand; their conditions are named by campaign.
func TestCampaignsArePairedByInstance(t *testing.T) {
	joined, err := campaign.Join(
		named("first", "qa", 1, []string{"q1", "q2", "q3"}, .5, .25, 1),
		named("second", "qa", 2, []string{"q3", "q9", "q1", "q7"}, .5, 1, .25, 1))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Comparisons(joined)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%d comparisons", len(got.Rows))
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	if row["A"].Text != "first" || row["B"].Text != "second" {
		t.Errorf("compared are %s and %s", row["A"].Text, row["B"].Text)
	}
	analysistest.Near(t, "pairs", row["n"].Value, 2)
	analysistest.Near(t, "difference", row["A - B"].Value, .375) // 0.25 and 0.5
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{"Campaigns first and second: qa: 2 instances in common (of 3 and 4)", "first against second 3"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	outcomes, _ := Outcomes(joined)
	if len(outcomes.Rows) != 2 || analysistest.ByColumn(outcomes, outcomes.Rows[1])["campaign"].Text != "second" {
		t.Errorf("outcomes %v", outcomes.Rows)
	}
	if list := Headlines(joined); len(list) != 1 || !strings.Contains(list[0].String(), "over 2 pairs") {
		t.Errorf("headlines %q", list)
	}
}

// What the seed deals is another instance under another seed, and the same one under the
// same: replicates of the only instance stay the units.
func TestDealtInstancesNeedTheSeed(t *testing.T) {
	a, b := named("first", "exchange", 1, []string{"economy"}, .5, .75, .6), named("second", "exchange", 2, []string{"economy"}, .5, .5, .5)
	joined, err := campaign.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Comparisons(joined)
	notes := strings.Join(got.Notes, "\n")
	if ok || !strings.Contains(notes, "no instance in common, since their seeds deal different ones") || !strings.Contains(notes, "left out, because they have no replicate of an instance in common: 1 pair") {
		t.Errorf("%v: notes %s", ok, notes)
	}
	outcomes, _ := Outcomes(joined)
	if row := analysistest.ByColumn(outcomes, outcomes.Rows[0]); row["outcome"].SE == nil || row["tied"].Text != "a" {
		t.Errorf("outcome %v, tied %v", row["outcome"], row["tied"])
	}
	for i := range b.Runs {
		b.Runs[i].Seed = 1
	}
	if joined, err = campaign.Join(a, b); err != nil {
		t.Fatal(err)
	}
	if got, ok = Comparisons(joined); !ok {
		t.Fatal("no comparison")
	}
	analysistest.Near(t, "pairs", analysistest.ByColumn(got, got.Rows[0])["n"].Value, 3)
}

func TestWhatCannotBeJoined(t *testing.T) {
	a := named("first", "qa", 1, []string{"q1"}, 1)
	if _, err := campaign.Join(a, a); err == nil || !strings.Contains(err.Error(), "compared with itself") {
		t.Errorf("a campaign is joined with itself: %v", err)
	}
	joined, err := campaign.Join(a, named("second", "recsys", 1, []string{"u1"}, -1))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := Comparisons(joined); ok || !strings.Contains(strings.Join(got.Notes, "\n"), "Campaigns first and second: no environment in common") {
		t.Errorf("%v: %q", ok, got.Notes)
	}
}

// hashed says of each run what its question is, by its place among the instances.
func hashed(c campaign.Campaign, hashes ...string) campaign.Campaign {
	for i := range c.Runs {
		c.Runs[i].InstanceHash = &hashes[int(c.Runs[i].Instance)]
	}
	return c
}

// Questions are paired by what they ask, within a campaign and between campaigns: ids and places count
// for nothing, and a note says which ids stand for different questions.
func TestQuestionsArePairedByWhatTheyAsk(t *testing.T) {
	// the same three questions in another order and with other ids, and one that only has an id of the first
	a := hashed(named("first", "qa", 1, []string{"1", "2", "3"}, .5, .25, 1), "hx", "hy", "hz")
	b := hashed(named("second", "qa", 2, []string{"a", "b", "1", "c"}, .5, .75, 1, 0), "hz", "hy", "other", "hx")
	joined, err := campaign.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Comparisons(joined)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%d comparisons", len(got.Rows))
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	analysistest.Near(t, "pairs", row["n"].Value, 3)
	analysistest.Near(t, "difference", row["A - B"].Value, (.5+(.25-.75)+(1-.5))/3)
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "1 id stands for questions that differ in their text or right answer (1): these are not paired") {
		t.Errorf("notes %s", notes)
	}

	// two data sets with ids 1 to 4 in one campaign: conditions over the same file are compared, others are not
	var c campaign.Campaign
	for f, file := range []string{"arith", "hist"} {
		for _, rule := range []string{"plurality", "unanimous"} {
			part := named("c", "qa", 1, []string{"1", "2", "3", "4"}, .5, .25, 1, float64(len(rule)%2))
			for i := range part.Runs {
				r := &part.Runs[i]
				r.ConditionID, r.Rule = rule+"-"+file, rule
				r.SettingsJSON = fmt.Sprintf(`{"env":{"name":"qa","params":{"file":%q}},"rule":{"name":%q}}`, file, rule)
				r.InstanceHash = new(fmt.Sprint(f, i))
			}
			c.Runs = append(c.Runs, part.Runs...)
		}
	}
	c.Name = "c"
	got, _ = Comparisons(c)
	if len(got.Rows) != 2 {
		t.Errorf("%d comparisons, want one for each file: %v", len(got.Rows), got.Rows)
	}
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{"no replicate of an instance in common: 4 pairs", "4 ids stand for questions that differ in their text or right answer (1, 2, 3, 4): these are not paired"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	for _, r := range c.Runs {
		if r.Instance > 3 {
			t.Errorf("the recorded number of an instance became %d", r.Instance)
		}
	}
}
