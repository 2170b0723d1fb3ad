package protocol_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

func debaters(agents int, change func(*protocol.DebateParams)) *protocol.Session {
	p := protocol.DefaultDebate()
	if change != nil {
		change(&p)
	}
	set := protocol.Setting{Agents: agents, Rule: plurality(), Seed: 1}
	return protocol.NewSession(must(protocol.NewDebate(p, set)), set, stopping.Never{})
}

// answering plays a debate to its end: answer gives an agent's answer in a round.
func answering(t *testing.T, s *protocol.Session, answer func(agent, round int) string) {
	t.Helper()
	play(t, s, 10_000, func(p protocol.Pending) transcript.Act {
		switch {
		case p.Phase == protocol.PhaseGold:
			return transcript.Act{Status: transcript.Said, Key: "B", Tags: []string{"b"}}
		case p.Speaker.Role != "":
			return spoke
		}
		if key := answer(p.Speaker.Index, p.Round); key != "" {
			return proposed(key)
		}
		return invalid
	})
}

// talk is what each speaker of a debate saw, as "round speaker: round.agent …".
func talk(s *protocol.Session) string {
	var lines []string
	for _, e := range s.Transcript().Entries {
		if e.Kind != transcript.Ask {
			continue
		}
		who := fmt.Sprint(e.Speaker.Index)
		if e.Speaker.Role != "" {
			who = "s"
		}
		var saw []string
		for _, o := range seen(s, e.Step) {
			from := fmt.Sprint(o.Speaker.Index)
			if o.Speaker.Role != "" {
				from = "s"
			}
			saw = append(saw, fmt.Sprint(o.Round, ".", from))
		}
		lines = append(lines, fmt.Sprint(e.Round, " ", who, ": ", strings.Join(saw, " ")))
	}
	return strings.Join(lines, "\n")
}

