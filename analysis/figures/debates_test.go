package figures

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study"
	"roundtable/analysis/study/debate"
)

// debate is one of two rounds; after each some of its agents are right, and
// the group is if most are.
func debateRun(params, question string, instance, replicate, agents int, right ...int) campaign.Run {
	settings := fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":%d,"file":"logic.json"}},"protocol":{"name":"debate","params":%s},"rule":{"name":"plurality"}}`, agents, params)
	key := record.Key{ConditionID: fmt.Sprintf("%03d%s%d", len(params), params, agents), CollaborationID: fmt.Sprint(params, instance, replicate)}
	c := record.Collaboration{
		Key: key, Status: "succeeded", Environment: "qa", Measure: record.Share, Protocol: "debate", Rule: "plurality", InstanceID: question, Instance: int32(instance),
		Replicate: int32(replicate), RoundsPlanned: int32(len(right)), SettingsJSON: settings,
	}
	var rounds []record.Round
	var turns []record.Turn
	for i, n := range right {
		score := 0.0
		if 2*n > agents {
			score = 1
		}
		rounds = append(rounds, record.Round{Key: key, Round: int32(i + 1), Score: &score})
		c.Utilities = []float64{score}
		for a := range agents {
			turn := record.Turn{Key: key, Round: int32(i + 1), Kind: "ask", Format: "answer", ProposalKey: p("B"), ProposalUtility: p(0.0)}
			if a < n {
				turn.ProposalKey, turn.ProposalUtility = p("A"), p(1.0)
			}
			turns = append(turns, turn)
		}
	}
	return newRun(c, rounds, turns)
}

func debates() campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for _, params := range []string{`{}`, `{"order":"truth_last"}`} {
		last := 1 // of four are right at the end
		if params != "{}" {
			last = 4
		}
		c.Runs = append(c.Runs,
			debateRun(params, "q0", 0, 0, 4, 1, last), debateRun(params, "q0", 0, 1, 4, 3, 4),
			debateRun(params, "q1", 1, 0, 4, 3, 3), debateRun(params, "q1", 1, 1, 4, 3, 3))
	}
	return c
}

// Fixed viewpoints of two contexts; four agents turn the first, five the second.
func pooled() campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for agents := 1; agents <= 5; agents++ {
		params := fmt.Sprintf(`{"agents":%d,"viewpoints":{"each":3,"scaling":"correct_first"}}`, agents)
		for context, turns := range []int{4, 5} {
			right := agents
			if agents >= turns {
				right = 0
			}
			c.Runs = append(c.Runs, debateRun(params, fmt.Sprint("q-c", context), context, 0, agents, agents, right))
		}
	}
	return c
}

// Round 1 in the fixed order: question 0 is right in one replicate of two,
// question 1 in both, so 50 and 100 %: the mean is 75, half the interval
// 12.7062 times 25. Round 2: 50 (one of four is right) and 100 again.
func TestCoursesByHand(t *testing.T) {
	f := made(t, debates(), "debate-by-round")
	var measures []string
	for _, panel := range f.Panels {
		measures = append(measures, panel.Title+" "+panel.Y)
	}
	if got := strings.Join(measures, "; "); got != "logic accuracy, %; logic log-likelihood; logic smoothed log-likelihood; logic entropy" {
		t.Errorf("panels %s", got)
	}
	mad := f.Panels[0].Lines[0]
	if mad.Name != "MAD" || f.Panels[0].Lines[1].Name != "MAD+Truth" || mad.Points[1].Round != 2 || mad.Points[0].N != 2 {
		t.Fatalf("%+v", f.Panels[0].Lines)
	}
	near(t, "accuracy", *mad.Points[0].Value, 75)
	near(t, "low", *mad.Points[0].Low, 75-12.706204736*25)
	near(t, "MAD at the end", *mad.Points[1].Value, 75)
	near(t, "truth last at the end", *f.Panels[0].Lines[1].Points[1].Value, 100)
	// 1 and 3 of 4 are right in question 0, 3 of 4 in question 1.
	near(t, "log-likelihood", *f.Panels[1].Lines[0].Points[0].Value, ((math.Log2(.25)+math.Log2(.75))/2+math.Log2(.75))/2)
	near(t, "entropy", *f.Panels[3].Lines[0].Points[0].Value, -.25*math.Log2(.25)-.75*math.Log2(.75))
}

