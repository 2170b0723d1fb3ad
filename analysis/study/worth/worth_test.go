package worth

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

// talked is a debate as answers by round, a letter an agent; A is right, - is unread. The
// decision is the most frequent last answer, of ties the earliest agent's.
type talked struct {
	rule                string
	instance, replicate int
	rounds              []string
	decided             string // in place of that; "-" is none
	format              string
	utility             float64 // of right answers, if it is not 1
	usd                 float64 // of each turn, which takes 15 tokens
	pay                 func(calls []record.Call)
	protocol            string
}

func (x talked) run() campaign.Run {
	if x.rule == "" {
		x.rule = "plurality"
	}
	if x.format == "" {
		x.format = "answer"
	}
	if x.utility == 0 {
		x.utility = 1
	}
	key := record.Key{ConditionID: x.rule + "-1", CollaborationID: fmt.Sprintf("%s-i%d-r%d", x.rule, x.instance, x.replicate)}
	row := record.Collaboration{
		Key: key, Status: record.Succeeded, Environment: "qa", Protocol: x.protocol, Measure: record.Share, Rule: x.rule, InstanceID: fmt.Sprint("q", x.instance), Instance: int32(x.instance), Replicate: int32(x.replicate),
		Agents: int32(len(x.rounds[0])), SettingsJSON: fmt.Sprintf(`{"env":{"name":"qa"},"rule":{"name":%q}}`, x.rule),
	}
	var turns []record.Turn
	var calls []record.Call
	for n, answers := range x.rounds {
		for agent, letter := range answers {
			t := record.Turn{Key: key, Entry: int32(len(turns)), Round: int32(n + 1), Kind: "ask", Format: x.format, Status: "said", Agent: new(int32(agent)), SeesJSON: fmt.Sprintf("[[0,%d]]", n*len(answers))}
			if letter != '-' {
				t.ProposalKey, t.ProposalUtility = new(string(letter)), new(0.)
				if letter == 'A' {
					*t.ProposalUtility = x.utility
				}
			}
			if x.usd > 0 {
				calls = append(calls, record.Call{Key: key, Entry: t.Entry, Status: "answered", InputTokens: new(int64(10)), OutputTokens: new(int64(5)), CostUSD: &x.usd})
			}
			turns = append(turns, t)
		}
	}
	if x.pay != nil {
		x.pay(calls)
	}
	if decided := x.decision(); decided != "" {
		worth := map[bool]float64{true: 1}[decided == "A"]
		row.DecisionJSON, row.Utilities, row.Score = &decided, []float64{worth}, &worth
	}
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{row}, Turns: turns, Calls: calls}, Study().Readers...)
	if err != nil {
		panic(err)
	}
	return r
}

func (x talked) decision() string {
	last := x.rounds[len(x.rounds)-1]
	switch x.decided {
	case "-":
		return ""
	case "":
		best, most := "", 0
		for _, letter := range last {
			n := 0
			for _, other := range last {
				if other == letter {
					n++
				}
			}
			if n > most && letter != '-' {
				best, most = string(letter), n
			}
		}
		return best
	}
	return x.decided
}

// threeQuestions are right first and last; wrong first and right at the end; tied
// first, with an agent that never answers, and wrong at the end.
func threeQuestions() campaign.Campaign {
	var c campaign.Campaign
	for i, rounds := range [][]string{{"AAB", "AAA"}, {"ABB", "ABA"}, {"AB-", "BB-"}} {
		c.Runs = append(c.Runs, talked{instance: i, rounds: rounds, usd: .01}.run())
	}
	return c
}

// only returns the only row of a table.
func only(t *testing.T, build func(campaign.Campaign) (table.Table, bool), c campaign.Campaign) (map[string]table.Cell, string) {
	t.Helper()
	got, ok := build(c)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%d rows", len(got.Rows))
	}
	return analysistest.ByColumn(got, got.Rows[0]), strings.Join(got.Notes, "\n")
}

