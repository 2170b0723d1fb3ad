package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
	"roundtable/cmd/internal/cli"
)

// debate is what was said in a collaboration of the example peers.
type debate struct {
	record.Collaboration
	control string // "" of the group itself
	turns   []record.Turn
}

// debatesOf returns the collaborations of three agents.
func debatesOf(t *testing.T, dir, name string) (all []debate) {
	t.Helper()
	turns := map[string][]record.Turn{}
	for _, turn := range rowsOf[record.Turn](t, dir, name) {
		turns[turn.CollaborationID] = append(turns[turn.CollaborationID], turn)
	}
	for _, c := range rowsOf[record.Collaboration](t, dir, name) {
		d := debate{Collaboration: c, turns: turns[c.CollaborationID]}
		for _, control := range []string{"same", "alone", "strangers"} {
			if strings.Contains(c.SettingsJSON, fmt.Sprintf("%q:%q", "control", control)) {
				d.control = control
			}
		}
		if c.Agents == 3 {
			all = append(all, d)
		}
	}
	return all
}

// first returns the texts of the first answers, by agent.
func (d debate) first() (texts []string) {
	for _, turn := range d.turns {
		if turn.Phase == "answer" {
			texts = append(texts, *turn.Text)
		}
	}
	return texts
}

// heard returns the turns that agents saw of others.
func (d debate) heard() (all []record.Turn) {
	for _, turn := range d.turns {
		for _, r := range turn.Sees() {
			for _, seen := range d.turns[r[0]:r[1]] {
				if turn.Agent != nil && (seen.Agent == nil || *seen.Agent != *turn.Agent) {
					all = append(all, seen)
				}
			}
		}
	}
	return all
}

// checkControls holds what the controls of the example peers are: the same again has other
// answers; alone, the first answers are the group's and nobody hears anybody; and strangers
// say what the group said first of another question.
func checkControls(t *testing.T, dir string) {
	t.Helper()
	all := debatesOf(t, dir, "peers")
	group := func(of debate, instance int32) debate {
		return all[slices.IndexFunc(all, func(d debate) bool { return d.control == "" && d.Instance == instance && d.Replicate == of.Replicate })]
	}
	seen, anew := map[string]int{}, 0
	for _, d := range all {
		seen[d.control]++
		own, heard := group(d, d.Instance), d.heard()
		if d.control != "same" && !slices.Equal(d.first(), own.first()) {
			t.Errorf("%s: the first answers are not those of the group", d.CollaborationID)
		}
		if d.control == "same" && !slices.Equal(d.first(), own.first()) {
			anew++
		}
		if d.control == "alone" == (len(heard) > 0) {
			t.Errorf("%s (%s): agents heard %d texts of others", d.CollaborationID, d.control, len(heard))
		}
		if d.control != "strangers" {
			continue
		}
		if len(heard) != len(own.heard()) {
			t.Errorf("%s: agents heard %d texts of strangers, of peers %d", d.CollaborationID, len(heard), len(own.heard()))
		}
		for _, stranger := range heard {
			elsewhere := slices.ContainsFunc(all, func(other debate) bool {
				return other.control == "" && other.Instance != d.Instance && slices.Contains(other.first(), *stranger.Text)
			})
			if stranger.Role != "stranger" || !elsewhere {
				t.Errorf("%s: what was heard (%s %s) is no answer to another question: %s", d.CollaborationID, stranger.Role, stranger.Phase, *stranger.Text)
			}
		}
	}
	if fmt.Sprint(seen) != "map[:10 alone:10 same:10 strangers:10]" || anew == 0 {
		t.Errorf("debates by control: %v; %d of the same have other first answers", seen, anew)
	}
	contains(t, cli.OneLine(output(t, dir, "analyze", "peers")), "run again, debate differed by", "(nobody is heard;", "(texts about other instances are heard;", "(one agent with the group's budget;")
	contains(t, output(t, dir, "plan", "peers.yaml"), "CONTROL", "strangers", "single of 3600 tokens")
	output(t, dir, "verify", "peers")
}

// TestDiscussionsAmongStrangers: in a discussion, too, agents hear as many messages as among peers, each what
// somebody with the name of a peer says first about another question.
func TestDiscussionsAmongStrangers(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	exampleData(t, dir)
	save(t, dir, "talked.yaml", `name: talked
data: examples/data
env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 3}
model: {name: scripted/answerer, policy: {accuracy: 0.5}}
protocol: {name: discussion, rounds: 2, vote_from: 2}
rule: plurality
controls: [strangers]
`)
	output(t, dir, "run", "talked.yaml")
	heard := map[string]int{}
	for _, d := range debatesOf(t, dir, "talked") {
		for _, turn := range d.turns {
			for _, r := range turn.Sees() {
				for _, seen := range d.turns[r[0]:r[1]] {
					if turn.Phase != "talk" || seen.Role == "personas" || seen.Agent != nil && *seen.Agent == *turn.Agent {
						continue
					}
					if heard[d.control]++; (seen.Role == "stranger") != (d.control == "strangers") {
						t.Errorf("%s (%s): in entry %d one of %q is heard", d.CollaborationID, d.control, turn.Entry, seen.Role)
					}
				}
			}
		}
	}
	if n := heard[""]; n == 0 || len(heard) != 2 || heard["strangers"] != n {
		t.Errorf("messages heard by control: %v", heard)
	}
	prompts := output(t, dir, "plan", "talked.yaml", "--prompts")
	if contains(t, prompts, "[turn 1] "); strings.Contains(prompts, "] stranger:") {
		t.Error("agents are told that they hear strangers")
	}
	output(t, dir, "verify", "talked")
}

// TestControlsShareAnswers asks a service: the first answers of a group, of its control alone
// and of strangers are bought once, those of the same again anew.
func TestControlsShareAnswers(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	service := newVendor(t)
	dir := t.TempDir()
	exampleData(t, dir)
	save(t, dir, "peers.yaml", fmt.Sprintf(`name: peers
data: examples/data
env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 4}
model: {name: openai/fake, base_url: %q, api_key_env: OPENAI_API_KEY}
prices: {openai/fake: {input: 1, output: 2}}
generate: {max_tokens: 100}
reasks: 0
protocol: {name: debate, rounds: 1}
rule: plurality
controls: [same, alone, strangers]
`, service.URL+"/v1"))
	output(t, dir, "run", "peers.yaml")
	rounds := map[string]int32{}
	for _, turn := range rowsOf[record.Turn](t, dir, "peers") {
		rounds[fmt.Sprint(turn.CollaborationID, turn.Entry)] = turn.Round
	}
	bought := map[int32]int{}
	for _, c := range rowsOf[record.Call](t, dir, "peers") {
		if !c.Cached {
			bought[rounds[fmt.Sprint(c.CollaborationID, c.Entry)]]++
		}
	}
	if bought[1] != 2*4*3 || bought[2] < 3*4*3 {
		t.Errorf("bought by round: %v; want 3 first answers of 4 questions twice", bought)
	}
	output(t, dir, "verify", "peers")
}
