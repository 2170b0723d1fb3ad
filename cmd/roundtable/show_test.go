package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/transcripts"
	"strings"
	"testing"
)

const shownCampaign = `name: shown
instances: 1
env: {name: qa, format: bbh, file: orders.json, agents: 3}
data: examples/data
protocol:
  name: discussion
  rounds: 3
  vote_from: 1
  personas: [{role: Clerk, description: keeps lists}, {role: Pilot, description: likes maps}, {role: Cook, description: tastes all}]
rule: approval
model: {name: scripted/answerer, malformed: 0.5}
reasks: 3
`

// A finished collaboration shows its question, its prompts as they were sent, and its raw answers.
func TestShowPromptsAndRawAnswers(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	exampleData(t, dir)
	save(t, dir, "campaign.yaml", shownCampaign)
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	var all struct {
		Collaborations []struct {
			ID string `json:"collaboration_id"`
		}
		Turns []struct {
			Entry int
			Kind  string
			Asks  int
		}
		Facts []struct{ Name, Text string }
		Asked []transcripts.EntryAsked
		Lost  []string
	}
	d := ends(t, 0, dir, nil, "show", "approval", "--prompts", "--raw", "--json")
	noError(t, json.Unmarshal([]byte(d.out), &all))
	asks, again := 0, 0
	for _, turn := range all.Turns {
		if turn.Kind == "ask" {
			asks++
			again = max(again, turn.Asks)
		}
	}
	if len(all.Asked) != asks || asks == 0 || len(all.Lost) > 0 {
		t.Fatalf("%d of %d entries are shown, lost: %q", len(all.Asked), asks, all.Lost)
	}
	most := 0
	for _, a := range all.Asked {
		if a.Matches == nil || !*a.Matches || len(a.Prompt) != 2 || len(a.Answers) == 0 {
			t.Errorf("entry %d: its prompt is not the one that was sent, or it has no answer: %+v", a.Entry, a)
		}
		most = max(most, len(a.Answers))
	}
	if most != again || again < 2 {
		t.Errorf("at most %d answers of an entry are shown, %d were asked for", most, again)
	}
	facts := map[string]string{}
	for _, f := range all.Facts {
		facts[f.Name] = f.Text
	}
	if facts["Question"] == "" || !strings.Contains(facts["Options"], "(A) ") || !strings.HasPrefix(facts["Right answer"], "(") || !strings.Contains(facts["Personas"], "Agent 2: Pilot (likes maps)") {
		t.Errorf("what it was about is %q", facts)
	}

	id := "shown/" + all.Collaborations[0].ID
	text := ends(t, 0, dir, nil, "show", id).out
	contains(t, text, "Question: ", "Right answer: (", "approves of candidate")
	if strings.Contains(text, " > ") {
		t.Errorf("an approval is shown as a ranking:\n%s", text)
	}
	one := ends(t, 0, dir, nil, "show", id, "--prompts", "--raw", "--entry", "1").out
	contains(t, one, "--- prompt of entry 1, system", "--- prompt of entry 1, user", "--- answer 1 of entry 1, as received", facts["Question"])
	if strings.Contains(one, "of entry 0") || strings.Contains(one, "of entry 2") {
		t.Errorf("other entries are shown:\n%s", one)
	}
	ends(t, cli.ExitUsage, dir, nil, "show", id, "--entry", "999")
	page := filepath.Join(dir, "shown.html")
	ends(t, 0, dir, nil, "report", "shown")
	html, err := os.ReadFile(page)
	noError(t, err)
	contains(t, string(html), "<h3>Question</h3>", `<span class="tag">right</span>`, "Pilot (likes maps)", `<details class="asked"`)

	// The data is in the lake; without it nothing is passed off as what was sent.
	noError(t, os.RemoveAll(filepath.Join(dir, "examples")))
	if again := ends(t, 0, dir, nil, "show", id, "--prompts", "--raw", "--entry", "1").out; again != one {
		t.Errorf("without its files it is shown as\n%s\nand was\n%s", again, one)
	}
	noError(t, os.RemoveAll(filepath.Join(dir, "lake/data")))
	contains(t, ends(t, 0, dir, nil, "show", id, "--prompts", "--raw").out, "Prompts cannot be rendered again", "--- answer 1 of entry 0, as received")
}
