package protocol_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// numbered is a consensus protocol from JSON parameters over the defaults.
func numbered(agents int, params string) (*protocol.Consensus, error) {
	p := protocol.DefaultConsensus()
	if err := json.Unmarshal([]byte(params), &p); err != nil {
		return nil, err
	}
	return protocol.NewConsensus(p, protocol.Setting{Agents: agents, Seed: 7})
}

// shown plays rounds in which state entries are named agent@round and plans
// agent>round, and tells what each plan was shown.
func shown(t *testing.T, agents int, params string, stop stopping.Rule, values func(round, agent int) float64) (map[string]string, *protocol.Session) {
	t.Helper()
	s := protocol.NewSession(must(numbered(agents, params)), protocol.Setting{Agents: agents, Seed: 7}, stop)
	names := map[int]string{}
	saw := map[string]string{}
	play(t, s, 1000, func(p protocol.Pending) transcript.Act {
		round := p.Round
		if p.Phase == protocol.PhaseStart {
			round = 0
		}
		if p.Kind == transcript.Ask {
			names[p.Entry] = fmt.Sprintf("%d>%d", p.Speaker.Index, p.Round)
		} else {
			names[p.Entry] = fmt.Sprintf("%d@%d", p.Speaker.Index, round)
		}
		var list []string
		for _, e := range seen(s, p.Step) {
			list = append(list, names[e.Index])
		}
		saw[names[p.Entry]] = strings.Join(list, " ")
		return transcript.Act{Status: transcript.Said, Values: []float64{values(round, p.Speaker.Index)}}
	})
	return saw, s
}

func apart(_, agent int) float64 { return float64(10 * agent) }

// TestConsensusSees: who is shown what, by network, memory and delay.
func TestConsensusSees(t *testing.T) {
	for _, c := range []struct {
		agents int
		params string
		plan   string
		want   string
	}{
		{3, `{}`, "1>1", "0@0 1@0 2@0"},
		{3, `{}`, "1>2", "0@0 1@0 2@0 1>1 0@1 1@1 2@1"},
		{3, `{"memory": "current"}`, "1>2", "0@1 1@1 2@1"},
		{3, `{"memory": "current", "network": "star"}`, "1>3", "0@2 1@2"},
		{3, `{"memory": "current", "network": "star"}`, "0>3", "0@2 1@2 2@2"},
		{4, `{"memory": "current", "network": "line"}`, "3>1", "2@0 3@0"},
		{4, `{"memory": "current", "network": "ring"}`, "3>1", "0@0 2@0 3@0"},
		{3, `{"memory": "current", "network": "leader"}`, "0>1", "0@0"},
		{3, `{"memory": "current", "network": "leader"}`, "2>1", "0@0 2@0"},
		{3, `{"memory": "current", "network": "chain"}`, "2>1", "1@0 2@0"},
		{3, `{"memory": "current", "network": [[0,0,0],[0,0,1],[1,0,0]]}`, "1>1", "1@0 2@0"}, // Fig. 9b
		{3, `{"memory": "current", "network": ["full", "chain"]}`, "1>1", "0@0 1@0 2@0"},
		{3, `{"memory": "current", "network": ["full", "chain"]}`, "1>2", "0@1 1@1"},
		{3, `{"memory": "current", "network": ["full", "chain"]}`, "1>3", "0@2 1@2 2@2"},
		{3, `{"memory": "current", "delay": 2}`, "1>2", "0@0 2@0 1@1"},
		{3, `{"memory": "current", "delay": 2}`, "1>4", "0@1 2@1 1@3"},
		{3, `{"memory": "current", "delay": [[0,0,0],[1,0,0],[0,0,0]]}`, "1>3", "0@1 1@2 2@2"},
		{2, `{"delay": 1}`, "0>3", "0@0 1@0 0>1 0@1 1@1 0>2 0@2"},
		{3, `{"network": ["full", "chain"]}`, "1>3", "0@0 1@0 2@0 1>1 0@1 1@1 1>2 0@2 1@2 2@2"},
	} {
		saw, _ := shown(t, c.agents, c.params, stopping.Never{}, apart)
		if got := saw[c.plan]; got != c.want {
			t.Errorf("%d agents, %s: %s is shown %s, want %s", c.agents, c.params, c.plan, got, c.want)
		}
	}
}

// TestConsensusMoves: the world is shown where an agent was and what it plans; plans are shown to nobody else.
func TestConsensusMoves(t *testing.T) {
	saw, s := shown(t, 3, `{"rounds": 2, "network": "chain"}`, stopping.Never{}, apart)
	if saw["1@2"] != "1@1 1>2" || saw["1@0"] != "" {
		t.Errorf("moves are shown %q, starts %q", saw["1@2"], saw["1@0"])
	}
	for _, e := range s.Transcript().Entries {
		if e.Kind == transcript.Ask && (e.Audience.Everybody || len(e.Audience.Speakers) != 1) {
			t.Errorf("the plan %d may be seen by %v", e.Index, e.Audience)
		}
		if e.Kind == transcript.Env && e.Audience.Everybody {
			t.Errorf("in a chain everybody may see entry %d", e.Index)
		}
	}
	if o := s.Outcome(); *o != (protocol.Outcome{Standing: -1, Reason: "rounds", Round: 2}) || len(s.Transcript().Entries) != 3*5 {
		t.Errorf("%+v after %d entries", o, len(s.Transcript().Entries))
	}
}

