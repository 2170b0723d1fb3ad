package recount_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/analysis/recount"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

var ctx = context.Background()

// every rule, with the three ways to treat ties, and phases that do not take
// place in every round or take place twice.
const campaigns = `
name: recounted
replicates: 1
env: {name: exchange, agents: 4}
model: scripted/trader
generate: {logprobs: true}
grid:
  rule: [unanimous, majority, plurality, weighted, rated, {name: rated, min: 0, max: 3, partial: true}, ranked, {name: ranked, partial: true}, cumulative]
  protocol:
    - {name: roundtable, rounds: 3, ties: keep}
    - {name: roundtable, rounds: 3, ties: first, phases: [vote, proposal, {phase: vote, every: 2}, vote]}
    - {name: roundtable, rounds: 3, ties: lottery}
`

// settings is what the command line gives to Check.
func settings(c record.Collaboration) (recount.Counting, error) {
	var cond plan.Condition
	if err := json.Unmarshal([]byte(c.SettingsJSON), &cond); err != nil {
		return recount.Counting{}, err
	}
	rule, err := cond.BuildRule(catalogue.Builtin())
	if err != nil {
		return recount.Counting{}, err
	}
	params := struct{ Ties transcript.TieBreak }{protocol.DefaultRoundtable().Ties}
	if cond.Protocol.Params != nil {
		if err := json.Unmarshal(cond.Protocol.Params, &params); err != nil {
			return recount.Counting{}, err
		}
	}
	camp := plan.Campaign{Seed: uint64(c.Seed)}
	seed := camp.TreatmentSeed(plan.Cell{Instance: int(c.Instance), Replicate: int(c.Replicate)})
	return recount.Counting{Rule: rule, Break: func(winners []int, round int, phase string) int {
		switch {
		case len(winners) == 0:
			return -1
		case len(winners) == 1 || params.Ties == "first":
			return winners[0]
		case params.Ties == "lottery":
			return winners[envs.Stream(seed, "ties", round, phase).IntN(len(winners))]
		}
		return -1
	}}, nil
}

// played runs campaigns into a lake and reads the one of that name.
func played(t testing.TB, name, campaigns string) (store.Store, lake.Dataset) {
	t.Helper()
	s := storetest.NewMemory(map[string]string{})
	if err := laketest.Play(ctx, s, campaigns, 0); err != nil {
		t.Fatal(err)
	}
	d, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

func TestRecountAgrees(t *testing.T) {
	s, d := played(t, "recounted", campaigns)
	r, err := recount.Check(ctx, s, d, settings)
	if err != nil || len(r.Mismatches) > 0 || r.Uncounted > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	ties, abstentions, decisions := 0, 0, 0
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range rows.Ballots {
			if b.Abstained {
				abstentions++
			}
		}
		for _, round := range rows.Rounds {
			if round.Winners > 1 {
				ties++
			}
		}
		for _, turn := range rows.Turns {
			if turn.Kind == "decide" {
				decisions++
			}
		}
		tampered(t, rows)
	}
	if ties < 10 || abstentions < 10 || r.Decisions != decisions {
		t.Errorf("the campaign says little: %d ties, %d abstentions, %d of %d decisions", ties, abstentions, r.Decisions, decisions)
	}
}

// Answers of a debate are votes for themselves, with every way to treat ties,
// with agents that are not there, and with agents that speak in another order.
func TestRecountOfDebates(t *testing.T) {
	s, d := played(t, "debated", `
name: debated
replicates: 2
env: {name: exchange, agents: 4}
model: scripted/trader
reasks: 0
generate: {logprobs: true}
grid:
  rule: [unanimous, majority, plurality, weighted]
  protocol:
    - {name: debate, rounds: 2, ties: keep}
    - {name: debate, rounds: 2, ties: first, talk: one_by_one, remove: [1]}
    - {name: debate, rounds: 2, ties: lottery, order: madc}
    - {name: debate, rounds: 2, ties: first, talk: one_by_one, order: random}
    - {name: debate, rounds: 2, ties: lottery, talk: one_by_one, order: madc}
`)
	r, err := recount.Check(ctx, s, d, settings)
	if err != nil || len(r.Mismatches) > 0 || r.Uncounted > 0 || r.Decisions != 2*20*3 {
		t.Fatalf("%+v %v", r, err)
	}
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			t.Fatal(err)
		}
		var last transcript.Act
		if err := json.Unmarshal([]byte(*rows.Turns[len(rows.Turns)-1].DataJSON), &last); err != nil {
			t.Fatal(err)
		}
		if last.Decision.Standing < 0 {
			continue
		}
		changed := clone(rows) // the answer that was decided for is another one
		data := strings.Replace(*rows.Turns[last.Decision.Standing].DataJSON, `"k":"`, `"k":"x`, 1)
		changed.Turns[last.Decision.Standing].DataJSON = &data
		var r recount.Report
		if r.Add(changed, settings); len(r.Mismatches) == 0 {
			t.Errorf("%s: another answer at entry %d is not noticed", rows.Collaborations[0].CollaborationID, last.Decision.Standing)
		}
	}
}

