package protocol_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

func agreement(p decision.AgreementParams) decision.Rule { return must(decision.NewAgreement(p)) }

// agrees votes for the draft; drafts is another one.
var agrees = transcript.Act{Status: transcript.Said, Tags: []string{"agree"}, Ballot: &transcript.Ballot{}}

func drafts(key string) transcript.Act {
	return transcript.Act{Status: transcript.Said, Tags: []string{"disagree"}, Key: key}
}

// run plays a script of messages and returns who did what in which phase, as
// "0talk 1talk 1final …".
func run(t *testing.T, s *protocol.Session, answer func(p protocol.Pending, said int) transcript.Act) string {
	t.Helper()
	said := 0
	play(t, s, 1000, func(p protocol.Pending) transcript.Act {
		a := answer(p, said)
		if p.Phase == protocol.PhaseTalk {
			said++
		}
		return a
	})
	var parts []string
	for _, e := range s.Transcript().Entries {
		if e.Kind == transcript.Decide {
			parts = append(parts, fmt.Sprint(e.Phase, e.Act.Decision.Winners))
		} else {
			parts = append(parts, fmt.Sprint(e.Speaker.Role, e.Speaker.Index, e.Phase))
		}
	}
	return strings.Join(parts, " ")
}

// Who speaks in which order, and what one is shown, by paradigm: two turns of
// four agents, nothing forgotten. Messages are numbered as they are made.
func TestParadigms(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*protocol.DiscussionParams)
		want   string
	}{
		"memory": {func(*protocol.DiscussionParams) {},
			"0[] 1[0] 2[0 1] 3[0 1 2] 0[0 1 2 3] 1[0 1 2 3 4] 2[0 1 2 3 4 5] 3[0 1 2 3 4 5 6]"},
		"relay": {func(p *protocol.DiscussionParams) { p.Paradigm = "relay" },
			"0[] 1[0] 2[1] 3[2] 0[0 3] 1[0 1 4] 2[1 2 5] 3[2 3 6]"},
		"report": {func(p *protocol.DiscussionParams) { p.Paradigm = "report" },
			"0[] 1[0] 2[0] 3[0] 0[0 1 2 3] 1[0 1 4] 2[0 2 4] 3[0 3 4]"},
		"debate": {func(p *protocol.DiscussionParams) { p.Paradigm, p.Rounds = "debate", 1 },
			"0[] 1[0] 2[0 1] 3[0 1 2] 1[0 1 2 3] 2[0 1 2 3 4] 3[0 1 2 3 4 5]"},
		"three inner rounds": {func(p *protocol.DiscussionParams) { p.Paradigm, p.Rounds, p.Inner = "debate", 1, 3 },
			"0[] 1[0] 2[0 1] 3[0 1 2] 1[0 1 2 3] 2[0 1 2 3 4] 3[0 1 2 3 4 5] 1[0 1 2 3 4 5 6] 2[0 1 2 3 4 5 6 7] 3[0 1 2 3 4 5 6 7 8]"},
		"collective refinement": {func(p *protocol.DiscussionParams) { p.Paradigm = "collective_refinement" },
			"0[] 1[] 2[] 3[] 0[0 1 2 3] 1[0 1 2 3] 2[0 1 2 3] 3[0 1 2 3]"},
		"all draft": {func(p *protocol.DiscussionParams) { p.AllDraft = true },
			"0[] 1[] 2[] 3[] 0[0 1 2 3] 1[0 1 2 3 4] 2[0 1 2 3 4 5] 3[0 1 2 3 4 5 6]"},
		"all draft in relay": {func(p *protocol.DiscussionParams) { p.AllDraft, p.Paradigm = true, "relay" },
			"0[] 1[] 2[] 3[] 0[0 3] 1[0 1 4] 2[1 2 5] 3[2 3 6]"},
		"rotating": {func(p *protocol.DiscussionParams) { p.Order = "rotating" },
			"0[] 1[0] 2[0 1] 3[0 1 2] 1[0 1 2 3] 2[0 1 2 3 4] 3[0 1 2 3 4 5] 0[0 1 2 3 4 5 6]"},
		"rotating under a moderator": {func(p *protocol.DiscussionParams) { p.Order, p.Paradigm = "rotating", "report" },
			"0[] 1[0] 2[0] 3[0] 0[0 1 2 3] 2[0 2 4] 3[0 3 4] 1[0 1 4]"},
	} {
		s := discussing(4, plurality(), func(p *protocol.DiscussionParams) {
			p.Rounds, p.Memory = 2, 0
			x.change(p)
			p.VoteFrom = p.Rounds
		})
		var got []string
		play(t, s, 100, func(p protocol.Pending) transcript.Act {
			if p.Phase == protocol.PhaseTalk {
				got = append(got, fmt.Sprintf("%d%v", p.Speaker.Index, indices(seen(s, p.Step))))
			}
			return proposed("x")
		})
		if text := strings.Join(got, " "); text != x.want {
			t.Errorf("%s:\n%s, want\n%s", name, text, x.want)
		}
	}
}

