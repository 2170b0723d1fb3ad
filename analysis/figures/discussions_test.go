package figures

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study"
)

// talk is one discussion that came to a score; params are its protocol's.
type talk struct {
	rule, params, format string
	instance, replicate  int
	agents               int
	score                float64
	unanswerable         *float64
	challenges           string // by agent: = agrees, R is another answer that is right, W one that is not
}

func (x talk) run() campaign.Run {
	protocol, params := "discussion", x.params
	if x.params == "" {
		params = "{}"
	}
	if params == alone {
		protocol = "debate"
	}
	format := "strategyqa"
	if x.format != "" {
		format = x.format
	}
	settings := fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":%d,"file":"%[2]s.json","format":"%[2]s"}},"protocol":{"name":%[3]q,"params":%[4]s},"rule":{"name":%[5]q}}`,
		x.agents, format, protocol, params, x.rule)
	c := record.Collaboration{
		Key: record.Key{ConditionID: settings, CollaborationID: fmt.Sprint(settings, x.instance, x.replicate)}, Status: "succeeded",
		Environment: "qa", Measure: record.Share, Protocol: protocol, Rule: x.rule, Instance: int32(x.instance), Replicate: int32(x.replicate), Agents: int32(x.agents),
		RoundsPlanned: 3, RoundsRun: 1, SettingsJSON: settings, Score: &x.score, Utilities: []float64{float64(int(x.score))}, Simulated: true,
	}
	if x.unanswerable != nil {
		c.BaselinesJSON = p(fmt.Sprintf(`{"always_unknown":%v}`, *x.unanswerable))
	}
	var turns []record.Turn
	for i, a := range strings.Split(x.challenges, "") {
		turn := record.Turn{Round: 1, Agent: p(int32(i)), Kind: "ask", Status: "said", Phase: "challenge", DataJSON: p(`{"s":"said"}`)}
		if a == "=" {
			turn.DataJSON = p(`{"s":"said","b":{}}`)
		} else {
			turn.ProposalKey, turn.ProposalUtility = &a, p(map[string]float64{"R": 1}[a])
		}
		turns = append(turns, turn)
	}
	return newRun(c, nil, turns)
}

const alone = `{"agents":1,"rounds":0}`

// each is the same discussion with some scores: of question 0 and 1 in replicate 0, 1, …
func (x talk) each(scores ...float64) (runs []campaign.Run) {
	for i, score := range scores {
		x.instance, x.replicate, x.score = i%2, i/2, score
		runs = append(runs, x.run())
	}
	return runs
}

func campaignOf(runs ...[]campaign.Run) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for _, r := range runs {
		c.Runs = append(c.Runs, r...)
	}
	return c
}

// Replicates of 100, 50 and 0 % are 50 ± 50.
func protocols() campaign.Campaign {
	return campaignOf(
		talk{rule: "unanimity_consensus"}.each(1, 1, 1, 1, 1, 1), talk{rule: "simple"}.each(1, 1, 1, 0, 0, 0),
		talk{rule: "solution_counting"}.each(1, 0), talk{rule: "plurality", params: alone}.each(0, 1, 0, 0))
}

func TestProtocolsByHand(t *testing.T) {
	c := protocols()
	f := made(t, c, "discussion-accuracy")
	if len(f.Panels) != 1 {
		t.Fatalf("%+v", f.Panels)
	}
	panel := f.Panels[0]
	if got := fmt.Sprint(panel.Title, ": ", panel.Y, " ", panel.Groups); got != "strategyqa: accuracy, % [single agent simple unanimity_consensus solution_counting]" {
		t.Errorf("the panel is %s", got)
	}
	for i, want := range []struct {
		name          string
		value         float64
		n, replicates int
	}{{"single agent", 25, 4, 2}, {"voting", 50, 6, 3}, {"consensus", 100, 6, 3}, {"other protocols", 50, 2, 1}} {
		line := panel.Lines[i]
		point := line.Points[0]
		near(t, want.name, *point.Value, want.value)
		if line.Name != want.name || len(line.Points) != 1 || point.N != want.n || point.Replicates != want.replicates {
			t.Errorf("%s is %+v, want %+v", line.Name, point, want)
		}
	}
	voting := panel.Lines[1].Points[0]
	near(t, "one deviation below", *voting.Low, 0)
	near(t, "one deviation above", *voting.High, 100)
	if one := panel.Lines[3].Points[0]; one.Low != nil || one.High != nil {
		t.Errorf("one replicate has the deviation %v to %v", one.Low, one.High)
	}
	if !strings.Contains(f.reading, "± standard deviation over 1 to 3 replicates") || !strings.Contains(f.reading, "n = 2 to 6") {
		t.Errorf("it is said %q", f.reading)
	}
	// The single agent may be another campaign's.
	beside := campaignOf(c.Runs[:12])
	beside.Baselines = []campaign.Campaign{{Runs: c.Runs[14:]}}
	if other := made(t, beside, "discussion-accuracy").Panels[0]; other.Groups[0] != "single agent" || *other.Lines[0].Points[0].Value != 25 {
		t.Errorf("beside are %+v", other)
	}
}