// Who sees what, by talk, order, topology and removal: own answers first, then
// the peers' latest.
func TestWhoSeesWhat(t *testing.T) {
	first := func(agent, _ int) string { return []string{"A", "B", "A", "b"}[agent] } // B and b are right
	for name, x := range map[string]struct {
		agents int
		change func(*protocol.DebateParams)
		want   string
	}{
		"simultaneous": {3, func(p *protocol.DebateParams) { p.Rounds = 2 },
			"1 0: |1 1: |1 2: |2 0: 1.0 1.1 1.2|2 1: 1.1 1.0 1.2|2 2: 1.2 1.0 1.1|3 0: 1.0 2.0 2.1 2.2|3 1: 1.1 2.1 2.0 2.2|3 2: 1.2 2.2 2.0 2.1"},
		"one by one": {3, func(p *protocol.DebateParams) { p.Talk = "one_by_one" },
			"1 0: |1 1: 1.0|1 2: 1.0 1.1|2 0: 1.0 1.1 1.2|2 1: 1.1 2.0 1.2|2 2: 1.2 2.0 2.1"},
		"one by one, truth first": {3, func(p *protocol.DebateParams) { p.Talk, p.Order = "one_by_one", "truth_first" },
			"1 0: |1 1: 1.0|1 2: 1.0 1.1|2 1: 1.1 1.0 1.2|2 0: 1.0 2.1 1.2|2 2: 1.2 2.1 2.0"},
		"one by one, by index": {3, func(p *protocol.DebateParams) { p.Talk, p.Speaking = "one_by_one", "index" },
			"1 0: |1 1: |1 2: |2 0: 1.0 1.1 1.2|2 1: 1.1 2.0 1.2|2 2: 1.2 2.0 2.1"},
		"summarizer": {3, func(p *protocol.DebateParams) { p.Talk = "summarizer"; p.Order = "truth_last" },
			"1 0: |1 1: |1 2: |1 s: 1.0 1.2 1.1|2 0: 1.0 1.s|2 1: 1.1 1.s|2 2: 1.2 1.s"},
		"truth last": {4, func(p *protocol.DebateParams) { p.Order = "truth_last" },
			"1 0: |1 1: |1 2: |1 3: |2 0: 1.0 1.2 1.1 1.3|2 1: 1.1 1.0 1.2 1.3|2 2: 1.2 1.0 1.1 1.3|2 3: 1.3 1.0 1.2 1.1"},
		"truth first": {4, func(p *protocol.DebateParams) { p.Order = "truth_first" },
			"1 0: |1 1: |1 2: |1 3: |2 0: 1.0 1.1 1.3 1.2|2 1: 1.1 1.3 1.0 1.2|2 2: 1.2 1.1 1.3 1.0|2 3: 1.3 1.1 1.0 1.2"},
		"madc": {3, func(p *protocol.DebateParams) { p.Order = "madc" },
			"1 0: |1 1: |1 2: |2 0: 1.0 1.1 1.2|2 1: 1.1 1.2 1.0|2 2: 1.2 1.1 1.0"},
		"madc per receiver": {3, func(p *protocol.DebateParams) { p.Order = "madc_per_receiver" },
			"1 0: |1 1: |1 2: |2 0: 1.0 1.1 1.2|2 1: 1.1 1.0 1.2|2 2: 1.2 1.0 1.1"},
		"ring": {4, func(p *protocol.DebateParams) { p.Topology.Name = "ring" },
			"1 0: |1 1: |1 2: |1 3: |2 0: 1.0 1.1 1.3|2 1: 1.1 1.0 1.2|2 2: 1.2 1.1 1.3|2 3: 1.3 1.0 1.2"},
		"star": {4, func(p *protocol.DebateParams) { p.Topology.Name = "star" },
			"1 0: |1 1: |1 2: |1 3: |2 0: 1.0 1.1 1.2 1.3|2 1: 1.1 1.0|2 2: 1.2 1.0|2 3: 1.3 1.0"},
		"tree": {4, func(p *protocol.DebateParams) { p.Topology.Name = "tree" },
			"1 0: |1 1: |1 2: |1 3: |2 0: 1.0 1.1 1.2|2 1: 1.1 1.0 1.3|2 2: 1.2 1.0|2 3: 1.3 1.1"},
		"explicit": {3, func(p *protocol.DebateParams) {
			p.Topology = protocol.Topology{Name: "explicit", Hears: [][]int{{2}, {}, {1, 0}}}
		}, "1 0: |1 1: |1 2: |2 0: 1.0 1.2|2 1: 1.1|2 2: 1.2 1.0 1.1"},
		"the first two": {4, func(p *protocol.DebateParams) { p.Agents = 2 },
			"1 0: |1 1: |2 0: 1.0 1.1|2 1: 1.1 1.0"},
		"removed": {4, func(p *protocol.DebateParams) {
			p.Remove = []protocol.Removal{{Agent: 0, From: 1}, {Agent: 2, From: 2}}
		}, "1 1: |1 2: |1 3: |2 1: 1.1 1.3|2 3: 1.3 1.1"},
		"alone": {1, func(p *protocol.DebateParams) { p.Rounds = 0 }, "1 0: "},
	} {
		s := debaters(x.agents, x.change)
		answering(t, s, first)
		if got := strings.ReplaceAll(talk(s), "\n", "|"); got != x.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, x.want)
		}
		for _, e := range s.Transcript().Entries {
			if (e.Kind == transcript.Decide || e.Phase == protocol.PhaseGold) && e.Audience.Hears(transcript.Speaker{}) {
				t.Errorf("%s: an agent may see the %s", name, e.Phase)
			}
			if e.Phase == protocol.PhaseGold && e.Round != 1 {
				t.Errorf("%s: the right answer is looked up in round %d", name, e.Round)
			}
		}
	}
}

