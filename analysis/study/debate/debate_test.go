package debate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// Debated is one collaboration of a debate as a row with its turns: answers by
// round, a letter an agent ("-" is unread); truth is right, and the first letter
// of the last round is the decision.
type Debated struct {
	Protocol, File, Model string
	Agents                int
	Instance, Replicate   int
	Rounds                []string
	Truth                 string
}

func (d Debated) Run() campaign.Run {
	settings := fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":%d,"file":%q,"format":"bbh"}},"protocol":{"name":"debate","params":%s},"rule":{"name":"plurality"},"stop":{"name":"never"},"model":{"name":%q},"generate":{},"reasks":0}`,
		d.Agents, d.File, d.Protocol, d.Model)
	id := fmt.Sprintf("plurality-%x", len(settings)*31+len(d.File)) + d.Protocol + d.File + d.Model + fmt.Sprint(d.Agents)
	row := record.Collaboration{
		Key: record.Key{ConditionID: id, CollaborationID: fmt.Sprint(id, d.Instance, d.Replicate)}, Status: record.Succeeded, Environment: "qa", Measure: record.Share, Rule: "plurality",
		Protocol: "debate", InstanceID: fmt.Sprint("q-c", d.Instance), Instance: int32(d.Instance), Replicate: int32(d.Replicate), Agents: int32(d.Agents), RoundsPlanned: int32(len(d.Rounds)), SettingsJSON: settings,
	}
	var rounds []record.Round
	var turns []record.Turn
	for i, round := range d.Rounds {
		for j, a := range strings.Fields(round) {
			t := record.Turn{Round: int32(i + 1), Agent: new(int32(j)), Kind: "ask", Format: "answer"}
			if a != "-" {
				t.ProposalKey, t.ProposalUtility = new(a), new(0.0)
				if a == d.Truth {
					*t.ProposalUtility = 1
				}
			}
			turns = append(turns, t)
		}
		turns = append(turns, record.Turn{Round: int32(i + 1), Kind: "ask", Role: "summarizer", Format: "answer"})
		score := 0.0
		if round[:1] == d.Truth {
			score = 1
		}
		rounds = append(rounds, record.Round{Round: int32(i + 1), Score: &score})
		row.Utilities = []float64{score, score}
	}
	return newRun(row, rounds, turns)
}

// Two questions, three strategies, two tasks, worked by hand.
func TestStrategiesByHand(t *testing.T) {
	c := campaign.Campaign{Name: "made-up"}
	add := func(protocol, file string, final ...string) {
		for i, f := range final {
			c.Runs = append(c.Runs, Debated{Protocol: protocol, File: file, Model: "openai/x", Agents: 2, Instance: i / 2, Replicate: i % 2, Rounds: []string{"A B", f}, Truth: "A"}.Run())
		}
	}
	add(`{"order":"fixed"}`, "bbh/logic.json", "A A", "B B", "B A", "B B")      // 50 and 0 %
	add(`{"order":"truth_last"}`, "bbh/logic.json", "A A", "A A", "A A", "B B") // 100 and 50 %
	add(`{"order":"fixed"}`, "math.jsonl", "A A", "A A")                        // one question, 100 %
	c.Runs = append(c.Runs, Debated{Protocol: `{"rounds":0}`, File: "bbh/logic.json", Model: "openai/x", Agents: 2, Rounds: []string{"A B"}, Truth: "A"}.Run())
	table, ok := Strategies(c)
	if !ok {
		t.Fatal("no table")
	}
	analysistest.Near(t, "MAD, logic", analysistest.Column(t, table, "logic", "MAD", "2", "1"), 25)
	analysistest.Near(t, "MAD, math", analysistest.Column(t, table, "math", "MAD", "2", "1"), 100)
	analysistest.Near(t, "truth, logic", analysistest.Column(t, table, "logic", "MAD+Truth", "2", "1"), 75)
	analysistest.Near(t, "gain", analysistest.Column(t, table, "logic gain", "MAD+Truth", "2", "1"), 50)
	if low := analysistest.Column(t, table, "logic gain low", "MAD+Truth", "2", "1"); low != nil {
		t.Errorf("two equal gains are at least %v", *low)
	}
	analysistest.Near(t, "self-consistency", analysistest.Column(t, table, "logic", "Self-Consistency", "2", "0"), 100)
	if v := analysistest.Column(t, table, "logic gain", "MAD", "2", "1"); v != nil {
		t.Errorf("MAD gains %v over itself", *v)
	}
	if v := analysistest.Column(t, table, "math", "MAD+Truth", "2", "1"); v != nil {
		t.Error("a task that was not run has an accuracy")
	}
}

