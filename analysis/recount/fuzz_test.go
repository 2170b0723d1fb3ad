package recount_test

import (
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/recount"
)

// Rows of a stranger: votes are counted again, or it is reported what is wrong.
func FuzzAdd(f *testing.F) {
	s, d := played(f, "recounted", "name: recounted\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\nrule: rated\n")
	var whole record.Rows
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			f.Fatal(err)
		}
		whole = rows
	}
	for _, text := range []string{"", "null", "[]", "1/0", "1e999999", "-1", `{"b":{"r":[1]}}`, `{"d":{"Winners":[99],"Selected":-7}}`, `{"b":{"c":99}}`} {
		f.Add(text, text, uint16(3), int32(-1))
	}
	for _, turn := range whole.Turns {
		if turn.DataJSON != nil {
			f.Add(*turn.DataJSON, "1/2", uint16(turn.Entry), turn.Round)
		}
	}
	f.Fuzz(func(t *testing.T, data, value string, at uint16, n int32) {
		rows := clone(whole)
		turn := &rows.Turns[int(at)%len(rows.Turns)]
		turn.DataJSON, turn.SeesJSON, turn.Round, turn.Agent = &data, value, n, &n
		ballot := &rows.Ballots[int(at)%len(rows.Ballots)]
		ballot.ValueExact, ballot.Candidate, ballot.Entry = &value, &n, n
		round := &rows.Rounds[int(at)%len(rows.Rounds)]
		round.Round, round.DecisionKey = n, &data
		var r recount.Report
		r.Add(rows, settings)
		settingsOnly := clone(whole)
		settingsOnly.Collaborations[0].SettingsJSON = data
		r.Add(settingsOnly, settings)
	})
}
