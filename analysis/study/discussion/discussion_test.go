package discussion

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

// Talked is one discussion as rows: the agents' last answers in letters, of
// which truth is right, the decision and the round in which it fell.
type Talked struct {
	Rule, Params, env    string // params of the protocol, env: further parameters
	format               string // of the data, strategyqa if empty
	Instance, replicate  int
	Finals, Decided      string
	Round                int // 0: never; the decision is then a fallback
	Truth                string
	score                *float64 // else 1 if it is right
	unanswerable         *float64
	personas             []string
	challenges           string // by agent
	calls, input, output int64
}

func (x Talked) Run() campaign.Run {
	protocol := x.Params
	if protocol == "" {
		protocol = `{"name":"discussion"}`
	}
	if x.format == "" {
		x.format = "strategyqa"
	}
	name := "discussion"
	if strings.Contains(protocol, `"debate"`) {
		name = "debate"
	}
	settings := fmt.Sprintf(`{"env":{"name":"qa","params":{"file":"%s/dev.json","format":%q%s}},"protocol":%s,"rule":{"name":%q},"stop":{"name":"never"},"model":{"name":"openai/x"},"generate":{},"reasks":0}`,
		x.format, x.format, x.env, protocol, x.Rule)
	agents := strings.Fields(x.Finals)
	row := record.Collaboration{
		Key: record.Key{ConditionID: fmt.Sprintf("%s-%x", x.Rule, []byte(settings)), CollaborationID: fmt.Sprint(settings, x.Instance, x.replicate)}, Status: record.Succeeded,
		Environment: "qa", Measure: record.Share, InstanceID: fmt.Sprint("q", x.Instance), Rule: x.Rule, Protocol: name, Instance: int32(x.Instance), Replicate: int32(x.replicate), Agents: int32(len(agents)),
		RoundsPlanned: 5, RoundsRun: int32(max(1, x.Round)), SettingsJSON: settings, Utilities: []float64{0},
	}
	score := 0.0
	if x.Decided == x.Truth {
		score, row.Utilities[0] = 1, 1
	}
	if row.Score = x.score; row.Score == nil {
		row.Score = &score
	}
	if x.unanswerable != nil {
		row.BaselinesJSON = new(fmt.Sprintf(`{"always_unknown":%v}`, *x.unanswerable))
	}
	if x.Round > 0 {
		row.EndReason = "vote"
	}
	r := newRun(row, nil, x.turns())
	r.Asked = campaign.Asked{Calls: x.calls, Input: x.input, Output: x.output}
	return r
}

func (x Talked) turns() []record.Turn {
	var turns []record.Turn
	for _, text := range x.personas {
		turns = append(turns, record.Turn{Kind: "ask", Status: "said", Role: personaRole, Text: new(text)})
	}
	for i, a := range strings.Fields(x.Finals) {
		turn := record.Turn{Round: 1, Agent: new(int32(i)), Kind: "ask", Status: "said", Format: "answer", Text: new("I say " + a)}
		if a != "-" {
			turn.ProposalKey, turn.ProposalUtility = new(a), new(0.0)
			if a == x.Truth {
				*turn.ProposalUtility = 1
			}
		}
		turns = append(turns, turn)
	}
	for i, a := range strings.Fields(x.challenges) { // "=" agrees, a letter is another answer, "!" none
		turn := record.Turn{Round: 1, Agent: new(int32(i)), Kind: "ask", Status: "said", Phase: "challenge", Format: "reply", DataJSON: new(`{"s":"said","t":["disagree"]}`)}
		switch a {
		case "=":
			turn.DataJSON = new(`{"s":"said","t":["agree"],"b":{"Choice":0}}`)
		case "!":
		default:
			turn.ProposalKey, turn.ProposalUtility = new(a), new(map[bool]float64{true: 1}[a == x.Truth])
		}
		turns = append(turns, turn)
	}
	return turns
}

// Who agrees and repeats no answer has taken over what it agrees with, through
// others who agree as well; a ballot takes nothing over.
func TestAgreeingIsAnAnswer(t *testing.T) {
	const agree, sees = `{"s":"said","t":["agree"],"b":{}}`, "[[0,%d]]"
	var turns []record.Turn
	for i, x := range []struct {
		agent       int32
		phase, text string
	}{{0, "talk", "A"}, {1, "talk", "B"}, {2, "talk", ""}, {0, "talk", ""}, {1, "vote", ""}} {
		turn := record.Turn{Entry: int32(i), Agent: new(x.agent), Kind: "ask", Status: "said", Phase: x.phase, SeesJSON: fmt.Sprintf(sees, i)}
		if turn.DataJSON = new(agree); x.text != "" {
			turn.DataJSON, turn.ProposalKey, turn.ProposalUtility, turn.Text = nil, new(x.text), new(map[string]float64{"A": 1}[x.text]), new("say "+x.text)
		}
		turns = append(turns, turn)
	}
	r := newRun(record.Collaboration{Protocol: "discussion", Agents: 3}, nil, turns)
	if got := fmt.Sprint(discussionOf(r).Finals); got != "[say B say B say B]" {
		t.Errorf("the answers are %s", got)
	}
	for agent, reply := range discussionOf(r).Replies {
		if reply.Key != "B" || reply.Right {
			t.Errorf("agent %d gives %+v", agent, reply)
		}
	}
}