// tampered changes each thing that a decision rests on, one after the other.
func tampered(t *testing.T, rows record.Rows) {
	t.Helper()
	check := func(what string, changed record.Rows) {
		var r recount.Report
		r.Add(changed, settings)
		if len(r.Mismatches) == 0 {
			t.Errorf("%s: %s is not noticed", rows.Collaborations[0].CollaborationID, what)
		}
	}
	for i, b := range rows.Ballots {
		if b.Abstained {
			continue
		}
		changed := clone(rows)
		other := "1"
		if *b.ValueExact == "1" {
			other = "0"
		}
		changed.Ballots[i].ValueExact = &other
		check("another value", changed)
		changed = clone(rows)
		key := *b.CandidateKey + "x"
		changed.Ballots[i].CandidateKey = &key
		check("another candidate", changed)
		changed = clone(rows)
		changed.Ballots = append(changed.Ballots[:i], changed.Ballots[i+1:]...)
		check("a row less", changed)
		break
	}
	for i, turn := range rows.Turns {
		if turn.Kind != "decide" {
			continue
		}
		for _, swap := range [][2]string{
			{`"Selected":`, `"Selected":1`}, {`"Winners":[`, `"Winners":[0,`}, {`"Winners":null`, `"Winners":[0]`}, {`"Key":"`, `"Key":"x`}, {`"Standing":`, `"Standing":1`},
		} {
			data := strings.Replace(*turn.DataJSON, swap[0], swap[1], 1)
			if data == *turn.DataJSON || !json.Valid([]byte(data)) || strings.Contains(data, "[0,]") {
				continue
			}
			changed := clone(rows)
			changed.Turns[i].DataJSON = &data
			if swap[0] == `"Winners":null` && !voted(rows, turn.Entry) {
				continue // then it rests on something else
			}
			check(data+" instead of "+*turn.DataJSON, changed)
		}
	}
	checkWeights(t, rows)
	says := func(what, want string, change func(*record.Turn) bool) {
		changed, any := clone(rows), false
		for i := range changed.Turns {
			any = any || change(&changed.Turns[i])
		}
		var r recount.Report
		r.Add(changed, settings)
		if any && !slices.ContainsFunc(r.Mismatches, func(m recount.Mismatch) bool { return strings.Contains(fmt.Sprint(m), want) }) {
			t.Errorf("%s: %s is not noticed: %v", rows.Collaborations[0].CollaborationID, what, r.Mismatches)
		}
	}
	says("an entry without its decision", "holds no decision", func(turn *record.Turn) bool {
		if turn.Kind == "decide" {
			turn.DataJSON = new("{}")
		}
		return turn.Kind == "decide"
	})
	says("a vote without its ballot", "is an abstention in the table turns", func(turn *record.Turn) bool {
		is := turn.Format == "ballot" && slices.ContainsFunc(rows.Ballots, func(b record.Ballot) bool { return b.Entry == turn.Entry && !b.Abstained })
		if is {
			turn.DataJSON = new("{}")
		}
		return is
	})
	changed := clone(rows)
	changed.Collaborations[0].SettingsJSON = "{"
	check("settings that cannot be read", changed)
	changed = clone(rows)
	wrong := "another"
	changed.Collaborations[0].DecisionKey = &wrong
	check("another final decision", changed)
	changed = clone(rows)
	changed.Rounds[0].Winners += 3
	check("other rounds", changed)
}

// checkWeights changes a log-probability, takes it away, and changes the weight that comes of it.
func checkWeights(t *testing.T, rows record.Rows) {
	i := slices.IndexFunc(rows.Turns, func(t record.Turn) bool { return t.MeanLogprob != nil && strings.Contains(*t.DataJSON, `"w":`) })
	if i < 0 {
		t.Fatalf("%s: no vote has a weight", rows.Collaborations[0].CollaborationID)
	}
	lower, other := *rows.Turns[i].MeanLogprob-0.01, strings.Replace(*rows.Turns[i].DataJSON, `"w":`, `"w":1`, 1)
	for what, change := range map[string]func(*record.Turn){
		"another log-probability": func(t *record.Turn) { t.MeanLogprob = &lower },
		"no log-probability":      func(t *record.Turn) { t.MeanLogprob = nil },
		"another weight":          func(t *record.Turn) { t.DataJSON = &other },
	} {
		changed := clone(rows)
		change(&changed.Turns[i])
		var r recount.Report
		if r.Add(changed, settings); len(r.Mismatches) == 0 {
			t.Errorf("%s: %s is not noticed", rows.Collaborations[0].CollaborationID, what)
		}
	}
}

// voted says that ballots came just before the entry.
func voted(rows record.Rows, entry int32) bool {
	return entry > 0 && rows.Turns[entry-1].Format == "ballot" && rows.Turns[entry-1].Kind == "ask"
}

// clone shares no rows with r, but what their pointers lead to.
func clone(r record.Rows) record.Rows {
	r.Collaborations, r.Rounds, r.Turns = slices.Clone(r.Collaborations), slices.Clone(r.Rounds), slices.Clone(r.Turns)
	r.Ballots = slices.Clone(r.Ballots)
	return r
}
