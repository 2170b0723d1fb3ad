package protocol_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// sightings plays a protocol whose agents hear somebody, and returns what each step of an agent
// that is not a ballot sees: phase, round and agent, and the speakers and rounds of its entries.
func sightings(t *testing.T, hears protocol.Hearing, build func(protocol.Setting) (protocol.Protocol, error)) []string {
	t.Helper()
	set := protocol.Setting{Agents: 3, Rule: plurality(), Hears: hears}
	s := protocol.NewSession(must(build(set)), set, stopping.Never{})
	for s.Outcome() == nil {
		for _, p := range s.Pending() {
			act := transcript.Act{Status: transcript.Said, Key: string(rune('A' + p.Entry)), Values: []float64{float64(p.Entry)}}
			if p.Payload.Format == transcript.FormatBallot {
				act.Key, act.Ballot = "", &transcript.Ballot{}
			}
			if err := s.Record(p.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
	var all []string
	for _, e := range s.Transcript().Entries {
		if e.Kind != transcript.Ask || e.Speaker.Role != "" || e.Payload.Format == transcript.FormatBallot {
			continue
		}
		var from []string
		for _, r := range e.Sees {
			for _, x := range s.Transcript().Entries[r.From:r.To] {
				from = append(from, fmt.Sprintf("%s%d.%d", x.Speaker.Role, x.Speaker.Index, x.Round))
			}
		}
		all = append(all, fmt.Sprintf("%s %d.%d: %s", e.Phase, e.Speaker.Index, e.Round, strings.Join(from, " ")))
	}
	return all
}

func debateOf(change func(*protocol.DebateParams)) func(protocol.Setting) (protocol.Protocol, error) {
	return func(set protocol.Setting) (protocol.Protocol, error) {
		p := protocol.DefaultDebate()
		p.Rounds = 2
		change(&p)
		return protocol.NewDebate(p, set)
	}
}

// Who hears nobody sees what it said itself, and nothing that tells of others.
func TestHearsNobody(t *testing.T) {
	for name, build := range map[string]func(protocol.Setting) (protocol.Protocol, error){
		"debate":     debateOf(func(*protocol.DebateParams) {}),
		"one by one": debateOf(func(p *protocol.DebateParams) { p.Talk = protocol.TalkOneByOne }),
		"summary":    debateOf(func(p *protocol.DebateParams) { p.Talk = protocol.TalkSummarizer }),
		"roundtable": func(set protocol.Setting) (protocol.Protocol, error) {
			p := protocol.DefaultRoundtable()
			p.Rounds = 2
			return protocol.NewRoundtable(p, set)
		},
		"discussion": func(set protocol.Setting) (protocol.Protocol, error) {
			p := protocol.DefaultDiscussion()
			p.Rounds, p.VoteFrom = 2, 2
			return protocol.NewDiscussion(p, set)
		},
		"delphi": func(set protocol.Setting) (protocol.Protocol, error) {
			return protocol.NewDelphi(protocol.DefaultDelphi(), set)
		},
		"consensus": func(set protocol.Setting) (protocol.Protocol, error) {
			p := protocol.DefaultConsensus()
			p.Rounds = 2
			return protocol.NewConsensus(p, set)
		},
	} {
		among, alone := sightings(t, protocol.HearsPeers, build), sightings(t, protocol.HearsNobody, build)
		if len(among) != len(alone) || slices.Equal(among, alone) {
			t.Errorf("%s: %d steps among others, %d alone:\n%s", name, len(among), len(alone), strings.Join(alone, "\n"))
		}
		own := 0
		for _, line := range alone {
			head, from, _ := strings.Cut(line, ": ")
			self, _, _ := strings.Cut(strings.Fields(head)[1], ".")
			for x := range strings.FieldsSeq(from) {
				if own++; !strings.HasPrefix(x, self+".") && !strings.HasPrefix(x, "personas") {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
		if own == 0 {
			t.Errorf("%s: nobody sees what it said itself", name)
		}
	}
}

// In the place of each peer's text there is one of a stranger, another one for each round;
// what an agent said itself, and who answers when, stays. A summary is one of strangers.
func TestHearsStrangers(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*protocol.DebateParams)
		asked  int // strangers, of 3 agents and 2 rounds of debate
	}{
		"ring":       {func(p *protocol.DebateParams) { p.Topology.Name = "ring" }, 6},
		"one by one": {func(p *protocol.DebateParams) { p.Talk = protocol.TalkOneByOne }, 9},
		"after all have answered": {func(p *protocol.DebateParams) {
			p.Talk, p.Speaking = protocol.TalkOneByOne, protocol.SpeakingIndex
		}, 9},
		"summary": {func(p *protocol.DebateParams) { p.Talk = protocol.TalkSummarizer }, 6},
	} {
		build := debateOf(x.change)
		compareHeard(t, name, build)
		set := protocol.Setting{Agents: 3, Rule: plurality(), Hears: protocol.HearsStrangers}
		s := protocol.NewSession(must(build(set)), set, stopping.Never{})
		if n := len(s.Pending()); n != x.asked {
			t.Errorf("%s: %d strangers, want %d", name, n, x.asked)
		}
	}
}

// compareHeard holds what agents see among strangers against what they see among peers.
func compareHeard(t *testing.T, name string, build func(protocol.Setting) (protocol.Protocol, error)) {
	t.Helper()
	among, strangers := sightings(t, protocol.HearsPeers, build), sightings(t, protocol.HearsStrangers, build)
	heard := map[string]string{}
	for i, line := range among {
		head, from, _ := strings.Cut(line, ": ")
		gotHead, got, _ := strings.Cut(strangers[i], ": ")
		texts, instead := strings.Fields(from), strings.Fields(got)
		if gotHead != head || len(texts) != len(instead) {
			t.Errorf("%s: %q of peers is %q of strangers", name, line, strangers[i])
			continue
		}
		for k, text := range texts {
			own := strings.HasPrefix(text, strings.Fields(head)[1][:1]+".") || strings.HasPrefix(text, "summarizer") || strings.HasPrefix(text, "personas")
			if isStranger := strings.HasPrefix(instead[k], protocol.Stranger+text[:1]); own != (instead[k] == text) || !own && !isStranger {
				t.Errorf("%s: %q of peers is %q of strangers", name, line, strangers[i])
			}
			heard[text] = instead[k]
		}
	}
	if len(strangers) != len(among) || len(heard) < 6 {
		t.Errorf("%s: %d steps, not %d; %v are heard", name, len(strangers), len(among), heard)
	}
}

// In discussions, too, one of a stranger is in the place of each message of a peer, in whatever order
// they speak; agents may agree with it, and vote on their own answers.
func TestDiscussionsHearStrangers(t *testing.T) {
	for name, change := range map[string]func(*protocol.DiscussionParams){
		"memory":     func(*protocol.DiscussionParams) {},
		"forgetting": func(p *protocol.DiscussionParams) { p.Memory = 1 },
		"relay":      func(p *protocol.DiscussionParams) { p.Paradigm = "relay" },
		"report":     func(p *protocol.DiscussionParams) { p.Paradigm = "report" },
		"debate":     func(p *protocol.DiscussionParams) { p.Paradigm = "debate" },
		"at once":    func(p *protocol.DiscussionParams) { p.Paradigm = "collective_refinement" },
		"all draft":  func(p *protocol.DiscussionParams) { p.AllDraft = true },
		"rotating":   func(p *protocol.DiscussionParams) { p.Order = "rotating" },
		"reasoning":  func(p *protocol.DiscussionParams) { p.Response, p.Personas.Kind = "reasoning", "none" },
		"undecided":  func(p *protocol.DiscussionParams) { p.SkipDecision = true },
	} {
		build := func(set protocol.Setting) (protocol.Protocol, error) {
			p := protocol.DefaultDiscussion()
			p.Rounds, p.VoteFrom = 3, 3
			change(&p)
			return protocol.NewDiscussion(p, set)
		}
		compareHeard(t, name, build)
		set := protocol.Setting{Agents: 3, Rule: plurality(), Hears: protocol.HearsStrangers}
		s := protocol.NewSession(must(build(set)), set, stopping.Never{})
		strangers, messages := 0, 0
		for s.Outcome() == nil {
			for _, p := range s.Pending() {
				act := transcript.Act{Status: transcript.Said, Key: fmt.Sprint(p.Entry)}
				switch {
				case p.Phase == protocol.Stranger:
					strangers++
					for _, r := range p.Sees { // nothing but its persona
						if s.Transcript().Entries[r.To-1].Phase != protocol.PhasePersona {
							t.Errorf("%s: a stranger sees entry %d", name, r.To-1)
						}
					}
				case p.Phase == protocol.PhaseTalk:
					messages++
					for _, c := range p.Payload.Candidates {
						if of := s.Transcript().Entries[c.Entry].Speaker; of.Role != protocol.Stranger && of != p.Speaker {
							t.Errorf("%s: agent %d may agree with %v", name, p.Speaker.Index, of)
						}
					}
				case p.Payload.Format == transcript.FormatBallot:
					act.Ballot = &transcript.Ballot{}
					for _, c := range p.Payload.Candidates {
						if s.Transcript().Entries[c.Entry].Speaker.Role != "" {
							t.Errorf("%s: agents vote on what a stranger says", name)
						}
					}
				}
				if err := s.Record(p.Entry, act); err != nil {
					t.Fatal(err)
				}
			}
		}
		unheard := 0
		if name == "at once" { // the last round's
			unheard = 3
		}
		if strangers != messages-unheard || messages < 9 {
			t.Errorf("%s: %d strangers for %d messages", name, strangers, messages)
		}
	}
}

// No text of a peer is heard anywhere, by agents or the summarizer, and each of their texts has
// a stranger of its own.
func TestStrangersStandForOneTextEach(t *testing.T) {
	for _, talk := range []string{protocol.TalkSimultaneous, protocol.TalkOneByOne, protocol.TalkSummarizer} {
		set := protocol.Setting{Agents: 3, Rule: plurality(), Hears: protocol.HearsStrangers}
		s := protocol.NewSession(must(debateOf(func(p *protocol.DebateParams) { p.Talk = talk })(set)), set, stopping.Never{})
		byRound := map[int]map[int]bool{}
		for s.Outcome() == nil {
			for _, p := range s.Pending() {
				for _, r := range p.Sees {
					for e := r.From; e < r.To; e++ {
						seen := s.Transcript().Entries[e]
						if seen.Speaker.Role == "" && seen.Speaker != p.Speaker && p.Kind == transcript.Ask {
							t.Errorf("%s: %v hears the peer %d", talk, p.Speaker, seen.Speaker.Index)
						}
						if seen.Speaker.Role == protocol.Stranger && p.Speaker.Index == 0 {
							if byRound[p.Round] == nil {
								byRound[p.Round] = map[int]bool{}
							}
							byRound[p.Round][e] = true
						}
					}
				}
				if err := s.Record(p.Entry, transcript.Act{Status: transcript.Said, Key: fmt.Sprint(p.Entry)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for e := range byRound[2] {
			if byRound[3][e] {
				t.Errorf("%s: stranger %d is heard in two rounds", talk, e)
			}
		}
	}
}
