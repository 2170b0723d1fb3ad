package acts_test

import (
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/referencetest"
)

// The reference counts pairs in round 3 of two collaborations of each kind.
func TestPairsReference(t *testing.T) {
	for _, kind := range []string{"exchange", "recsys"} {
		runs, _ := analysistest.Reference(t, kind)
		var expected struct {
			Counts map[string]struct {
				R         int
				Existence map[string]uint16
			} `json:"counts_example"`
		}
		referencetest.Read(t, "dialogue_acts_"+kind+"_expected.json", &expected)
		if len(expected.Counts) != 2 {
			t.Fatalf("%d examples", len(expected.Counts))
		}
		for _, run := range runs {
			want, ok := expected.Counts[run.ID]
			if !ok {
				continue
			}
			got, ok := run.Pairs(want.R)
			if !ok {
				t.Fatalf("%s is not labelled", run.ID)
			}
			for pair, n := range got {
				if name := acts.Pair(pair).String(); n != want.Existence[name] {
					t.Errorf("%s round %d: %s occurs %d times, want %d", run.ID, want.R, name, n, want.Existence[name])
				}
			}
		}
	}
}

func TestPairsByHand(t *testing.T) {
	inform, _ := acts.Of("Inform")
	request, _ := acts.Of("Request")
	run := acts.Trajectory{Rounds: []acts.Round{
		{Acts: []acts.Set{inform, inform | request, 0}},
		{Acts: []acts.Set{request, 0, 0}}, // only the first answers: nobody answers itself
		{Acts: nil},
	}}
	counts, ok := run.Pairs(2)
	if !ok || counts[0*11+1] != 1 || counts[1*11+1] != 1 || counts[0] != 0 {
		t.Errorf("Inform->Request %d, Request->Request %d, Inform->Inform %d; want 1, 1, 0", counts[1], counts[12], counts[0])
	}
	if _, ok := (acts.Trajectory{Rounds: run.Rounds[:2]}).Pairs(2); !ok {
		t.Error("the last round has no pairs")
	}
	for _, round := range []int{0, 1, 3, 4} {
		if _, ok := run.Pairs(round); ok {
			t.Errorf("round %d has pairs", round)
		}
	}
	if run.IsLabelled() {
		t.Error("round 3 has no labels")
	}
}

