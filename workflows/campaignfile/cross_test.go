package campaignfile_test

import (
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// Five agents answer A, A, B, C, D, and value the answers like this; the judge
// values them as the fourth does.
var (
	answers = []string{"A", "A", "B", "C", "D"}
	likes   = []map[string]int{
		{"A": 10, "B": 7, "C": 2, "D": 1},
		{"A": 10, "B": 7, "C": 1, "D": 2},
		{"A": 0, "B": 10, "C": 6, "D": 5},
		{"A": 0, "B": 8, "C": 10, "D": 5},
		{"A": 0, "B": 8, "C": 5, "D": 10},
	}
)

// Decisions by rule: where agents propose and vote (a roundtable, and
// deliberation by vote) or debate, and in a discussion. "-" is not a decision. In a
// discussion the first agent's solution stands if there is none.
var decisions = map[string][2]string{
	"unanimous":               {"-", "A"},
	"majority":                {"-", "A"},
	"plurality":               {"A", "A"}, // 2, 1, 1, 1 votes
	"weighted":                {"A", "A"}, // likewise, at 1/2 each
	"rated":                   {"B", "B"}, // 13, 21, …
	"ranked":                  {"B", "A"}, // 11/4, 3, …; in a discussion, whose equal answers are apart, the first A gets 11/4, B 8/3
	"cumulative":              {"B", "B"}, // half to the first, half to the second: 4, 10, …
	"cumulative25":            {"B", "B"}, // 26, 61, …
	"approval":                {"B", "B"}, // all but none is approved from 5 on: 2, 5, 3, 3
	"borda":                   {"B", "B"}, // 11, 16, …
	"borda5":                  {"B", "B"},
	"copeland":                {"B", "B"}, // beats A by 3 to 2, C and D by 4 to 1
	"majority_consensus":      {"-", "B"}, // A has its two authors; in a discussion, B its author and two who like it
	"supermajority_consensus": {"-", "B"}, // one more in the second turn
	"unanimity_consensus":     {"-", "B"}, // and the last one
	"hybrid_consensus":        {"-", "B"},
	"judge":                   {"C", "C"},
	"solution_counting":       {"A", "A"},
}

// Every rule decides this profile in every protocol that takes a rule, and the same
// where agents come to the same votes.
func TestRulesTimesProtocols(t *testing.T) {
	for _, r := range catalogue.Builtin().Rules {
		want, ok := decisions[r.Name]
		if !ok {
			t.Errorf("the rule %s has no expected decision", r.Name)
		}
		for name, x := range map[string]struct{ params, want string }{
			"roundtable":   {`{"rounds":2}`, want[0]},
			"deliberation": {`{"rounds":1,"authority":"vote"}`, want[0]},
			"debate":       {`{}`, want[0]},
			"discussion":   {`{}`, want[1]},
		} {
			cond := plan.Condition{
				Protocol: plan.Choice{Name: name, Params: []byte(x.params)}, Rule: plan.Choice{Name: r.Name}, Stop: plan.Choice{Name: "never"},
			}
			if got := decided(t, cond); got != x.want {
				t.Errorf("%s in a %s decides for %s, want %s", r.Name, name, got, x.want)
			}
		}
	}
}

// Every variant of a discussion comes to the same votes: drafts of all, merged
// answers or not, answers read or asked for, no matter who sees what.
func TestRulesTimesDiscussions(t *testing.T) {
	const refused = "refused"
	inTurn := map[string]string{ // need agents who speak one after another
		"majority_consensus": refused, "supermajority_consensus": refused, "unanimity_consensus": refused, "hybrid_consensus": refused,
	}
	for _, r := range catalogue.Builtin().Rules {
		for params, alters := range map[string]map[string]string{
			`{"all_draft":true}`:                   {},
			`{"extract":false}`:                    {"solution_counting": refused, "ranked": "B", "unanimous": "B", "majority": "B", "plurality": "B", "weighted": "B", "judge": "B"}, // by turn 3 all stand for B
			`{"paradigm":"relay"}`:                 {},
			`{"order":"rotating"}`:                 {},
			`{"response":"reasoning"}`:             {},
			`{"collective":true}`:                  inTurn,
			`{"collective":true,"all_draft":true}`: inTurn,
			`{"paradigm":"collective_refinement"}`: inTurn,
			`{"challenge":"solution"}`:             {},
			`{"merge_equal":true}`:                 {"ranked": "B"},
		} {
			cond := plan.Condition{
				Protocol: plan.Choice{Name: "discussion", Params: []byte(params)}, Rule: plan.Choice{Name: r.Name}, Stop: plan.Choice{Name: "never"},
			}
			want, altered := alters[r.Name]
			if !altered {
				want = decisions[r.Name][1]
			}
			got := decided(t, cond)
			if want == refused {
				if !strings.Contains(got, "expected") {
					t.Errorf("%s, %s is not refused with a reason: %s", r.Name, params, got)
				}
			} else if got != want {
				t.Errorf("%s, %s: %s, want %s", r.Name, params, got, want)
			}
		}
	}
}

// decided plays a collaboration; what it returns is the decision, - or the error.
func decided(t *testing.T, c plan.Condition) string {
	t.Helper()
	s, err := c.Session(catalogue.Builtin(), len(answers), 1)
	if err != nil {
		return err.Error()
	}
	for s.Outcome() == nil {
		for _, p := range s.Pending() {
			if err := s.Record(p.Entry, act(s, p)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if standing := s.Outcome().Standing; standing >= 0 {
		return s.Transcript().Entries[standing].Act.Key
	}
	return "-"
}

func act(s *protocol.Session, p protocol.Pending) transcript.Act {
	a := transcript.Act{Status: transcript.Said}
	i := p.Speaker.Index
	if p.Speaker.Role == "judge" {
		i = 3
	}
	switch p.Payload.Format {
	case transcript.FormatProposal, transcript.FormatAnswer:
		a.Key = answers[i]
		check, ok := s.Transcript().Last(func(e transcript.Entry) bool { return e.Phase == protocol.PhaseCheck })
		if ok && check.Act.Decision.Selected >= 0 { // it speaks for all who agree
			a.Key = check.Act.Decision.Key
		}
	case transcript.FormatReply:
		a.Key = answers[i]
		if c := p.Payload.Candidates; len(c) > 0 && likes[i][c[0].Key] >= 7 {
			a.Ballot, a.Key = &transcript.Ballot{}, ""
		}
	case transcript.FormatBallot:
		b := ballot(p.Payload.Ballot, p.Payload.Candidates, likes[i])
		a.Ballot = &b
	}
	a.Weigh(500_000)
	return a
}

// ballot casts what an agent likes in the form that the rule has.
func ballot(form transcript.BallotSpec, candidates []transcript.Candidate, like map[string]int) transcript.Ballot {
	var order []int
	for i := range candidates {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return like[candidates[j].Key] - like[candidates[i].Key] })
	b := transcript.Ballot{Points: make([]int, len(candidates))}
	switch form.Kind {
	case transcript.Choose:
		return transcript.Ballot{Choice: order[0]}
	case transcript.Rank:
		return transcript.Ballot{Order: order}
	case transcript.Approve:
		for i, c := range candidates {
			if like[c.Key] >= 5 {
				b.Order = append(b.Order, i)
			}
		}
		return transcript.Ballot{Order: b.Order}
	case transcript.Rate:
		for i, c := range candidates {
			b.Points[i] = form.Min + (like[c.Key]*(form.Max-form.Min)+5)/10
		}
		return b
	}
	b.Points[order[0]] += form.Points - form.Points/2
	b.Points[order[min(1, len(order)-1)]] += form.Points / 2
	return b
}
