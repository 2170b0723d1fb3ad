package commits_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

func ptr[T any](v T) *T { return &v }

// sample is a collaboration of n turns with every kind of value: absent ones,
// empty texts, zeros behind pointers, empty and filled lists, odd characters.
func sample(campaign, condition, collaboration string, generation, n int) commits.Rows {
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: campaign, ConditionID: condition, CollaborationID: collaboration, Generation: int32(generation)}
	rows := commits.Rows{Collaborations: []record.Collaboration{{
		Key: key, Status: "succeeded", Environment: "exchange", Measure: record.Share, EnvVersion: 1, InstanceID: "i0", Replicate: 2, Protocol: "roundtable", Rule: "ranked",
		Model: "scripted/trader", Simulated: true, Agents: 3, RoundsPlanned: 10, RoundsRun: 10, EndReason: "rounds", DecidedRound: ptr(int32(0)),
		DecisionKey: ptr(""), DecisionJSON: ptr(`{"a":[1,2]}`), Score: ptr(0.1), Utilities: []float64{0, math.Copysign(0, -1), 1e-300}, Turns: int32(n), Seed: -5,
		SettingsJSON: "{}", Calls: 7, CostUSD: ptr(0.5), StartedAt: 1_700_000_000_000_001, EndedAt: 1_700_000_000_000_002,
	}}}
	for i := range n {
		e := int32(i)
		rows.Rounds = append(rows.Rounds, record.Round{Key: key, Round: e + 1, Voted: i%2 == 0, Score: ptr(float64(i)), Utilities: []float64{float64(i)}})
		rows.Turns = append(rows.Turns, record.Turn{
			Key: key, Entry: e, Round: 1, Phase: "vote", Kind: "ask", Agent: ptr(int32(0)), AgentName: "Ada", Status: "said", Asks: 1,
			Text: ptr(strings.Repeat(fmt.Sprintf("line %d\n\tété 😀 \x00 ", i), 5)), Reason: ptr(""), SeesJSON: "[[0,3]]", PromptHash: "p", AnswerHash: "a",
		})
		rows.Ballots = append(rows.Ballots,
			record.Ballot{Key: key, Round: 1, Entry: e, Agent: e, Candidate: ptr(int32(1)), Value: ptr(0.5), ValueExact: ptr("1/2"), Standing: ptr(false)},
			record.Ballot{Key: key, Round: 1, Entry: e, Agent: e, Candidate: ptr(int32(0)), Value: ptr(1.0), ValueExact: ptr("1")},
			record.Ballot{Key: key, Round: 2, Entry: e, Agent: e, Abstained: true})
		rows.Calls = append(rows.Calls, record.Call{Key: key, Entry: e, Provider: "openai", Status: "answered", InputTokens: ptr(int64(0)), StartedAt: 5})
	}
	return rows
}

func shuffled(r commits.Rows) commits.Rows {
	x := rand.New(rand.NewPCG(1, 2))
	mix := func(n int, swap func(i, j int)) { x.Shuffle(n, swap) }
	r.Rounds, r.Turns, r.Ballots, r.Calls = slices.Clone(r.Rounds), slices.Clone(r.Turns), slices.Clone(r.Ballots), slices.Clone(r.Calls)
	mix(len(r.Rounds), reflect.Swapper(r.Rounds))
	mix(len(r.Turns), reflect.Swapper(r.Turns))
	mix(len(r.Ballots), reflect.Swapper(r.Ballots))
	mix(len(r.Calls), reflect.Swapper(r.Calls))
	return r
}

func readBack(t *testing.T, s store.Store, ms []lake.Marker) (r commits.Rows) {
	t.Helper()
	var errs [5]error
	r.Collaborations, errs[0] = lake.ReadAll[record.Collaboration](ctx, s, ms)
	r.Rounds, errs[1] = lake.ReadAll[record.Round](ctx, s, ms)
	r.Turns, errs[2] = lake.ReadAll[record.Turn](ctx, s, ms)
	r.Ballots, errs[3] = lake.ReadAll[record.Ballot](ctx, s, ms)
	r.Calls, errs[4] = lake.ReadAll[record.Call](ctx, s, ms)
	must(t, errors.Join(errs[:]...))
	return r
}

func verified(t *testing.T, s store.Store, campaign string) lake.Report {
	t.Helper()
	r, err := lake.Verify(ctx, s, campaign)
	must(t, err)
	if !r.OK() {
		t.Fatalf("%+v", r.Findings)
	}
	return r
}

func cell() commits.Rows {
	rows := sample("c", "k", "x", 0, 90)
	rows.Rounds = rows.Rounds[:10]
	return rows
}

func renamed(r commits.Rows, name string) commits.Rows {
	for i := range r.Collaborations {
		r.Collaborations[i].CollaborationID = name
	}
	for i := range r.Rounds {
		r.Rounds[i].CollaborationID = name
	}
	for i := range r.Turns {
		r.Turns[i].CollaborationID = name
	}
	for i := range r.Ballots {
		r.Ballots[i].CollaborationID = name
	}
	for i := range r.Calls {
		r.Calls[i].CollaborationID = name
	}
	return r
}
