package protocol_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func majority() decision.Rule  { return must(decision.NewMajority(decision.MajorityParams{})) }
func plurality() decision.Rule { return must(decision.NewPlurality(decision.PluralityParams{})) }

// params are the default ones with n rounds and these phases, as "vote/2".
func params(rounds int, phases ...string) protocol.RoundtableParams {
	p := protocol.DefaultRoundtable()
	p.Rounds = rounds
	if len(phases) > 0 {
		p.Phases = nil
	}
	for _, text := range phases {
		name, every, _ := strings.Cut(text, "/")
		phase := protocol.Phase{Name: name}
		fmt.Sscan(every, &phase.Every)
		p.Phases = append(p.Phases, phase)
	}
	return p
}

func start(agents int, rule decision.Rule, p protocol.RoundtableParams) *protocol.Session {
	set := protocol.Setting{Agents: agents, Rule: rule, Seed: 1}
	return protocol.NewSession(must(protocol.NewRoundtable(p, set)), set, stopping.Never{})
}

// Acts as agents make them.
func proposed(key string) transcript.Act { return transcript.Act{Status: transcript.Said, Key: key} }
func voted(candidate int) transcript.Act {
	return transcript.Act{Status: transcript.Said, Ballot: &transcript.Ballot{Choice: candidate}}
}

var (
	spoke     = transcript.Act{Status: transcript.Said}
	skipped   = transcript.Act{Status: transcript.Skipped}
	invalid   = transcript.Act{Status: transcript.Invalid}
	abstained = transcript.Act{Status: transcript.Abstained, Ballot: &transcript.Ballot{Abstain: true}}
)

