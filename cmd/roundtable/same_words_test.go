package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

const ownQuestions = `name: own
data: .
env: {name: qa, format: csv, file: q.csv, agents: 3}
model: scripted/answerer
rule: plurality
baselines: [single, {self_consistency: {samples: 4}}]
%sgrid:
  protocol: [{name: debate, rounds: 1, ballots: true}, {name: debate, rounds: 1, memory: retold}, {name: discussion, rounds: 2, vote_from: 1, personas: none, merge_equal: true}, {name: roundtable, rounds: 1}]
`

// A question of one's own is asked in the same words by debates, discussions, the single
// agent and self-consistency, and every vote in the same words too. The golden
// file has all of them.
func TestSameWords(t *testing.T) {
	var b strings.Builder
	for _, reasoning := range []string{"", "reasoning: none\n"} {
		prompts := promptsFor(t, fmt.Sprintf(ownQuestions, reasoning))
		var first, votes []string
		for _, r := range prompts {
			fmt.Fprintf(&b, "=== %s\n%s\n", r.Title(), r.Text())
			last := r.Messages[len(r.Messages)-1].Content
			switch {
			case r.Round == 1 && (r.Phase == "answer" || r.Phase == "talk" && r.Speaker == "Agent 1"):
				first = append(first, r.Messages[0].Content+"\n"+last)
			case r.Phase == "vote":
				_, asked, _ := strings.Cut(last, "The answers to vote on:")
				_, asked, _ = strings.Cut(asked, `Under "decision"`)
				votes = append(votes, asked)
			}
			reasons := strings.Contains(r.Text(), "step by step")
			if talks := r.Phase != "final" && r.Phase != "message"; talks && reasons == (reasoning != "") {
				t.Errorf("%s with %q:\n%s", r.Title(), reasoning, r.Text())
			}
		}
		for what, list := range map[string][]string{"first answers": first, "votes": votes} {
			slices.Sort(list)
			if list = slices.Compact(list); len(list) != 1 || list[0] == "" {
				t.Errorf("%s are asked in %d ways:\n%s", what, len(list), strings.Join(list, "\n----\n"))
			}
		}
	}
	golden := filepath.Join("testdata", "words.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != b.String() {
		t.Errorf("%s has changed (go test -update): %v", golden, err)
	}
}

// reasoning: paper keeps each protocol's own words, and what cannot be is refused.
func TestReasoningIsChecked(t *testing.T) {
	for _, r := range promptsFor(t, fmt.Sprintf(ownQuestions, "reasoning: paper\n")) {
		if strings.Contains(r.Text(), "The answers to vote on") {
			t.Errorf("%s is asked in the shared words", r.Title())
		}
	}
	for _, x := range []struct{ keys, param, want string }{
		{"reasoning: last\n", "", `reasoning: is "last"; expected first, none or paper`},
		{"reasoning: first\n", "chain_of_thought: false", "protocol.chain_of_thought: is false, and reasoning is first; leave one of them out"},
		{"reasoning: none\n", "chain_of_thought: true", "protocol.chain_of_thought: is true, and reasoning is none; leave one of them out"},
		{"reask: again\n", "", `reask: is "again"; expected fresh or shown`},
	} {
		text := fmt.Sprintf(ownQuestions, x.keys)
		if x.param != "" {
			text = strings.Replace(text, "memory: retold", x.param, 1)
		}
		if _, err := readCampaign(t, text); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s%s: %v", x.keys, x.param, err)
		}
	}
}