// Round by round: log-likelihood and entropy are means of what is defined.
func TestDebateRoundsByHand(t *testing.T) {
	c := campaign.Campaign{Runs: []campaign.Run{
		Debated{Protocol: `{}`, File: "logic.json", Model: "m", Agents: 4, Rounds: []string{"A B A C", "A A A A"}, Truth: "A"}.Run(),
		Debated{Protocol: `{}`, File: "logic.json", Model: "m", Agents: 4, Instance: 1, Rounds: []string{"B B - -", "B B B A"}, Truth: "A"}.Run(),
	}}
	table, _ := DebateRounds(c)
	at := func(measure, round string) *float64 {
		return analysistest.Column(t, table, round, measure, "logic", "MAD", "4")
	}
	analysistest.Near(t, "accuracy@1", at("accuracy, %", "@1"), 50)
	analysistest.Near(t, "log-likelihood@1", at("log-likelihood", "@1"), -1) // of the first alone
	analysistest.Near(t, "log-likelihood@2", at("log-likelihood", "@2"), (0+math.Log2(.25))/2)
	analysistest.Near(t, "smoothed@1", at("smoothed log-likelihood", "@1"), (math.Log2(2.5/5)+math.Log2(.5/5))/2)
	analysistest.Near(t, "entropy@1", at("entropy", "@1"), 1.5) // both: 2, 1, 1
	if _, ok := DebateAgents(c); ok {
		t.Error("one size of group makes a table by size")
	}
}

// What is gained over MAD by hand: questions 0 and 1 with two replicates each
// and question 2 with one, which MAD has not been asked. t with 1 degree of
// freedom is 12.7062.
func TestGainsByHand(t *testing.T) {
	var c campaign.Campaign
	add := func(protocol string, final ...string) {
		for i, f := range final {
			c.Runs = append(c.Runs, Debated{Protocol: protocol, File: "logic.json", Model: "m", Agents: 4, Instance: i / 2, Replicate: i % 2, Rounds: []string{"A B B B", f}, Truth: "A"}.Run())
		}
	}
	add(`{}`, "A A B B", "B B B B", "A A A A", "A A A B")
	add(`{"order":"madc"}`, "A A A A", "A B B B", "A A A A", "A A A A", "A A A A")
	table, ok := DebateGains(c)
	if !ok || len(table.Rows) != 4 {
		t.Fatalf("%v\n%s", ok, table.Text())
	}
	at := func(measure, name string) *float64 {
		return analysistest.Column(t, table, name, measure, "logic", "MAD+MADC", "4", "1")
	}
	one := -.25*math.Log2(.25) - .75*math.Log2(.75) // entropy of one against three
	analysistest.Near(t, "accuracy", at("accuracy, %", "gain"), (50+0)/2.)
	analysistest.Near(t, "accuracy low", at("accuracy, %", "gain low"), -100)                                        // 25 - 12.7062 · 25 is less than there can be
	analysistest.Near(t, "log-likelihood", at("log-likelihood", "gain"), ((0-math.Log2(.5))+(0-math.Log2(.75)/2))/2) // nobody is right in the second debate of question 0 under MAD, so it is left out of both
	analysistest.Near(t, "entropy", at("entropy", "gain"), ((0-1+one)/2+0-(-.75*math.Log2(.75)-.25*math.Log2(.25))/2)/2)
	analysistest.Near(t, "questions", at("entropy", "questions"), 2)
	analysistest.Near(t, "round", at("entropy", "round"), 2)
}

