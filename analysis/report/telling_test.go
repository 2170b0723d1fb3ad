package report

import (
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
	"roundtable/workflows/transcript"
)

func TestDecisionsInWords(t *testing.T) {
	for data, want := range map[string]string{
		`{"d":{"Winners":[],"Selected":-1}}`:    "no candidate passes",
		`{"d":{"Winners":[0,2],"Selected":-1}}`: "a tie between candidates 1, 3: none is selected",
		`{"d":{"Winners":[0,2],"Selected":2}}`:  "a tie between candidates 1, 3; candidate 3 is selected",
		`{"d":{"Winners":[1],"Selected":1}}`:    "candidate 2 is selected",
		`{}`:                                    "it is not recorded",
	} {
		if got := countText(record.Turn{DataJSON: &data}); got != want {
			t.Errorf("%s is told as %q, want %q", data, got, want)
		}
	}
	for data, want := range map[string]string{
		`{"b":{"o":[2,0,1]}}`: "candidates 3 > 1 > 2",
		`{"b":{"a":true}}`:    "abstains",
		`{"b":{"p":[1,-1]}}`:  "candidate 1: 1",
		`broken`:              "a ballot that is not recorded",
	} {
		if got := ballotText(record.Turn{DataJSON: &data}, false); got != want {
			t.Errorf("%s is told as %q, want %q", data, got, want)
		}
	}
}

// A round of two agents: one message, one proposal, two votes, a count.
func rows() record.Rows {
	ask := func(entry, agent int32, name, phase, format string) record.Turn {
		return record.Turn{
			Entry: entry, Round: 1, Kind: "ask", Phase: phase, Format: format, Agent: p(agent), AgentName: name,
			Status: "said", Asks: 1, SeesJSON: "[]",
		}
	}
	message := ask(0, 0, "Ann", "message", "message")
	message.Text, message.AddresseesJSON = p(" one\r\ntwo "), p("[1,7]")
	proposal := ask(1, 1, "Bob", "proposal", "proposal")
	proposal.ProposalJSON, proposal.Text, proposal.ProposalKey, proposal.ProposalUtility, proposal.Asks = p("{}"), p("{}"), p("k"), p(3.), 2
	proposal.SeesJSON = "[[0,1]]"
	vote, invalid := ask(2, 0, "Ann", "vote", "ballot"), ask(3, 1, "Bob", "vote", "ballot")
	vote.DataJSON, vote.Reason = p(`{"b":{"c":0}}`), p("because")
	invalid.Status, invalid.InvalidReason, invalid.Asks = "invalid", p("no JSON"), 3
	count := record.Turn{Entry: 4, Round: 1, Kind: "decide", Phase: "vote", DataJSON: p(`{"d":{"Winners":[0],"Selected":0}}`)}
	return record.Rows{
		Collaborations: []record.Collaboration{{Status: "succeeded", EndReason: "rounds", DecisionJSON: p("{}"), Score: p(.5), Utilities: []float64{1, 2}}},
		Rounds:         []record.Round{{Round: 1, DecisionJSON: p("{}"), Changed: true}},
		Turns:          []record.Turn{message, proposal, vote, invalid, count},
		Ballots:        []record.Ballot{{Entry: 2, Agent: 0, Candidate: p(int32(0)), CandidateKey: p("k"), ProposersJSON: p("[1]"), ValueExact: p("1/2")}, {Entry: 3, Agent: 1, Abstained: true}},
	}
}

func TestTell(t *testing.T) {
	s := Tell(rows())
	if len(s.Rounds) != 1 || len(s.Rounds[0].Phases) != 3 || s.Rounds[0].Standing != "{} stands from now on." || s.End != "All rounds were run. Decision: {}. Score 0.5; utilities 1, 2." {
		t.Fatalf("the story is %+v", s)
	}
	phases := s.Rounds[0].Phases
	message, proposal, votes := phases[0].Turns[0], phases[1].Turns[0], phases[2].Turns
	if message.Does != " to Bob, agent 8:" || message.Text != "one\ntwo" || len(message.Sees) != 0 {
		t.Errorf("the message is %+v", message)
	}
	if proposal.Does != " proposes (worth 3 to Bob)" || proposal.Text != "" || proposal.Proposal != "{}" || proposal.Again != "asked again 1 time" ||
		!slices.Equal(proposal.Sees, []transcript.Range{{From: 0, To: 1}}) {
		t.Errorf("the proposal is %+v", proposal)
	}
	if votes[0].Does != ": candidate 1" || votes[0].Reason != "because" || !votes[1].Invalid || votes[1].Again != "" ||
		!strings.Contains(votes[1].Does, "INVALID after 3 answers, counts as an abstention: no JSON") || !votes[2].Decided {
		t.Errorf("the votes are %+v", votes)
	}
	want := candidate{Number: 1, From: "by Bob", Proposal: "{}", Votes: []vote{{"Ann", "1/2"}}}
	if c := phases[2].Candidates; len(c) != 1 || c[0].Number != want.Number || c[0].From != want.From || c[0].Proposal != want.Proposal || !slices.Equal(c[0].Votes, want.Votes) {
		t.Errorf("the candidates are %+v", c)
	}
}