// chain_of_thought: false asks questions of one's own as reasoning: none does, and so their
// baselines.
func TestNoChainOfThoughtMeansNoReasons(t *testing.T) {
	texts := func(param, keys string) (all []string) {
		text, _, _ := strings.Cut(fmt.Sprintf(ownQuestions, keys), "  protocol:")
		text += fmt.Sprintf("  protocol: [{name: debate, rounds: 1%s}, {name: discussion, rounds: 2, vote_from: 1, personas: none%[1]s}]\n", param)
		for _, r := range promptsFor(t, text) {
			all = append(all, r.Text())
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	want := texts("", "reasoning: none\n")
	if got := texts(", chain_of_thought: false", ""); !slices.Equal(got, want) {
		t.Errorf("asked with\n%s\nand not with\n%s", strings.Join(got, "\n----\n"), strings.Join(want, "\n----\n"))
	}
	if slices.Equal(texts("", ""), want) {
		t.Error("reasons are asked for in no other words")
	}
}

// Paper 2's voters are not told how their votes are counted (Figures 16 to 19); explain_rule tells them.
func TestVotersAreToldTheRuleIfAsked(t *testing.T) {
	const text = "name: own\ndata: .\nreasoning: paper\nenv: {name: qa, format: csv, file: q.csv, agents: 3}\nmodel: scripted/answerer\nrule: borda\nprotocol: {name: discussion, rounds: 1, vote_from: 1, personas: none, explain_rule: %t}\n"
	for _, told := range []bool{false, true} {
		votes := 0
		for _, r := range promptsFor(t, fmt.Sprintf(text, told)) {
			if r.Phase != "vote" {
				continue
			}
			votes++
			if says := strings.Contains(r.Text(), "Vote on the solutions. "); says != told {
				t.Errorf("with explain_rule %t:\n%s", told, r.Text())
			}
		}
		if votes == 0 {
			t.Error("nobody votes")
		}
	}
}

func promptsFor(t *testing.T, text string) []planning.RenderedPrompt {
	t.Helper()
	prompts, err := readCampaign(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return prompts
}

func readCampaign(t *testing.T, text string) ([]planning.RenderedPrompt, error) {
	t.Helper()
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "own.yaml")
	for name, data := range map[string]string{file: text, filepath.Join(folder, "q.csv"): "id,question,A,B,C,D,answer\n1,Which planet is the largest?,Mars,Jupiter,Venus,Earth,B\n"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), file, s, false)
	if err != nil {
		return nil, err
	}
	return planning.RenderPrompts(catalogue.Builtin(), p, s)
}

// Who gives a final answer as in paper 2 (Figure 15) is shown no list of participants and repeats
// the last message where it has no solution; SQuAD is not asked for few words.
func TestFinalAnswersArePaper2s(t *testing.T) {
	data, err := filepath.Abs("../../examples/data")
	if err != nil {
		t.Fatal(err)
	}
	prompts := promptsFor(t, "name: own\ndata: "+data+"\nreasoning: paper\nenv: {name: qa, format: squad2, file: passages.json, agents: 3}\nmodel: scripted/answerer\nrule: plurality\nprotocol: {name: discussion, rounds: 1, vote_from: 1}\n")
	listed := map[string]bool{}
	for _, r := range prompts {
		text := r.Text()
		listed[r.Phase] = listed[r.Phase] || strings.Contains(text, "# The participants")
		if r.Phase == "final" && !strings.Contains(text, "If there is none above, repeat the last message.") {
			t.Errorf("where there is no solution nothing is said:\n%s", text)
		}
		if !strings.Contains(text, "the answer is [UNKNOWN].") || strings.Contains(text, "as few as possible") {
			t.Errorf("SQuAD is asked\n%s", text)
		}
	}
	if is, there := listed["final"]; is || !there || !listed["talk"] {
		t.Errorf("the participants are listed in %v", listed)
	}
}

// The examples of paper 2 ask once for an answer, as the paper does: it is its largest effect.
func TestPaper2AsksOnce(t *testing.T) {
	files, err := filepath.Glob("../../examples/papers/2-*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range []string{"voting-or-consensus", "challenges", "discussion-sizes"} {
		files = append(files, "../../examples/"+name+".yaml")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\nreasks: 0") && !strings.Contains(string(text), "\nextends: 2-") {
			t.Errorf("%s has no reasks: 0", file)
		}
	}
}