// Scripted single agents next to a model's discussions are said to be so.
func TestScriptedBaseline(t *testing.T) {
	c := protocols()
	for i := range c.Runs {
		c.Runs[i].Simulated = i >= 14
	}
	if f := made(t, c, "discussion-accuracy"); !strings.HasSuffix(f.simulated, "of the single agent.") || !strings.Contains(drawn(t, f), f.simulated) {
		t.Errorf("it is said %q", f.simulated)
	}
	if f := made(t, campaignOf(c.Runs[:12]), "discussion-accuracy"); f.simulated != "" {
		t.Errorf("models are said to be %q", f.simulated)
	}
}

// A figure draws what its table says.
func TestProtocolsAreTheTable(t *testing.T) {
	table, err := study.Make(protocols(), "discussion-accuracy")
	if err != nil {
		t.Fatal(err)
	}
	bars := map[string]Point{}
	for _, line := range made(t, protocols(), "discussion-accuracy").Panels[0].Lines {
		for _, point := range line.Points {
			bars[point.Group] = point
		}
	}
	for _, row := range table.Rows { // rule, mean, deviation
		bar := bars[row[0].Text]
		near(t, row[0].Text, *bar.Value, *row[1].Value)
		if row[2].Value != nil {
			near(t, row[0].Text+" ± sd", *bar.High-*bar.Value, *row[2].Value)
		}
	}
	if len(table.Rows) != 4 {
		t.Errorf("%d rows", len(table.Rows))
	}
}

func passages() campaign.Campaign {
	var c campaign.Campaign
	for _, rule := range []string{"simple", "majority_consensus"} {
		for i, f1 := range []float64{1, .5, 0, 1} { // the last two cannot be answered
			c.Runs = append(c.Runs, talk{rule: rule, format: "squad2", instance: i, score: f1, unanswerable: p(float64(i / 2))}.run())
		}
	}
	return c
}

func TestAnswerablesByHand(t *testing.T) {
	panel := made(t, passages(), "answerable-questions").Panels[0]
	for i, want := range []struct {
		name  string
		value float64
		n     int
	}{{"all", 62.5, 4}, {"answerable", 75, 2}, {"not answerable", 50, 2}} {
		line := panel.Lines[i]
		if line.Name != want.name || len(line.Points) != 2 || line.Points[1].Group != "majority_consensus" || line.Points[0].N != want.n {
			t.Fatalf("%+v", line)
		}
		near(t, want.name, *line.Points[0].Value, want.value)
	}
	if panel.Y != "F1, %" {
		t.Errorf("measured is %s", panel.Y)
	}
}

// Accuracies of two replicates are 0 and 100 with one agent, 50 and 50 with two,
// 100 and 100 with three: the line has slope 25 and goes through the mean, 66.67.
func sizes() campaign.Campaign {
	c := campaignOf(talk{rule: "simple", agents: 1}.each(0, 0, 1, 1), talk{rule: "simple", agents: 2}.each(0, 1, 1, 0), talk{rule: "simple", agents: 3}.each(1, 1, 1, 1))
	for _, before := range []int{1, 2, 3} {
		params := fmt.Sprintf(`{"vote_from":%d,"rounds":%[1]d}`, before)
		c.Runs = append(c.Runs, talk{rule: "simple", agents: 9, params: params}.each(1, 1, 1, float64(before%2))...)
	}
	return c
}

