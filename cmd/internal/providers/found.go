package providers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/openai"
)

// Found is a model that can probably be called from this machine, as far as can be told without a call.
type Found struct {
	Model   string `json:"model"`              // as a campaign names it
	BaseURL string `json:"base_url,omitempty"` // of a server on this machine
	From    string `json:"from"`               // for people: the server, or the variable with the key
}

// IsLocal reports whether the model is served on this machine, where calls cost nothing.
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

// Find returns the first model of each server at the usual ports of this machine, then one model per API key
// that is set. It calls no model.
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

// ServerNames returns the local server programs that Find looks for.
func ServerNames() (names []string) {
	for _, s := range servers {
		names = append(names, s.program)
	}
	return names
}

// KeyNames returns the environment variables in which Find looks for API keys.
func KeyNames() (names []string) {
	for _, k := range keys {
		names = append(names, k.variable)
	}
	return names
}

// lookTime is how long a server of this machine may take to list its models.
const lookTime = 2 * time.Second

// ServedModels returns the names of the models at an OpenAI-compatible server, without pure embedders.
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

// CheckReachable returns an error if nothing accepts connections at p's endpoint.
func CheckReachable(p model.Provider) error {
	if p.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(p.Endpoint)
	if err != nil {
		return err
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); err != nil || proxy != nil {
		return err // the proxy reaches it for us
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(u.Hostname(), port), 3*time.Second)
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); ok {
			err = dial.Err
		}
		return fmt.Errorf("%s cannot be reached: %w", p.Endpoint, err)
	}
	return conn.Close()
}