func TestLabel(t *testing.T) {
	run := acts.Trajectory{ID: "a", Agents: 2, Rounds: make([]acts.Round, 2)}
	if err := run.Label([]acts.Message{{Round: 2, Agent: 1, Acts: 1}, {Round: 2, Agent: 1, Acts: 4}}); err != nil {
		t.Fatal(err)
	}
	if !run.IsLabelled() || run.Rounds[1].Acts[1] != 5 || run.Rounds[0].Acts[0] != 0 {
		t.Errorf("%+v", run.Rounds)
	}
	for _, m := range []acts.Message{{Round: 0}, {Round: 3}, {Round: 1, Agent: 2}, {Round: 1, Agent: -1}} {
		other := acts.Trajectory{ID: "a", Agents: 2, Rounds: make([]acts.Round, 2)}
		if err := other.Label([]acts.Message{m}); err == nil || !strings.Contains(err.Error(), "2 agents and 2 rounds") || other.IsLabelled() {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

func number(v float64) *float64 { return &v }

func TestBest(t *testing.T) {
	for _, c := range []struct {
		what   string
		score  []*float64
		round  int
		varies bool
	}{
		{"the earliest of two", []*float64{number(0), number(2), number(1), number(2)}, 2, true},
		{"falling", []*float64{number(3), number(2)}, 1, true},
		{"constant", []*float64{number(1), number(1)}, 1, false},
		{"constant once it is defined", []*float64{nil, number(-1), number(-1)}, 2, false},
		{"never defined", []*float64{nil, nil}, 1, false},
	} {
		run := acts.Trajectory{}
		for _, g := range c.score {
			run.Rounds = append(run.Rounds, acts.Round{Score: g})
		}
		if round, varies := run.Best(); round != c.round || varies != c.varies {
			t.Errorf("%s: round %d, varies %t; want %d, %t", c.what, round, varies, c.round, c.varies)
		}
	}
}

func TestSame(t *testing.T) {
	run := func(id string, rounds int) acts.Trajectory {
		return acts.Trajectory{ID: id, Rounds: make([]acts.Round, rounds)}
	}
	for says, runs := range map[string][]acts.Trajectory{
		"at least 2 are needed": {run("a", 3)},
		"b has no rounds":       {run("a", 3), run("b", 0)},
		"b has 2 rounds and a":  {run("a", 3), run("b", 2)},
		"a is there twice":      {run("a", 3), run("b", 3), run("a", 3)},
		"":                      {run("a", 3), run("b", 3)},
		"0 collaborati":         nil,
	} {
		if err := acts.Same(runs, 2); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// rows of a collaboration of two rounds: a call in each, a cached one and one of unknown price.
func rows(environment string) record.Rows {
	tokens, cost, score := int64(100), 0.25, 0.5
	return record.Rows{
		Collaborations: []record.Collaboration{{
			Key:    record.Key{CollaborationID: "majority-1-i0-r3", ConditionID: "majority-1"},
			Status: "succeeded", Environment: environment, Measure: analysistest.MeasureOf(environment), Rule: "majority", Instance: 0, Replicate: 3, RoundsPlanned: 2,
		}},
		Rounds: []record.Round{{Round: 1, NewProposals: 2}, {Round: 2, Passed: true, Score: &score}},
		Turns:  []record.Turn{{Entry: 0, Round: 1}, {Entry: 1, Round: 2}, {Entry: 2, Round: 2}},
		Calls: []record.Call{
			{Entry: 0, InputTokens: &tokens, OutputTokens: &tokens, CostUSD: &cost},
			{Entry: 0, InputTokens: &tokens, OutputTokens: &tokens, CostUSD: &cost, Cached: true},
			{Entry: 1, InputTokens: &tokens, OutputTokens: &tokens, CostUSD: &cost},
			{Entry: 2, InputTokens: &tokens},
		},
	}
}

func TestFromRows(t *testing.T) {
	got, err := acts.FromRows(rows("exchange"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := got.Rounds[0], got.Rounds[1]
	if got.ID != "majority-1-i0-r3" || got.Unit != "i0-r3" || got.Rule != "majority" {
		t.Errorf("%+v", got)
	}
	if first.Score == nil || *first.Score != 0 || first.Agreed || first.Proposals != 2 || first.Tokens != 200 || *first.CostUSD != 0.25 {
		t.Errorf("round 1: %+v", first)
	}
	if *second.Score != 0.5 || !second.Agreed || second.Tokens != 300 || second.CostUSD != nil {
		t.Errorf("round 2: %+v", second)
	}
	got, err = acts.FromRows(rows("recsys"))
	if err != nil || got.Rounds[0].Score != nil {
		t.Errorf("before a decision a prediction has no error: %v %v", got.Rounds[0].Score, err)
	}
	if got.IsLabelled() || got.Distances() > 0 {
		t.Error("acts and distances come from elsewhere")
	}
}

// An instance is its question: what two data sets number alike is held out apart, and what
// both of them ask together.
func TestUnitsGoByQuestion(t *testing.T) {
	var runs []acts.Trajectory
	for _, x := range []struct {
		instance, replicate int32
		hash                string
	}{{0, 0, "one"}, {0, 1, "two"}, {7, 2, "one"}, {1, 0, ""}, {1, 1, ""}} {
		r := rows("qa")
		c := &r.Collaborations[0]
		c.Instance, c.Replicate = x.instance, x.replicate
		if x.hash != "" {
			c.InstanceHash = &x.hash
		}
		run, err := acts.FromRows(r)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	for least, want := range map[int]string{3: "one two one i1 i1", 4: "one-r0 two-r1 one-r2 i1-r0 i1-r1"} {
		var units []string
		for _, run := range acts.ByInstance(runs, least) {
			units = append(units, run.Unit)
		}
		if got := strings.Join(units, " "); got != want {
			t.Errorf("of at least %d: %s, want %s", least, got, want)
		}
	}
}

func TestFromRowsExplains(t *testing.T) {
	for says, spoil := range map[string]func(*record.Rows){
		"it is failed":                            func(r *record.Rows) { r.Collaborations[0].Status = "failed" },
		"it has no rounds":                        func(r *record.Rows) { r.Rounds = nil },
		"it ended after round 1 of 2":             func(r *record.Rows) { r.Rounds = slices.Clone(r.Rounds[:1]) },
		"expected 1 row in collaborations, got 0": func(r *record.Rows) { r.Collaborations = nil },
	} {
		r := rows("exchange")
		spoil(&r)
		if _, err := acts.FromRows(r); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