func near(t *testing.T, row map[string]table.Cell, want map[string]float64) {
	t.Helper()
	for column, v := range want {
		if got := row[column].Value; got == nil || math.Abs(*got-v) > 5e-5 {
			t.Errorf("%s is %v, want %v", column, row[column], v)
		}
	}
}

// One question has three replicates, another one. Each counts the same, so that columns differ by
// what their difference says.
func TestWorthOfUnequalReplicates(t *testing.T) {
	var c campaign.Campaign
	for replicate, rounds := range [][]string{{"AAA", "BBB"}, {"AAA", "AAA"}, {"ABB", "BBB"}} {
		run := talked{instance: 0, rounds: rounds}.run()
		run.Replicate, run.CollaborationID = int32(replicate), fmt.Sprint("r", replicate)
		c.Runs = append(c.Runs, run)
	}
	c.Runs = append(c.Runs, talked{instance: 1, rounds: []string{"BBB", "AAA"}}.run())
	row, _ := only(t, Worth, c)
	near(t, row, map[string]float64{"first majority, %": 100. / 3, "decision, %": 200. / 3, "to right, %": 50, "to wrong, %": 50. / 3, "gain": 100. / 3})
	row, _ = only(t, Drift, c)
	if first, last, drift := *row["right first, %"].Value, *row["right last, %"].Value, *row["drift"].Value; math.Abs(last-first-drift) > 1e-9 {
		t.Errorf("from %v to %v is not %v", first, last, drift)
	}
}

// Gains are 0, 100 and -50 points: the mean is 50/3, its error 44.10, t is 0.378 with 2
// degrees of freedom. The second rounds take 45 tokens and 3 cents each.
func TestWorthByHand(t *testing.T) {
	row, _ := only(t, Worth, threeQuestions())
	near(t, row, map[string]float64{
		"first majority, %": 50, "last majority, %": 200. / 3, "decision, %": 200. / 3, "gain": 50. / 3, "gain low": -100, "gain high": 100, "gain p": .7418,
		"to right, %": 100. / 3, "to wrong, %": 50. / 3, "later tokens": 45, "later USD": .03, "tokens a point": 2.7, "USD a point": .0018, "n": 3,
	})
}

// Imported transcripts have the same gains at a cost that nobody knows; what keeps them out is said.
func TestWorthOfImported(t *testing.T) {
	imported := func(changes ...func(*talked)) campaign.Campaign {
		c := threeQuestions()
		for i := range c.Runs {
			c.Runs[i].Protocol = record.Imported
		}
		for n, change := range changes {
			x := talked{rule: fmt.Sprint("other", n), protocol: record.Imported, rounds: []string{"AAB", "AAA"}}
			change(&x)
			c.Runs = append(c.Runs, x.run())
		}
		return c
	}
	row, notes := only(t, Worth, imported(
		func(x *talked) { x.rounds, x.decided = []string{"---", "---"}, "A" },
		func(x *talked) { x.decided = "-" },
		func(x *talked) { x.utility = .5 }))
	near(t, row, map[string]float64{"first majority, %": 50, "gain": 50. / 3})
	for _, column := range []string{"later tokens", "later USD", "tokens a point", "USD a point"} {
		if v := row[column].Value; v != nil {
			t.Errorf("%s is %v", column, *v)
		}
	}
	for _, want := range []string{"nobody knows what answers took", isUnanswered, isUnscored, isGraded} {
		if !strings.Contains(notes, want) {
			t.Errorf("not said: %s; notes: %s", want, notes)
		}
	}
}