// take gives the pending steps their acts, in order.
func take(t testing.TB, s *protocol.Session, acts ...transcript.Act) {
	t.Helper()
	pending := s.Pending()
	if len(pending) != len(acts) {
		t.Fatalf("%d steps are pending, not %d", len(pending), len(acts))
	}
	for i, p := range pending {
		if err := s.Record(p.Entry, acts[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// votes are the candidates of the pending vote, as "key:entry:agents" with * for the standing decision.
func votes(t testing.TB, s *protocol.Session) string {
	t.Helper()
	p := s.Pending()
	if len(p) == 0 || p[0].Phase != protocol.PhaseVote {
		t.Fatalf("no vote is pending but %+v", p)
	}
	var parts []string
	for _, c := range p[0].Payload.Candidates {
		part := fmt.Sprint(c.Key, ":", c.Entry, ":", c.Agents)
		if c.Standing {
			part += "*"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

// decided is the last decision.
func decided(t testing.TB, s *protocol.Session) transcript.Decision {
	t.Helper()
	e, ok := s.Transcript().Last(func(e transcript.Entry) bool { return e.Kind == transcript.Decide })
	if !ok {
		t.Fatal("nothing was decided")
	}
	return *e.Act.Decision
}

// The chain of phases decides who is asked for what in which round.
func TestChains(t *testing.T) {
	for _, x := range []struct {
		params protocol.RoundtableParams
		want   string // by plan: round, phase, how many steps
	}{
		{params(2), "1message2 1proposal2 1vote2 2message2 2proposal2 2vote2"},
		{params(1, "proposal", "vote"), "1proposal2 1vote2"},
		{params(2, "message", "message", "proposal", "vote"), "1message2 1message2 1proposal2 1vote2 2message2 2message2 2proposal2 2vote2"},
		{params(4, "proposal", "vote/2"), "1proposal2 2proposal2 2vote2 3proposal2 4proposal2 4vote2"},
		{params(3, "message/3", "proposal/1", "vote"), "1proposal2 1vote2 2proposal2 2vote2 3message2 3proposal2 3vote2"},
		{params(2, "message"), "1message2 2message2"},
		{params(2, "proposal", "vote", "vote"), "1proposal2 1vote2 1vote2 2proposal2 2vote2 2vote2"},
		{params(2, "vote", "proposal"), "1proposal2 2vote2 2proposal2"}, // nothing to vote for in round 1
		{params(2, "vote"), ""},
	} {
		s := start(2, majority(), x.params)
		var got []string
		for s.Outcome() == nil {
			p := s.Pending()
			got = append(got, fmt.Sprint(p[0].Round, p[0].Phase, len(p)))
			if s.Round() != p[0].Round {
				t.Errorf("round %d, pending is round %d", s.Round(), p[0].Round)
			}
			acts := map[string][]transcript.Act{"message": {spoke, spoke}, "proposal": {proposed("a"), proposed("b")}, "vote": {voted(0), voted(0)}}
			take(t, s, acts[p[0].Phase]...)
		}
		if join := strings.ReplaceAll(strings.Join(got, " "), "  ", " "); join != x.want {
			t.Errorf("%+v: %s, want %s", x.params.Phases, join, x.want)
		}
		if o := s.Outcome(); o.Reason != "rounds" || o.Round != x.params.Rounds || s.Round() != o.Round {
			t.Errorf("ends with %+v", o)
		}
	}
}

// All agents of a phase act at once: they see all that came before the phase
// and nothing of it, and everybody sees them afterwards.
func TestSimultaneous(t *testing.T) {
	s := start(3, majority(), params(2))
	for s.Outcome() == nil {
		pending := s.Pending()
		before := len(s.Transcript().Entries)
		for i, p := range pending {
			if p.Entry != before+i || p.Speaker != (transcript.Speaker{Index: i}) || !p.Audience.Everybody || p.Kind != transcript.Ask {
				t.Errorf("step %d of the plan at %d is %+v", i, before, p)
			}
			if !reflect.DeepEqual(p.Sees, []transcript.Range{{From: 0, To: before}}) {
				t.Errorf("entry %d sees %v", p.Entry, p.Sees)
			}
		}
		act := map[transcript.Format]transcript.Act{transcript.FormatMessage: spoke, transcript.FormatProposal: proposed("x"), transcript.FormatBallot: voted(0)}[pending[0].Payload.Format]
		take(t, s, act, act, act)
	}
	for i, e := range s.Transcript().Entries {
		if e.Index != i || e.Kind == transcript.Decide && (!e.Audience.Everybody || e.Speaker.Role != "rule") {
			t.Errorf("entry %d is %+v", i, e)
		}
	}
}

// Candidates are the latest proposals and what stands, equal ones merged.
func TestCandidates(t *testing.T) {
	s := start(3, majority(), params(5, "proposal", "vote"))
	take(t, s, proposed("a"), proposed("b"), proposed("a")) // entries 0 to 2
	if got := votes(t, s); got != "a:0:[0 2] b:1:[1]" {
		t.Errorf("equal proposals: %s", got)
	}
	take(t, s, voted(1), voted(1), voted(0)) // b stands
	if d := decided(t, s); d.Selected != 1 || d.Standing != 1 || d.Key != "b" || !slices.Equal(d.Winners, []int{1}) {
		t.Errorf("decision %+v", d)
	}
	take(t, s, skipped, proposed("c"), invalid) // entries 7 to 9
	if got := votes(t, s); got != "a:0:[0 2] c:8:[1] b:1:[]*" {
		t.Errorf("skipped keeps, standing is added: %s", got)
	}
	if p := s.Pending()[0].Payload; p.Standing != 1 || p.Ballot.N != 3 {
		t.Errorf("payload %+v", p)
	}
	take(t, s, voted(0), voted(1), voted(2)) // none passes
	if d := decided(t, s); d.Selected != -1 || d.Standing != 1 || d.Key != "b" || len(d.Winners) != 0 {
		t.Errorf("none passing: %+v", d)
	}
	take(t, s, proposed("b"), skipped, skipped) // entries 14 to 16
	if got := votes(t, s); got != "b:1:[0]* c:8:[1] a:2:[2]" {
		t.Errorf("standing is merged, its text the earliest: %s", got)
	}
	take(t, s, abstained, invalid, voted(2)) // one vote of three agents
	if d := decided(t, s); d.Selected != -1 || d.Standing != 1 {
		t.Errorf("who abstains counts as an agent: %+v", d)
	}
	take(t, s, skipped, skipped, skipped)
	take(t, s, voted(0), voted(0), abstained) // selected again
	if d := decided(t, s); d.Selected != 0 || d.Standing != 1 || d.Key != "b" {
		t.Errorf("selecting what stands: %+v", d)
	}
	take(t, s, skipped, proposed("d"), skipped)
	take(t, s, voted(1), voted(1), voted(1))
	if o := s.Outcome(); o == nil || s.Transcript().Entries[o.Standing].Act.Key != "d" || o.Standing != protocol.Standing(s.Transcript()) {
		t.Errorf("ends with %+v", o)
	}
}

// Without candidates nobody is asked, and that is recorded as a decision.
func TestNoCandidates(t *testing.T) {
	s := start(2, majority(), params(2))
	take(t, s, spoke, spoke)
	take(t, s, skipped, invalid)
	if e := s.Transcript().Entries[4]; e.Kind != transcript.Decide || e.Round != 1 || e.Act.Decision.Selected != -1 || e.Act.Decision.Standing != -1 || e.Act.Decision.Key != "" {
		t.Errorf("entry 4 is %+v", e)
	}
	if p := s.Pending(); p[0].Phase != "message" || p[0].Round != 2 || p[0].Entry != 5 {
		t.Errorf("next is %+v", p[0])
	}
	take(t, s, spoke, spoke)
	take(t, s, skipped, skipped)
	if o := s.Outcome(); o == nil || o.Standing != -1 || o.Round != 2 {
		t.Errorf("ends with %+v", o)
	}
}

// Several winners select none unless the experiment breaks ties.
func TestTies(t *testing.T) {
	tied := func(ties transcript.TieBreak, seed uint64, rounds int) []int {
		p := params(rounds, "proposal", "vote")
		p.Ties = ties
		set := protocol.Setting{Agents: 4, Rule: plurality(), Seed: seed}
		s := protocol.NewSession(must(protocol.NewRoundtable(p, set)), set, stopping.Never{})
		var selected []int
		for s.Outcome() == nil {
			take(t, s, proposed("a"), proposed("b"), proposed("c"), proposed("d"))
			n := len(s.Pending()[0].Payload.Candidates)
			if n < 4 {
				t.Fatalf("%d candidates", n)
			}
			take(t, s, voted(1), voted(2), voted(1), voted(2))
			d := decided(t, s)
			if !slices.Equal(d.Winners, []int{1, 2}) {
				t.Fatalf("winners %v", d.Winners)
			}
			selected = append(selected, d.Selected)
		}
		return selected
	}
	if got := tied(transcript.TiesKeep, 1, 2); !slices.Equal(got, []int{-1, -1}) {
		t.Errorf("keep selects %v", got)
	}
	if got := tied(transcript.TiesFirst, 1, 2); !slices.Equal(got, []int{1, 1}) {
		t.Errorf("first selects %v", got)
	}
	drawn := tied(transcript.TiesLottery, 1, 40)
	if !slices.Equal(drawn, tied(transcript.TiesLottery, 1, 40)) {
		t.Error("the same seed draws differently")
	}
	if slices.Equal(drawn, tied(transcript.TiesLottery, 2, 40)) {
		t.Error("another seed draws the same 40 times")
	}
	if ones := len(slices.DeleteFunc(slices.Clone(drawn), func(c int) bool { return c != 1 })); ones < 8 || ones > 32 || slices.Contains(drawn, 0) {
		t.Errorf("40 draws of 1 and 2 are %v", drawn)
	}
}

// Each rule's form of ballot is asked for, and counted.
func TestEveryRuleIsAsked(t *testing.T) {
	rated := must(decision.NewRated(decision.DefaultRated()))
	s := start(2, rated, params(1, "proposal", "vote"))
	take(t, s, proposed("a"), proposed("b"))
	if b := s.Pending()[1].Payload.Ballot; b != rated.Ballot(2, 2) {
		t.Errorf("the ballot is %+v", b)
	}
	give := func(p ...int) transcript.Act {
		return transcript.Act{Status: transcript.Said, Ballot: &transcript.Ballot{Points: p}}
	}
	take(t, s, give(5, 1), give(2, 5))
	if d := decided(t, s); d.Selected != 0 || d.Key != "a" {
		t.Errorf("7 points against 6 give %+v", d)
	}
	e := s.Transcript().Entries[4]
	profile := protocol.Setting{}.Profile(s.Transcript(), e.Step)
	if profile.Candidates != 2 || profile.Electorate != 2 || len(profile.Ballots) != 2 || profile.Ballots[1].Points[1] != 5 {
		t.Errorf("the profile is %+v", profile)
	}
}

func TestParameters(t *testing.T) {
	for _, x := range []struct {
		change func(*protocol.RoundtableParams)
		says   string
	}{
		{func(p *protocol.RoundtableParams) { p.Rounds = 0 }, "rounds is 0; expected 1 to 1000"},
		{func(p *protocol.RoundtableParams) { p.Rounds = 1001 }, "rounds is 1001"},
		{func(p *protocol.RoundtableParams) { p.Ties = "coin" }, `ties is "coin"; expected keep, first or lottery`},
		{func(p *protocol.RoundtableParams) { p.Phases = nil }, "phases is a list of 0"},
		{func(p *protocol.RoundtableParams) { p.Phases = make([]protocol.Phase, 101) }, "phases is a list of 101"},
		{func(p *protocol.RoundtableParams) { p.Phases[1].Name = "sing" }, `unknown phase "sing"; expected message, proposal or vote`},
		{func(p *protocol.RoundtableParams) { p.Phases[2].Every = 11 }, "phase vote takes place every 11 rounds; expected 1 to 10"},
		{func(p *protocol.RoundtableParams) { p.Phases[2].Every = -1 }, "every -1 rounds"},
		{func(p *protocol.RoundtableParams) { p.Rounds, p.Ties = 0, ""; p.Phases[0].Name = "x" }, "rounds is 0; expected 1 to 1000\nties is \"\"; expected keep, first or lottery\nunknown phase \"x\""},
	} {
		p := params(10)
		x.change(&p)
		if _, err := protocol.NewRoundtable(p, protocol.Setting{Agents: 2}); err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("error %v, want %q", err, x.says)
		}
	}
	r := must(protocol.NewRoundtable(params(7, "vote", "message/2"), protocol.Setting{Agents: 2}))
	if r.Rounds() != 7 || r.Ties() != transcript.TiesKeep || !slices.Equal(r.Phases(), []protocol.Phase{{Name: "vote"}, {Name: "message", Every: 2}}) {
		t.Errorf("%d rounds of %v, ties %s", r.Rounds(), r.Phases(), r.Ties())
	}
}

func TestPhaseInJSON(t *testing.T) {
	for text, want := range map[string]protocol.Phase{
		`"vote"`:                        {Name: "vote"},
		`{"phase": "vote"}`:             {Name: "vote"},
		`{"phase":"vote","every":2}`:    {Name: "vote", Every: 2},
		`{"every": 3, "phase": "sing"}`: {Name: "sing", Every: 3},
	} {
		got := protocol.Phase{Name: "old", Every: 9}
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is %+v, error %v", text, got, err)
		}
		var back protocol.Phase
		if err := json.Unmarshal(must(json.Marshal(got)), &back); err != nil || back != got {
			t.Errorf("%+v comes back as %+v, error %v", got, back, err)
		}
	}
	for _, text := range []string{`5`, `[]`, `{"phase": 5}`, `{"phase": "vote", "each": 2}`, `{"phase": "vote", "every": "two"}`, `true`} {
		var p protocol.Phase
		if err := json.Unmarshal([]byte(text), &p); err == nil || !strings.Contains(err.Error(), "is not a phase; a phase is message, proposal or vote, or") {
			t.Errorf("%s is %+v, error %v", text, p, err)
		}
	}
}

// Next depends on the transcript only and leaves it as it is.
func TestNextIsPure(t *testing.T) {
	set := protocol.Setting{Agents: 3, Rule: plurality(), Seed: 1}
	p := params(4, "message", "proposal", "vote/2", "vote")
	r := must(protocol.NewRoundtable(p, set))
	s := protocol.NewSession(r, set, stopping.Never{})
	keys := []string{"a", "b", "c"}
	for n := 0; s.Outcome() == nil; n++ {
		frozen := must(json.Marshal(s.Transcript()))
		first := r.Next(s.Transcript())
		other := must(protocol.NewRoundtable(p, set))
		var thawed transcript.Transcript
		if err := json.Unmarshal(frozen, &thawed); err != nil {
			t.Fatal(err)
		}
		for _, again := range []protocol.Plan{r.Next(s.Transcript()), other.Next(&thawed)} {
			if !reflect.DeepEqual(first, again) {
				t.Fatalf("plan %d: %+v and %+v", n, first, again)
			}
		}
		if now := must(json.Marshal(s.Transcript())); string(now) != string(frozen) {
			t.Fatalf("plan %d: Next changes the transcript", n)
		}
		for i, step := range s.Pending() {
			act := map[string]transcript.Act{"message": spoke, "proposal": proposed(keys[(i+n)%3]), "vote": voted((i + n) % 2)}[step.Phase]
			if err := s.Record(step.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Long collaborations are planned in a time that does not explode.
func TestManyRounds(t *testing.T) {
	started := time.Now()
	s := start(3, plurality(), params(1000))
	for s.Outcome() == nil {
		act := map[string]transcript.Act{"message": spoke, "proposal": proposed("x"), "vote": voted(0)}[s.Pending()[0].Phase]
		take(t, s, act, act, act)
	}
	if n := len(s.Transcript().Entries); n != 10_000 {
		t.Errorf("%d entries", n)
	}
	if took := time.Since(started); took > time.Minute {
		t.Errorf("1000 rounds are planned in %v", took)
	}
}
