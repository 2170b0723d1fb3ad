package protocol_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/seats"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

func deliberators(agents int, rule decision.Rule, change func(*protocol.DeliberationParams)) *protocol.Session {
	p := protocol.DefaultDeliberation()
	if change != nil {
		change(&p)
	}
	set := protocol.Setting{Agents: agents, Rule: rule, Seed: 1}
	return protocol.NewSession(must(protocol.NewDeliberation(p, set)), set, stopping.Never{})
}

// deliberate plays to the end and returns what happened, as "agent phase" a step.
// A plan is plan(agent, round); a ballot chooses the candidate that choose gives, or none.
func deliberate(t *testing.T, s *protocol.Session, plan func(agent, round int) string, choose func(p protocol.Pending) int) []string {
	t.Helper()
	var order []string
	play(t, s, 1000, func(p protocol.Pending) transcript.Act {
		who := fmt.Sprint(p.Speaker.Index)
		if p.Speaker.Role != "" {
			who = "-"
		}
		order = append(order, who+" "+p.Phase)
		switch p.Phase {
		case protocol.PhasePlanning:
			return proposed(plan(p.Speaker.Index, p.Round))
		case "solver":
			return proposed("tool")
		case protocol.PhaseDecision, protocol.PhaseBallot:
			if c := choose(p); c >= 0 {
				return transcript.Act{Status: transcript.Said, Ballot: &transcript.Ballot{Choice: c}}
			}
			return transcript.Act{Status: transcript.Abstained, Ballot: &transcript.Ballot{Abstain: true}}
		}
		return spoke
	})
	return order
}

func unanimous() decision.Rule { return must(decision.NewUnanimous(decision.UnanimousParams{})) }

func own(agent, round int) string { return fmt.Sprintf("plan%d%d", agent, round) }

// Two agents: the second one is the first who has something to accept.
func TestDeliberationAcceptance(t *testing.T) {
	s := deliberators(2, unanimous(), func(p *protocol.DeliberationParams) { p.Tools = []string{"solver", "calculator"} })
	decisions := 0
	order := deliberate(t, s, own, func(p protocol.Pending) int {
		decisions++
		if n := len(p.Payload.Candidates); n != 1 || slices.Contains(p.Payload.Candidates[0].Agents, p.Speaker.Index) {
			t.Errorf("agent %d decides on %+v", p.Speaker.Index, p.Payload.Candidates)
		}
		return map[bool]int{true: 0, false: -1}[decisions == 2]
	})
	want := "0 observation, - solver, - calculator, 0 planning, 0 conversation, " +
		"1 observation, - solver, - calculator, 1 planning, 1 decision, 1 conversation, " +
		"0 observation, - solver, - calculator, 0 planning, 0 decision, - result"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("steps are\n%s, want\n%s", got, want)
	}
	o, entries := s.Outcome(), s.Transcript().Entries
	if o.Reason != "agreement" || o.Round != 2 || entries[o.Standing].Act.Key != "plan11" {
		t.Errorf("ends with %+v, %s", o, entries[o.Standing].Act.Key)
	}
	// Nobody hears another's estimate or tool, and nobody the result.
	for _, e := range entries {
		hears := e.Audience.Hears(transcript.Speaker{Index: 1 - e.Speaker.Index})
		switch {
		case e.Phase == protocol.PhaseResult && (e.Audience.Everybody || len(e.Audience.Speakers) > 0):
			t.Errorf("%+v hears the result", e.Audience)
		case e.Phase == protocol.PhaseObservation && hears:
			t.Errorf("entry %d: an estimate is heard by the other agent", e.Index)
		}
	}
	// A tool is shown the agent's own last estimate and the latest plans.
	last := entries[slices.IndexFunc(entries, func(e transcript.Entry) bool { return e.Round == 2 && e.Phase == "solver" })]
	var phases []string
	for _, r := range last.Sees {
		for _, e := range entries[r.From:r.To] {
			phases = append(phases, fmt.Sprint(e.Speaker.Index, e.Phase, e.Round))
		}
	}
	if got := strings.Join(phases, " "); got != "0observation2 0planning1 1planning1" {
		t.Errorf("the solver is shown %s", got)
	}
}