func TestScalingsByHand(t *testing.T) {
	f := made(t, sizes(), "discussion-by-agents")
	line := f.Panels[0].Lines[0]
	if len(f.Panels[0].Lines) != 1 || line.Name != "simple" || f.Panels[0].X != "agents" || f.Panels[0].Y != "accuracy in %" || len(line.Points) != 3 {
		t.Fatalf("%+v", f.Panels)
	}
	near(t, "with one agent", *line.Points[0].Value, 50)
	near(t, "with three", *line.Points[2].Value, 100)
	near(t, "the line begins", line.Dashes[0].Y, 200./3-25)
	near(t, "the line ends", line.Dashes[1].Y, 200./3+25)
	if line.Points[1].Agents != 2 || line.Points[1].Round != 0 || line.Dashes[1].X != 3 {
		t.Errorf("%+v", line)
	}
	f = made(t, sizes(), "discussion-by-rounds")
	line = f.Panels[0].Lines[0]
	for i, want := range []float64{100, 75, 100} {
		near(t, "before the vote", *line.Points[i].Value, want)
		if line.Points[i].Round != i+1 || line.Points[i].Agents != 0 {
			t.Errorf("%+v", line.Points[i])
		}
	}
	near(t, "the line is level", line.Dashes[1].Y-line.Dashes[0].Y, 0)
	if texts := drawn(t, f); !strings.Contains(texts, "rounds before the vote") || !strings.Contains(texts, "least squares") {
		t.Errorf("written is %q", texts)
	}
}

// The first discussion was wrong, the second right: of two challenges in the one
// one improves, the one in the other worsens.
func contested() campaign.Campaign {
	of := func(kind string) string { return fmt.Sprintf(`{"challenge":%q}`, kind) }
	return campaignOf([]campaign.Run{
		talk{rule: "simple", agents: 4, params: of("solution"), score: 0, challenges: "==RW"}.run(),
		talk{rule: "simple", agents: 4, params: of("solution"), instance: 1, score: 1, challenges: "===W"}.run(),
		talk{rule: "simple", agents: 4, params: of("wrong"), score: 1, challenges: "RRRR"}.run(),
		talk{rule: "simple", agents: 4, params: of("none"), score: 1}.run(),
	})
}

func TestChallengesByHand(t *testing.T) {
	f := made(t, contested(), "challenges")
	line := f.Panels[0].Lines[0]
	if line.Name != "strategyqa" || fmt.Sprint(f.Panels[0].Groups) != "[solution wrong]" {
		t.Fatalf("%+v", f.Panels)
	}
	near(t, "challenged", *line.Points[0].Value, 37.5) // 50 and 25
	near(t, "at most", *line.Points[0].High, 100)      // 37.5 + 12.7 · 12.5 is more
	near(t, "at least", *line.Points[0].Low, 0)
	near(t, "wrong ones", *line.Points[1].Value, 100)
	if line.Points[1].Low != nil || line.Points[1].N != 1 {
		t.Errorf("one discussion has an interval: %+v", line.Points[1])
	}
	f = made(t, contested(), "challenge-outcomes")
	improved, worsened := f.Panels[0].Lines[0], f.Panels[0].Lines[1]
	near(t, "improved", *improved.Points[0].Value, 100./3)
	near(t, "worsened", *worsened.Points[0].Value, 100./3)
	near(t, "improved where all was wrong", *improved.Points[1].Value, 100)
	near(t, "worsened where all was wrong", *worsened.Points[1].Value, 0)
	if improved.Name != "improved" || worsened.Name != "worsened" || !strings.Contains(f.reading, "95 % intervals") {
		t.Errorf("%s, %s, %s", improved.Name, worsened.Name, f.reading)
	}
}

// Of three protocols two have both drafts; other settings are not mixed in.
func TestVariantsByHand(t *testing.T) {
	const drafts, critical = `{"all_draft":true}`, `{"response":"critical"}`
	c := campaignOf(
		talk{rule: "majority_consensus", params: drafts}.each(1, 1), talk{rule: "simple", params: drafts}.each(1, 0),
		talk{rule: "simple"}.each(0, 0), talk{rule: "majority_consensus"}.each(1, 0), talk{rule: "borda"}.each(1, 1), talk{rule: "simple", params: critical}.each(1, 1))
	f := made(t, c, "all-agents-drafting")
	if len(f.Panels) != 1 || fmt.Sprint(f.Panels[0].Groups) != "[simple majority_consensus]" || len(f.Panels[0].Lines) != 2 {
		t.Fatalf("%+v", f.Panels)
	}
	for i, want := range []string{"baseline", "all-agents drafting"} {
		line := f.Panels[0].Lines[i]
		near(t, want+" of simple", *line.Points[0].Value, 50*float64(i))
		near(t, want+" of majority", *line.Points[1].Value, 50+50*float64(i))
		if line.Name != want {
			t.Errorf("line %d is %s, want %s", i, line.Name, want)
		}
	}
	responses := made(t, c, "response-generators").Panels[0]
	if fmt.Sprint(responses.Groups) != "[simple]" || responses.Lines[0].Name != "baseline (simple)" || responses.Lines[1].Name != "critical" {
		t.Errorf("%+v", responses)
	}
	if _, err := Make(c, "collective-improvement"); err == nil || !strings.Contains(err.Error(), "protocol.collective") {
		t.Errorf("nobody improved collectively: %v", err)
	}
}

