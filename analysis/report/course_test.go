package report

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
)

// held is a debate as a table: a row for each round, with what each agent answers ("-" is
// nothing), and what stands.
func held(key string, rounds ...string) record.Rows {
	c := record.Collaboration{Status: "succeeded", Measure: record.Share, RoundsPlanned: int32(len(rounds)), RoundsRun: int32(len(rounds))}
	if key != "" {
		c.KeyJSON = p("[" + key + "]")
	}
	rows := record.Rows{Collaborations: []record.Collaboration{c}}
	for i, round := range rounds {
		answers, decision, _ := strings.Cut(round, " : ")
		for agent, answer := range strings.Fields(answers) {
			t := record.Turn{Kind: "ask", Agent: p(int32(agent)), AgentName: fmt.Sprint("Agent ", agent+1), AgentRole: p([]string{"nurse", "clerk", "clerk"}[agent]), Round: int32(i + 1), Entry: int32(len(rows.Turns)), Status: "invalid", SeesJSON: "[]"}
			if answer != "-" {
				t.Status, t.ProposalKey, t.ProposalJSON = "said", p("k"+answer), p(answer)
			}
			rows.Turns = append(rows.Turns, t)
		}
		row := record.Round{Round: int32(i + 1)}
		if decision != "" {
			row.DecisionKey, row.DecisionJSON = p("k"+decision), p(decision)
		}
		rows.Rounds = append(rows.Rounds, row)
		rows.Collaborations[0].DecisionKey, rows.Collaborations[0].DecisionJSON = row.DecisionKey, row.DecisionJSON
	}
	if d := rows.Collaborations[0].DecisionJSON; d != nil && key != "" {
		rows.Collaborations[0].Score = p(0.)
		if *d == key {
			rows.Collaborations[0].Score = p(1.)
		}
	}
	return rows
}

// The first line says what came out, and the course who moved, when and to what.
func TestVerdicts(t *testing.T) {
	options := Question{Options: []string{"Billing", "Shipping", "Support"}}
	for _, x := range []struct {
		what    string
		rows    record.Rows
		asked   Question
		verdict string
		moves   string // of the last round
	}{
		{"a choice", held(`"(B)"`, `"(B)" "(C)" "(B)"`, `"(C)" "(C)" "(B)" : "(C)"`), options, "Wrong. Group: (C) Support, 2 of 3; right: (B) Shipping.", "nurse: (B) → (C)."},
		{"a right one", held(`"(B)"`, `"(B)" "(C)" "(B)"`, `"(B)" "(B)" "(B)" : "(B)"`), options, "Right. Group: (B) Shipping, 3 of 3.", "Agent 2: (C) → (B)."},
		{"no decision", held(`"(B)"`, `"(B)" "(C)" "(A)"`, `"(A)" "(C)" -`), options, "Undecided after 2 rounds. Last held: (A) by 2, (C) by 1; right: (B) Shipping.", "nurse: (B) → (A)."},
		{"numbers", held(`42`, `40 41 42`, `42 42 42 : 42`), Question{}, "Right. Group: 42, 3 of 3.", "nurse: 40 → 42; Agent 2: 41 → 42."},
		{"a mean", held("", `4 8 6`, `4 8 6 : 5.5`), Question{}, "Decided. Group: 5.5.", "Nobody moved."},
		{"allocations", held("", `{"Ann":1,"Bob":2,"Cem":30} {"Ann":2,"Bob":1,"Cem":30} -`, `{"Ann":2,"Bob":1,"Cem":30} - - : {"Ann":2,"Bob":1,"Cem":30}`), Question{}, "Decided.", "nurse: #1 → #2."},
	} {
		w := courseOf(x.rows, Tell(x.rows), x.asked)
		if got := verdictOf(x.rows.Collaborations[0], x.asked, w).Text; got != x.verdict {
			t.Errorf("%s: %q, want %q", x.what, got, x.verdict)
		}
		if got := w.Moves(int32(len(x.rows.Rounds))); got != x.moves {
			t.Errorf("%s: moves %q, want %q", x.what, got, x.moves)
		}
		if drawn := onLine(w.placesOf()); (drawn != nil) != (x.what == "numbers" || x.what == "a mean") {
			t.Errorf("%s: drawn %v", x.what, drawn != nil)
		}
	}
	failed := record.Collaboration{Status: "failed", Failure: p("openai/gpt: 400 after 17 tries")}
	if got := verdictOf(failed, Question{}, course{}).Text; got != "Failed: openai/gpt: 400 after 17 tries." {
		t.Errorf("one that failed: %q", got)
	}
}

// An entry says what its speaker answers, and from what it has moved.
func TestCourseOfEntries(t *testing.T) {
	rows := held(`"(B)"`, `"(B)" "(C)" "(B)"`, `"(C)" "(C)" - : "(C)"`)
	w := courseOf(rows, Tell(rows), Question{})
	for entry, want := range []string{" (B) holds-right", " (C) hue1", " (B) holds-right", "(B) (C) hue1", " (C) hue1", "  "} {
		p := w.PositionAt(int32(entry))
		if got := p.From + " " + p.Text + " " + p.Class; got != want {
			t.Errorf("entry %d: %q, not %q", entry, got, want)
		}
	}
}

// What an agent took back in the same round is told as well.
func TestCourseOfTwoInOneRound(t *testing.T) {
	rows := held(`"(B)"`, `"(B)" "(C)"`)
	first := rows.Turns[0]
	first.Entry, first.ProposalKey, first.ProposalJSON = 99, p(`"(D)"`), p(`"(D)"`)
	rows.Turns = append([]record.Turn{first}, rows.Turns...)
	w := courseOf(rows, Tell(rows), Question{})
	if first, then := w.PositionAt(99), w.PositionAt(0); first.Text != "(D)" || first.From != "" || then.Text != "(B)" || then.From != "(D)" {
		t.Errorf("first %+v, then %+v", first, then)
	}
}

// What agents vote for is what they hold, and rounds before anything is held are left out.
func TestCourseOfBallots(t *testing.T) {
	rows := held("", `- -`, `"x" "y" : "x"`, `- - : "x"`)
	vote := func(entry, agent int32, values ...float64) {
		for i, v := range values {
			rows.Ballots = append(rows.Ballots, record.Ballot{Entry: entry, Agent: agent, Candidate: p(int32(i)), CandidateKey: p([]string{`k"x"`, `k"y"`}[i]), Value: p(v)})
		}
	}
	vote(4, 0, 1, 1) // no favourite: what it proposed
	vote(5, 1, 3, 1)
	w := courseOf(rows, Tell(rows), Question{})
	if len(w.Rounds) != 2 || w.Agents[0].Cells[1].Text != "x" || w.Agents[1].Cells[1].Text != "x" || w.Agents[1].Cells[1].From != "y" || w.Group[1].Votes != "2 of 2" {
		t.Errorf("the course is %+v", w)
	}
}
