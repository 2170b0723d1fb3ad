package activities_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/envs"
	_ "roundtable/envs/envtest" // has the flag -update
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// script is what two agents say, by entry and ask: addressees, equal proposals,
// a skipped one, a ranking of three candidates, an abstention, a refusal, an
// answer that is malformed once and one that stays it.
var script = map[string]string{
	"0.0": `{"target": ["Blake"], "message": "What do you need?\nI need apples."}`,
	"1.0": `I need bread.`,
	"1.1": `{"target": [], "message": "I need bread."}`,
	"2.0": proposing(`{"Alex": {"apples": 75, "bread": 25}, "Blake": {"apples": 25, "bread": 75}}`),
	"3.0": proposing(`{"Blake": {"bread": 75.0, "apples": 25}, "Alex": {"bread": 2.5e1, "apples": 75}}`), // the same
	"4.0": deciding(`[1]`),
	"5.0": deciding(`null`),
	// 6 is the decision of round 1: there is one candidate, with one ballot.
	"7.0":  `{"target": ["Blake", "Alex"], "message": "Can we do better?"}`,
	"8.0":  `I would rather not say.`, // a refusal
	"9.0":  proposing(`{"Alex": {"apples": 80, "bread": 20}, "Blake": {"apples": 20, "bread": 80}}`),
	"10.0": proposing(`null`),
	"11.0": deciding(`[2, 1]`),
	"12.0": deciding(`[3, 1, 2]`), "12.1": deciding(`[1, 1]`), "12.2": `{"decision": "the first"}`,
	// 13 is the decision of round 2: the ballot of entry 11 counts alone.
}

func scriptedModel() *fake {
	return &fake{answer: func(r model.Request) (model.Response, error) {
		a := response(script[fmt.Sprintf("%d.%d", r.Scene.Entry, r.Scene.Ask)])
		if r.Scene.Entry == 8 {
			a.FinishReason = "refusal"
		}
		return a, nil
	}}
}

func TestRowsOfASmallCollaboration(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("golden", 2, 2, "rule: ranked", "reasks: 2"))
	playWhole(t, newActivities(s, scriptedModel()), p, ref(p, 0))
	all := rows(t, s, p, ref(p, 0))
	for i := range all.Turns { // words of prompts may change
		if hash := &all.Turns[i].PromptHash; all.Turns[i].Kind == "ask" {
			same(t, len(*hash), 32)
			*hash = "some"
		}
	}
	same(t, all.Collaborations[0].PromptsHash, p.Pack[0])
	all.Collaborations[0].PromptsHash = "some"
	for i := range all.Calls {
		c := &all.Calls[i]
		if c.StartedAt == 0 || *c.LatencyMS < 0 {
			t.Errorf("call %d began at %d and took %d ms", i, c.StartedAt, *c.LatencyMS)
		}
		c.StartedAt, *c.LatencyMS = 0, 0
	}
	if c := &all.Collaborations[0]; c.StartedAt == 0 || c.EndedAt < c.StartedAt {
		t.Errorf("it lasted from %d to %d", c.StartedAt, c.EndedAt)
	}
	all.Collaborations[0].StartedAt, all.Collaborations[0].EndedAt = 0, 0
	golden(t, "testdata/rows.txt", all)
}

// Simulated or real is told of each round, ballot and call, also where a group
// is mixed and where a call's outcome is not known.
func TestRowsSaySimulatedOrReal(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("mixed", 2, 1, "models: {Blake: scripted/trader}"))
	r := ref(p, 0)
	m := saying(polite)
	a := activities.New(activities.Config{Store: s, Plugins: catalogue.Builtin(), Models: func(c plan.Choice, _ plan.Condition, _ envs.Environment) (model.Provider, error) {
		real := c.Name == "test/model"
		return model.Provider{Model: m, Name: c.Name, Simulated: !real, Endpoint: "here", Account: c.Name}, nil
	}})
	m.answer = func(model.Request) (model.Response, error) {
		return model.Response{}, &model.Error{Class: model.Retry, Status: 500}
	}
	for entry := range 2 {
		if _, err := a.TakeTurn(ctx, task.Turn{Ref: r, Entry: entry}); err == nil {
			t.Fatal("a call was lost and its turn was taken")
		}
	}
	m.answer = func(r model.Request) (model.Response, error) { return response(polite(r)), nil }
	playWhole(t, a, p, r)
	all := rows(t, s, p, r)
	same(t, all.Rounds[0].Simulated, true)
	for _, b := range all.Ballots {
		same(t, b.Simulated, b.Agent == 1)
	}
	seen := ""
	for _, c := range all.Calls {
		same(t, c.Simulated, c.ModelAsked == "scripted/trader")
		seen += c.Status[:1]
	}
	same(t, seen, "uauaaaaa")
}

