package activities_test

import (
	"roundtable/analysis/lake/store/storetest"
	"strings"
	"testing"
)

// A discussion gives the same rows live, in pieces by workers that die, and at
// once; and agents are asked in the words of its parameters.
func TestDiscussion(t *testing.T) {
	live, _ := threeWays(t, "discussion", "protocol: {name: discussion, rounds: 2, vote_from: 1, neutral: 1, challenge: history}")
	var shape []string
	for _, turn := range live.Turns[:6] {
		shape = append(shape, turn.AgentName+turn.Role+" "+turn.Phase+" "+turn.Format)
	}
	if got := strings.Join(shape, ", "); got != "personas persona persona, personas persona persona, Agent 1 talk reply, Agent 2 talk reply, Agent 3 talk reply, Agent 1 final answer" {
		t.Error(got)
	}
}

// What the first agents are asked, by parameter: entry 0 is the first message.
func TestDiscussionPrompts(t *testing.T) {
	for params, x := range map[string]struct {
		entry      int
		has, lacks []string
	}{
		"":                                 {1, []string{"You are Agent 2, one of 3", "[turn 1] Agent 1:", "begin with [AGREE]", "Think step by step.", "End with your answer"}, []string{"Your role", "neutral", "more votes than any other", "private information", "Nothing is known"}},
		"chain_of_thought: false":          {0, []string{"Propose a solution."}, []string{"step by step", "[AGREE]"}},
		"response: critical":               {1, []string{"question it"}, nil},
		"response: free_text":              {1, []string{"Stay on the task."}, nil},
		"response: reasoning":              {1, []string{"Share your reasoning only", "[AGREE]"}, []string{"End with your answer"}},
		"paradigm: report":                 {2, []string{"[turn 1] Agent 1:"}, []string{"[turn 1] Agent 2:"}},
		"all_draft: true":                  {1, []string{"Propose a solution."}, []string{"[turn 1]"}},
		"vote_from: 1":                     {6, []string{"# The solutions", "Solution 3: ", "Vote on the solutions", "without reasons", `{"decision": your ballot}`}, []string{"[turn 1]", "Solution 1: \"(", "reason_for_decision", "more votes than any other"}},
		"vote_from: 1, explain_rule: true": {6, []string{"more votes than any other"}, nil},
		"vote_from: 1, vote_reason: true, answers: canonical, merge_equal: true": {6, []string{"Solution 1: \"(", "reason_for_decision"}, []string{"without reasons", "Solution 3: "}},
		"personas: [neutral, {role: Judge, description: old}, generated]":        {3, []string{"Agent 3", "Your role: ", "- Agent 2: Judge (old)", "- Agent 3: "}, []string{"- Agent 1:"}},
		"vote_from: 1, authors: true":                                            {6, []string{"Solution 1, by Agent 1: ", "Solution 3, by Agent 3: "}, nil},
		"vote_from: 1, collective: true":                                         {3, []string{"[turn 1] Agent 1:", "Give the final solution"}, []string{"Agent 2:"}},
	} {
		store := storetest.NewMemory(map[string]string{})
		if params != "" {
			params = ", " + params
		}
		if !strings.Contains(params, "personas") {
			params = ", personas: none" + params
		}
		p := debating(t, store, "discussion", "protocol: {name: discussion"+params+"}")
		m := answerer()
		playWhole(t, newActivities(store, m, withPuzzles, simulated), p, ref(p, 0))
		asked := m.asked[x.entry]
		for _, want := range x.has {
			if !strings.Contains(asked, want) {
				t.Errorf("%s: entry %d does not say %q:\n%s", params, x.entry, want, asked)
			}
		}
		for _, word := range x.lacks {
			if strings.Contains(asked, word) {
				t.Errorf("%s: entry %d says %q:\n%s", params, x.entry, word, asked)
			}
		}
	}
}