// The tools of a seat take the place of the protocol's.
func TestToolsOfSeats(t *testing.T) {
	p := protocol.DefaultDeliberation()
	p.Rounds, p.Tools = 1, []string{"solver"}
	for variant, want := range map[string]string{
		protocol.Deliberating: "0 observation, 0 planning, 0 conversation, 1 observation, - calculator, - solver, 1 planning, 1 decision, 1 conversation, - result",
		protocol.Centralized:  "- merged, 0 planning, - result", // it has no use for an estimate
	} {
		p.Variant = variant
		set := protocol.Setting{Agents: 2, Rule: unanimous(), Seats: []seats.Seat{{Tools: &[]string{}}, {Tools: &[]string{"calculator", "solver"}}}}
		s := protocol.NewSession(must(protocol.NewDeliberation(p, set)), set, stopping.Never{})
		order := deliberate(t, s, own, func(protocol.Pending) int { return -1 })
		if got := strings.Join(order, ", "); got != want {
			t.Errorf("%s: steps are\n%s, want\n%s", variant, got, want)
		}
	}
}

// The leader, who comes last, chooses among all plans; workers say what they
// would accept of the others' plans, which ends nothing.
func TestDeliberationLeader(t *testing.T) {
	s := deliberators(3, unanimous(), nil)
	order := deliberate(t, s, own, func(p protocol.Pending) int {
		if n := len(p.Payload.Candidates); p.Speaker.Index == 2 && n != 3 || p.Speaker.Index < 2 && (n == 3 || n < 1) {
			t.Errorf("agent %d decides on %d plans", p.Speaker.Index, n)
		}
		if p.Speaker.Index < 2 {
			return 0
		}
		return map[bool]int{true: 1, false: -1}[p.Round == 3]
	})
	if o := s.Outcome(); o.Round != 3 || s.Transcript().Entries[o.Standing].Act.Key != "plan13" {
		t.Errorf("ends with %+v", o)
	}
	if got := strings.Join(order[:15], ", "); got != "0 observation, 0 planning, 0 conversation, 1 observation, 1 planning, 1 decision, 1 conversation, "+
		"2 observation, 2 planning, 2 decision, 2 conversation, 0 observation, 0 planning, 0 decision, 0 conversation" {
		t.Errorf("the steps are %s", got)
	}
	// Nobody decides: the rounds run out and nothing stands, and the measures are taken all the same.
	s = deliberators(3, unanimous(), func(p *protocol.DeliberationParams) { p.Rounds = 2 })
	order = deliberate(t, s, own, func(protocol.Pending) int { return -1 })
	if o := s.Outcome(); o.Standing != -1 || o.Reason != "rounds" || o.Round != 2 || order[len(order)-1] != "- result" {
		t.Errorf("ends with %+v after %s", o, order[len(order)-1])
	}
}

// One agent with all observations decides at once; the oracle deliberates.
func TestDeliberationVariants(t *testing.T) {
	s := deliberators(3, plurality(), func(p *protocol.DeliberationParams) { p.Variant = protocol.Centralized })
	order := deliberate(t, s, own, func(protocol.Pending) int { t.Error("a ballot is cast"); return 0 })
	if got := strings.Join(order, ", "); got != "- merged, 0 planning, - result" || s.Transcript().Entries[s.Outcome().Standing].Act.Key != "plan01" {
		t.Errorf("centralized: %s, %+v", got, s.Outcome())
	}
	for _, change := range []func(*protocol.DeliberationParams){
		func(p *protocol.DeliberationParams) { p.CentralizedEstimate = true },
		func(p *protocol.DeliberationParams) { p.Tools = []string{"calculator"} }, // it computes with the agent's numbers
	} {
		s = deliberators(3, plurality(), func(p *protocol.DeliberationParams) { p.Variant = protocol.Centralized; change(p) })
		order = deliberate(t, s, own, func(protocol.Pending) int { return 0 })
		if got := strings.Join(order, ", "); !strings.HasPrefix(got, "- merged, 0 observation, ") {
			t.Errorf("centralized, with an estimate: %s", got)
		}
	}
	s = deliberators(2, unanimous(), func(p *protocol.DeliberationParams) { p.Variant = protocol.Oracle })
	order = deliberate(t, s, own, func(protocol.Pending) int { return 0 })
	if got := strings.Join(order, ", "); got != "- merged, 0 observation, 0 planning, 0 conversation, 1 observation, 1 planning, 1 decision, - result" {
		t.Errorf("oracle: %s", got)
	}
}