// golden compares rows, by column, with a file: a row a line, after the name of its table.
func golden(t *testing.T, path string, all record.Rows) {
	t.Helper()
	var b bytes.Buffer
	for i, rows := range [][]map[string]any{
		columns(all.Collaborations), columns(all.Rounds), columns(all.Turns), columns(all.Ballots), columns(all.Calls),
	} {
		for _, row := range rows {
			fmt.Fprintf(&b, "%s %s\n", record.Tables[i], asJSON(row))
		}
	}
	got := b.Bytes()
	if updating() {
		noError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	noError(t, err)
	if !bytes.Equal(got, want) {
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("%s line %d (-update rewrites it)\ngot  %s\nwant %s", path, i+1, g[i], w[i])
			}
		}
		t.Fatalf("%s has %d lines, not %d (-update rewrites it)", path, len(w), len(g))
	}
}

// columns are rows as tables have them: by column, without what is absent.
func columns[T record.Row](rows []T) []map[string]any {
	all := make([]map[string]any, len(rows))
	for i, row := range rows {
		all[i] = map[string]any{}
		v := reflect.ValueOf(row)
		for _, f := range reflect.VisibleFields(v.Type()) {
			name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			if value := v.FieldByIndex(f.Index); name != "" && (f.Type.Kind() != reflect.Pointer || !value.IsNil()) {
				all[i][name] = value.Interface()
			}
		}
	}
	return all
}

// The number of rows of K agents and R rounds of message, proposal and vote.
func TestRowCounts(t *testing.T) {
	t.Parallel()
	for _, malformed := range []float64{0, 0.3} {
		t.Run(fmt.Sprint(malformed), func(t *testing.T) {
			t.Parallel()
			const agents, rounds = 3, 5
			s := newLake(t)
			p := recordPlan(t, s, yaml("counts", agents, rounds, "rule: plurality", "reasks: 1"))
			r := ref(p, 0)
			playAtOnce(t, newActivities(s, trader(malformed), instant), r)
			all := rows(t, s, p, r)
			same(t, len(all.Collaborations), 1)
			same(t, len(all.Rounds), rounds)
			voters, asks, invalid, skipped := 0, 0, 0, 0
			candidates := map[int32]int{} // by round
			for _, round := range all.Rounds {
				candidates[round.Round] = int(round.Candidates)
			}
			ballots := 0
			for _, turn := range all.Turns {
				asks += int(turn.Asks)
				if turn.Status == string(transcript.Invalid) {
					invalid++
				}
				if turn.Status == string(transcript.Skipped) {
					skipped++
				}
				if turn.Phase == "vote" && turn.Kind == "ask" {
					voters++
					if turn.Status == string(transcript.Said) {
						ballots += candidates[turn.Round]
					} else {
						ballots++
					}
				}
			}
			same(t, voters, agents*rounds)
			same(t, len(all.Turns), agents*rounds*3+rounds)
			same(t, len(all.Ballots), ballots)
			same(t, len(all.Calls), asks)
			row := all.Collaborations[0]
			same(t, []int32{row.Agents, row.RoundsPlanned, row.RoundsRun, row.Turns, row.Asks, row.Calls, row.InvalidTurns},
				[]int32{agents, rounds, rounds, int32(len(all.Turns)), int32(asks), int32(asks), int32(invalid)})
			same(t, asks > agents*rounds*3, malformed > 0)
			same(t, invalid > 0, malformed > 0)
			same(t, skipped > 0, true)
			same(t, row.EndReason, "rounds")
			m := marker(t, s, p, r)
			same(t, []int{m.Rows("collaborations"), m.Rows("rounds"), m.Rows("turns"), m.Rows("ballots"), m.Rows("calls")},
				[]int{1, len(all.Rounds), len(all.Turns), len(all.Ballots), len(all.Calls)})
			for _, round := range all.Rounds {
				cast := map[int32]bool{}
				for _, b := range all.Ballots {
					if b.Round == round.Round && !b.Abstained {
						cast[b.Agent] = true
					}
				}
				same(t, round.Ballots, int32(len(cast)))
			}
		})
	}
}