// Drifts are 1/3, 1/3 and -1/2; herding 1/3, -1/3 and 0, as half is not a larger side. Four
// agents are wrong first, of whom two become right; of four that are right one becomes wrong.
func TestDriftByHand(t *testing.T) {
	row, _ := only(t, Drift, threeQuestions())
	near(t, row, map[string]float64{
		"right first, %": 50, "right last, %": 500. / 9, "drift": 50. / 9, "herding": 0, "herding p": 1, "wrong to right, %": 50, "right to wrong, %": 25, "n": 3,
	})
	row, _ = only(t, ByRound, threeQuestions())
	near(t, row, map[string]float64{"round": 2, "right before, %": 50, "right after, %": 500. / 9, "drift": 50. / 9, "wrong to right, %": 50, "right to wrong, %": 25, "n": 3})
}

// Of errors (0 0 1), (0 1 1), (0 1): MSB = 1/12, MSW = 11/30, the mean size 2.625, so the
// correlation is -0.41718, which leaves all 8/3 votes.
func TestVotesByHand(t *testing.T) {
	row, _ := only(t, Votes, threeQuestions())
	near(t, row, map[string]float64{
		"votes": 8. / 3, "right, %": 50, "correlation": -.41718, "effective votes": 8. / 3, "Condorcet, %": 50, "Condorcet at effective, %": 50, "first majority, %": 50,
	})
}

// Replicates of a question are one observation, whatever they say.
func TestReplicatesAreOneObservation(t *testing.T) {
	var c campaign.Campaign
	for replicate := range 4 {
		c.Runs = append(c.Runs, talked{instance: 0, replicate: replicate, rounds: []string{"AB", "AA"}}.run(), talked{instance: 1, replicate: replicate, rounds: []string{"BB", "BB"}}.run())
	}
	row, _ := only(t, Drift, c)
	// 50 and 0 points: the mean 25, its error 25, so t is 1 with one degree of freedom.
	near(t, row, map[string]float64{"drift": 25, "drift p": .5, "n": 8})
}

// Who gives no usable answer keeps the one before; who gives none at first is left out; a
// debate without any usable first answer is wrong at first, and moves nothing.
func TestUnusableAnswers(t *testing.T) {
	for name, x := range map[string]struct {
		rounds []string
		want   [][]float64 // shares right by step
	}{
		"keeps":        {[]string{"AAB", "-AB", "B-B"}, [][]float64{{2. / 3}, {2. / 3}, {1. / 3}}},
		"too late":     {[]string{"A-B", "AAB"}, [][]float64{{.5}, {.5}}},
		"none at all":  {[]string{"---", "---"}, nil},
		"a late start": {[]string{"---", "AAB", "BBB"}, [][]float64{{2. / 3}, {0}}},
	} {
		talk := talkOf(talked{rounds: x.rounds}.run())
		if len(talk.Steps) != len(x.want) {
			t.Errorf("%s: %d steps, want %d", name, len(talk.Steps), len(x.want))
			continue
		}
		for k, want := range x.want {
			if got := talk.rightAt(k); math.Abs(got-want[0]) > 1e-12 {
				t.Errorf("%s: step %d has %v, want %v", name, k, got, want[0])
			}
		}
	}
	c := threeQuestions()
	c.Runs = append(c.Runs, talked{instance: 3, rounds: []string{"---", "---"}, decided: "-"}.run())
	row, _ := only(t, Worth, c)
	near(t, row, map[string]float64{"first majority, %": 37.5, "decision, %": 50, "gain": 12.5, "n": 4})
	row, _ = only(t, Drift, c)
	near(t, row, map[string]float64{"drift": 50. / 9, "n": 3})
}