func TestPrintable(t *testing.T) {
	if got, want := wording.SafeLines("a\tb\nc\x1b[2J\u202e\u009b\u2028d\xff"), "a b\nc␛[2J\\u202e\\u009b\\u2028d\uFFFD"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An approval ballot is a set, whatever the order in which it is stored.
func TestApprovalsAreNoRankings(t *testing.T) {
	r := rows()
	r.Collaborations[0].Rule = "approval"
	r.Turns[2].DataJSON = p(`{"b":{"o":[0,1]}}`)
	if does := Tell(r).Rounds[0].Phases[2].Turns[0].Does; does != ": approves of candidates 1, 2" {
		t.Errorf("under the rule approval a ballot is told as %q", does)
	}
	r.Collaborations[0].Rule = "of-my-own" // whose ballots give each candidate the same
	r.Ballots[0].ValueExact = p("1")
	r.Ballots = append(r.Ballots, record.Ballot{Entry: 2, Agent: 0, Candidate: p(int32(1)), ValueExact: p("1")})
	if does := Tell(r).Rounds[0].Phases[2].Turns[0].Does; does != ": approves of candidates 1, 2" {
		t.Errorf("with equal values a ballot is told as %q", does)
	}
	r.Ballots[len(r.Ballots)-1].ValueExact = p("1/2")
	if does := Tell(r).Rounds[0].Phases[2].Turns[0].Does; does != ": candidates 1 > 2" {
		t.Errorf("a ranking is told as %q", does)
	}
}

// What the environment gives is not speech, and a decision can change without a vote.
func TestWhatTheEnvironmentGives(t *testing.T) {
	r := rows()
	r.Turns[4] = record.Turn{Entry: 4, Round: 1, Kind: "env", Role: "facilitator", Phase: "median", Format: "answer", Status: "said", ProposalJSON: p("4")}
	r.Rounds[0] = record.Round{Round: 1, DecisionKey: p("a"), DecisionJSON: p("4")}
	r.Rounds = append(r.Rounds, record.Round{Round: 2, DecisionKey: p("b"), DecisionJSON: p("5")}, record.Round{Round: 3, DecisionKey: p("b"), DecisionJSON: p("5")})
	s := Tell(r)
	phases := s.Rounds[0].Phases
	if turn := phases[len(phases)-1].Turns[0]; turn.Who+turn.Does != " (facilitator) gives 4" || turn.Text != "" {
		t.Errorf("what the environment gives is told as %q %q", turn.Who+turn.Does, turn.Text)
	}
	for i, want := range []string{"4 stands from now on.", "5 stands from now on.", "5 stands as before."} {
		if s.Rounds[i].Standing != want {
			t.Errorf("round %d: %q, want %q", i+1, s.Rounds[i].Standing, want)
		}
	}
	r.Turns[4].ProposalJSON = nil
	phases = Tell(r).Rounds[0].Phases
	if turn := phases[len(phases)-1].Turns[0]; turn.Does != " gives nothing" {
		t.Errorf("nothing is told as %q", turn.Does)
	}
}

// Agents are called by their roles where their names are but numbers.
func TestRoles(t *testing.T) {
	r := rows()
	r.Turns[0].AgentName, r.Turns[0].AgentRole = "Agent 1", p("nurse")
	r.Turns[2].AgentName, r.Turns[2].AgentRole = "Agent 1", p("nurse")
	r.Turns[1].AgentRole = p("clerk")
	s := Tell(r)
	phases := s.Rounds[0].Phases
	if who := phases[0].Turns[0].Who; who != "nurse (Agent 1)" || s.AgentName(0) != "nurse" || s.AgentAlso(0) != "Agent 1" {
		t.Errorf("an agent with a number is called %q", who)
	}
	if who := phases[1].Turns[0].Who; who != "Bob (clerk)" || s.AgentName(1) != "Bob" || s.AgentAlso(1) != "clerk" {
		t.Errorf("an agent with a name is called %q", who)
	}
	r.Turns[1].AgentName, r.Turns[1].AgentRole = "Agent 2", p("nurse")
	if s := Tell(r); s.AgentName(0) != "Agent 1" || s.AgentAlso(1) != "nurse" {
		t.Errorf("two of one role are called %q and %q", s.AgentName(0), s.AgentName(1))
	}
}
