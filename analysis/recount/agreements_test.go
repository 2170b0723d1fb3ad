package recount_test

import (
	"encoding/json"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/recount"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
)

// counting is how a collaboration counts.
func counting(c record.Collaboration) (recount.Counting, error) {
	var cond plan.Condition
	if err := json.Unmarshal([]byte(c.SettingsJSON), &cond); err != nil {
		return recount.Counting{}, err
	}
	rule, err := cond.BuildRule(catalogue.Builtin())
	if err != nil {
		return recount.Counting{}, err
	}
	seed := plan.Campaign{Seed: uint64(c.Seed)}.TreatmentSeed(plan.Cell{Instance: int(c.Instance), Replicate: int(c.Replicate)})
	s, err := cond.Session(catalogue.Builtin(), int(c.Agents), seed)
	if err != nil {
		return recount.Counting{}, err
	}
	return recount.Counting{Rule: rule, Asked: s.Protocol().Traits().AskedVote, Seats: s.Seats(), Break: func(winners []int, round int, phase string) int {
		return protocol.BreakTie(winners, s.Protocol().Traits().TieBreak(round, phase), 0, round, phase)
	}}, nil
}

// Agreements, votes, a judge's choice and counted solutions are found again,
// and one agreement more or less is noticed.
func TestRecountOfDiscussions(t *testing.T) {
	s, d := played(t, "discussed", `
name: discussed
replicates: 2
env: {name: exchange, agents: 3}
model: scripted/trader
reasks: 0
protocol: {name: discussion, rounds: 3, vote_from: 2, personas: none}
grid:
  protocol.extract: [true, false]
  rule: [plurality, borda, judge, majority_consensus, unanimity_consensus, {name: majority_consensus, share: 1/3, inclusive: true}]
`)
	r, err := recount.Check(ctx, s, d, counting)
	if err != nil || len(r.Mismatches) > 0 || r.Uncounted > 0 || r.Decisions < 60 {
		t.Fatalf("%+v %v", r, err)
	}
	noticed := map[string]int{}
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			t.Fatal(err)
		}
		for i, turn := range rows.Turns {
			if turn.Kind != "decide" || !strings.Contains(*turn.DataJSON, `"Winners":[0]`) {
				continue
			}
			changed := clone(rows)
			none := strings.Replace(*turn.DataJSON, `"Winners":[0]`, `"Winners":null`, 1)
			changed.Turns[i].DataJSON = &none
			var r recount.Report
			if r.Add(changed, counting); len(r.Mismatches) == 0 {
				t.Errorf("%s: that entry %d has no winner is not noticed", rows.Collaborations[0].CollaborationID, i)
			}
			noticed[turn.Phase]++
		}
	}
	if noticed["check"] == 0 || noticed["count"] == 0 {
		t.Errorf("the campaign says little: %v", noticed)
	}
}
