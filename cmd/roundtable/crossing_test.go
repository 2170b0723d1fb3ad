package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/providers"
	"roundtable/envs"
	"roundtable/envs/program/programtest"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
)

// What a campaign says of each environment.
var environments = map[string]string{
	"exchange":    "exchange",
	"recsys":      "{name: recsys, synthetic: true, n: 3}\ndata: ENVS/recsys/testdata/ml-tiny",
	"menu":        "menu",
	"allocation":  "allocation",
	"qa":          "{name: qa, format: bbh, file: orders.json}\ndata: EXAMPLES/data",
	"consensus":   "consensus",
	"robots":      "robots",
	"publicgoods": "publicgoods",
	"program":     "{name: program, command: [well]}",
}

// What a campaign says of each protocol; two rounds at most, and nothing that a
// model has to write first.
var protocols = map[string]string{
	"roundtable":   "{name: roundtable, rounds: 2}",
	"debate":       "{name: debate, confidence: true}",
	"consensus":    "{name: consensus, rounds: 2}",
	"deliberation": "{name: deliberation, rounds: 2, authority: vote}",
	"discussion":   "{name: discussion, rounds: 2, vote_from: 1, personas: none}",
	"delphi":       "{name: delphi, rounds: 2}",
}

// Why a combination is refused: what the environment, the protocol or the rule lacks.
var refusals = []string{
	"needs agents with states that move, and the environment",
	"needs a state that agents estimate, and the environment",
	"needs what the environment",
	"decides without a rule; leave it out",
	"means nothing for the protocol",
	"needs agents who state a confidence",
}

// Every environment and protocol of the catalogue with every rule and every stopping
// rule, and with -long all with each other: each combination is refused with the reason, or plays to its end.
func TestEverythingTimesEverything(t *testing.T) {
	played, refused := 0, map[string]int{}
	for e, env := range crossed().Environments {
		for _, proto := range catalogue.Builtin().Protocols {
			for i, stop := range catalogue.Builtin().Stopping {
				for k, rule := range rulesFor(proto.Traits) {
					if !*long && (i > 0 && k > 0 || i+k > 0 && (e+i+k)%6 > 0) { // each rule in a sixth of the environments
						continue
					}
					name := strings.Join([]string{env.Name, proto.Name, stop.Name, rule}, " × ")
					reason := play(t, env, proto.Name, stop.Name, rule)
					if reason == "" {
						played++
						continue
					}
					at := slices.IndexFunc(refusals, func(r string) bool { return strings.Contains(reason, r) })
					if at < 0 {
						t.Errorf("%s is refused with another reason: %s", name, reason)
						continue
					}
					refused[refusals[at]]++
				}
			}
		}
	}
	t.Logf("%d combinations played; refused, by reason: %v", played, refused)
}

// crossed returns the catalogue, with a program that is part of this process.
func crossed() catalogue.Catalogue {
	c := catalogue.Builtin()
	for i, e := range c.Environments {
		if e.Name == "program" {
			c.Environments[i].Policies = []string{"neighbour"}
			c.Environments[i].New = func(decode envs.Decode, have catalogue.Needs) (envs.Environment, error) {
				have.Programs = programtest.Asker{}
				return e.New(decode, have)
			}
		}
	}
	return c
}

// rulesFor returns all rules, or none and one if the protocol decides without.
func rulesFor(traits protocol.Traits) []string {
	if traits.Ruleless {
		return []string{"", "majority"}
	}
	var names []string
	for _, r := range catalogue.Builtin().Rules {
		names = append(names, r.Name)
	}
	return names
}

// play returns why a combination is refused; empty if it plays to its end.
func play(t *testing.T, env catalogue.Environment, proto, stop, rule string) string {
	t.Helper()
	e, ok := environments[env.Name]
	p, known := protocols[proto]
	if !ok || !known {
		t.Fatalf("how to write %s or %s is not here", env.Name, proto)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if stop == plan.LearnedStop { // fitted already; the other methods are in the tests of plan
		stop = `{name: learned, from: past, method: consecutive_agreements, fit: {method: consecutive_agreements, on: {}}}`
	}
	text := fmt.Sprintf("name: crossed\ninstances: 1\nreasks: 0\nenv: %s\nprotocol: %s\nstop: %s\nmodel: scripted/%s\ngenerate: {logprobs: true}\n", e, p, stop, env.Policies[0])
	if rule != "" {
		text += "rule: " + rule + "\n"
	}
	text = strings.NewReplacer("ENVS", filepath.Join(root, "envs"), "EXAMPLES", filepath.Join(root, "examples")).Replace(text)
	file := filepath.Join(t.TempDir(), "crossed.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	planned, _, _, err := (planning.Flags{}).Read(t.Context(), crossed(), file, s, false)
	if err != nil {
		return err.Error()
	}
	if _, _, err := collaboration.Rehearse(planned, 0, "", crossed(), providers.Sources(s, planned), providers.New(s).Build); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return ""
}
