package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// A challenge follows the decision and does not change it; what it shows is its name's.
func TestChallenges(t *testing.T) {
	for name, want := range map[string]string{
		"solution":   "5challenge[2] 6challenge[2]",
		"history":    "5challenge[0 1 2] 6challenge[0 1 2]",
		"context":    "5material[2] 6challenge[2 5] 7challenge[2 5]",
		"retrieval":  "5material[] 6challenge[2 5] 7challenge[2 5]",
		"irrelevant": "5material[2] 6challenge[5] 7challenge[5]",
		"wrong":      "5material[2] 6challenge[5] 7challenge[5]",
	} {
		s := discussing(2, must(decision.NewCounting(decision.CountingParams{})), func(p *protocol.DiscussionParams) {
			p.Rounds, p.VoteFrom, p.Challenge = 1, 1, name
		})
		var got []string
		play(t, s, 100, func(p protocol.Pending) transcript.Act {
			switch p.Phase {
			case protocol.PhaseMaterial:
				if name == "retrieval" {
					if p.Kind != transcript.Ask || p.Speaker.Role != "retriever" || p.Payload.Format != transcript.FormatText {
						t.Errorf("a context is fetched as %+v", p.Step)
					}
				} else if cue, ok := p.Payload.Data.(envs.Cue); !ok || cue.Name != name {
					t.Errorf("%s: the cue is %+v", name, p.Payload.Data)
				}
				got = append(got, fmt.Sprint(p.Entry, p.Phase, indices(seen(s, p.Step))))
				return proposed("wrong")
			case protocol.PhaseChallenge:
				if c := p.Payload.Candidates[0]; (c.Key == "wrong") != (name == "wrong" || name == "irrelevant") {
					t.Errorf("%s: challenged is %+v", name, c)
				}
				got = append(got, fmt.Sprint(p.Entry, p.Phase, indices(seen(s, p.Step))))
				return drafts("other")
			}
			return proposed("x")
		})
		if text := strings.Join(got, " "); text != want || s.Outcome().Standing != 2 || s.Outcome().Reason != "vote" {
			t.Errorf("%s: %s, want %s; %+v", name, text, want, s.Outcome())
		}
	}
}

// While nobody has said anything there is no draft to agree with.
func TestNothingToAgreeWith(t *testing.T) {
	s := discussing(2, agreement(decision.MajorityConsensus()), func(*protocol.DiscussionParams) {})
	play(t, s, 100, func(protocol.Pending) transcript.Act { return invalid })
	checks := 0
	for _, e := range s.Transcript().Entries {
		if e.Phase == protocol.PhaseCheck {
			if checks++; len(e.Payload.Candidates) > 0 {
				t.Errorf("a candidate of nobody: %+v", e.Payload.Candidates)
			}
		}
	}
	if checks == 0 {
		t.Error("nothing was checked")
	}
}

// Where a message holds the solution, its reasons are the history's alone to show.
func TestChallengesOfAMessage(t *testing.T) {
	for name, want := range map[string]string{
		"solution": "[]", "history": "[0 2]", "context": "[4]", "retrieval": "[4]", "irrelevant": "[4]", "wrong": "[4]",
	} {
		s := discussing(2, agreement(decision.MajorityConsensus()), func(p *protocol.DiscussionParams) {
			p.Extract, p.Personas.Kind, p.Challenge = false, "none", name
		})
		challenged := 0
		play(t, s, 100, func(p protocol.Pending) transcript.Act {
			switch {
			case p.Phase == protocol.PhaseChallenge:
				challenged++
				got := indices(seen(s, p.Step))
				if fmt.Sprint(got) != want {
					t.Errorf("%s shows %v, want %s", name, got, want)
				}
				return drafts("other")
			case p.Phase == protocol.PhaseMaterial:
				return proposed("wrong")
			case len(p.Payload.Candidates) > 0:
				return agrees
			}
			return drafts("x")
		})
		if challenged != 2 || s.Outcome().Reason != "consensus" {
			t.Errorf("%s: %d challenges, %+v", name, challenged, s.Outcome())
		}
	}
}

// In two calls an agent first agrees or not; who does not is then asked for
// another answer, with the same before it. In one call it gives both.
func TestChallengeCalls(t *testing.T) {
	for calls, want := range map[int]string{1: "5challenge[2] 6challenge[2]", 2: "5challenge[2] 6challenge[2] 7new_answer[2]"} {
		s := discussing(2, must(decision.NewCounting(decision.CountingParams{})), func(p *protocol.DiscussionParams) {
			p.Rounds, p.VoteFrom, p.Challenge, p.ChallengeCalls = 1, 1, "solution", calls
		})
		var got []string
		play(t, s, 100, func(p protocol.Pending) transcript.Act {
			if p.Phase == protocol.PhaseChallenge || p.Phase == protocol.PhaseAnswerNew {
				got = append(got, fmt.Sprint(p.Entry, p.Phase, indices(seen(s, p.Step))))
			}
			switch {
			case p.Phase == protocol.PhaseAnswerNew:
				if p.Speaker.Index != 1 || p.Payload.Format != transcript.FormatAnswer || p.Payload.Candidates[0].Key != "x" {
					t.Errorf("a new answer is asked for by %+v", p.Step)
				}
				return proposed("y")
			case p.Phase == protocol.PhaseChallenge && p.Speaker.Index == 0:
				return agrees
			case p.Phase == protocol.PhaseChallenge:
				return drafts("other")
			}
			return proposed("x")
		})
		if text := strings.Join(got, " "); text != want || s.Outcome().Standing != 2 {
			t.Errorf("%d calls: %s, want %s; %+v", calls, text, want, s.Outcome())
		}
	}
}

// Without a decision all rounds are talked, by any rule; answers come last, or
// after each round where they are what the next one sees.
func TestSkippedDecisions(t *testing.T) {
	const turn, answers = "0talk 1talk", " 0final 1final"
	for name, x := range map[string]struct {
		rule   decision.Rule
		change func(*protocol.DiscussionParams)
		want   string
	}{
		"vote":       {plurality(), func(*protocol.DiscussionParams) {}, turn + " " + turn + answers},
		"agreement":  {agreement(decision.MajorityConsensus()), func(*protocol.DiscussionParams) {}, turn + " " + turn + answers},
		"read":       {plurality(), func(p *protocol.DiscussionParams) { p.Extract = false }, turn + " " + turn},
		"collective": {plurality(), func(p *protocol.DiscussionParams) { p.Collective = true }, turn + answers + " " + turn + answers},
	} {
		s := discussing(2, x.rule, func(p *protocol.DiscussionParams) {
			p.Rounds, p.VoteFrom, p.SkipDecision = 2, 1, true
			x.change(p)
		})
		got := run(t, s, func(p protocol.Pending, _ int) transcript.Act {
			if len(p.Payload.Candidates) > 0 {
				return agrees
			}
			return proposed("x")
		})
		if o := s.Outcome(); got != x.want || o.Standing >= 0 || o.Reason != "rounds" || o.Round != 2 {
			t.Errorf("%s: %s, %+v; want %s", name, got, o, x.want)
		}
	}
	p := protocol.DefaultDiscussion()
	p.SkipDecision, p.Challenge = true, "solution"
	if _, err := protocol.NewDiscussion(p, protocol.Setting{Agents: 2, Rule: plurality()}); err == nil || !strings.Contains(err.Error(), "leaves no decision to challenge") {
		t.Error(err)
	}
}