// A reply of a discussion that agrees holds the answer of the last message that it saw;
// what agents make of the decision later is not an answer of theirs.
func TestRepliesThatAgree(t *testing.T) {
	key := record.Key{ConditionID: "simple-1", CollaborationID: "simple-i0-r0"}
	say := func(entry, round, agent int, phase, answer, sees string) record.Turn {
		turn := record.Turn{Key: key, Entry: int32(entry), Round: int32(round), Phase: phase, Kind: "ask", Format: "reply", Status: "said", Agent: new(int32(agent)), SeesJSON: sees}
		switch answer {
		case "agrees":
			turn.DataJSON = new(`{"b":{"c":[0]}}`)
		default:
			turn.ProposalKey, turn.ProposalUtility = &answer, new(map[bool]float64{true: 1}[answer == "A"])
		}
		return turn
	}
	turns := []record.Turn{
		say(0, 1, 0, "talk", "B", "[]"), say(1, 1, 1, "talk", "agrees", "[[0,1]]"), say(2, 1, 2, "talk", "A", "[[0,2]]"),
		say(3, 2, 0, "talk", "agrees", "[[0,3]]"), say(4, 2, 1, "talk", "B", "[[0,4]]"), say(5, 2, 2, "talk", "A", "[[0,5]]"),
		say(6, 2, 1, "challenge", "A", "[[0,6]]"),
	}
	row := record.Collaboration{Key: key, Status: record.Succeeded, Environment: "qa", Measure: record.Share, Rule: "simple", Agents: 3, SettingsJSON: `{}`, DecisionJSON: new("A"), Utilities: []float64{1}}
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{row}, Turns: turns}, Study().Readers...)
	if err != nil {
		t.Fatal(err)
	}
	talk := talkOf(r)
	if len(talk.Steps) != 2 || math.Abs(talk.rightAt(0)-1./3) > 1e-12 || math.Abs(talk.rightAt(1)-2./3) > 1e-12 || !talk.Seen {
		t.Errorf("%+v", talk)
	}
	_, notes := only(t, Worth, campaign.Campaign{Runs: []campaign.Run{r}})
	if !strings.Contains(notes, "some agents had seen others before theirs, in all conditions") {
		t.Errorf("notes: %s", notes)
	}
}

// What cannot be asked is left out, and a note says why.
func TestWhatIsLeftOut(t *testing.T) {
	c := threeQuestions()
	c.Runs = append(c.Runs,
		talked{rule: "graded", rounds: []string{"AB", "AA"}, utility: .7, format: "proposal"}.run(),
		talked{rule: "alone", rounds: []string{"A", "A"}}.run(),
		talked{rule: "silent", rounds: []string{"AB"}}.run())
	_, notes := only(t, Worth, c)
	for _, want := range []string{
		"1 condition whose answers are not right or wrong", "1 condition without recorded answers of at least two agents", "1 condition in which no agent answers again",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	if got, _ := Votes(c); len(got.Rows) != 2 {
		t.Errorf("%d rows of votes, want two: who says nothing more has voted", len(got.Rows))
	}
	for name, build := range map[string]func(campaign.Campaign) (table.Table, bool){"worth": Worth, "drift": Drift, "by round": ByRound, "votes": Votes} {
		if _, ok := build(campaign.Campaign{Runs: c.Runs[3:5]}); ok {
			t.Errorf("%s shows what has no right answers, or one agent", name)
		}
	}
}

// Proposals of a round table count as answers, a skipped one keeps what was proposed; what
// is answered again within the first round has a row of its own.
func TestProposals(t *testing.T) {
	talk := talkOf(talked{rounds: []string{"AB", "-A"}, format: "proposal"}.run())
	if len(talk.Steps) != 2 || talk.rightAt(1) != 1 {
		t.Errorf("%+v", talk)
	}
	var turns []record.Turn
	for i, answer := range "ABBA" {
		turns = append(turns, record.Turn{Entry: int32(i), Round: 1, Kind: "ask", Format: "answer", Agent: new(int32(i % 2)), ProposalKey: new(string(answer)), ProposalUtility: new(0.)})
	}
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{{Status: record.Succeeded, Environment: "qa", Measure: record.Share, Agents: 2}}, Turns: turns}, Study().Readers...)
	if talk := talkOf(r); err != nil || len(talk.Steps) != 2 || talk.Rounds[1] != 1 {
		t.Errorf("%v: %+v", err, talk)
	}
}