// What a ballot gives each candidate, exactly. Everybody puts the first of three candidates first.
func TestBallotsHaveExactValues(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"unanimous": "1 0 0", "majority": "1 0 0", "plurality": "1 0 0", "rated": "5 4 3",
		"ranked": "1 1/2 1/3", "cumulative": "3 0 0", "{name: cumulative, points: 7}": "7 0 0",
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			s := newLake(t)
			p := recordPlan(t, s, yaml("ballots", 3, 1, "rule: "+rule))
			playWhole(t, newActivities(s, saying(polite), instant), p, ref(p, 0))
			all := rows(t, s, p, ref(p, 0))
			same(t, len(all.Ballots), 9)
			for voter := range 3 {
				var values []string
				for c, b := range all.Ballots[3*voter : 3*voter+3] {
					same(t, []int32{b.Round, b.Agent, *b.Candidate, b.Entry}, []int32{1, int32(voter), int32(c), int32(6 + voter)})
					same(t, *b.ProposersJSON, fmt.Sprintf("[%d]", c))
					same(t, *b.CandidateKey, *all.Turns[3+c].ProposalKey)
					same(t, *b.Standing || b.Abstained || b.Invalid, false)
					exact, _ := new(big.Rat).SetString(*b.ValueExact)
					value, _ := exact.Float64()
					same(t, *b.Value, value)
					values = append(values, *b.ValueExact)
				}
				same(t, strings.Join(values, " "), want)
			}
			same(t, all.Rounds[0].Winners, 1)
			same(t, *all.Rounds[0].DecisionKey, *all.Turns[3].ProposalKey)
			same(t, *all.Collaborations[0].DecidedRound, 1)
		})
	}
}

// A collaboration that fails in the middle of a phase keeps the turns that were taken.
func TestFailedCollaborationKeepsItsTurns(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("partial", 3, 2, "rule: plurality"))
	r := ref(p, 0)
	m := &fake{answer: func(r model.Request) (model.Response, error) {
		if r.Scene.Entry == 14 { // the second round's second proposal
			return model.Response{}, &model.Error{Class: model.Fail, Status: 400}
		}
		return response(polite(r)), nil
	}}
	a := newActivities(s, m)
	for entry := range 16 {
		if entry == 9 { // the decision of round 1
			continue
		}
		_, err := a.TakeTurn(ctx, task.Turn{Ref: r, Entry: entry})
		same(t, err == nil, entry != 14)
	}
	result, err := a.Record(ctx, task.Ending{Ref: r, Status: task.Failed, Failure: "status 400"})
	noError(t, err)
	same(t, math.Round(result.CostUSD*1e9), 1.4e6)
	result.CostUSD = 0
	same(t, result, task.Result{Status: task.Failed, Failure: "status 400", Calls: 15, InputTokens: 1400, OutputTokens: 140, Unpriced: true})
	all := rows(t, s, p, r)
	var entries []int32
	for _, turn := range all.Turns {
		entries = append(entries, turn.Entry)
	}
	same(t, entries, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15})
	same(t, len(all.Calls), 15)
	same(t, all.Calls[13].Status, "unknown")
	same(t, len(all.Rounds), 2)
	same(t, all.Rounds[1].Voted, false)
	same(t, all.Rounds[1].NewProposals, int32(2))
	same(t, *all.Rounds[1].DecisionKey, *all.Rounds[0].DecisionKey) // what stands still stands
	row := all.Collaborations[0]
	same(t, row.Status+" "+*row.Failure+row.EndReason, "failed status 400")
	same(t, *row.DecisionKey, *all.Rounds[0].DecisionKey)
	same(t, row.RoundsRun, int32(2))
}