// Over three repetitions by hand. MAD is right in 50, 0 and 100 % of two
// questions, MADC in 100, 50 and 100 %, and wrong in a third one that MAD was not
// asked. Gains of 50, 50 and 0 have t = 2 with two degrees of freedom, so p is
// 1-2/√6, and four of eight signs are as far from 0.
func TestRepetitionsByHand(t *testing.T) {
	var c campaign.Campaign
	add := func(protocol string, instance, replicate int, final string) {
		c.Runs = append(c.Runs, Debated{Protocol: protocol, File: "logic.json", Model: "m", Agents: 2, Instance: instance, Replicate: replicate, Rounds: []string{"A B", final}, Truth: "A"}.Run())
	}
	for i, finals := range [][2]string{{"A A", "B B"}, {"B B", "B B"}, {"A A", "A A"}} {
		add(`{}`, 0, i, finals[0])
		add(`{}`, 1, i, finals[1])
	}
	if _, ok := DebateRepetitions((campaign.Campaign{Runs: c.Runs[:2]})); ok {
		t.Error("one repetition has a spread")
	}
	for i, finals := range [][2]string{{"A A", "A A"}, {"A A", "B B"}, {"A A", "A A"}} {
		add(`{"order":"madc"}`, 0, i, finals[0])
		add(`{"order":"madc"}`, 1, i, finals[1])
	}
	add(`{"order":"madc"}`, 2, 0, "B B")
	table, ok := DebateRepetitions(c)
	if !ok || len(table.Rows) != 8 {
		t.Fatalf("%v\n%s", ok, table.Text())
	}
	at := func(strategy, name string) *float64 {
		return analysistest.Column(t, table, name, "accuracy, %", "logic", strategy, "2", "1")
	}
	analysistest.Near(t, "mean of MAD", at("MAD", "mean"), 50)
	analysistest.Near(t, "sd of MAD", at("MAD", "sd"), 50)
	analysistest.Near(t, "least", at("MAD", "least"), 0)
	analysistest.Near(t, "greatest", at("MAD", "greatest"), 100)
	analysistest.Near(t, "repetitions", at("MAD", "repetitions"), 3)
	analysistest.Near(t, "mean of MADC", at("MAD+MADC", "mean"), (200./3+50+100)/3)
	analysistest.Near(t, "gain", at("MAD+MADC", "gain"), 100./3)
	analysistest.Near(t, "low", at("MAD+MADC", "gain low"), 100./3-4.302652729749464*50/3)
	analysistest.Near(t, "p t", at("MAD+MADC", "p t"), 1-2/math.Sqrt(6))
	analysistest.Near(t, "p sign flip", at("MAD+MADC", "p sign flip"), .5)
	analysistest.Near(t, "pairs", at("MAD+MADC", "pairs"), 3)
	if p := at("MAD", "p t"); p != nil {
		t.Errorf("MAD gains over itself with p %v", *p)
	}
}

// In each of four repetitions the same three questions gain the same, in another
// order: sums that differ in their last digit are not spread, so there is no p.
func TestGainsEqualButForRoundingHaveNoP(t *testing.T) {
	var c campaign.Campaign
	add := func(protocol string, instance, replicate int, final string) {
		c.Runs = append(c.Runs, Debated{Protocol: protocol, File: "logic.json", Model: "m", Agents: 7, Instance: instance, Replicate: replicate, Rounds: []string{"A B B B B B B", final}, Truth: "A"}.Run())
	}
	finals := []string{"A A A A B B B", "A A A A A B B", "A A A A A A A"}
	for replicate := range 4 {
		for i := range finals {
			add(`{}`, i, replicate, "A B B B B B B")
			add(`{"order":"madc"}`, i, replicate, finals[(i+replicate)%3])
		}
	}
	table, _ := DebateRepetitions(c)
	for _, measure := range []string{"log-likelihood", "entropy"} {
		at := func(name string) *float64 {
			return analysistest.Column(t, table, name, measure, "logic", "MAD+MADC", "7", "1")
		}
		if p := at("p t"); p != nil {
			t.Errorf("%s: equal gains have p %v", measure, *p)
		}
		if at("gain low") != nil || at("gain high") != nil {
			t.Errorf("%s: equal gains of %v have an interval", measure, *at("gain"))
		}
		analysistest.Near(t, "p of four equal signs", at("p sign flip"), .125)
	}
}