// Bars of MAD, right in 50 and 100 % of the replicates of two questions, and of
// truth last, always right; one task is one colour.
func TestStrategiesByHand(t *testing.T) {
	panel := made(t, debates(), "debate-accuracy").Panels[0]
	if got := fmt.Sprint(panel.Title, panel.Y, panel.Groups); got != "accuracy, %[MAD MAD+Truth]" || len(panel.Lines) != 1 || panel.Lines[0].Name != "logic" {
		t.Fatalf("%+v", panel)
	}
	bars := panel.Lines[0].Points
	near(t, "MAD", *bars[0].Value, 75)
	near(t, "high", *bars[0].High, 75+12.706204736*25)
	near(t, "truth last", *bars[1].Value, 100)
	if bars[0].N != 2 || bars[1].Group != "MAD+Truth" {
		t.Errorf("%+v", bars)
	}
	one := debates()
	one.Runs = one.Runs[:4]
	if _, err := Make(one, "debate-accuracy"); err == nil {
		t.Error("one strategy is compared with nothing")
	}
}

// Two repetitions of MAD are right in 50 and 100 % of two questions, which is
// 75 with a standard deviation of 50/√2; in the first one of four agents is right
// in question 0 and three in question 1, in the second four and three.
func TestRepetitionsByHand(t *testing.T) {
	f := made(t, debates(), "debate-repetitions")
	if len(f.Panels) != 4 || f.Panels[0].Y != "accuracy in %" || fmt.Sprint(f.Panels[0].Groups) != "[MAD MAD+Truth]" || f.Panels[0].Lines[0].Name != "4 agents" {
		t.Fatalf("%+v", f.Panels)
	}
	mad := f.Panels[0].Lines[0].Points[0]
	if fmt.Sprint(mad.Values) != "[50 100]" || mad.Replicates != 2 || mad.N != 4 {
		t.Errorf("%+v", mad)
	}
	near(t, "mean", *mad.Value, 75)
	near(t, "one deviation below", *mad.Low, 75-50/math.Sqrt2)
	half := -.25*math.Log2(.25) - .75*math.Log2(.75)
	near(t, "entropy", *f.Panels[3].Lines[0].Points[0].Value, (half+half/2)/2)
	one := debates()
	one.Runs = []campaign.Run{one.Runs[0], one.Runs[2]}
	if _, err := Make(one, "debate-repetitions"); err == nil {
		t.Error("one repetition has a spread")
	}
}

// sampled are groups of which everyone answers alone: what two models say to two questions.
func sampled() campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for _, x := range []struct{ model, question, answers string }{
		{"openai/a", "q0", "AAAB"}, {"openai/a", "q1", "CCAB"}, {"openai/b", "q0", "BBA-"}, {"openai/b", "q1", "ABDEFGHIJKLM"},
	} {
		settings := fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":%d,"file":"logic.json"}},"protocol":{"name":"debate","params":{"rounds":0}},"rule":{"name":"plurality"},"model":{"name":%q}}`, len(x.answers), x.model)
		key := record.Key{ConditionID: x.model, CollaborationID: x.model + x.question}
		row := record.Collaboration{Key: key, Status: "succeeded", Environment: "qa", Measure: record.Share, Protocol: "debate", Rule: "plurality", InstanceID: x.question, Instance: int32(x.question[1] - '0'), RoundsPlanned: 1, SettingsJSON: settings}
		var turns []record.Turn
		for _, a := range x.answers {
			turn := record.Turn{Key: key, Round: 1, Kind: "ask", Format: "answer"}
			if a != '-' {
				turn.ProposalKey, turn.ProposalJSON = p(fmt.Sprintf("%x", sha256.Sum256([]byte{byte(a)}))), p(fmt.Sprintf("%q", "("+string(a)+")"))
				turn.ProposalUtility = p(map[rune]float64{'A': 1}[a])
			}
			turns = append(turns, turn)
		}
		c.Runs = append(c.Runs, newRun(row, []record.Round{{Key: key, Round: 1}}, turns))
	}
	return c
}

