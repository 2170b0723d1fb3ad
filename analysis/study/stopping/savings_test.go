package stopping_test

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/stopping"
)

// made is a collaboration of that many rounds out of 4, in which each round takes 10 calls of
// 100 tokens and a cent, and a label of 20 tokens and a tenth of a cent if there are labels.
func made(t *testing.T, name, stop string, replicate, rounds int, labels bool, score float64) campaign.Run {
	t.Helper()
	key := record.Key{CampaignID: name, ConditionID: stop, CollaborationID: fmt.Sprintf("%s-i0-r%d", stop, replicate)}
	row := record.Collaboration{
		Key: key, Status: record.Succeeded, Environment: "exchange", Measure: record.Share, Rule: "majority", InstanceID: "k3", Replicate: int32(replicate), RoundsPlanned: 4, RoundsRun: int32(rounds),
		Score: &score, DecisionJSON: new("1"), SettingsJSON: fmt.Sprintf(`{"env":{"name":"exchange"},"rule":{"name":"majority"},"stop":%s}`, stop),
	}
	rows := record.Rows{Collaborations: []record.Collaboration{row}}
	entry := int32(0)
	ask := func(round int, kind, format string, tokens int64, usd float64) {
		rows.Turns = append(rows.Turns, record.Turn{Key: key, Entry: entry, Round: int32(round), Kind: kind, Format: format, Status: "said"})
		rows.Calls = append(rows.Calls, record.Call{Key: key, Entry: entry, Status: "answered", InputTokens: &tokens, OutputTokens: new(int64), CostUSD: &usd})
		entry++
	}
	for r := 1; r <= rounds; r++ {
		rows.Rounds = append(rows.Rounds, record.Round{Key: key, Round: int32(r), Score: &score})
		for range 10 {
			ask(r, "ask", "message", 100, .01)
		}
		if labels && r < 4 {
			ask(r, "annotate", "acts", 20, .001)
			ask(r, "annotate", "distance", 0, 0)
		}
	}
	run, err := campaign.NewRun(rows, stopping.Study().Readers...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestSavingsByHand(t *testing.T) {
	const learned, never = `{"name":"learned","params":{"from":"past","method":"dialogue_act","fit":{"method":"dialogue_act"}}}`, `{"name":"never"}`
	live, past := campaign.Campaign{Name: "live"}, campaign.Campaign{Name: "past"}
	for replicate, rounds := range []int{2, 4, 1} { // the last one has no pair
		live.Runs = append(live.Runs, made(t, "live", learned, replicate, rounds, true, .5))
	}
	for replicate := range 2 {
		past.Runs = append(past.Runs, made(t, "past", never, replicate, 4, false, .6))
	}
	joined, err := campaign.Join(live, past)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := stopping.Savings(joined)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%d rows", len(got.Rows))
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	if row["against"].Text != "past" || row["stop.method"].Text != "dialogue_act" && strings.Contains(strings.Join(got.Columns, " "), "fit") {
		t.Errorf("%v", got.Columns)
	}
	for column, want := range map[string]float64{
		"n": 2, "last round": 3, "effective ratio": .5, "rounds saved, %": 25, // 2 of 8
		"calls saved, %": 100 * 15. / 80, "tokens saved, %": 100 * 1900. / 8000, // 20 calls less, 5 labels more
		"USD saved": .195, "label calls": 5, "label tokens": 100, "label USD": .005,
		"score": .5, "all rounds": .6, "difference": -.1,
	} {
		analysistest.Near(t, column, row[column].Value, want)
	}
	if _, ok := stopping.Savings(live); ok {
		t.Error("there is a table without anything that runs all rounds")
	}
}