// Random orders differ by round and collaboration, are the same for all
// receivers, and a random topology gives everybody k peers.
func TestRandom(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(10) {
		p := protocol.DefaultDebate()
		p.Order, p.Rounds, p.Topology = "random", 2, protocol.Topology{Name: "random", K: 2}
		set := protocol.Setting{Agents: 5, Rule: plurality(), Seed: seed}
		s := protocol.NewSession(must(protocol.NewDebate(p, set)), set, stopping.Never{})
		answering(t, s, func(int, int) string { return "A" })
		for _, e := range s.Transcript().Entries {
			if e.Kind == transcript.Ask && e.Round > 1 && len(seen(s, e.Step)) != e.Round-1+2 {
				t.Fatalf("agent %d of round %d sees %v", e.Speaker.Index, e.Round, indices(seen(s, e.Step)))
			}
		}
		ordered := p
		ordered.Order = protocol.DefaultDebate().Order
		s = protocol.NewSession(must(protocol.NewDebate(ordered, set)), set, stopping.Never{})
		answering(t, s, func(int, int) string { return "A" })
		for _, e := range s.Transcript().Entries {
			if e.Kind == transcript.Ask && e.Round > 1 {
				if peers := indices(seen(s, e.Step)[e.Round-1:]); !slices.IsSorted(peers) {
					t.Fatalf("a fixed order shows agent %d its peers as %v", e.Speaker.Index, peers)
				}
			}
		}
		full := p
		full.Topology = protocol.Topology{Name: "full"}
		s = protocol.NewSession(must(protocol.NewDebate(full, set)), set, stopping.Never{})
		answering(t, s, func(int, int) string { return "A" })
		for round := 2; round <= 3; round++ {
			var shown [][]int // by receiver: agents, in order
			for _, e := range s.Transcript().Entries {
				if e.Kind == transcript.Ask && e.Round == round {
					var who []int
					for _, o := range seen(s, e.Step)[round-1:] {
						who = append(who, o.Speaker.Index)
					}
					shown = append(shown, who)
				}
			}
			for i := range shown {
				for j := range shown {
					without := func(list []int) []int {
						return slices.DeleteFunc(slices.Clone(list), func(a int) bool { return a == i || a == j })
					}
					if !slices.Equal(without(shown[i]), without(shown[j])) {
						t.Fatalf("receivers %d and %d see other orders: %v, %v", i, j, shown[i], shown[j])
					}
				}
			}
			orders[fmt.Sprint(shown[0])] = true
		}
	}
	if len(orders) < 5 {
		t.Errorf("only %d different orders of 20", len(orders))
	}
}

// The majority of the last round is the answer; the earliest agent's on ties;
// what could not be read is not a vote.
func TestCount(t *testing.T) {
	for _, x := range []struct{ rounds, want string }{
		{"A B B", "B"}, {"A B C", "A"}, {"C B B C", "C"}, {"- B A A", "A"}, {"- - B", "B"}, {"- -", ""},
		{"A A A|A B B", "B"}, {"A A A|- - -", "A"}, // nothing read in the last round: what stood stands
	} {
		rounds := strings.Split(x.rounds, "|")
		agents := len(strings.Fields(rounds[0]))
		s := debaters(agents, func(p *protocol.DebateParams) { p.Rounds = len(rounds) - 1 })
		answering(t, s, func(agent, round int) string {
			return strings.Trim(strings.Fields(rounds[round-1])[agent], "-")
		})
		o := s.Outcome()
		got := ""
		if o.Standing >= 0 {
			got = s.Transcript().Entries[o.Standing].Act.Key
		}
		if got != x.want || o.Reason != "rounds" || o.Round != len(rounds) {
			t.Errorf("%s: %q, %+v; want %s", x.rounds, got, o, x.want)
		}
	}
	// Who was removed is not part of the electorate: 2 of 3 are a majority.
	p := protocol.DefaultDebate()
	p.Remove = []protocol.Removal{{Agent: 3, From: 1}, {Agent: 4, From: 1}}
	set := protocol.Setting{Agents: 5, Rule: majority()}
	s := protocol.NewSession(must(protocol.NewDebate(p, set)), set, stopping.Never{})
	answering(t, s, func(agent, _ int) string { return []string{"A", "A", "B"}[agent] })
	if s.Outcome().Standing < 0 {
		t.Error("two of three present agents are not majority")
	}
}

// Who votes sees its own answers of all rounds, then the last ones of others that differ.
func TestBallotsShow(t *testing.T) {
	s := debaters(3, func(p *protocol.DebateParams) { p.Rounds, p.Ballots = 1, true })
	play(t, s, 100, func(p protocol.Pending) transcript.Act {
		if p.Phase == protocol.PhaseVote {
			return voted(0)
		}
		return proposed([]string{"A", "B", "A"}[p.Speaker.Index])
	})
	var got []string
	for _, e := range s.Transcript().Entries {
		if e.Payload.Format == transcript.FormatBallot {
			got = append(got, fmt.Sprint(e.Speaker.Index, indices(seen(s, e.Step))))
		}
	}
	// entries 0 to 2 are the first answers, 3 to 5 the last, of which 3 and 4 are candidates
	if want := "0 [0 3 4] 1 [1 4 3] 2 [2 5 3 4]"; strings.Join(got, " ") != want {
		t.Errorf("voters see %v, want %s", got, want)
	}
}