// Collective Improvement shows the solutions of the turn before and nothing else.
func TestCollective(t *testing.T) {
	s := discussing(2, plurality(), func(p *protocol.DiscussionParams) { p.Rounds, p.VoteFrom, p.Collective = 3, 3, true })
	var got []string
	play(t, s, 100, func(p protocol.Pending) transcript.Act {
		got = append(got, fmt.Sprint(p.Entry, p.Phase, indices(seen(s, p.Step))))
		if p.Phase == protocol.PhaseBallots {
			return voted(0)
		}
		return proposed(fmt.Sprint(p.Speaker.Index))
	})
	want := "0talk[] 1talk[] 2final[0] 3final[1] 4talk[2 3] 5talk[2 3] 6final[4] 7final[5] 8talk[6 7] 9talk[6 7] 10final[8] 11final[9] 12vote[10 11] 13vote[10 11]"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("%s, want\n%s", text, want)
	}
}

// Memory is a limit: with one turn, nothing from before the last turn is seen,
// and all of it is.
func TestMemoryLimits(t *testing.T) {
	for _, paradigm := range []string{"memory", "relay", "report", "debate", "collective_refinement"} {
		for memory := range 4 {
			s := discussing(3, plurality(), func(p *protocol.DiscussionParams) {
				p.Paradigm, p.Memory, p.Rounds, p.VoteFrom = paradigm, memory, 5, 5
			})
			full := discussing(3, plurality(), func(p *protocol.DiscussionParams) { p.Paradigm, p.Memory, p.Rounds, p.VoteFrom = paradigm, 0, 5, 5 })
			all := map[int][]int{}
			play(t, full, 100, func(p protocol.Pending) transcript.Act {
				all[p.Entry] = indices(seen(full, p.Step))
				return proposed("x")
			})
			play(t, s, 100, func(p protocol.Pending) transcript.Act {
				recent := slices.DeleteFunc(all[p.Entry], func(i int) bool {
					return memory > 0 && s.Transcript().Entries[i].Round < p.Round-memory
				})
				if got := indices(seen(s, p.Step)); p.Phase == protocol.PhaseTalk && !slices.Equal(got, recent) {
					t.Errorf("%s, memory %d: entry %d is shown %v, want %v", paradigm, memory, p.Entry, got, recent)
				}
				return proposed("x")
			})
		}
	}
}

// After each message the rule is asked; what was agreed on is written by who
// spoke last. Without agreement after the last turn the first agent's stands.
func TestAgreement(t *testing.T) {
	script := []transcript.Act{drafts("x"), drafts("y"), agrees, agrees, drafts("z"), invalid, agrees, drafts("w"), agrees, agrees}
	for name, x := range map[string]struct {
		rule    decision.Rule
		extract bool
		rounds  int
		want    string
		key     string
		reason  string
	}{
		"majority": {agreement(decision.MajorityConsensus()), true, 5,
			"0talk check[] 1talk check[] 2talk check[0] 2final settle[]", "by 2", "consensus"},
		"supermajority": {agreement(decision.SupermajorityConsensus()), true, 5,
			"0talk check[] 1talk check[] 2talk check[0] 2final settle[]", "by 2", "consensus"},
		"unanimity": {agreement(decision.UnanimityConsensus()), true, 5,
			"0talk check[] 1talk check[] 2talk check[] 0talk check[0] 0final settle[]", "by 0", "consensus"},
		"unanimity, read": {agreement(decision.UnanimityConsensus()), false, 5,
			"0talk check[] 1talk check[] 2talk check[] 0talk check[0]", "y", "consensus"},
		"no agreement": {agreement(decision.UnanimityConsensus()), true, 1,
			"0talk check[] 1talk check[] 2talk check[] 0final settle[]", "by 0", "rounds"},
		"no agreement, read": {agreement(decision.UnanimityConsensus()), false, 1,
			"0talk check[] 1talk check[] 2talk check[] settle[]", "x", "rounds"},
	} {
		s := discussing(3, x.rule, func(p *protocol.DiscussionParams) {
			p.Rounds, p.VoteFrom, p.Extract = x.rounds, 1, x.extract
		})
		got := run(t, s, func(p protocol.Pending, said int) transcript.Act {
			if p.Phase == protocol.PhaseFinal {
				return proposed(fmt.Sprint("by ", p.Speaker.Index))
			}
			return script[said]
		})
		o := s.Outcome()
		if key := s.Transcript().Entries[o.Standing].Act.Key; got != x.want || key != x.key || o.Reason != x.reason {
			t.Errorf("%s: %s, %q, %s", name, got, key, o.Reason)
		}
	}
	// An unusable message supports nothing, and who agrees twice counts once.
	s := discussing(3, agreement(decision.UnanimityConsensus()), func(p *protocol.DiscussionParams) { p.Rounds = 5 })
	script = []transcript.Act{drafts("x"), agrees, invalid, agrees, agrees, agrees}
	if got := run(t, s, func(p protocol.Pending, said int) transcript.Act { return script[min(said, 5)] }); !strings.HasPrefix(got,
		"0talk check[] 1talk check[] 2talk check[] 0talk check[] 1talk check[] 2talk check[0] 2final") {
		t.Error(got)
	}
}

