package protocol_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// recorded is a discussion of the MALLM demonstration (Apache-2.0,
// github.com/Multi-Agent-LLMs/mallm-demo): three agents, seven turns.
type recorded struct {
	Paradigm string
	Decision string `json:"decision_protocol"`
	Votes    map[int]struct {
		Answers     []string
		Alterations struct {
			Anonymous struct {
				Votes  []int
				Most   int `json:"most_voted"`
				Agreed bool
			}
		}
	} `json:"votesEachTurn"`
	Messages []struct {
		Turn int
		Sees []int `json:"memory_ids"`
	}
}

// discussions are the ones of a file, of which testdata holds a few with their
// texts replaced by names.
func discussions(t *testing.T, file string) []recorded {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skip("no recorded discussions next to this checkout")
	}
	var all []recorded
	for line := range strings.Lines(string(data)) {
		var r recorded
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

var recordings = map[string]struct{ discussions, simple, approval int }{
	"testdata/mallm.jsonl": {12, 25, 15},
	shared + "data/recorded/mallm/strategyqa_grid_votes.jsonl": {134, 135, 135},
}

const shared = "../../../shared/"

func discussing(agents int, rule decision.Rule, change func(*protocol.DiscussionParams)) *protocol.Session {
	p := protocol.DefaultDiscussion()
	p.Personas.Kind = "none"
	change(&p)
	set := protocol.Setting{Agents: agents, Rule: rule}
	return protocol.NewSession(must(protocol.NewDiscussion(p, set)), set, stopping.Never{})
}

// Who saw what in every recorded discussion is what our paradigms show. Their
// memory had no limit, which here is memory: 0.
func TestRecordedDiscussions(t *testing.T) {
	for file, want := range recordings {
		t.Run(file, func(t *testing.T) {
			all := discussions(t, file)
			if len(all) != want.discussions {
				t.Fatalf("%d discussions, want %d", len(all), want.discussions)
			}
			for n, r := range all {
				s := discussing(3, plurality(), func(p *protocol.DiscussionParams) {
					p.Paradigm, p.Rounds, p.VoteFrom, p.Memory = r.Paradigm, 7, 7, 0
				})
				said := 0
				play(t, s, 100, func(p protocol.Pending) transcript.Act {
					if p.Phase == protocol.PhaseTalk {
						m := r.Messages[said]
						if got := indices(seen(s, p.Step)); p.Round != m.Turn || !slices.Equal(got, m.Sees) {
							t.Errorf("discussion %d, %s: message %d of turn %d is shown %v; recorded is turn %d, %v", n, r.Paradigm, said, p.Round, got, m.Turn, m.Sees)
						}
						said++
					}
					return proposed("x")
				})
				if said != len(r.Messages) {
					t.Errorf("discussion %d, %s: %d messages, recorded are %d", n, r.Paradigm, said, len(r.Messages))
				}
			}
		})
	}
}

// Every recorded vote comes out as recorded, with the options of that code:
// equal answers are candidates of their own.
func TestRecordedVotes(t *testing.T) {
	approval := must(decision.NewApproval(decision.ApprovalParams{}))
	for file, want := range recordings {
		t.Run(file, func(t *testing.T) {
			votes := map[string]int{}
			for n, r := range discussions(t, file) {
				rule := plurality()
				if r.Decision == "approval_voting" {
					rule = approval
				}
				for turn, vote := range r.Votes {
					votes[r.Decision]++
					result := vote.Alterations.Anonymous
					ballots := split(result.Votes, r.Decision == "approval_voting")
					s := discussing(3, rule, func(p *protocol.DiscussionParams) {
						p.Rounds, p.VoteFrom, p.MergeEqual = 8, turn, false
					})
					playRound(t, s, turn, vote.Answers, ballots)
					e := s.Transcript().Entries[len(s.Transcript().Entries)-1]
					got := e.Act.Decision
					if got == nil || got.Selected != result.Most || (len(got.Winners) == 1) != result.Agreed {
						t.Errorf("discussion %d, turn %d: %+v, recorded is %+v", n, turn, got, result)
					}
				}
			}
			if votes["simple_voting"] != want.simple || votes["approval_voting"] != want.approval {
				t.Errorf("%v votes were recorded, want %+v", votes, want)
			}
		})
	}
}

// playRound answers until the first count.
func playRound(t *testing.T, s *protocol.Session, turn int, answers []string, ballots []transcript.Ballot) {
	t.Helper()
	for s.Transcript().Entries == nil || s.Transcript().Entries[len(s.Transcript().Entries)-1].Phase != protocol.PhaseCount {
		for _, p := range s.Pending() {
			act := transcript.Act{Status: transcript.Said}
			switch p.Phase {
			case protocol.PhaseFinal:
				act.Key = answers[p.Speaker.Index]
			case protocol.PhaseBallots:
				act.Ballot = &ballots[p.Speaker.Index]
			}
			if p.Round > turn {
				t.Fatal(fmt.Sprint("no count in turn ", turn))
			}
			if err := s.Record(p.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// split gives each of three agents its ballot: one vote each, or, of approvals
// written one after another in a row, a rising run.
func split(votes []int, approve bool) []transcript.Ballot {
	var ballots []transcript.Ballot
	for i, v := range votes {
		switch {
		case !approve:
			ballots = append(ballots, transcript.Ballot{Choice: v})
		case i == 0 || v <= votes[i-1]:
			ballots = append(ballots, transcript.Ballot{Order: []int{v}})
		default:
			last := &ballots[len(ballots)-1]
			last.Order = append(last.Order, v)
		}
	}
	return ballots
}