// Shares of answers by question and model by hand: the right one first, then the
// more frequent ones of both models together, the unread last; beyond eight
// answers the rest is one bar.
func TestPoolByHand(t *testing.T) {
	f := made(t, sampled(), "viewpoint-pool")
	if len(f.Panels) != 2 || f.Panels[0].Title != "q0" || fmt.Sprint(f.Panels[0].Groups) != "[(A), right (B) not read]" {
		t.Fatalf("%+v", f.Panels)
	}
	shares := func(panel, line int) (list []float64) {
		for _, point := range f.Panels[panel].Lines[line].Points {
			list = append(list, *point.Value)
		}
		return list
	}
	if a, b := fmt.Sprint(shares(0, 0)), fmt.Sprint(shares(0, 1)); a != "[75 25 0]" || b != "[25 50 25]" || f.Panels[0].Lines[1].Name != "openai/b" || f.Panels[0].Lines[0].Points[0].N != 4 {
		t.Errorf("%s and %s of %+v", a, b, f.Panels[0].Lines)
	}
	if got := fmt.Sprint(f.Panels[1].Groups); got != "[(A), right (B) (C) (D) (E) (F) (G) (H) all others]" {
		t.Errorf("answers to question 1 are %s", got)
	}
	near(t, "all others", shares(1, 1)[8], 100*5/12.)
	if !strings.Contains(f.reading, "4 to 12 answers") {
		t.Errorf("it is said %q", f.reading)
	}
	if _, err := Make(debates(), "viewpoint-pool"); err == nil {
		t.Error("there is a pool of debates")
	}
}

// With four agents one of two contexts has turned: one half, which is not
// beyond it. All resamples turn at 4 (the first context twice), or at 5.
func TestReversalsByHand(t *testing.T) {
	f := made(t, pooled(), "viewpoints")
	if len(f.Panels) != 1 || f.Panels[0].Title != "q" || f.Panels[0].X != "agents" || f.Panels[0].Levels[0].Value != 50 {
		t.Fatalf("%+v", f.Panels)
	}
	line := f.Panels[0].Lines[0]
	for i, want := range []float64{100, 100, 100, 50, 0} {
		if line.Points[i].Agents != i+1 || line.Points[i].Round != 0 {
			t.Errorf("%+v", line.Points[i])
		}
		near(t, "share", *line.Points[i].Value, want)
	}
	if line.Name != "correct first" || line.Turn == nil || *line.Turn != (debate.Turn{At: 5, Low: 4, High: 5}) {
		t.Errorf("%s turns at %+v", line.Name, line.Turn)
	}
}

// A debate has figures of its own instead of the rounds.
func TestAllOfDebates(t *testing.T) {
	for want, c := range map[string]campaign.Campaign{"[conditions debate-accuracy debate-repetitions debate-by-round]": debates(), "[conditions viewpoint-pool]": sampled(), "[conditions viewpoints]": pooled()} {
		var names []string
		for _, f := range All(c) {
			names = append(names, f.Name)
		}
		if got := fmt.Sprint(names); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// newRun takes a run from its rows.
func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{c}, Rounds: rounds, Turns: turns}, study.Readers()...)
	if err != nil {
		panic(err)
	}
	return r
}
