package integrity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/record"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// labelled makes the rows of a collaboration of two agents whose messages of a round are
// labelled so.
func labelled(t *testing.T, reason string, rounds ...[2]string) record.Rows {
	t.Helper()
	rows := record.Rows{Collaborations: []record.Collaboration{{Agents: 2, RoundsRun: int32(len(rounds)), EndReason: reason}}}
	add := func(row record.Turn, act transcript.Act) {
		data, err := json.Marshal(act)
		if err != nil {
			t.Fatal(err)
		}
		row.Entry, row.DataJSON = int32(len(rows.Turns)), new(string(data))
		rows.Turns = append(rows.Turns, row)
	}
	for r, acts := range rounds {
		round, first := int32(r+1), len(rows.Turns)
		for agent := range int32(2) {
			add(record.Turn{Round: round, Kind: "ask", Format: "message", Agent: &agent}, transcript.Act{Status: transcript.Said})
		}
		for i, act := range acts {
			add(record.Turn{Round: round, Kind: "annotate", Role: "labeller", Format: "acts", SeesJSON: fmt.Sprintf("[[%d,%d]]", first+i, first+i+1)},
				transcript.Act{Status: transcript.Said, Tags: []string{act}})
		}
	}
	return rows
}

// The end of a collaboration is held to its rule and to the labels in its rows.
func TestCheckStop(t *testing.T) {
	rule, err := stopping.ParseFit([]byte(
		`{"method": "dialogue_act", "signals": [{"pair": "Propose->Accept", "coefficient": 1}], "count_per_round": 1, "score": 1, "on": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	propose, accept := [2]string{"Propose", "Inform"}, [2]string{"Inform", "Accept"}
	for _, x := range []struct {
		rows record.Rows
		want string
	}{
		{labelled(t, "stopped", propose, accept), ""},
		{labelled(t, "rounds", propose, propose), ""},
		{labelled(t, "rounds", propose, [2]string{"Accept", "Inform"}), ""}, // nobody answers itself
		{labelled(t, "rounds", propose, accept, propose), "its stopping rule ends it with round 2, and it has 3 rounds"},
		{labelled(t, "stopped", propose, propose), "its stopping rule does not end it with round 2"},
	} {
		if got := checkStop(&rule, x.rows); got != x.want && (x.want == "" || !strings.HasPrefix(got, x.want)) {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}