// alone returns answers of agents who are asked once, 15 tokens each.
func alone(instance int, answers string) campaign.Run {
	r := talked{rule: "alone" + fmt.Sprint(len(answers)), instance: instance, rounds: []string{answers}, usd: .01}.run()
	r.SettingsJSON = fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":%d}},"protocol":{"name":"debate","params":{"rounds":0}},"rule":{"name":"plurality"}}`, len(answers))
	return r
}

// The groups take 90 tokens each, which pays for six samples of 15, and are right, right
// and wrong. A single agent is wrong, right and right; the first six samples are wrong by
// four to two, tied, and right, where all eight of them would be tied, right and right.
func TestBaselinesByHand(t *testing.T) {
	c := threeQuestions()
	for i, samples := range []string{"BBBBAAAA", "ABABABAA", "AAAAAAAA"} {
		c.Runs = append(c.Runs, alone(i, samples), alone(i, samples[:1]))
	}
	row, _ := only(t, Baselines, c)
	near(t, row, map[string]float64{
		"group, %": 200. / 3, "single, %": 200. / 3, "over single": 0,
		"self-consistency, %": 50, "over self-consistency": 50. / 3, "tokens": 90, "samples": 6, "their tokens": 90, "too few, %": 0, "n": 3,
	})
	c.Runs = append(threeQuestions().Runs, alone(0, "ABA"), alone(1, "ABA"), alone(2, "ABA"))
	row, _ = only(t, Baselines, c)
	near(t, row, map[string]float64{"self-consistency, %": 100, "samples": 3, "their tokens": 45, "too few, %": 100})
	if row["single, %"].Value != nil || row["over single"].Value != nil {
		t.Errorf("without a single agent: %v", row)
	}
}

// Next to another campaign each is compared with its own single agent, which is named by its campaign;
// one that has none is compared with the other's, and a note says so.
func TestBaselinesOfSeveralCampaigns(t *testing.T) {
	with := func(name, singles string) campaign.Campaign {
		c := campaign.Campaign{Name: name, Runs: threeQuestions().Runs}
		for i, answer := range singles {
			r := alone(i, string(answer))
			c.Runs = append(c.Runs, r)
			c.Planned = []campaign.Planned{{
				Condition: r.ConditionID, Settings: []byte(r.SettingsJSON), Labels: map[string]string{campaign.BaselineLabel: "single"},
			}}
		}
		return c
	}
	for _, x := range []struct {
		first, second string
		single        [2]float64
		elsewhere     bool
	}{
		{"AAA", "BBB", [2]float64{100, 0}, false},
		{"BBB", "AAA", [2]float64{0, 100}, false},
		{"ABB", "", [2]float64{100. / 3, 100. / 3}, true},
	} {
		joined, err := campaign.Join(with("first", x.first), with("second", x.second))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Baselines(joined)
		if !ok || len(got.Rows) != 2 {
			t.Fatalf("%d rows", len(got.Rows))
		}
		for i, want := range x.single {
			near(t, analysistest.ByColumn(got, got.Rows[i]), map[string]float64{"single, %": want})
		}
		if is := strings.Contains(strings.Join(got.Notes, "\n"), "1 condition without a baseline in their own campaign"); is != x.elsewhere {
			t.Errorf("%+v: a note on baselines elsewhere: %v", x, is)
		}
		v := joined.View("")
		v.Labels = v.Varying()
		for _, g := range v.Groups {
			if title, own := v.Title(g), g.Settings[campaign.JoinedBy]; !strings.HasPrefix(title, own) {
				t.Errorf("%q does not name its campaign %s", title, own)
			}
		}
	}
}

