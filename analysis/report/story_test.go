package report

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
)

// Proposals of each environment are what they are; anything else stays as it is written.
func TestShapes(t *testing.T) {
	for text, want := range map[string]string{
		`{"Ann":{"apples":82.3,"bread":1},"Bob":{"apples":0,"bread":9}}`: "table [ apples bread] [[Ann 82.3 1] [Bob 0 9]]",
		`{"Alex":12,"Blake":8.5}`:             "pairs [[Alex 12] [Blake 8.5]]",
		`{"task_1":"agent_2","task_2":null}`:  "pairs [[task_1 agent_2] [task_2 null]]",
		`["soup","bread & butter"]`:           "list [soup bread & butter]",
		`[1.5,-2]`:                            "text 1.5, -2",
		`"B"`:                                 "text B",
		`4.25`:                                "text 4.25",
		`{}`:                                  "text {}",
		`[]`:                                  "text []",
		`{"Ann":{"apples":1},"Bob":2}`:        `text {"Ann":{"apples":1},"Bob":2}`,
		`{"Ann":{"a":1},"Bob":{"b":2}}`:       `text {"Ann":{"a":1},"Bob":{"b":2}}`,
		`no JSON {`:                           "text no JSON {",
		``:                                    "text ",
		`{"Ann":{"a":1,"b":2},"Bob":{"a":1}}`: `text {"Ann":{"a":1,"b":2},"Bob":{"a":1}}`,
	} {
		p := parseShape(text)
		got := "text " + p.Text
		switch {
		case p.Columns != nil:
			got = fmt.Sprint("table ", p.Columns, " ", p.Rows)
		case p.Rows != nil:
			got = fmt.Sprint("pairs ", p.Rows)
		case p.List != nil:
			got = fmt.Sprint("list ", p.List)
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// A table by agent has what it is worth to each in a column; others have it below.
func TestWorths(t *testing.T) {
	w := Worth{0.5, []float64{3, 2.25}}
	named := func(agent int32) string { return []string{"Ann", "agent 2"}[agent] }
	p := parseShape(`{"Ann":{"a":1},"Bob":{"a":2}}`).addWorth(w, named)
	if fmt.Sprint(p.Columns, p.Rows, p.Worth) != "[ a worth to it] [[Ann 1 3] [Bob 2 2.25]]score 0.5" {
		t.Errorf("the table is %v", p)
	}
	if p := parseShape(`["soup"]`).addWorth(w, named); p.Worth != "score 0.5; worth to Ann 3, agent 2 2.25" {
		t.Errorf("the list has %q", p.Worth)
	}
	if p := parseShape(`"B"`).addWorth(Worth{1, []float64{1, 1}}, named); p.Worth != "score 1" {
		t.Errorf("worth the same to all: %q", p.Worth)
	}
}

// Ballots are laid out by voter, above what the rule counts of them.
func TestMatrix(t *testing.T) {
	phase := Phase{Candidates: []candidate{
		{Number: 2, Votes: []vote{{Voter: "Bob", Value: "1/2"}, {Voter: "Cem", Value: "1/6"}}},
		{Number: 1, Votes: []vote{{Voter: "Ann", Value: "1/3"}, {Voter: "Bob", Value: "1"}}},
	}, Turns: []Turn{{Entry: 3}, {Entry: 7, Decided: true}}}
	ballots := []voterRow{{"Bob", []string{"1/2", "1"}, false}, {"Cem", []string{"1/6", ""}, false}, {"Ann", []string{"", "1/3"}, false}}
	for what, x := range map[string]struct {
		scores []*big.Rat
		count  []voterRow
	}{
		"a count":          {[]*big.Rat{big.NewRat(1, 1), big.NewRat(3, 2)}, []voterRow{{"count by the rule", []string{"3/2", "1"}, true}}},
		"no count":         {nil, nil},
		"fewer candidates": {[]*big.Rat{big.NewRat(1, 1)}, nil},
	} {
		m := Story{scores: map[int32][]*big.Rat{7: x.scores}}.Matrix(phase)
		if !slices.EqualFunc(m, append(slices.Clone(ballots), x.count...), func(a, b voterRow) bool { return a.Voter == b.Voter && slices.Equal(a.Values, b.Values) }) {
			t.Errorf("%s: the ballots are %v", what, m)
		}
	}
}

// Ballots have the count of a later phase of their round, unless others stand between; who votes for one
// candidate, or a count that selects one, names it.
func TestCountsInAPhaseOfTheirOwn(t *testing.T) {
	vote := func(entry int32) Phase {
		return Phase{Candidates: []candidate{{Number: 1, Proposal: `"(B)"`, Votes: []vote{{"Ann", "1"}}}, {Number: 2, Proposal: `"(A)"`}},
			Turns: []Turn{{Entry: entry, Choice: 1}, {Entry: entry + 1}}}
	}
	count := func(entry int32) Phase { return Phase{Turns: []Turn{{Entry: entry, Decided: true, Choice: 2}}} }
	s := Story{Question: Question{Options: []string{"Billing", "Shipping"}}, scores: map[int32][]*big.Rat{}}
	s.scores[4], s.scores[8] = []*big.Rat{big.NewRat(2, 1), big.NewRat(0, 1)}, []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 2)}
	for _, x := range []struct {
		what   string
		rounds []Round
		first  string
	}{
		{"counted in the round", []Round{{Phases: []Phase{vote(2), count(4)}}, {Phases: []Phase{vote(6), count(8)}}}, "2"},
		{"counted in the next round", []Round{{Phases: []Phase{vote(2)}}, {Phases: []Phase{vote(6), count(8)}}}, ""},
		{"others are counted", []Round{{Phases: []Phase{vote(2), vote(6), count(8)}}}, ""},
	} {
		s.Rounds = x.rounds
		m := s.Matrix(x.rounds[0].Phases[0])
		got := ""
		if last := m[len(m)-1]; last.Count {
			got = last.Values[0]
		}
		if got != x.first {
			t.Errorf("%s: the count is %q, want %q", x.what, got, x.first)
		}
	}
	phase := vote(2)
	if a, b := s.Choice(phase, phase.Turns[0]), s.Choice(phase, phase.Turns[1]); a != "(B) Shipping" || b != "" {
		t.Errorf("the votes are for %q and %q", a, b)
	}
}

// A count that selects a short answer says what the group decides; others have no such words.
func TestDescribeDecision(t *testing.T) {
	s := Story{Question: Question{Options: []string{"Billing", "Shipping"}}}
	for what, x := range map[string]struct {
		count    string
		decision *string
		want     string
	}{
		"an option":      {`{"d":{"Winners":[1],"Selected":1}}`, p(`"(B)"`), "Group decides: (B) Shipping"},
		"one of a tie":   {`{"d":{"Winners":[0,1],"Selected":0}}`, p(`"(A)"`), "Group decides: (A) Billing, after a tie"},
		"none":           {`{"d":{"Winners":[0,1],"Selected":-1}}`, p(`"(A)"`), ""}, // what stood before
		"a long answer":  {`{"d":{"Winners":[0],"Selected":0}}`, p(`"the fourth sentence of the text"`), ""},
		"an unknown one": {`{"d":{"Winners":[0],"Selected":0}}`, nil, ""},
	} {
		rows := collaboration("majority", 0, 1, "a")
		rows.Turns[len(rows.Turns)-1].DataJSON, rows.Rounds[0].DecisionJSON = p(x.count), x.decision
		phases := Tell(rows).Rounds[0].Phases
		last := phases[len(phases)-1].Turns
		if got := s.DescribeDecision(last[len(last)-1]); got != x.want {
			t.Errorf("%s: %q, want %q", what, got, x.want)
		}
		if got := s.DescribeDecision(last[0]); got != "" {
			t.Errorf("%s: a vote says %q", what, got)
		}
	}
}

func moves(at ...string) []record.Turn {
	var turns []record.Turn
	for i, place := range at {
		turns = append(turns, record.Turn{Kind: "env", Agent: p(int32(i % 2)), AgentName: fmt.Sprint("a", i%2), Round: int32(i/2 + 1), ProposalJSON: p(place)})
	}
	return turns
}

func named(p *plot, axis string) bool {
	return slices.ContainsFunc(p.Texts, func(l label) bool { return l.Text == axis })
}

// Agents that move are drawn in their dimensions, and others not.
func TestMotion(t *testing.T) {
	line := plotMotion(moves("0", "10", "4", "6"))
	if line == nil || !named(line, "round") || !named(line, "position") || line.Rounds != 2 || len(line.Marks) != 4 || line.Marks[0].Y <= line.Marks[1].Y {
		t.Fatalf("on a line: %+v", line)
	}
	plane := plotMotion(moves("[0,0]", "[10,10]", "[5,5]", "[5,5]"))
	if plane == nil || len(plane.Agents) != 2 || plane.Agents[1] != (shownAgent{plane.Agents[1].Name, "agent1"}) || plane.Agents[1].Name == "" || !named(plane, "first coordinate") || !named(plane, "second coordinate") || plane.Marks[2].X != plane.Marks[3].X || plane.Marks[0].Y <= plane.Marks[1].Y {
		t.Fatalf("in the plane: %+v", plane)
	}
	for what, turns := range map[string][]record.Turn{
		"one place": moves("1"), "three dimensions": moves("[1,2,3]", "[1,2,3]"), "no numbers": moves(`"B"`, `"C"`), "different ones": moves("1", "[1,2]"), "nothing": nil,
	} {
		if got := plotMotion(turns); got != nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

func TestScorePlot(t *testing.T) {
	rounds := []record.Round{{Round: 1}, {Round: 2, Score: p(.5)}, {Round: 3, Score: p(1.)}}
	drawn := scorePlot(rounds, true)
	if drawn == nil || len(drawn.Marks) != 2 || drawn.Marks[1].Y != sideAbove || !strings.Contains(drawn.Marks[0].Title, "round 2: 0.5") {
		t.Errorf("the scores are %+v", drawn)
	}
	if scorePlot(rounds[:2], true) != nil {
		t.Error("a single score is drawn")
	}
}