// Appendix G.4: a draft and one agreement of three are a majority; G.1's
// discussion would have ended by unanimity in its first turn.
func TestPrintedDiscussions(t *testing.T) {
	for _, x := range []struct {
		rule     decision.Rule
		messages int
	}{{agreement(decision.MajorityConsensus()), 2}, {agreement(decision.SupermajorityConsensus()), 2}, {agreement(decision.UnanimityConsensus()), 3}} {
		s := discussing(3, x.rule, func(p *protocol.DiscussionParams) {})
		got := run(t, s, func(p protocol.Pending, said int) transcript.Act {
			if said == 0 || p.Phase == protocol.PhaseFinal {
				return drafts("Southampton Choral Society")
			}
			return agrees
		})
		if strings.Count(got, "talk") != x.messages || s.Outcome().Reason != "consensus" || s.Outcome().Round != 1 {
			t.Errorf("%s: %s", x.rule.Words().Explanation, got)
		}
	}
}

// Votes: the first after turn vote_from; a tie is discussed and voted on again;
// after the last turn the first agent's solution is taken, no matter which have tied.
func TestVotes(t *testing.T) {
	const turn = "0talk 1talk 2talk"
	const vote = " 0final 1final 2final 0vote 1vote 2vote "
	for name, x := range map[string]struct {
		votes  func(round, agent int) transcript.Act
		want   string
		key    string
		reason string
	}{
		"at once": {func(_, _ int) transcript.Act { return voted(1) },
			turn + " " + turn + " " + turn + vote + "count[1]", "1", "vote"},
		"after a tie": {func(round, agent int) transcript.Act { return voted([]int{agent, 2}[round-3]) },
			turn + " " + turn + " " + turn + vote + "count[0 1 2] " + turn + vote + "count[2]", "2", "vote"},
		"never": {func(_, agent int) transcript.Act { return []transcript.Act{abstained, voted(1), voted(2)}[agent] },
			turn + " " + turn + " " + turn + vote + "count[1 2] " + turn + vote + "count[1 2] " + turn + vote + "count[1 2]", "0", "rounds"},
		"nobody votes": {func(_, _ int) transcript.Act { return abstained },
			turn + " " + turn + " " + turn + vote + "count[] " + turn + vote + "count[] " + turn + vote + "count[]", "0", "rounds"},
	} {
		s := discussing(3, plurality(), func(*protocol.DiscussionParams) {})
		got := run(t, s, func(p protocol.Pending, _ int) transcript.Act {
			if p.Phase == protocol.PhaseBallots {
				return x.votes(p.Round, p.Speaker.Index)
			}
			return proposed(fmt.Sprint(p.Speaker.Index))
		})
		o := s.Outcome()
		if key := s.Transcript().Entries[o.Standing].Act.Key; got != x.want || key != x.key || o.Reason != x.reason {
			t.Errorf("%s: %s, %q, %s", name, got, key, o.Reason)
		}
	}
}

