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

const seated = `name: seated
env: {name: exchange, agents: 4}
model: scripted/trader
rule: majority
agents:
  - {role: nurse, description: thirty years on the ward, style: two short sentences, language: German, memory: 2, votes: 2}
  - {instructions: "Agree with the nurse.\nSay nothing of it.", stance: stubborn, memory: 0}
  - {role: surgeon, stance: wrong, memory: 1, votes: 0}
  - {stance: adversarial, votes: 1}
grid:
  protocol: [{name: roundtable, rounds: 1}, {name: discussion, rounds: 1, vote_from: 1}]
`

// What each agent is told of itself and of the others, in every protocol that can say
// it: the last part of its system message, and nobody else's secrets.
func TestAgentsInPrompts(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "seated.yaml")
	if err := os.WriteFile(file, []byte(seated), 0o600); err != nil {
		t.Fatal(err)
	}
	p, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), file, s, false)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := planning.RenderPrompts(catalogue.Builtin(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	var b strings.Builder
	for _, r := range prompts {
		system := r.Text()
		at := strings.Index(system, "# Who you are")
		if at < 0 {
			t.Fatalf("%s: nothing is said of its agent:\n%s", r.Title(), system)
		}
		about, _, _ := strings.Cut(system[at:], "--- user")
		if !slices.Contains(seen, about) {
			seen = append(seen, about)
			fmt.Fprintf(&b, "=== %s\n%s\n", r.Title(), about)
		}
		if strings.Contains(about, "Agree with the nurse") && strings.Contains(about, "thirty years") {
			t.Errorf("%s: an agent reads another's secret", r.Title())
		}
	}
	golden := filepath.Join("testdata", "agents.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != b.String() {
		t.Errorf("%s is different (%v):\n%s", golden, err, b.String())
	}
}
