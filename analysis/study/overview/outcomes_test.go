package overview

import (
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// asked is a question under a rule with what it took; a score of -1 is not a decision.
func asked(rule string, instance, replicate int, score float64) campaign.Run {
	key := record.Key{ConditionID: rule + "-1", CollaborationID: rule + string(rune('a'+instance)) + string(rune('a'+replicate))}
	c := record.Collaboration{
		Key: key, Status: record.Succeeded, Environment: "qa", Measure: record.Share, Rule: rule, InstanceID: string(rune('a' + instance)), Instance: int32(instance), Replicate: int32(replicate),
		SettingsJSON: `{"env":{"name":"qa"},"rule":{"name":"` + rule + `"}}`, RoundsRun: int32(1 + replicate), CostUSD: new(0.5), StartedAt: 1e6, EndedAt: 3e6,
	}
	if score >= 0 {
		c.Score, c.DecisionJSON = &score, new("1")
	}
	turns := []record.Turn{{Key: key, Kind: "ask"}, {Key: key, Kind: "ask"}, {Key: key, Kind: "decide"}}
	calls := []record.Call{
		{Key: key, Status: "answered", InputTokens: new(int64(10)), OutputTokens: new(int64(5)), CostUSD: new(0.5)},
		{Key: key, Status: "answered", Cached: true, InputTokens: new(int64(10)), OutputTokens: new(int64(5)), PriceUSD: new(0.25)},
		{Key: key, Status: "unknown"},
	}
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{c}, Turns: turns, Calls: calls})
	if err != nil {
		panic(err)
	}
	return r
}

// Two questions in two replicates: 1 and none, 1 and 1. The mean is 0.75; the means of
// the questions are 0.5 and 1, so the error is 0.25 and the interval is cut at 0 and 1.
func TestOutcomesByHand(t *testing.T) {
	c := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{asked("majority", 0, 0, 1), asked("majority", 0, 1, -1), asked("majority", 1, 0, 1), asked("majority", 1, 1, 1)}}
	got, ok := Outcomes(c)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%d rows", len(got.Rows))
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	for column, want := range map[string]float64{"outcome": .75, "low": 0, "high": 1, "decided, %": 75, "rounds": 1.5, "turns": 2, "tokens": 30, "USD": .75, "seconds": 2, "n": 4} {
		analysistest.Near(t, column, row[column].Value, want)
	}
	analysistest.Near(t, "error over instances", row["outcome"].SE, .25)
	by, _ := ByQuestion(c)
	if len(by.Rows) != 2 {
		t.Fatalf("%d rows by question", len(by.Rows))
	}
	for i, want := range []float64{.5, 1} {
		row := analysistest.ByColumn(by, by.Rows[i])
		analysistest.Near(t, "outcome", row["outcome"].Value, want)
		analysistest.Near(t, "decided", row["decided, %"].Value, 50+50*float64(i))
		analysistest.Near(t, "n", row["n"].Value, 2)
	}
}

// The two best are tied, and so are the two in the middle; letters begin at the best.
func TestTiedSets(t *testing.T) {
	rows := func(c campaign.Campaign) map[string]string {
		got, _ := Outcomes(c)
		letters := map[string]string{}
		for _, r := range got.Rows {
			row := analysistest.ByColumn(got, r)
			letters[row["rule"].Text] = row["tied"].Text
		}
		return letters
	}
	noisy := []float64{.95, .66, .95, .70, .92, .68, .94, .66, .71, .97, .69, .96}
	got := rows(conditions(map[string][]float64{"majority": around(.8), "ranked": around(.5), "rated": around(.3), "plurality": noisy}))
	if got["ranked"] != "b" || got["rated"] != "c" || got["majority"] != "a" || got["plurality"] != "a" {
		t.Errorf("letters %v", got)
	}
	if got := rows(conditions(map[string][]float64{"majority": around(.8)})); got["majority"] != "" {
		t.Errorf("a condition alone has the letter %q", got["majority"])
	}
	c := conditions(map[string][]float64{"majority": around(.8), "ranked": around(.5)})
	for i := range c.Runs {
		if c.Runs[i].Rule == "ranked" {
			c.Runs[i].Replicate += 100
		}
	}
	apart, _ := Outcomes(c)
	if notes := strings.Join(apart.Notes, "\n"); !strings.Contains(notes, "not told apart, because they have no replicate of an instance in common: 1 pair of conditions.") {
		t.Errorf("notes do not say that nothing is paired: %s", notes)
	}
}

// The tied sets rest on the same tests as the table comparisons.
func TestTiedSetsAreThoseOfComparisons(t *testing.T) {
	c := conditions(map[string][]float64{"majority": around(.8), "ranked": around(.79), "rated": around(.3), "plurality": {.9, .2, .8, .3, .9, .9, .1, .5, .7, .6, .9, .8}})
	outcomes, _ := Outcomes(c)
	letters := map[string]string{}
	for _, r := range outcomes.Rows {
		row := analysistest.ByColumn(outcomes, r)
		letters[row["rule"].Text] = row["tied"].Text
	}
	compared, _ := Comparisons(c)
	for _, r := range compared.Rows {
		row := analysistest.ByColumn(compared, r)
		differ := row["p Holm"].Value != nil && *row["p Holm"].Value < level
		if shared := strings.ContainsAny(letters[row["A"].Text], letters[row["B"].Text]); shared == differ {
			t.Errorf("%s and %s: letters %v, p %v", row["A"].Text, row["B"].Text, letters, row["p Holm"])
		}
	}
	if len(compared.Rows) != 6 {
		t.Errorf("%d comparisons", len(compared.Rows))
	}
}

// Scripted agents' time says nothing.
func TestSecondsOfModelsOnly(t *testing.T) {
	r := asked("majority", 0, 0, 1)
	r.Simulated = true
	got, _ := Outcomes(campaign.Campaign{Runs: []campaign.Run{r}})
	if row := analysistest.ByColumn(got, got.Rows[0]); row["seconds"] != (table.Cell{}) {
		t.Errorf("scripted agents took %v", row["seconds"])
	}
}