// Equal answers are one candidate of two agents, or two candidates; an answer that could not
// be read is one of its own, or none.
func TestMerging(t *testing.T) {
	for _, x := range []struct {
		merge        bool
		unread, want string
	}{
		{true, protocol.UnreadLeftOut, "[x of [0 2] at 12]"},
		{false, protocol.UnreadLeftOut, "[x of [0] at 12 x of [2] at 14]"},
		{true, protocol.UnreadShown, "[x of [0 2] at 12  of [1] at 13  of [3] at 15]"},
		{false, protocol.UnreadShown, "[x of [0] at 12  of [1] at 13 x of [2] at 14  of [3] at 15]"},
	} {
		s := discussing(4, plurality(), func(p *protocol.DiscussionParams) { p.MergeEqual, p.Unread = x.merge, x.unread })
		play(t, s, 200, func(p protocol.Pending) transcript.Act {
			if p.Phase == protocol.PhaseBallots {
				var list []string
				for _, c := range p.Payload.Candidates {
					list = append(list, fmt.Sprintf("%s of %v at %d", c.Key, c.Agents, c.Entry))
				}
				if got := fmt.Sprint(list); p.Round == 3 && got != x.want {
					t.Errorf("merged %v, unread %s: %s, want %s", x.merge, x.unread, got, x.want)
				}
				return voted(0)
			}
			if p.Phase == protocol.PhaseFinal && p.Speaker.Index%2 == 1 {
				return invalid
			}
			return proposed("x")
		})
	}
}

// Drafts that several agents stand for are shown to every voter once.
func TestBallotsOnTheSameDraft(t *testing.T) {
	s := discussing(3, plurality(), func(p *protocol.DiscussionParams) {
		p.Extract, p.MergeEqual, p.Personas.Kind, p.Rounds, p.VoteFrom = false, false, "none", 1, 1
	})
	var got []string
	play(t, s, 100, func(p protocol.Pending) transcript.Act {
		switch {
		case p.Phase == protocol.PhaseBallots:
			got = append(got, fmt.Sprint(len(p.Payload.Candidates), indices(seen(s, p.Step))))
			return voted(0)
		case len(p.Payload.Candidates) > 0 && p.Speaker.Index == 2:
			return agrees
		}
		return drafts("x")
	})
	if text := strings.Join(got, " "); text != "3 [0 1] 3 [0 1] 3 [0 1]" {
		t.Errorf("voters see %s", text)
	}
}

func TestDiscussionFaults(t *testing.T) {
	for name, x := range map[string]struct {
		rule   decision.Rule
		change func(*protocol.DiscussionParams)
		want   string
	}{
		"rounds":      {plurality(), func(p *protocol.DiscussionParams) { p.Rounds = 0 }, "rounds is 0"},
		"vote_from":   {plurality(), func(p *protocol.DiscussionParams) { p.VoteFrom = 6 }, "vote_from is 6; expected 1 to 5"},
		"paradigm":    {plurality(), func(p *protocol.DiscussionParams) { p.Paradigm = "ring" }, `paradigm is "ring"`},
		"order":       {plurality(), func(p *protocol.DiscussionParams) { p.Order = "" }, `order is ""`},
		"memory":      {plurality(), func(p *protocol.DiscussionParams) { p.Memory = -1 }, "memory is -1"},
		"inner":       {plurality(), func(p *protocol.DiscussionParams) { p.Inner = 0 }, "inner_rounds is 0"},
		"response":    {plurality(), func(p *protocol.DiscussionParams) { p.Response = "rude" }, `response is "rude"`},
		"challenge":   {plurality(), func(p *protocol.DiscussionParams) { p.Challenge = "all" }, `challenge is "all"`},
		"neutral":     {plurality(), func(p *protocol.DiscussionParams) { p.Neutral = 4 }, "neutral is 4"},
		"personas":    {plurality(), func(p *protocol.DiscussionParams) { p.Personas.Kind = "famous" }, `personas is "famous"`},
		"too few":     {plurality(), func(p *protocol.DiscussionParams) { p.Personas.Kind = "list" }, "personas is a list of 0"},
		"collective":  {agreement(decision.MajorityConsensus()), func(p *protocol.DiscussionParams) { p.Collective = true }, "cannot agree with one another in turn"},
		"refinement":  {agreement(decision.MajorityConsensus()), func(p *protocol.DiscussionParams) { p.Paradigm = "collective_refinement" }, "cannot agree"},
		"relay":       {plurality(), func(p *protocol.DiscussionParams) { p.Collective, p.Paradigm = true, "relay" }, "accepted with memory only"},
		"unextracted": {plurality(), func(p *protocol.DiscussionParams) { p.Collective, p.Extract = true, false }, "extract is false"},
		"reasoning":   {plurality(), func(p *protocol.DiscussionParams) { p.Response, p.Extract = "reasoning", false }, "extract is false"},
		"counting":    {must(decision.NewCounting(decision.CountingParams{})), func(p *protocol.DiscussionParams) { p.Extract = false }, "counts final answers"},
	} {
		p := protocol.DefaultDiscussion()
		x.change(&p)
		_, err := protocol.NewDiscussion(p, protocol.Setting{Agents: 3, Rule: x.rule})
		if err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), "expect") && !strings.Contains(err.Error(), "accept") && !strings.Contains(err.Error(), "has 3") {
			t.Errorf("%s: %v, want %q", name, err, x.want)
		}
	}
}