// Viewpoints are the first answers, added in one of three orders.
func TestViewpoints(t *testing.T) {
	for scaling, want := range map[string]string{
		"correct_first":   "correct0 correct1 incorrect0 incorrect1",
		"incorrect_first": "incorrect0 incorrect1 correct0 correct1",
		"alternating":     "correct0 incorrect0 correct1 incorrect1",
	} {
		s := debaters(4, func(p *protocol.DebateParams) {
			p.Viewpoints = protocol.Viewpoints{Scaling: scaling, Each: 2, Receivers: "all"}
		})
		var cues []string
		for _, p := range s.Pending() {
			c := p.Payload.Data.(envs.Cue)
			if p.Kind != transcript.Env || p.Round != 1 {
				t.Errorf("%s: %+v", scaling, p)
			}
			cues = append(cues, fmt.Sprint(c.Name, c.N))
		}
		if got := strings.Join(cues, " "); got != want {
			t.Errorf("%s: %s, want %s", scaling, got, want)
		}
		answering(t, s, func(int, int) string { return "A" })
		if e := s.Transcript().Entries[5]; e.Kind != transcript.Ask || len(seen(s, e.Step)) != 4 {
			t.Errorf("%s: entry 5 is %+v", scaling, e)
		}
	}
	s := debaters(4, func(p *protocol.DebateParams) {
		p.Viewpoints = protocol.Viewpoints{Scaling: "correct_first", Each: 2, Receivers: "one"}
	})
	answering(t, s, func(int, int) string { return "A" })
	if got := talk(s); got != "2 0: 1.0 1.1 1.2 1.3" {
		t.Errorf("one receiver: %s", got)
	}
	if end := s.Transcript().Entries[len(s.Transcript().Entries)-1]; end.Payload.Electorate != 1 || end.Act.Decision.Selected != 0 {
		t.Errorf("one receiver decides %+v of %d", end.Act.Decision, end.Payload.Electorate)
	}
}

// One by one, a random order is also that of speaking, in every round; equal
// counts are broken by agent all the same.
func TestSpeakingOrder(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(8) {
		p := protocol.DefaultDebate()
		p.Talk, p.Order = "one_by_one", "random"
		set := protocol.Setting{Agents: 4, Rule: plurality(), Seed: seed}
		s := protocol.NewSession(must(protocol.NewDebate(p, set)), set, stopping.Never{})
		answering(t, s, func(agent, _ int) string { return fmt.Sprint(agent) })
		for round := 1; round <= 2; round++ {
			var spoke []string
			for _, e := range s.Transcript().Entries {
				if e.Round != round || e.Kind != transcript.Ask {
					continue
				}
				before := len(spoke)
				spoke = append(spoke, fmt.Sprint(e.Speaker.Index))
				if saw := len(seen(s, e.Step)); round == 1 && saw != before {
					t.Errorf("seed %d: speaker %d of round 1 sees %d answers", seed, before+1, saw)
				}
			}
			orders[strings.Join(spoke, "")] = true
		}
		if standing := s.Outcome().Standing; s.Transcript().Entries[standing].Speaker.Index != 0 {
			t.Errorf("seed %d: the tie goes to entry %+v", seed, s.Transcript().Entries[standing].Speaker)
		}
	}
	if len(orders) < 8 {
		t.Errorf("16 rounds have %d orders", len(orders))
	}
}