// A campaign that has not what a figure shows gets an error that says what that is.
func TestNoDiscussions(t *testing.T) {
	for name, about := range map[string]string{
		"discussion-accuracy": "several decision protocols", "answerable-questions": "SQuAD", "discussion-by-rounds": "three numbers of rounds", "discussion-by-agents": "three numbers of agents",
		"challenges": "is challenged", "challenge-outcomes": "is challenged", "all-agents-drafting": "protocol.all_draft", "collective-improvement": "protocol.collective", "response-generators": "protocol.response",
	} {
		for _, c := range []campaign.Campaign{economy(), campaignOf(talk{rule: "simple"}.each(1, 0))} {
			if f, err := Make(c, name); err == nil || !strings.Contains(err.Error(), about) || !strings.Contains(err.Error(), "made-up") {
				t.Errorf("figure %s: %v, %+v", name, err, f)
			}
		}
	}
}

// While nothing is in there is no figure; then there is room for what is to come.
func TestDiscussionsToCome(t *testing.T) {
	c := protocols()
	for _, r := range []int{0, 6} { // one of each protocol is planned, and its settings known
		c.Planned = append(c.Planned, campaign.Planned{Condition: c.Runs[r].ConditionID, Cells: 6, Settings: []byte(c.Runs[r].SettingsJSON)})
	}
	some := campaign.Campaign{Name: c.Name, Planned: c.Planned, Runs: c.Runs[:6]}
	panel := made(t, some, "discussion-accuracy").Panels[0]
	if len(panel.Groups) != 2 || panel.Lines[0].Name != "voting" || panel.Lines[0].Points[0].Value != nil {
		t.Errorf("%+v", panel)
	}
	drawn(t, made(t, some, "discussion-accuracy"))
	some.Runs = nil
	if f, err := Make(some, "discussion-accuracy"); err == nil {
		t.Errorf("nothing is in, and there is %+v", f)
	}
}

// One replicate has no deviation, and the figure says so.
func TestOneReplicate(t *testing.T) {
	f := made(t, campaignOf(talk{rule: "simple"}.each(1, 0), talk{rule: "borda"}.each(1, 1)), "discussion-accuracy")
	if point := f.Panels[0].Lines[0].Points[0]; point.Low != nil || point.Replicates != 1 || !strings.Contains(f.reading, "no standard deviation") {
		t.Errorf("%+v: %s", point, f.reading)
	}
}

// Bars of more colours than there are cannot be told apart.
func TestTooManyBars(t *testing.T) {
	c := campaign.Campaign{Name: "made-up"}
	for i := range len(palette) + 1 {
		c.Runs = append(c.Runs, talk{rule: "simple", params: fmt.Sprintf(`{"response":"%d"}`, i)}.run())
	}
	f := made(t, c, "response-generators")
	if _, err := f.Inline(); err == nil || !strings.Contains(err.Error(), "--json") {
		t.Errorf("%d colours: %v", len(f.Panels[0].Lines), err)
	}
}

// Discussions have figures of their own instead of the rounds; all can be drawn.
func TestAllOfDiscussions(t *testing.T) {
	c := campaignOf(protocols().Runs, talk{rule: "simple", params: `{"collective":true}`}.each(1, 1))
	for want, c := range map[string]campaign.Campaign{"[conditions discussion-accuracy]": protocols(), "[conditions discussion-accuracy answerable-questions]": passages(), "[conditions discussion-by-rounds discussion-by-agents]": sizes(), "[conditions challenges challenge-outcomes]": contested(), "[conditions discussion-accuracy collective-improvement]": c} {
		var names []string
		for _, f := range All(c) {
			names = append(names, f.Name)
			if texts := drawn(t, f); !strings.Contains(texts, "SIMULATED") || !strings.Contains(texts, f.reading) || texts != drawn(t, f) {
				t.Errorf("figure %s says %q", f.Name, texts)
			}
		}
		if got := fmt.Sprint(names); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