// For the same money there are as many samples as cost no more, whatever their tokens, and a
// group whose answers came from the cache has the money that they cost when they were bought.
func TestBaselinesForTheSameMoney(t *testing.T) {
	for what, pay := range map[string]func(calls []record.Call){
		"paid": func([]record.Call) {},
		"cached": func(calls []record.Call) {
			for i := range calls {
				calls[i].Cached, calls[i].CostUSD, calls[i].PriceUSD = true, nil, calls[i].CostUSD
			}
		},
	} {
		c := campaign.Campaign{}
		for i, rounds := range [][]string{{"AAB", "AAA"}, {"ABB", "ABA"}, {"AB-", "BB-"}} { // six answers of 0.01
			c.Runs = append(c.Runs, talked{instance: i, rounds: rounds, usd: .01, pay: pay}.run())
		}
		for i, samples := range []string{"BBBBAAAA", "BABABABA", "AAAAAAAA"} { // 0.02 each: three
			r := alone(i, samples)
			talk := talkOf(r)
			for k := range talk.Spent {
				talk.Spent[k].USD = .02
			}
			c.Runs = append(c.Runs, r)
		}
		row, _ := only(t, Baselines, c)
		near(t, row, map[string]float64{
			"self-consistency, %": 50, "samples": 6, "self-consistency for the same USD, %": 100. / 3, "samples for the same USD": 3,
			"over self-consistency for the same USD": 100. / 3, "USD": .06,
		})
		gain := AgainstAlone(c)["plurality-1"].ForMoney
		if gain == nil || math.Abs(gain.Baseline-1./3) > 1e-12 || gain.TooFew || gain.Whole || gain.Samples != 3 {
			t.Errorf("%s: for the same money %+v", what, gain)
		}
	}
	c := threeQuestions()
	c.Runs = append(c.Runs, alone(0, "ABA"), alone(1, "ABA"), alone(2, "ABA"))
	for i := range c.Runs {
		c.Runs[i].Asked.USD = 0 // scripted agents
	}
	if row, _ := only(t, Baselines, c); row["samples for the same USD"].Value != nil {
		t.Errorf("without prices: %v", row)
	}
	if gain := AgainstAlone(c)["plurality-1"].SelfConsistency; gain == nil || !gain.TooFew || !gain.Whole || gain.Of.ID != alone(0, "ABA").ConditionID { // three samples for six answers
		t.Errorf("three samples for the tokens of six answers: %+v", gain)
	}
}

// One agent with the group's budget is compared with the group whose turns it could have
// paid for, and what each took stands next to it. A budget of two turns is not a group's of six,
// and one of eight is another group's. Where a model takes no more than two, it is the baseline,
// and said to be less; a group that is asked with as many tokens a turn is none's budget.
func TestBaselineWithTheBudgetOfAGroup(t *testing.T) {
	c := threeQuestions()
	limited := func(r campaign.Run, tokens int) campaign.Run {
		r.SettingsJSON = strings.Replace(r.SettingsJSON, `"rule"`, fmt.Sprintf(`"generate":{"max_tokens":%d,"thinking":%d,"temperature":1},"rule"`, tokens, tokens/2), 1)
		return r
	}
	for i := range c.Runs {
		c.Runs[i] = limited(c.Runs[i], 100)
		c.Runs[i].Usable.Turns = 6
	}
	for i := range 3 {
		for times, answers := range map[int]string{1: "BBB", 2: "AAA", 6: "ABB", 8: "AAA"} {
			r := limited(alone(i, answers[i:i+1]), 100*times)
			r.ConditionID += fmt.Sprint(times)
			r.Asked = campaign.Asked{Input: 10, Output: int64(10 * times), Thinking: int64(5 * times), Thought: 1, USD: 0.1 * float64(times)}
			c.Runs = append(c.Runs, r)
		}
	}
	row, _ := only(t, Baselines, c)
	near(t, row, map[string]float64{
		"single, %": 0, "single with budget, %": 100. / 3, "over single with budget": 100. / 3,
		"tokens": 90, "single tokens": 20, "single with budget tokens": 70, "single with budget thinking tokens": 30, "single with budget USD": .6,
		"turns": 6, "turns in budget": 6,
	})
	if _, there := row["self-consistency, %"]; there {
		t.Error("there are columns of samples that nobody asked for")
	}
	if against := AgainstAlone(c); len(against) != 1 || against["plurality-1"].Budget.TooFew {
		t.Errorf("groups have baselines %+v", against)
	}
	few := slices.DeleteFunc(slices.Clone(c.Runs), func(r campaign.Run) bool {
		return strings.Contains(r.SettingsJSON, `s":600`) || strings.Contains(r.SettingsJSON, `s":800`)
	})
	row, _ = only(t, Baselines, campaign.Campaign{Runs: few})
	near(t, row, map[string]float64{"single with budget, %": 100, "turns": 6, "turns in budget": 2})
	if against := AgainstAlone(campaign.Campaign{Runs: few}); !against["plurality-1"].Budget.TooFew {
		t.Errorf("a budget of two turns of six is %+v", against["plurality-1"].Budget)
	}
	for _, r := range threeQuestions().Runs {
		r.ConditionID += "more"
		few = append(few, limited(r, 200))
	}
	if against := AgainstAlone(campaign.Campaign{Runs: few}); len(against) != 2 || against["plurality-1"].Budget != nil {
		t.Errorf("the single agent of a group with longer answers is a budget: %+v", against["plurality-1"])
	}
}

