package activities_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/recount"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// mumbler gives some entries' answers in words that no answer can be read in.
type mumbler struct {
	*heard
	says map[int]string // by entry
}

func (m mumbler) Complete(c context.Context, r model.Request) (model.Response, error) {
	response, err := m.heard.Complete(c, r)
	if text, ok := m.says[r.Scene.Entry]; ok {
		response.Text = []byte(text)
	}
	return response, err
}

// Paper 2's agents vote on what was said, whether an answer can be read in it or not; nothing
// stands if they choose what cannot be read. Left out, it is not a candidate. Counted again from the
// rows, each vote is as it was.
func TestUnreadAnswersInAVote(t *testing.T) {
	const mumbled = "I would rather not say."
	for name, x := range map[string]struct {
		params       string
		unread       []int  // agents
		ballot       string // of everybody
		solutions    int
		votes        string // in the table rounds
		reason       string
		stands       bool
		shownMumbled bool
	}{
		"it wins":             {"", []int{1}, `{"decision": 2}`, 3, `"(unread)":3`, "vote", false, true},
		"another one wins":    {"", []int{1}, `{"decision": 1}`, 3, `"(unread)":0`, "vote", true, true},
		"nobody votes for it": {"", []int{0}, `{"decision": null}`, 3, "", "rounds", false, true},
		"none can be read":    {"", []int{0, 1, 2}, `{"decision": 3}`, 3, `{"(unread)":3}`, "vote", false, true},
		"it is left out":      {", unread: left_out", []int{1}, `{"decision": 2}`, 2, "", "vote", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := must(store.NewLocal(t.TempDir()))
			p := debating(t, s, "discussion", "protocol: {name: discussion, personas: none, rounds: 1, vote_from: 1"+x.params+"}")
			m := mumbler{answerer(), map[int]string{6: x.ballot, 7: x.ballot, 8: x.ballot}}
			for _, agent := range x.unread {
				m.says[3+agent] = mumbled
			}
			playWhole(t, newActivities(s, m, withPuzzles, simulated), p, ref(p, 0))
			asked := m.asked[6]
			if n := strings.Count(asked, "Solution "); n != x.solutions || strings.Contains(asked, mumbled) != x.shownMumbled {
				t.Errorf("%d solutions are shown, want %d:\n%s", n, x.solutions, asked)
			}
			got := rows(t, s, p, ref(p, 0))
			own, votes := got.Collaborations[0], got.Rounds[0].VotesJSON
			if own.EndReason != x.reason || (own.DecisionKey != nil) != x.stands {
				t.Errorf("it ends by %s, and a decision stands: %t", own.EndReason, own.DecisionKey != nil)
			}
			if votes == nil || !strings.Contains(*votes, x.votes) {
				t.Errorf("votes: %v, want %s", record.Optional(fmt.Sprint(votes)), x.votes)
			}
			_, err := recount.Votes(got, func(record.Collaboration) (recount.Counting, error) {
				rule := must(p.Campaign.Conditions[0].BuildRule(catalogue.Builtin()))
				return recount.Counting{Rule: rule, Break: func(winners []int, round int, phase string) int {
					return protocol.BreakTie(slices.Clone(winners), transcript.TiesSettle, 0, round, phase)
				}}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
