package integrity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
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
		if got := (endRules{own: &rule}).check(x.rows); got != x.want && (x.want == "" || !strings.HasPrefix(got, x.want)) {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// forkedAt marks the turns before an entry as another collaboration's.
func forkedAt(rows record.Rows, entry int) record.Rows {
	for i := range rows.Turns[:entry] {
		rows.Turns[i].ForkedFrom = new("past/c.0")
	}
	return rows
}

// replaced gives an entry a text in place of an answer.
func replaced(rows record.Rows, entry int) record.Rows {
	rows.Turns[entry].Status = "said"
	return rows
}

// A fork is asked by its rule from the round after which it leaves the original on, and
// by the original's rule before that.
func TestCheckStopOfForks(t *testing.T) {
	parse := func(text string) *stopping.LearnedFit {
		fit, err := stopping.ParseFit([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return &fit
	}
	accept := parse(`{"method": "dialogue_act", "signals": [{"pair": "Propose->Accept", "coefficient": 1}], "count_per_round": 1, "score": 1, "on": {}}`)
	third := parse(`{"method": "fixed_best_round", "round": 3, "on": {}}`)
	a, b := [2]string{"Propose", "Inform"}, [2]string{"Inform", "Accept"} // b after a ends it; each has four turns
	for name, x := range map[string]struct {
		rules endRules
		rows  record.Rows
		want  string
	}{
		"the own rule is not asked before":         {endRules{own: accept}, forkedAt(labelled(t, "rounds", a, b, a, a), 12), ""},
		"it is asked after the prefix's last":      {endRules{own: accept}, forkedAt(labelled(t, "rounds", a, a, b, a), 12), "its stopping rule ends it with round 3"},
		"it ends the fork where that begins":       {endRules{own: accept}, forkedAt(labelled(t, "stopped", a, a, b), 12), ""},
		"within a round":                           {endRules{own: accept, before: third}, forkedAt(labelled(t, "stopped", a, a, a, b), 13), "the stopping rule of the original ends it with round 3, before the fork"},
		"the round that it is within is its own":   {endRules{own: accept, before: third}, forkedAt(labelled(t, "stopped", a, a, a, b), 9), ""},
		"a round whose first message is replaced":  {endRules{own: accept}, replaced(forkedAt(labelled(t, "rounds", a, b, a), 8), 8), ""},
		"the original's rule before":               {endRules{own: third, before: accept}, forkedAt(labelled(t, "stopped", a, b, a), 12), "the stopping rule of the original ends it with round 2"},
		"also where the own one is not learned":    {endRules{before: accept}, forkedAt(labelled(t, "stopped", a, b, a, a), 12), "the stopping rule of the original ends it with round 2"},
		"the original ends before the fork":        {endRules{own: third, before: accept}, forkedAt(labelled(t, "stopped", a, b), 8), ""},
		"it does not":                              {endRules{own: third, before: accept}, forkedAt(labelled(t, "stopped", a, a), 8), "its stopping rule does not end it with round 2"},
		"by a rule that is not learned":            {endRules{own: third}, forkedAt(labelled(t, "stopped", a, a), 8), ""},
		"the own rule does not end what it played": {endRules{own: accept}, forkedAt(labelled(t, "stopped", a, a, a), 8), "its stopping rule does not end it with round 3"},
		"from the first round":                     {endRules{own: accept, before: third}, labelled(t, "rounds", a, b, a), "its stopping rule ends it with round 2"},
	} {
		if got := x.rules.check(x.rows); got != x.want && (x.want == "" || !strings.HasPrefix(got, x.want)) {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}
