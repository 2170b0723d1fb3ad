package prompt_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/allocation"
	"roundtable/envs/consensus"
	"roundtable/envs/menu"
	"roundtable/envs/qa"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// stage plays any protocol with written answers and keeps what was asked.
func stage(t *testing.T, env envs.Environment, name string, build func(protocol.Setting) (protocol.Protocol, error), answer func(protocol.Pending) string) map[string][]model.Message {
	t.Helper()
	instance := must(env.Instance(1, 0))
	rule := rules()["majority"]
	set := protocol.Setting{Agents: len(instance.Agents()), Rule: rule, Seed: 1}
	pack := must(prompt.NewPack(env.Prompts(), must(fs.Sub(protocol.Prompts, "prompts/"+name)), nil, nil, rule.Words()))
	g := &game{
		Session: protocol.NewSession(must(build(set)), set, stopping.Never{}),
		env:     env, instance: instance, templates: must(pack.Parse()), said: map[int]prompt.Said{},
	}
	asked := map[string][]model.Message{}
	for g.Outcome() == nil {
		for _, p := range g.Pending() {
			act := transcript.Act{Status: transcript.Said}
			if cue, ok := p.Payload.Data.(envs.Cue); ok && p.Kind == transcript.Env {
				if cue.Name == protocol.PhaseMerged {
					g.said[p.Entry] = prompt.Said{Text: must(instance.(envs.Cued).Cue(cue)).Text}
				}
			} else if p.Kind == transcript.Ask {
				asked[fmt.Sprintf("%d %s %d", p.Speaker.Index, p.Phase, p.Round)] = g.render(t, p.Step)
				a, err := prompt.Parse([]byte(answer(p)), p.Step, instance)
				if err != nil {
					t.Fatalf("%s of agent %d: %v", p.Phase, p.Speaker.Index, err)
				}
				act, g.said[p.Entry] = a.Act, prompt.Said{Text: a.Text, Reason: a.Reason, Proposal: a.Proposal}
			}
			if err := g.Record(p.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
	return asked
}

// deliberating answers each module with words that tell agent, phase and round.
func deliberating(plan func(agent int) string, estimate string) func(protocol.Pending) string {
	return func(p protocol.Pending) string {
		mark := fmt.Sprintf("%d-%s-%d", p.Speaker.Index, p.Phase, p.Round)
		switch p.Phase {
		case protocol.PhaseObservation:
			return fmt.Sprintf(`{"reason_for_decision": "WHY-%s", "estimate": %s}`, mark, estimate)
		case protocol.PhasePlanning:
			return fmt.Sprintf(`{"reason_for_decision": "WHY-%s", "proposal": %s, "explanation": "BECAUSE-%s"}`, mark, plan(p.Speaker.Index), mark)
		case protocol.PhaseDecision:
			return fmt.Sprintf(`{"reason_for_decision": "WHY-%s", "decision": null, "explanation": "BECAUSE-%s"}`, mark, mark)
		}
		return fmt.Sprintf(`{"reason_for_decision": "WHY-%s", "target": [], "message": "SAID-%s"}`, mark, mark)
	}
}

func wholeNumber(messages []model.Message) string {
	text := ""
	for _, m := range messages {
		text += m.Content + "\n"
	}
	return text
}

// The explanation of a plan reaches the other agents, that of a rejection its
// author's next message, and private reasoning nobody (paper 3, Tables 11 to 13).
func TestExplanationsTravel(t *testing.T) {
	env := must(menu.New(menu.Defaults()))
	dishes := must(env.Instance(1, 0)).Observe(0).(menu.Observation).Dishes
	plan := func(agent int) string { return fmt.Sprintf("[%q]", dishes[agent].Name) }
	deliberation := func(change func(*protocol.DeliberationParams)) func(protocol.Setting) (protocol.Protocol, error) {
		p := protocol.DefaultDeliberation()
		p.Rounds = 2
		change(&p)
		return func(set protocol.Setting) (protocol.Protocol, error) { return protocol.NewDeliberation(p, set) }
	}
	asked := stage(t, env, "deliberation", deliberation(func(*protocol.DeliberationParams) {}), deliberating(plan, `{"ingredients": {}, "values": {}}`))
	for key, want := range map[string][]string{
		"1 decision 1":     {"BECAUSE-0-planning-1", "BECAUSE-1-planning-1", "SAID-0-conversation-1", `"explanation"`},
		"1 conversation 1": {"You rejected the plan of agent_1.", "BECAUSE-1-decision-1", `"reason_for_decision"`},
		"0 observation 2":  {"SAID-0-conversation-1", "SAID-1-conversation-1"},
		"0 planning 2":     {"Round 2:", `"explanation"`},
	} {
		text := wholeNumber(asked[key])
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s is not shown %s:\n%s", key, w, text)
			}
		}
	}
	for key, messages := range asked {
		text := wholeNumber(messages)
		for _, never := range []string{"WHY-", "<no value>", "concerns you"} {
			if strings.Contains(text, never) {
				t.Errorf("%s is shown %s:\n%s", key, never, text)
			}
		}
		if strings.HasPrefix(key, "0 planning") && strings.Contains(text, "SAID-") {
			t.Errorf("%s is shown the dialogue:\n%s", key, text)
		}
		if n := strings.Count(text, "SAID-0-conversation-1"); n > 1 {
			t.Errorf("%s is shown one message %d times", key, n)
		}
	}
	everywhere := stage(t, env, "deliberation", deliberation(func(p *protocol.DeliberationParams) { p.Explanations = "everywhere" }), deliberating(plan, `{"ingredients": {}, "values": {}}`))
	for name, got := range map[string]map[string][]model.Message{"shared": asked, "everywhere": everywhere} {
		if shown := strings.Contains(wholeNumber(got["1 conversation 1"]), "BECAUSE-0-planning-1"); shown != (name == "everywhere") {
			t.Errorf("with explanations %s a message is shown the plans' explanations: %v", name, shown)
		}
	}
	private := stage(t, env, "deliberation", deliberation(func(p *protocol.DeliberationParams) { p.Explanations = "private" }), deliberating(plan, `{"ingredients": {}, "values": {}}`))
	for key, messages := range private {
		if text := wholeNumber(messages); strings.Contains(text, "BECAUSE-") || strings.Contains(text, `"explanation"`) {
			t.Errorf("with private explanations %s is shown\n%s", key, text)
		}
	}
}

// A worker's message knows what the worker decided; the agent that decides alone
// is told that it knows everything and is asked once.
func TestWorkersAndAlone(t *testing.T) {
	env := must(allocation.New(allocation.Defaults()))
	estimate := `{"private": {}, "public": {}, "values": {}}`
	build := func(variant string) func(protocol.Setting) (protocol.Protocol, error) {
		p := protocol.DefaultDeliberation()
		p.Rounds, p.Variant = 2, variant
		return func(set protocol.Setting) (protocol.Protocol, error) { return protocol.NewDeliberation(p, set) }
	}
	plan := func(int) string { return "{}" }
	asked := stage(t, env, "deliberation", build(protocol.Deliberating), deliberating(plan, estimate))
	if text := wholeNumber(asked["1 conversation 1"]); !strings.Contains(text, "BECAUSE-1-decision-1") {
		t.Errorf("the worker's message is asked for with\n%s", text)
	}
	asked = stage(t, env, "deliberation", build(protocol.Centralized), deliberating(plan, estimate))
	text := wholeNumber(asked["0 planning 1"])
	if len(asked) != 1 || !strings.Contains(text, "You have all the information that there is:") {
		t.Errorf("%d questions; the plan is asked for with\n%s", len(asked), text)
	}
	for _, wrong := range []string{"fragment of the public resources that you observe", "You are ", "other agent", "estimate"} {
		if strings.Contains(text, wrong) {
			t.Errorf("who decides alone is told %q:\n%s", wrong, text)
		}
	}
	asked = stage(t, env, "deliberation", build(protocol.Oracle), deliberating(plan, estimate))
	if text := wholeNumber(asked["0 planning 1"]); !strings.Contains(text, "Every agent has all the information") {
		t.Errorf("the oracle is asked for a plan with\n%s", text)
	}
}

// Somebody leads only where the leader decides (paper 3, C.1): with a vote, one
// agent alone and in other protocols no prompt speaks of a leader.
func TestOnlyALeaderLeads(t *testing.T) {
	env := must(allocation.New(allocation.Defaults()))
	plan := func(int) string { return "{}" }
	modules := deliberating(plan, `{"private": {}, "public": {}, "values": {}}`)
	answer := func(p protocol.Pending) string {
		if p.Phase == protocol.PhaseBallot {
			return `{"reason_for_decision": "", "decision": null}`
		}
		return modules(p)
	}
	for _, c := range []struct {
		variant, authority string
		leads              bool
	}{
		{protocol.Deliberating, protocol.Leader, true},
		{protocol.Oracle, protocol.Leader, true},
		{protocol.Deliberating, protocol.Vote, false},
		{protocol.Centralized, protocol.Leader, false},
	} {
		p := protocol.DefaultDeliberation()
		p.Rounds, p.Variant, p.Authority = 2, c.variant, c.authority
		asked := stage(t, env, "deliberation", func(set protocol.Setting) (protocol.Protocol, error) { return protocol.NewDeliberation(p, set) }, answer)
		if len(asked) == 0 {
			t.Errorf("%s by %s: nobody is asked", c.variant, c.authority)
		}
		for key, messages := range asked {
			text := wholeNumber(messages)
			if leads := strings.Contains(text, "The leader is agent_2; the other agents are workers."); leads != c.leads {
				t.Errorf("%s by %s, %s: a leader is named: %v\n%s", c.variant, c.authority, key, leads, text)
			}
			if !c.leads && (strings.Contains(text, "the leader") || strings.Contains(text, "workers")) {
				t.Errorf("%s by %s, %s speaks of a leader or of workers:\n%s", c.variant, c.authority, key, text)
			}
		}
	}
}

// A group of one is not told that it is one of 1 agents.
func TestOneAgentIsNoGroup(t *testing.T) {
	questions := qa.Defaults()
	questions.Format, questions.File, questions.Agents = "bbh", "orders.json", 1
	env := must(qa.New(questions, os.DirFS("../../examples/data")))
	answer := func(p protocol.Pending) string {
		switch p.Phase {
		case protocol.PhaseProposal:
			return `{"reason_for_proposal": "", "proposal": "(A)"}`
		case protocol.PhaseVote:
			return `{"reason_for_decision": "", "vote": null, "decision": null}`
		}
		return `{"target": [], "message": "It is (A)."}`
	}
	roundtable := protocol.DefaultRoundtable()
	roundtable.Rounds = 1
	asked := stage(t, env, "roundtable", func(set protocol.Setting) (protocol.Protocol, error) { return protocol.NewRoundtable(roundtable, set) }, answer)
	for key, messages := range asked {
		if text := wholeNumber(messages); strings.Contains(text, "one of 1") || !strings.Contains(text, "You are Agent 1 and make a decision on your own.") {
			t.Errorf("%s is told\n%s", key, text)
		}
	}
	if len(asked) < 2 {
		t.Errorf("%d questions", len(asked))
	}
}

// In a debate an agent's question is its first message and its own answers are
// its turns (paper 4, Example of MADC in MAD); or all is told in one message.
func TestDebateIsAChat(t *testing.T) {
	questions := qa.Defaults()
	questions.Format, questions.File, questions.Agents = "bbh", "orders.json", 3
	env := must(qa.New(questions, os.DirFS("../../examples/data")))
	debate := func(memory string) func(protocol.Setting) (protocol.Protocol, error) {
		p := protocol.DefaultDebate()
		p.Rounds, p.Memory = 2, memory
		return func(set protocol.Setting) (protocol.Protocol, error) { return protocol.NewDebate(p, set) }
	}
	answer := func(p protocol.Pending) string {
		return fmt.Sprintf("SOLUTION-%d-%d. The answer is (A).", p.Speaker.Index, p.Round)
	}
	shape := func(messages []model.Message) string {
		var parts []string
		for _, m := range messages {
			part := m.Role
			for agent := range 3 {
				for round := 1; round <= 3; round++ {
					if strings.Contains(m.Content, fmt.Sprintf("SOLUTION-%d-%d.", agent, round)) {
						part += fmt.Sprintf(" %d.%d", agent, round)
					}
				}
			}
			if strings.Contains(m.Content, "Question:") {
				part += " question"
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ", ")
	}
	asked := stage(t, env, "debate", debate("chat"), answer)
	for key, want := range map[string]string{
		"1 answer 1": "user question",
		"1 debate 2": "user question, assistant 1.1, user 0.1 2.1",
		"1 debate 3": "user question, assistant 1.1, user 0.1 2.1, assistant 1.2, user 0.2 2.2",
	} {
		if got := shape(asked[key]); got != want {
			t.Errorf("%s: %s, want %s\n%s", key, got, want, wholeNumber(asked[key]))
		}
	}
	asked = stage(t, env, "debate", debate("retold"), answer)
	if got := shape(asked["1 debate 3"]); got != "system question, user 0.2 1.1 1.2 2.2" {
		t.Errorf("retold: %s", got)
	}
}

// How many rounds there are is told on request only, and no prompt has an
// example of a position or a word on one's own choice (paper 5, Prompts 1 to 3).
func TestHorizonIsToldOnRequest(t *testing.T) {
	params := consensus.Defaults()
	params.Agents = 3
	env := must(consensus.New(params))
	numbers := regexp.MustCompile(`\[[-\d.]+\]`)
	for _, horizon := range []bool{false, true} {
		p := protocol.DefaultConsensus()
		p.Rounds = 3
		p.Horizon = p.Horizon || horizon
		asked := stage(t, env, "consensus", func(set protocol.Setting) (protocol.Protocol, error) { return protocol.NewConsensus(p, set) },
			func(protocol.Pending) string { return `{"reason_for_decision": "", "proposal": [7]}` })
		for key, messages := range asked {
			text := wholeNumber(messages)
			if told := strings.Contains(text, "round"); told != horizon {
				t.Errorf("horizon %v, %s: rounds are spoken of: %v\n%s", horizon, key, told, text)
			}
			if strings.Contains(text, "own choice") || strings.HasSuffix(key, " 1") && numbers.MatchString(text) { // the stage knows no starts
				t.Errorf("%s is shown an example of a position, or told that it is free:\n%s", key, text)
			}
		}
		if len(asked) != 9 {
			t.Errorf("%d questions", len(asked))
		}
	}
}

// Prompts of questions and of texts have no section for what nobody knows besides.
func TestNothingIsNoPrivateInformation(t *testing.T) {
	for file, format := range map[string]string{"orders.json": "bbh", "passages.json": "squad2"} {
		questions := qa.Defaults()
		questions.Format, questions.File, questions.Agents = format, file, 2
		env := must(qa.New(questions, os.DirFS("../../examples/data")))
		asked := stage(t, env, "debate", func(set protocol.Setting) (protocol.Protocol, error) {
			return protocol.NewDebate(protocol.DefaultDebate(), set)
		},
			func(protocol.Pending) string { return "The answer is (A).\nAnswer: [UNKNOWN]" })
		for key, messages := range asked {
			text := strings.ToLower(wholeNumber(messages))
			for _, never := range []string{"nothing is known", "concerns you", "private information", "besides"} {
				if strings.Contains(text, never) {
					t.Errorf("%s, %s says %q:\n%s", file, key, never, text)
				}
			}
		}
		if len(asked) != 4 {
			t.Errorf("%s: %d questions", file, len(asked))
		}
	}
}

// Reasons of proposals and ballots are shown to all where the campaign says so.
func TestReasonsShown(t *testing.T) {
	params := rounds(2)
	params.Reasons = protocol.ReasonsShown
	g := newGame(t, threeTraders(), rules()["majority"], params, nil)
	shown := ""
	g.play(t, allocations, func(p protocol.Pending) {
		if p.Round == 2 && p.Speaker.Index == 0 {
			shown += wholeNumber(g.render(t, p.Step))
		}
	})
	for _, want := range []string{"Reason: SECRET-1-", "all agents will see it", "with the reasons for proposals and ballots"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "only you will see it") {
		t.Error("an agent is told that its reasons are private")
	}
}