// What makes no sense is refused, with the reason.
func TestDebateFaults(t *testing.T) {
	for _, x := range []struct {
		change func(*protocol.DebateParams, *protocol.Setting)
		want   string
	}{
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Rounds = -1 }, "rounds is -1"},
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Order = "loudest" }, `order is "loudest"`},
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Talk = "shout" }, `talk is "shout"`},
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Ties = "last" }, `ties is "last"`},
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Agents = 4 }, "agents is 4; the group has 3"},
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Topology.Name = "cloud" }, `unknown topology "cloud"`},
		{func(p *protocol.DebateParams, _ *protocol.Setting) {
			p.Topology = protocol.Topology{Name: "random", K: 3}
		}, "k is 3; each of 3 agents can hear 1 to 2 others"},
		{func(p *protocol.DebateParams, _ *protocol.Setting) {
			p.Topology = protocol.Topology{Name: "explicit", Hears: [][]int{{1}, {1}, {}}}
		}, "agent 1 hears agent 1"},
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Talk = "summarizer"; p.Topology.Name = "ring" }, "needs full"},
		{func(p *protocol.DebateParams, _ *protocol.Setting) {
			p.Remove = []protocol.Removal{{Agent: 3, From: 1}}
		}, "names agent 3"},
		{func(p *protocol.DebateParams, _ *protocol.Setting) {
			p.Remove = []protocol.Removal{{Agent: 0, From: 1}, {Agent: 1, From: 2}, {Agent: 2, From: 1}}
		}, "leaves nobody in round 2"},
		{func(p *protocol.DebateParams, _ *protocol.Setting) { p.Viewpoints.Scaling = "loud" }, `viewpoints.scaling is "loud"`},
		{func(p *protocol.DebateParams, _ *protocol.Setting) {
			p.Viewpoints = protocol.Viewpoints{Scaling: "alternating", Each: 1, Receivers: "all"}
		}, "3 agents need at least 2"},
		{func(p *protocol.DebateParams, s *protocol.Setting) {
			p.Ballots, s.Rule = true, must(decision.NewCounting(decision.CountingParams{}))
		}, "ballots is true; solution counting counts the answers themselves"},
	} {
		p, set := protocol.DefaultDebate(), protocol.Setting{Agents: 3, Rule: plurality()}
		x.change(&p, &set)
		if _, err := protocol.NewDebate(p, set); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, want %q", p, err, x.want)
		}
	}
	for text, ok := range map[string]bool{
		`{"topology":"ring","remove":[1,{"agent":2,"from":3}]}`: true, `{"topology":{"name":"random","k":2}}`: true,
		`{"topology":{"nome":"ring"}}`: false, `{"remove":["x"]}`: false, `{"topology":7}`: false,
	} {
		p := protocol.DefaultDebate()
		if err := json.Unmarshal([]byte(text), &p); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever the parameters: a debate ends, everybody present answers once a
// round, and nobody sees what is not said, its own answer as a peer's, or a
// peer that it does not hear.
func TestDebateProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		agents := rapid.IntRange(2, 6).Draw(rt, "agents")
		p := protocol.DefaultDebate()
		p.Rounds = rapid.IntRange(0, 3).Draw(rt, "rounds")
		p.Order = rapid.SampledFrom(protocol.Orders()).Draw(rt, "order")
		p.Talk = rapid.SampledFrom([]string{"simultaneous", "one_by_one", "summarizer"}).Draw(rt, "talk")
		if p.Talk != "summarizer" {
			p.Topology.Name = rapid.SampledFrom([]string{"full", "ring", "star", "tree"}).Draw(rt, "topology")
		}
		set := protocol.Setting{Agents: agents, Rule: plurality(), Seed: rapid.Uint64().Draw(rt, "seed")}
		s := protocol.NewSession(must(protocol.NewDebate(p, set)), set, stopping.Never{})
		answers := rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C", ""}), agents*(p.Rounds+1), agents*(p.Rounds+1)).Draw(rt, "answers")
		answering(t, s, func(agent, round int) string { return answers[(round-1)*agents+agent] })
		said := map[string]int{}
		for _, e := range s.Transcript().Entries {
			if e.Kind != transcript.Ask || e.Speaker.Role != "" {
				continue
			}
			said[fmt.Sprint(e.Round, e.Speaker.Index)]++
			shown := seen(s, e.Step)
			twice := map[int]bool{}
			for _, o := range shown {
				if o.Index >= e.Index || twice[o.Index] || o.Kind != transcript.Ask {
					rt.Fatalf("entry %d sees entry %d, %s", e.Index, o.Index, o.Phase)
				}
				twice[o.Index] = true
			}
			if e.Round == 1 && p.Talk != "one_by_one" && len(shown) > 0 {
				rt.Fatalf("a first answer sees %v", indices(shown))
			}
		}
		for key, n := range said {
			if n != 1 {
				rt.Fatalf("%s answers %d times", key, n)
			}
		}
		if len(said) != agents*(p.Rounds+1) {
			rt.Fatalf("%d answers", len(said))
		}
	})
}
