package main

import (
	"os"
	"path/filepath"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
	"strings"
	"testing"
)

// What a service cannot honour is a fault of the campaign file, not of the
// first paid call.
func TestParametersThatNoServiceTakes(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "k")
	t.Setenv("GEMINI_API_KEY", "k")
	t.Setenv("OPENAI_API_KEY", "k")
	t.Setenv("AWS_REGION", "eu-central-1")
	s, err := store.NewLocal(t.TempDir())
	noError(t, err)
	for _, c := range []struct{ model, generate, fault string }{
		{"anthropic/m", "{seed: 1}", "seed is set"},
		{"anthropic/m", "{temperature: 1.5}", "Anthropic takes 0 to 1"},
		{"anthropic/m", "{temperature: 1}", ""},
		{"bedrock/m", "{seed: 1}", "seed is set"},
		{"google/m", "{seed: 9999999999}", "Google takes seeds"},
		{"google/m", "{seed: 1}", ""},
		{"{name: openai/m, api: responses}", "{stop: [x]}", "neither seed nor stop"},
		{"{name: openai/m, api: chat}", "{stop: [x]}", ""},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		text := "name: c\nenv: exchange\nprotocol: roundtable\nrule: majority\ncost: unknown\nmodel: " + c.model + "\ngenerate: " + c.generate + "\n"
		noError(t, os.WriteFile(file, []byte(text), 0o600))
		_, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), file, s, false)
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s with %s: %v, want %q", c.model, c.generate, err, c.fault)
		}
	}
}