const singleAgent = `{"name":"debate","params":{"agents":1,"rounds":0}}`

// Two questions, three replicates, worked by hand: accuracies by replicate are
// 100, 50 and 0, so 50 ± 50; one agent has 50 and 0 by question, so the gain is
// (2/3 - 1/2 and 1/3 - 0) 16.7 and 33.3, on the mean 25.
func TestDiscussionsByHand(t *testing.T) {
	var c campaign.Campaign
	add := func(rule, protocol string, decided ...string) { // question 0 and 1 of replicate 0, 1, …
		for i, d := range decided {
			c.Runs = append(c.Runs, Talked{Rule: rule, Params: protocol, Instance: i % 2, replicate: i / 2, Finals: "A A B", Decided: d, Round: 3, Truth: "A"}.Run())
		}
	}
	add("simple", "", "A", "A", "A", "B", "B", "B")
	add("plurality", singleAgent, "A", "B", "B", "B")
	table, ok := Discussions(c)
	if !ok {
		t.Fatal("no table")
	}
	at := func(name, row string) *float64 { return analysistest.Column(t, table, name, row) }
	analysistest.Near(t, "accuracy", at("strategyqa", "simple"), 50)
	analysistest.Near(t, "sd", at("strategyqa ± sd", "simple"), 50)
	analysistest.Near(t, "gain", at("strategyqa gain", "simple"), 25)
	// Two differences 16.67 and 33.33: sd 11.785, t(1) 12.706.
	analysistest.Near(t, "low", at("strategyqa gain low", "simple"), 25-12.706204736174694*50/6)
	analysistest.Near(t, "single agent", at("strategyqa", "single agent"), 25)
	analysistest.Near(t, "its sd", at("strategyqa ± sd", "single agent"), 50/math.Sqrt2)
	if v := at("strategyqa gain", "single agent"); v != nil {
		t.Errorf("the single agent gains %v over itself", *v)
	}
	analysistest.Near(t, "n", at("n", "simple"), 6)
	// The same single agent of another campaign; and one that was asked other questions.
	table, _ = Discussions(campaign.Campaign{Runs: c.Runs[:6], Baselines: []campaign.Campaign{{Runs: slices.Clone(c.Runs[6:])}}})
	analysistest.Near(t, "gain over another campaign", at("strategyqa gain", "simple"), 25)
	if note := table.Notes[1]; !strings.HasPrefix(note, "Gain: ") {
		t.Errorf("with a gain the table says %q", note)
	}
	other := slices.Clone(c.Runs[6:])
	for i := range other {
		other[i].InstanceID = "another"
	}
	table, _ = Discussions(campaign.Campaign{Runs: c.Runs[:6], Baselines: []campaign.Campaign{{Runs: other}}})
	if v := at("strategyqa gain", "simple"); v != nil {
		t.Errorf("on other questions the gain is %v", *v)
	}
	if note := table.Notes[1]; !strings.HasPrefix(note, "No gain: ") {
		t.Errorf("without a gain the table says %q", note)
	}
	if _, ok := Discussions((campaign.Campaign{})); ok {
		t.Error("no discussions make a table")
	}
}

// Single agents with and without chain of thought are rows of their own, and
// gains are above the one with it.
func TestSingleAgentsWithoutChainOfThought(t *testing.T) {
	plain := `{"name":"debate","params":{"agents":1,"rounds":0,"chain_of_thought":false}}`
	two := func(rule, params, decided string) (runs []campaign.Run) {
		for i := range 2 {
			runs = append(runs, Talked{Rule: rule, Params: params, Instance: i, Finals: decided, Decided: decided, Round: 3, Truth: "A"}.Run())
		}
		return runs
	}
	c := campaign.Campaign{Runs: two("simple", "", "A"), Baselines: []campaign.Campaign{{Runs: two("plurality", plain, "A")}, {Runs: two("plurality", singleAgent, "B")}}}
	table, ok := Discussions(c)
	if !ok || len(table.Rows) != 3 {
		t.Fatalf("%v, %d rows", ok, len(table.Rows))
	}
	analysistest.Near(t, "without", analysistest.Column(t, table, "strategyqa", "single agent, no chain of thought"), 100)
	analysistest.Near(t, "with", analysistest.Column(t, table, "strategyqa", "single agent"), 0)
	analysistest.Near(t, "gain", analysistest.Column(t, table, "strategyqa gain", "simple"), 100)
}

