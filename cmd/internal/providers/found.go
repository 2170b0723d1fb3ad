package providers

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/openai"
)

// Found is a model that somebody can ask on this machine, as far as can be told for nothing.
type Found struct {
	Model   string `json:"model"`              // as a campaign names it
	BaseURL string `json:"base_url,omitempty"` // of a server on this machine
	From    string `json:"from"`               // for people: the server, or the variable with the key
}

// IsLocal reports whether the model is served on this machine, where no call costs money.
func (f Found) IsLocal() bool { return f.BaseURL != "" }

// servers are where programs that serve models listen unless they are told otherwise.
var servers = []struct{ program, url string }{
	{"Ollama", "http://localhost:11434/v1"},
	{"vLLM", "http://localhost:8000/v1"},
	{"llama.cpp", "http://localhost:8080/v1"},
	{"LM Studio", "http://localhost:1234/v1"},
}

// keys are the variables of services, each with a cheap model whose price is known.
var keys = []struct{ variable, model string }{
	{"OPENAI_API_KEY", "openai/gpt-4o-mini"},
	{"ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5"},
	{"GOOGLE_API_KEY", "google/gemini-2.5-flash"},
	{"GEMINI_API_KEY", "google/gemini-2.5-flash"},
}

// Find looks for models: at the usual ports of this machine, then by the keys that are set.
// No model is asked.
func Find(ctx context.Context) []Found {
	var found []Found
	for _, s := range servers {
		if names, err := ServedModels(ctx, s.url); err == nil && len(names) > 0 {
			found = append(found, Found{Model: "openai/" + names[0], BaseURL: s.url, From: s.program + " at " + s.url})
		}
	}
	for _, k := range keys {
		if os.Getenv(k.variable) != "" &&
			!slices.ContainsFunc(found, func(f Found) bool { return f.Model == k.model }) {
			found = append(found, Found{Model: k.model, From: "the key in " + k.variable})
		}
	}
	return found
}

// ServerNames returns the programs that Find looks for.
func ServerNames() (names []string) {
	for _, s := range servers {
		names = append(names, s.program)
	}
	return names
}

// KeyNames returns the variables that Find looks at.
func KeyNames() (names []string) {
	for _, k := range keys {
		names = append(names, k.variable)
	}
	return names
}

// lookTime is how long a server of this machine may take to list its models.
const lookTime = 2 * time.Second

// ServedModels returns the names of the models at a server that speaks OpenAI's interface,
// without those that only embed.
func ServedModels(ctx context.Context, baseURL string) ([]string, error) {
	m, err := openai.New(openai.Config{Model: "any", BaseURL: baseURL})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	names, err := m.(model.Lister).Models(ctx)
	return slices.DeleteFunc(names, func(name string) bool { return strings.Contains(strings.ToLower(name), "embed") }), err
}