// Each module is shown what the paper's prompt of it has (Tables 10 to 13), or
// everything the agent may hear.
func TestDeliberationMemory(t *testing.T) {
	shown := func(memory string) map[string]string {
		s := deliberators(3, unanimous(), func(p *protocol.DeliberationParams) {
			p.Tools, p.Rounds, p.Memory = []string{"solver"}, 2, memory
		})
		deliberate(t, s, own, func(protocol.Pending) int { return -1 })
		saw := map[string]string{}
		for _, e := range s.Transcript().Entries {
			if e.Kind != transcript.Ask || e.Round != 2 || e.Speaker.Index != 2 {
				continue
			}
			var list []string
			for _, o := range seen(s, e.Step) {
				who := fmt.Sprint(o.Speaker.Index)
				if o.Speaker.Role != "" {
					who = ""
				}
				list = append(list, fmt.Sprint(o.Phase[:4], who, ".", o.Round))
			}
			saw[e.Phase] = strings.Join(list, " ")
		}
		return saw
	}
	talk := "conv0.1 conv1.1 conv2.1 "
	for phase, want := range map[string]string{
		"observation":  talk + "conv0.2 conv1.2",
		"planning":     "obse2.2 solv.2",
		"decision":     talk + "plan0.2 conv0.2 plan1.2 conv1.2 obse2.2 solv.2 plan2.2",
		"conversation": talk + "plan0.2 conv0.2 plan1.2 conv1.2 obse2.2 solv.2 plan2.2 deci2.2",
	} {
		if got := shown("current")[phase]; got != want {
			t.Errorf("%s is shown\n%s, want\n%s", phase, got, want)
		}
		if got := shown("full")[phase]; strings.Count(got, "obse2.1") != 1 || strings.Count(got, "obse") > 2 {
			t.Errorf("with full memory %s is shown\n%s", phase, got)
		}
	}
	s := deliberators(3, unanimous(), func(p *protocol.DeliberationParams) { p.WorkersDecide = false })
	for _, step := range deliberate(t, s, own, func(protocol.Pending) int { return -1 }) {
		if step == "0 decision" || step == "1 decision" {
			t.Error("a worker is asked for a decision that nobody wants")
		}
	}
}

// A voting rule decides at the end of each round, with all agents as its electorate.
func TestDeliberationVote(t *testing.T) {
	for name, c := range map[string]struct {
		rule  decision.Rule
		round int
	}{"majority": {majority(), 1}, "unanimous": {unanimous(), 2}} {
		s := deliberators(3, c.rule, func(p *protocol.DeliberationParams) { p.Authority = protocol.Vote })
		order := deliberate(t, s, own, func(p protocol.Pending) int { // in round 1 two of three agree
			if p.Phase != protocol.PhaseBallot || len(p.Payload.Candidates) != 3 {
				t.Errorf("%s over %d candidates", p.Phase, len(p.Payload.Candidates))
			}
			return map[bool]int{true: 1, false: 0}[p.Round == 2 || p.Speaker.Index > 0]
		})
		if o := s.Outcome(); o.Round != c.round || s.Transcript().Entries[o.Standing].Act.Key != fmt.Sprintf("plan1%d", c.round) {
			t.Errorf("%s: %+v after %v", name, o, order)
		}
	}
}

func TestDeliberationFaults(t *testing.T) {
	rated := must(decision.NewRated(decision.DefaultRated()))
	for want, c := range map[string]struct {
		agents int
		rule   decision.Rule
		change func(*protocol.DeliberationParams)
	}{
		"variant is ":              {2, unanimous(), func(p *protocol.DeliberationParams) { p.Variant = "free" }},
		"rounds is ":               {2, unanimous(), func(p *protocol.DeliberationParams) { p.Rounds = 0 }},
		"tools is ":                {2, unanimous(), func(p *protocol.DeliberationParams) { p.Tools = []string{"solver", "solver"} }},
		"authority is \"king\"":    {2, unanimous(), func(p *protocol.DeliberationParams) { p.Authority = "king" }},
		"authority is acceptance":  {3, unanimous(), func(p *protocol.DeliberationParams) { p.Authority = protocol.Acceptance }},
		"authority is one agent's": {3, rated, nil},
		"characters is ":           {2, unanimous(), func(p *protocol.DeliberationParams) { p.Characters = -1 }},
		"ties is ":                 {2, unanimous(), func(p *protocol.DeliberationParams) { p.Ties = "fight" }},
	} {
		p := protocol.DefaultDeliberation()
		if c.change != nil {
			c.change(&p)
		}
		if _, err := protocol.NewDeliberation(p, protocol.Setting{Agents: c.agents, Rule: c.rule}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	p := protocol.DefaultDeliberation()
	p.Authority = protocol.Vote
	if _, err := protocol.NewDeliberation(p, protocol.Setting{Agents: 3, Rule: rated}); err != nil {
		t.Errorf("ratings in a vote: %v", err)
	}
}