// A baseline must be single agents on the same questions.
func TestCheckBeside(t *testing.T) {
	talk := campaign.Campaign{Name: "talk", Runs: []campaign.Run{Talked{Rule: "simple", Finals: "A A", Decided: "A", Truth: "A"}.Run()}}
	single := Talked{Rule: "plurality", Params: singleAgent, Finals: "A", Decided: "A", Truth: "A"}
	beside := func(change func(*Talked, *campaign.Run)) *campaign.Campaign {
		x := single
		change(&x, &campaign.Run{})
		r := x.Run()
		r.CampaignID = "alone"
		change(&x, &r)
		return &campaign.Campaign{Name: "alone", Runs: []campaign.Run{r}}
	}
	for want, x := range map[string]struct {
		c      campaign.Campaign
		beside *campaign.Campaign
	}{
		"": {talk, beside(func(*Talked, *campaign.Run) {})},
		"is not a baseline for talk: its single agents were asked other questions (strategyqa; the discussions: strategyqa)": {talk, beside(func(_ *Talked, r *campaign.Run) { r.InstanceID = "another" })},
		"were asked other questions (squad2; the discussions: strategyqa)":                                                   {talk, beside(func(x *Talked, _ *campaign.Run) { x.format = "squad2" })},
		"campaign alone has no single agents":                                                                                {talk, beside(func(x *Talked, _ *campaign.Run) { x.Params = "" })},
		"campaign talk has no discussions that a baseline":                                                                   {campaign.Campaign{Name: "talk"}, beside(func(*Talked, *campaign.Run) {})},
	} {
		c := x.c
		c.Baselines = []campaign.Campaign{*x.beside}
		if err := CheckBaselines(c); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// F1 and exact match by whether there is an answer, of one replicate.
func TestAnswerablesByHand(t *testing.T) {
	var c campaign.Campaign
	for i, f1 := range []float64{1, .5, 0, 1} { // the last two cannot be answered
		decided := map[bool]string{true: "A", false: "B"}[f1 == 1]
		c.Runs = append(c.Runs, Talked{Rule: "simple", format: "squad2", Instance: i, Finals: "A", Decided: decided, Truth: "A", score: new(f1), unanswerable: new(float64(i / 2))}.Run())
	}
	table, ok := Answerables(c)
	if !ok {
		t.Fatal("no table")
	}
	for name, want := range map[string]float64{
		"all": 62.5, "all EM": 50, "all n": 4, "answerable": 75, "answerable EM": 50, "answerable n": 2, "not answerable": 50, "not answerable EM": 50,
	} {
		analysistest.Near(t, name, analysistest.Column(t, table, name, "squad2", "simple"), want)
	}
	main, _ := Discussions(c)
	analysistest.Near(t, "F1", analysistest.Column(t, main, "squad2", "simple"), 62.5)
	analysistest.Near(t, "EM", analysistest.Column(t, main, "squad2 EM", "simple"), 50)
	c.Runs = []campaign.Run{Talked{Rule: "simple", Finals: "A", Decided: "A", Truth: "A"}.Run()}
	if _, ok := Answerables(c); ok {
		t.Error("StrategyQA has no questions without an answer")
	}
}

// Two rounds with a decision and one without; what counting would have decided.
func TestTerminationsAndCountings(t *testing.T) {
	var c campaign.Campaign
	for i, x := range []Talked{
		{Finals: "A A B", Decided: "B", Round: 3}, {Finals: "B C B", Decided: "A", Round: 4}, {Finals: "- A B", Decided: "A"}, {Finals: "- - -", Decided: "B", Round: 3},
	} {
		x.Rule, x.Truth, x.Instance = "ranked", "A", i
		c.Runs = append(c.Runs, x.Run())
	}
	ends, _ := Terminations(c)
	for name, want := range map[string]float64{"@1": 0, "@3": 50, "@4": 25, "@5": 0, "none": 25, "rounds": 3.75, "accuracy": 50, "n": 4} {
		analysistest.Near(t, name, analysistest.Column(t, ends, name, "strategyqa", "ranked"), want)
	}
	counts, _ := Countings(c)
	for name, want := range map[string]float64{"counted": 50, "decided": 50, "decided - counted": 0} { // counted: A, B, A, none
		analysistest.Near(t, name, analysistest.Column(t, counts, name, "strategyqa", "ranked"), want)
	}
}

// Groups that say the same, and one that does not; its setting is 50 points better.
func TestDiversitiesByHand(t *testing.T) {
	var c campaign.Campaign
	drafts := `{"name":"discussion","params":{"drafting":true}}`
	for i := range 2 {
		c.Runs = append(c.Runs,
			Talked{Rule: "simple", Instance: i, Finals: "A A A", Decided: map[bool]string{true: "A", false: "B"}[i == 0], Truth: "A", personas: []string{"a baker", "a baker"}}.Run(),
			Talked{Rule: "simple", Params: drafts, Instance: i, Finals: "A B C", Decided: "A", Truth: "A", personas: []string{"a baker", "judge"}}.Run())
	}
	table, ok := Diversities(c)
	if !ok {
		t.Fatal("no table")
	}
	analysistest.Near(t, "same answers", analysistest.Column(t, table, "answer similarity", "strategyqa", ""), 1)
	analysistest.Near(t, "same personas", analysistest.Column(t, table, "persona similarity", "strategyqa", ""), 1)
	analysistest.Near(t, "other personas", analysistest.Column(t, table, "persona similarity", "strategyqa", "true"), 0)
	if v := analysistest.Column(t, table, "answer similarity", "strategyqa", "true"); v == nil || *v <= 0 || *v >= 1 {
		t.Errorf("I say A, I say B and I say C are alike by %v", analysistest.Show(v))
	}
	analysistest.Near(t, "gain", analysistest.Column(t, table, "gain", "strategyqa", "true"), 50)
}

// Vectors from another source take the place of words.
func TestDiversitiesByVectors(t *testing.T) {
	c := campaign.Campaign{Runs: []campaign.Run{Talked{Rule: "simple", Finals: "A B", Decided: "A", Truth: "A", personas: []string{"x", "y"}}.Run()}}
	if got := strings.Join(Statements(c), ", "); got != "I say A, I say B, x, y" {
		t.Errorf("%s", got)
	}
	campaign.Keep(&c.Parts, &Vectors{By: "unit-test", Of: map[string][]float64{"I say A": {1, 0}, "I say B": {1, 1}, "x": {1, 0}, "y": {0, 1}}})
	table, _ := Diversities(c)
	analysistest.Near(t, "answers", analysistest.Column(t, table, "answer similarity", "strategyqa"), math.Sqrt(.5))
	analysistest.Near(t, "personas", analysistest.Column(t, table, "persona similarity", "strategyqa"), 0)
	if !strings.Contains(table.Notes[1], "unit-test") && !strings.Contains(table.Notes[0], "unit-test") {
		t.Error(table.Notes)
	}
}

// Paper 2's Table 1: the more alike, the less accurate; by hand r = -0.5249/0.6391 = -0.82.
func TestTable1Correlation(t *testing.T) {
	var tab table.Table
	addRelation(&tab, []float64{.888, .870, .845, .843, .916}, []float64{58.3, 62.8, 65.7, 59.4, 51.9})
	if len(tab.Notes) != 1 || !strings.Contains(tab.Notes[0], "is -0.82 (p 0.0") {
		t.Error(tab.Notes)
	}
	tab = table.Table{}
	if addRelation(&tab, []float64{1, 1}, []float64{1, 2}); len(tab.Notes) > 0 {
		t.Error(tab.Notes)
	}
}

func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	return analysistest.NewRun(c, rounds, turns, Study().Readers...)
}

// Of two questions one gains and the other does not: no interval of a difference
// of percentages goes beyond 100 points.
func TestIntervalsOfGainsEnd(t *testing.T) {
	var talks campaign.Campaign
	alone := `{"name":"debate","params":{"rounds":0,"agents":1}}`
	for i, better := range []string{"A", "B"} {
		talk := func(rule, params, finals, decided string) {
			talks.Runs = append(talks.Runs, Talked{Rule: rule, Params: params, Instance: i, Finals: finals, Decided: decided, Round: 1, Truth: "A"}.Run())
		}
		talk("simple", "", "B B B", better)
		talk("majority_consensus", "", "B B B", "B")
		talk("simple", `{"name":"discussion","params":{"drafting":true}}`, "B B B", "B")
		talk("majority", alone, "B", "B")
	}
	for _, x := range []struct {
		build func() (table.Table, bool)
		low   string
		gain  float64
	}{
		{func() (table.Table, bool) { return Kinds(talks) }, "low", 50},
		{func() (table.Table, bool) { return Discussions(talks) }, "strategyqa gain low", 50},
		{func() (table.Table, bool) { return Countings(talks) }, "low", 50},
		{func() (table.Table, bool) { return Diversities(talks) }, "gain low", -50},
	} {
		tab, _ := x.build()
		analysistest.Ends(t, tab, x.low, x.gain, -100, 100)
		if notes := strings.Join(tab.Notes, "\n"); !strings.Contains(notes, campaign.CutNote) {
			t.Errorf("%s does not say that intervals are cut: %s", tab.Name, notes)
		}
	}
}