// Other questions, models and samplings are not baseline; one with another environment is none.
func TestBaselinesAreOfTheSameKind(t *testing.T) {
	c := threeQuestions()
	for i := range 3 {
		other := alone(i, "AA")
		other.SettingsJSON = strings.Replace(other.SettingsJSON, `"rule"`, `"generate":{"temperature":1},"rule"`, 1)
		c.Runs = append(c.Runs, other)
	}
	if got, ok := Baselines(c); ok {
		t.Errorf("another temperature is a baseline: %v", got.Rows)
	}
}

// A group has the baseline that was asked as it was: as often again, thinking first or not,
// and for reasons or not.
func TestBaselinesAskedAlike(t *testing.T) {
	var c campaign.Campaign
	type asked struct{ reasks, thinks, reasoning string }
	best := asked{"0", "true", "first"}
	for i, first := range []string{"A", "A", "B"} {
		for _, reasks := range []string{"0", "1"} {
			for _, thinks := range []string{"true", "false"} {
				for _, reasoning := range []string{"first", "none"} {
					as, answer := asked{reasks, thinks, reasoning}, "B"
					if as == best {
						answer = first
					}
					settings := fmt.Sprintf(`"reasks":%s,"reasoning":%q,"rule":{"name":"plurality"}`, reasks, reasoning)
					group := talked{rule: fmt.Sprint("group", as), instance: i, rounds: []string{"AA", "AA"}}.run()
					group.SettingsJSON = fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":2}},"protocol":{"name":"debate","params":{"rounds":1,"chain_of_thought":%s}},%s}`, thinks, settings)
					single := talked{rule: fmt.Sprint("single", as), instance: i, rounds: []string{answer}}.run()
					single.SettingsJSON = fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":1}},"protocol":{"name":"debate","params":{"rounds":0,"chain_of_thought":%s}},%s}`, thinks, settings)
					c.Runs = append(c.Runs, group, single)
				}
			}
		}
	}
	got, ok := Baselines(c)
	if !ok || len(got.Rows) != 8 {
		t.Fatalf("%d rows", len(got.Rows))
	}
	for _, cells := range got.Rows {
		row := analysistest.ByColumn(got, cells)
		as := asked{row["reasks"].Text, row["protocol.chain_of_thought"].Text, row["reasoning"].Text}
		want := 0.
		if as == best {
			want = 200. / 3
		}
		if math.Abs(*row["single, %"].Value-want) > 1e-9 {
			t.Errorf("%+v: single is %v, want %v", as, row["single, %"], want)
		}
	}
}