// By group size, and where fixed viewpoints turn the outcome.
func TestSizesAndReversals(t *testing.T) {
	var sizes, curves campaign.Campaign
	for n := 3; n <= 5; n++ {
		sizes.Runs = append(sizes.Runs, Debated{Protocol: fmt.Sprintf(`{"agents":%d}`, n), File: "logic.json", Model: "m", Agents: 5, Rounds: []string{"A", map[bool]string{true: "A", false: "B"}[n > 3]}, Truth: "A"}.Run())
	}
	table, ok := DebateAgents(sizes)
	if !ok {
		t.Fatal("no table")
	}
	var names []string
	for _, line := range CourseLines(sizes) {
		names = append(names, line.Name)
	}
	if want := []string{"MAD, 3 agents", "MAD, 4 agents", "MAD, 5 agents"}; !slices.Equal(slices.Compact(slices.Sorted(slices.Values(names))), want) {
		t.Errorf("the lines are %q, want %q", names, want)
	}
	for n, want := range map[string]float64{"3": 0, "4": 100, "5": 100} {
		analysistest.Near(t, n, analysistest.Column(t, table, n, "logic", "MAD", "1"), want)
	}
	for n := 1; n <= 6; n++ {
		for context := range 4 {
			final := "A" // three of four contexts turn at 5 agents, one at 6
			if n >= 5 && context < 3 || n == 6 {
				final = "B"
			}
			curves.Runs = append(curves.Runs, Debated{
				Protocol: fmt.Sprintf(`{"agents":%d,"viewpoints":{"each":3,"scaling":"correct_first"}}`, n), File: "logic.json", Model: "m", Agents: 6,
				Instance: context, Rounds: []string{"A", final}, Truth: "A",
			}.Run())
		}
	}
	table, ok = Viewpoints(curves)
	if !ok {
		t.Fatal("no table")
	}
	analysistest.Near(t, "5 agents", analysistest.Column(t, table, "correct first", "q", "5"), .25)
	analysistest.Near(t, "reversed", analysistest.Column(t, table, "correct first", "q", "reversed at"), 5)
	analysistest.Near(t, "low", analysistest.Column(t, table, "correct first", "q", "… low"), 5)
	analysistest.Near(t, "high", analysistest.Column(t, table, "correct first", "q", "… high"), 6)
	if _, ok := Strategies(curves); ok {
		t.Error("viewpoints are not a strategy of Table 1")
	}
	mixed := Debated{
		Protocol: `{"agents":2,"order":"random","viewpoints":{"each":3,"scaling":"correct_first"}}`, File: "logic.json", Model: "m", Agents: 6,
		Rounds: []string{"A", "A"}, Truth: "A",
	}.Run()
	if table, ok = Viewpoints(campaign.Campaign{Runs: []campaign.Run{mixed}}); !ok { // of one size
		t.Fatal("no table")
	}
	analysistest.Near(t, "2 agents", analysistest.Column(t, table, "correct first, random", "q", "2"), 1)
}

// The answers of all who answered alone, also where each question has one.
func TestPoolLines(t *testing.T) {
	var c campaign.Campaign
	for replicate, answer := range []string{"B", "A", "B"} {
		c.Runs = append(c.Runs, Debated{Protocol: `{"agents":1,"rounds":0}`, File: "logic.json", Model: "m", Agents: 3, Replicate: replicate, Rounds: []string{answer}, Truth: "A"}.Run())
	}
	lines := PoolLines(c)
	if len(lines) != 1 || lines[0].N != 3 || len(lines[0].Answers) != 2 || lines[0].Answers[0] != (PoolAnswer{Key: "A", Right: true, N: 1}) || lines[0].Answers[1].N != 2 {
		t.Errorf("%+v", lines)
	}
}

func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	return analysistest.NewRun(c, rounds, turns, Study().Readers...)
}

// Of two questions one gains, in all of its replicates or one, and the other does
// not: by Student's t with one degree of freedom more than 300 points to either
// side, where no difference of percentages goes. Log-likelihoods have no such end.
func TestIntervalsOfGainsEnd(t *testing.T) {
	var debates campaign.Campaign
	for i, better := range []string{"A", "B"} {
		for replicate := range 2 {
			add := func(protocol, final string) {
				debates.Runs = append(debates.Runs, Debated{Protocol: protocol, File: "logic.json", Model: "m", Agents: 2, Instance: i, Replicate: replicate, Rounds: []string{"A B", final}, Truth: "A"}.Run())
			}
			add(`{}`, "B A")
			add(`{"order":"madc"}`, map[bool]string{true: "A A", false: "B A"}[better == "A" && replicate == 0])
		}
	}
	for _, x := range []struct {
		build func() (table.Table, bool)
		low   string
		gain  float64
	}{
		{func() (table.Table, bool) { return Strategies(debates) }, "logic gain low", 25},
		{func() (table.Table, bool) { return DebateGains(debates) }, "gain low", 25},
		{func() (table.Table, bool) { return DebateRepetitions(debates) }, "gain low", 25},
	} {
		tab, _ := x.build()
		analysistest.Ends(t, tab, x.low, x.gain, -100, 100)
		if notes := strings.Join(tab.Notes, "\n"); !strings.Contains(notes, campaign.CutNote) {
			t.Errorf("%s does not say that intervals are cut: %s", tab.Name, notes)
		}
	}
	table, _ := DebateGains(debates)
	if low := analysistest.Column(t, table, "gain low", "log-likelihood"); low == nil || *low > -1 {
		t.Errorf("a gain in log-likelihood is at least %v", analysistest.Show(low))
	}
}