// Whatever is said, every discussion ends within its turns, nobody is shown
// what comes later, and steps are a function of the transcript alone.
func TestDiscussionProperties(t *testing.T) {
	rules := []decision.Rule{plurality(), agreement(decision.SupermajorityConsensus()), agreement(decision.HybridConsensus()),
		must(decision.NewApproval(decision.ApprovalParams{})), must(decision.NewJudge(decision.JudgeParams{})), must(decision.NewCounting(decision.CountingParams{}))}
	rapid.Check(t, func(t *rapid.T) {
		p := protocol.DefaultDiscussion()
		p.Rounds = rapid.IntRange(1, 4).Draw(t, "rounds")
		p.VoteFrom = rapid.IntRange(1, p.Rounds).Draw(t, "vote from")
		p.Paradigm = rapid.SampledFrom([]string{"memory", "relay", "report", "debate", "collective_refinement"}).Draw(t, "paradigm")
		p.Order = rapid.SampledFrom([]string{"fixed", "rotating", "random"}).Draw(t, "order")
		p.Memory = rapid.IntRange(0, 3).Draw(t, "memory")
		p.Extract, p.AllDraft, p.MergeEqual = rapid.Bool().Draw(t, "extract"), rapid.Bool().Draw(t, "all draft"), rapid.Bool().Draw(t, "merge")
		p.Collective = rapid.Bool().Draw(t, "collective")
		p.Personas.Kind = rapid.SampledFrom([]string{"generated", "none"}).Draw(t, "personas")
		p.Challenge = rapid.SampledFrom([]string{"none", "history", "wrong"}).Draw(t, "challenge")
		set := protocol.Setting{Agents: rapid.IntRange(1, 4).Draw(t, "agents"), Rule: rapid.SampledFrom(rules).Draw(t, "rule"), Seed: 7}
		d, err := protocol.NewDiscussion(p, set)
		if err != nil {
			return // refused with a reason
		}
		s := protocol.NewSession(d, set, stopping.Never{})
		for s.Outcome() == nil {
			if s.Round() > p.Rounds || len(s.Transcript().Entries) > 500 {
				t.Fatalf("%d entries, round %d of %d", len(s.Transcript().Entries), s.Round(), p.Rounds)
			}
			for _, pending := range s.Pending() {
				for _, r := range pending.Sees {
					if r.From < 0 || r.To > len(s.Transcript().Entries) || r.From >= r.To {
						t.Fatalf("entry %d is shown %v", pending.Entry, pending.Sees)
					}
				}
				a := rapid.SampledFrom([]transcript.Act{drafts("x"), drafts("y"), drafts(""), invalid, proposed("x")}).Draw(t, "act")
				if pending.Payload.Format == transcript.FormatReply && len(pending.Payload.Candidates) > 0 && rapid.Bool().Draw(t, "agrees") {
					a = agrees
				}
				if pending.Payload.Format == transcript.FormatBallot {
					a = abstained
					if spec := pending.Payload.Ballot; rapid.Bool().Draw(t, "votes") {
						c := rapid.IntRange(0, spec.N-1).Draw(t, "vote")
						a = transcript.Act{Status: transcript.Said, Ballot: &transcript.Ballot{Choice: c, Order: []int{c}}}
					}
				}
				if err := s.Record(pending.Entry, a); err != nil {
					t.Fatal(err)
				}
			}
		}
		if o := s.Outcome(); o.Standing >= 0 && s.Transcript().Entries[o.Standing].Act.Key == "" {
			t.Fatalf("words without an answer stand: %+v", o)
		}
		before := fmt.Sprintf("%+v", s.Transcript())
		d.Next(s.Transcript())
		if after := fmt.Sprintf("%+v", s.Transcript()); after != before {
			t.Fatal("Next has changed the transcript")
		}
	})
}