// TestConsensusReached: agents within epsilon are a consensus, and a stopping rule can end it there.
func TestConsensusReached(t *testing.T) {
	shrinking := func(round, agent int) float64 { return float64(agent) * 8 / float64(int(1)<<round) } // width 16, 8, 4, 2, 1, …
	_, s := shown(t, 3, `{"rounds": 6}`, stopping.Never{}, shrinking)
	if o := s.Outcome(); o.Reason != "rounds" || o.Standing != 3*12 {
		t.Errorf("%+v", o)
	}
	for rounds, want := range map[int]protocol.Outcome{
		1: {Standing: 3 * 8, Reason: "stopped", Round: 4},
		2: {Standing: 3 * 10, Reason: "stopped", Round: 5},
	} {
		rule := must(stopping.NewConverged(stopping.ConvergedParams{Epsilon: 1, Rounds: rounds}))
		_, s = shown(t, 3, `{"rounds": 9}`, rule, shrinking)
		if o := s.Outcome(); *o != want {
			t.Errorf("for %d rounds within 1: %+v, want %+v", rounds, *o, want)
		}
	}
}

// TestConsensusRandom: links are mutual, drawn once, and as frequent as asked for.
func TestConsensusRandom(t *testing.T) {
	const agents = 60
	saw, _ := shown(t, agents, `{"rounds": 2, "memory": "current", "network": "random", "probability": 0.3}`, stopping.Never{}, apart)
	links := 0
	for i := range agents {
		for j := range agents {
			hears := func(a, b, round int) bool {
				return slices.Contains(strings.Fields(saw[fmt.Sprintf("%d>%d", a, round)]), fmt.Sprintf("%d@%d", b, round-1))
			}
			if hears(i, j, 1) != hears(j, i, 1) || hears(i, j, 1) != hears(i, j, 2) {
				t.Fatalf("the link of %d and %d is not mutual or changes", i, j)
			}
			if i != j && hears(i, j, 1) {
				links++
			}
		}
	}
	if share := float64(links) / agents / (agents - 1); share < 0.26 || share > 0.34 { // 3 standard deviations
		t.Errorf("%.2f of the links are there, want 0.30", share)
	}
}

// TestConsensusEqualWeights: without weights, who is heard weighs 1.
func TestConsensusEqualWeights(t *testing.T) {
	s := protocol.NewSession(must(numbered(3, `{"network": "chain"}`)), protocol.Setting{Agents: 3}, stopping.Never{})
	for _, p := range s.Pending() {
		if err := s.Record(p.Entry, transcript.Act{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range [][]float64{{1, 0, 0}, {1, 1, 0}, {0, 1, 1}} {
		if got := s.Pending()[i].Payload.Data; !slices.Equal(got.([]float64), want) {
			t.Errorf("agent %d weighs %v, want %v", i, got, want)
		}
	}
}

// TestConsensusWeights: who is not heard weighs nothing.
func TestConsensusWeights(t *testing.T) {
	c := must(numbered(3, `{"network": "chain", "weights": [[1,2,3],[4,5,6],[7,8,9]]}`))
	s := protocol.NewSession(c, protocol.Setting{Agents: 3}, stopping.Never{})
	for _, p := range s.Pending() {
		if err := s.Record(p.Entry, transcript.Act{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range [][]float64{{1, 0, 0}, {4, 5, 0}, {0, 8, 9}} {
		if got := s.Pending()[i].Payload.Data; !slices.Equal(got.([]float64), want) {
			t.Errorf("agent %d weighs %v, want %v", i, got, want)
		}
	}
}

func TestConsensusRefused(t *testing.T) {
	for params, want := range map[string]string{
		`{"rounds": 0}`:                           "rounds is 0",
		`{"memory": "none"}`:                      "memory is",
		`{"probability": 2}`:                      "probability is 2",
		`{"epsilon": -1}`:                         "epsilon is -1",
		`{"network": "mesh"}`:                     `network is "mesh"`,
		`{"network": 3}`:                          "a network is one of",
		`{"network": []}`:                         "a network is one of",
		`{"network": [[0,1],[1,0]]}`:              "not a matrix of 3 rows",
		`{"network": [[0,1,2],[1,0,1],[1,1,0]]}`:  "in row 1",
		`{"network": ["full", "mesh"]}`:           `network is "mesh"`,
		`{"delay": -1}`:                           "delay is wrong",
		`{"delay": "long"}`:                       "a delay is a whole number",
		`{"delay": [[0,1]]}`:                      "delay is neither",
		`{"weights": [[1]]}`:                      "weights is not a matrix",
		`{"weights": [[1,1,1],[1,-1,1],[1,1,1]]}`: "in row 2",
	} {
		if _, err := numbered(3, params); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", params, err, want)
		}
	}
	for _, p := range []stopping.ConvergedParams{{Epsilon: -1, Rounds: 1}, {Epsilon: 1}} {
		if _, err := stopping.NewConverged(p); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}

// TestNetworkJSON: a network is written as it is read.
func TestNetworkJSON(t *testing.T) {
	for _, text := range []string{`"full"`, `[[0,1],[1,0]]`, `["full",[[0,1],[0,0]],"ring"]`} {
		var n protocol.Network
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(n); err != nil || string(got) != text {
			t.Errorf("%s is written as %s (%v)", text, got, err)
		}
	}
}

// TestConsensusBeforeTheStart: where nobody is yet nothing stands.
func TestConsensusBeforeTheStart(t *testing.T) {
	if at := must(numbered(3, `{}`)).Traits().Standing(&transcript.Transcript{Agents: 3}); at != -1 {
		t.Errorf("entry %d stands", at)
	}
}