// Where standard errors are over instances, replicates that come out alike do
// not make them too small; and the list names the data sets.
func TestEqualReplicatesOfInstances(t *testing.T) {
	var c campaign.Campaign
	for _, file := range []string{"logic.json", "math.jsonl"} {
		for i := range 8 {
			run := Debated{Protocol: `{}`, File: file, Model: "m", Agents: 2, Instance: i / 2, Replicate: i % 2, Rounds: []string{"A A"}, Truth: "A"}.Run()
			run.Usable.Words = "(A)"
			c.Runs = append(c.Runs, run)
		}
	}
	table, _ := DebateRounds(c)
	notes := strings.Join(table.Notes, "\n")
	for _, want := range []string{"logic: 8 collaborations, 4 distinct", "math: 8 collaborations, 4 distinct", "Standard errors are over instances"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	if strings.Contains(notes, "too small") {
		t.Errorf("errors over instances are called too small: %s", notes)
	}
}

// The study's own labels name what is compared, in tables and figures, baselines included; without
// labels these are the names of paper 4. What two strategies share as a label is told apart.
func TestDebatesHaveTheNamesOfTheStudy(t *testing.T) {
	settings := []string{`{"rounds":0}`, `{"order":"fixed"}`, `{"order":"madc"}`}
	debates := func(labels ...map[string]string) campaign.Campaign {
		c := campaign.Campaign{Name: "made-up", Axes: map[string]string{"protocol": "protocol"}}
		for i, protocol := range settings {
			r := Debated{Protocol: protocol, File: "bbh/logic.json", Model: "openai/x", Agents: 2, Rounds: []string{"A B", "A A"}[:min(i+1, 2)], Truth: "A"}.Run()
			p := campaign.Planned{Condition: r.ConditionID, Cells: 1, Instances: 1, Settings: []byte(r.SettingsJSON)}
			if labels != nil {
				p.Labels = labels[i]
			}
			c.Runs, c.Planned = append(c.Runs, r), append(c.Planned, p)
		}
		return c
	}
	label := func(text string) map[string]string { return map[string]string{"protocol": text} }
	for want, c := range map[string]campaign.Campaign{
		"Self-Consistency MAD MAD+MADC": debates(),
		"vote debate by likeness":       debates(label("vote"), label("debate"), label("by likeness")),
		"vote talk, MAD talk, MAD+MADC": debates(label("vote"), label("talk"), label("talk")),
		"single debate talk":            debates(map[string]string{campaign.BaselineLabel: "single"}, label("debate"), label("talk")),
	} {
		made, _ := Strategies(c)
		var rows, places []string
		for _, row := range made.Rows {
			rows = append(rows, row[0].Text)
		}
		for _, line := range StrategyLines(c) {
			for _, p := range line.Points {
				places = append(places, p.Place)
			}
		}
		if got := strings.Join(rows, " "); got != want || got != strings.Join(places, " ") {
			t.Errorf("rows are %q, the figure has %q, want %q", got, places, want)
		}
	}
}

// One task without a debate in the fixed order to compare with: the table outcomes has all.
func TestStrategiesThatOutcomesHave(t *testing.T) {
	one := func(protocol, file string) campaign.Run {
		return Debated{Protocol: protocol, File: file, Model: "openai/x", Agents: 2, Rounds: []string{"A B"}, Truth: "A"}.Run()
	}
	vote, talk, madc := one(`{"rounds":0}`, "a.json"), one(`{"order":"fixed"}`, "a.json"), one(`{"order":"madc"}`, "a.json")
	for want, runs := range map[bool][][]campaign.Run{
		true:  {{vote}, {vote, talk}, {vote, madc}},
		false: {{talk, madc}, {vote, one(`{"rounds":0}`, "b.json")}},
	} {
		for _, list := range runs {
			if hasNothingMore(campaign.Campaign{Runs: list}) != want {
				t.Errorf("of %d debates %v", len(list), !want)
			}
		}
	}
}