// The digest does not depend on how the turns came about.
func TestDigestIsTheSame(t *testing.T) {
	t.Parallel()
	type maker = func(model.Model, ...change) *activities.Activities // on the lake of the run
	digests := map[string]string{}
	run := func(name string, play func(t *testing.T, with maker, p campaign.Plan, r task.Ref)) {
		t.Run(name, func(t *testing.T) {
			s := newLake(t)
			p := recordPlan(t, s, yaml("digest", 3, 3, "rule: rated", "reasks: 1"))
			r := ref(p, 0)
			play(t, func(m model.Model, more ...change) *activities.Activities {
				return newActivities(s, m, append([]change{simulated}, more...)...)
			}, p, r)
			commit(t, newActivities(s, trader(0.2), simulated), r, task.Succeeded)
			digests[name] = marker(t, s, p, r).Digest
			same(t, len(rows(t, s, p, r).Turns), 30)
		})
	}
	run("batch", func(t *testing.T, with maker, _ campaign.Plan, r task.Ref) {
		playAtOnce(t, with(trader(0.2), instant), r)
	})
	run("live", func(t *testing.T, with maker, p campaign.Plan, r task.Ref) {
		a := with(trader(0.2))
		conversation(t, p, r, func(pending []protocol.Pending) map[int]transcript.Act {
			return map[int]transcript.Act{pending[0].Entry: take(t, a, r, pending[0].Entry)}
		})
	})
	run("backwards", func(t *testing.T, with maker, p campaign.Plan, r task.Ref) {
		a := with(trader(0.2))
		conversation(t, p, r, func(pending []protocol.Pending) map[int]transcript.Act {
			acts := map[int]transcript.Act{}
			for _, step := range reversed(pending) {
				acts[step.Entry] = take(t, a, r, step.Entry)
			}
			return acts
		})
	})
	run("at once, on two workers", func(t *testing.T, with maker, p campaign.Plan, r task.Ref) {
		workers := []*activities.Activities{with(trader(0.2)), with(trader(0.2))}
		conversation(t, p, r, func(pending []protocol.Pending) map[int]transcript.Act {
			acts := make([]transcript.Act, 2*len(pending))
			inParallel(len(acts), func(i int) {
				var err error
				if acts[i], err = workers[i%2].TakeTurn(ctx, task.Turn{Ref: r, Entry: pending[i/2].Entry}); err != nil {
					t.Error(err)
				}
			})
			made := map[int]transcript.Act{}
			for i, act := range acts {
				made[pending[i/2].Entry] = act
			}
			return made
		})
	})
	run("with faults and restarts", func(t *testing.T, with maker, p campaign.Plan, r task.Ref) {
		rng := rand.New(rand.NewPCG(1, 1))
		faulty := &fake{}
		faulty.answer = func(r model.Request) (model.Response, error) {
			if rng.IntN(3) == 0 {
				return model.Response{}, &model.Error{Class: model.Retry, Unbilled: rng.IntN(2) == 0}
			}
			return trader(0.2).Complete(ctx, r)
		}
		failures := 0
		conversation(t, p, r, func(pending []protocol.Pending) map[int]transcript.Act {
			step := pending[rng.IntN(len(pending))]
			act, err := with(faulty).TakeTurn(ctx, task.Turn{Ref: r, Entry: step.Entry})
			if err != nil {
				failures++
				return nil
			}
			return map[int]transcript.Act{step.Entry: act}
		})
		if failures < 3 {
			t.Errorf("only %d calls failed", failures)
		}
	})
	if distinct := slices.Compact(slices.Sorted(maps.Values(digests))); len(digests) != 5 || len(distinct) != 1 {
		t.Fatalf("the digests differ: %v", digests)
	}
}
