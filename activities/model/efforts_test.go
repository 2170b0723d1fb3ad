package model_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/activities/model/google"
	"roundtable/activities/model/openai"
	"roundtable/activities/money"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// recorder keeps the last body that it was sent.
type recorder struct{ body string }

func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.body = string(body)
	w.WriteHeader(http.StatusTeapot)
}

// serviceOf builds a model at its service, where url is "", or at a url.
func serviceOf(t *testing.T, provider, name, url string) model.Model {
	t.Helper()
	var m model.Model
	var err error
	switch provider {
	case "openai":
		if url != "" {
			url += "/v1"
		}
		m, err = openai.New(openai.Config{Model: name, BaseURL: url, APIKeyEnv: "TEST_KEY"})
	case "anthropic":
		m, err = anthropic.New(anthropic.Config{Model: name, BaseURL: url, APIKeyEnv: "TEST_KEY"})
	default:
		m, err = google.New(google.Config{Model: name, BaseURL: url, APIKeyEnv: "TEST_KEY"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ofThisYear finds the models of 2026 in the price table.
var ofThisYear = regexp.MustCompile(`^(gpt-(5\.[456]|6)|claude-(fable|opus-5|sonnet-5|haiku-5|opus-4-[678]|sonnet-4-6)|gemini-3)`)

// Each model of 2026 is asked for the efforts that it takes in the field of its service, and every other
// effort, or number of tokens, is refused before the call with what it takes. From the services' pages of
// models and "Thinking", looked up on 27 November 2026.
func TestEffortsOfThisYearsModels(t *testing.T) {
	const all = "low medium high xhigh max"
	openaiField, adaptive, level := `"reasoning_effort":"%s"`, `"output_config":{"effort":"%s"}`, `"thinkingLevel":"%s"`
	models := map[string]struct{ provider, takes, field, none, tokens string }{
		"gpt-6.2-astra": {"openai", all, openaiField, "", ""}, "gpt-6.2-sol": {"openai", all, openaiField, "", ""},
		"gpt-6.1-sol": {"openai", all, openaiField, "", ""}, "gpt-6-astra": {"openai", all, openaiField, "", ""},
		"gpt-6.1-terra": {"openai", "none " + all, openaiField, "", ""},
		"gpt-6-sol":     {"openai", "none " + all, openaiField, "", ""}, "gpt-6-luna": {"openai", "none " + all, openaiField, "", ""},
		"gpt-5.6-sol": {"openai", "none " + all, openaiField, "", ""}, "gpt-5.6-terra": {"openai", "none " + all, openaiField, "", ""},
		"gpt-5.6-luna":     {"openai", "none " + all, openaiField, "", ""},
		"gpt-5.5":          {"openai", "none low medium high xhigh", openaiField, "", ""},
		"gpt-5.4":          {"openai", "none minimal low medium high xhigh", openaiField, "", ""},
		"gpt-5.4-mini":     {"openai", "none minimal low medium high xhigh", openaiField, "", ""},
		"gpt-5.4-nano":     {"openai", "none minimal low medium high xhigh", openaiField, "", ""},
		"claude-fable-5-1": {"anthropic", all, adaptive, "", ""}, "claude-opus-5-5": {"anthropic", all, adaptive, "", ""},
		"claude-opus-5":          {"anthropic", "none " + all, adaptive, `"thinking":{"type":"disabled"}`, ""},
		"claude-sonnet-5":        {"anthropic", "none " + all, adaptive, `"thinking":{"type":"disabled"}`, ""},
		"claude-haiku-5-5":       {"anthropic", "none " + all, adaptive, `"thinking":{"type":"disabled"}`, ""},
		"claude-sonnet-5-5":      {"anthropic", "none " + all, adaptive, `"thinking":{"type":"between_tools"}`, ""},
		"claude-opus-4-8":        {"anthropic", "none " + all, adaptive, `"thinking":{"type":"disabled"}`, ""},
		"claude-opus-4-7":        {"anthropic", "none " + all, adaptive, `"thinking":{"type":"disabled"}`, ""},
		"claude-opus-4-6":        {"anthropic", "none low medium high max", adaptive, `"thinking":{"type":"disabled"}`, `"budget_tokens":2000`},
		"claude-sonnet-4-6":      {"anthropic", "none low medium high max", adaptive, `"thinking":{"type":"disabled"}`, `"budget_tokens":2000`},
		"gemini-3.8-flash":       {"google", "low medium high", level, "", ""},
		"gemini-3.1-pro-preview": {"google", "low medium high", level, "", ""},
		"gemini-3.5-flash":       {"google", "minimal low medium high", level, "", ""},
		"gemini-3.5-flash-lite":  {"google", "minimal low medium high", level, "", ""},
		"gemini-3.1-flash-lite":  {"google", "minimal low medium high", level, "", ""},
		"gemini-3-flash-preview": {"google", "minimal low medium high", level, "", ""},
	}
	t.Setenv("TEST_KEY", "key")
	sent := &recorder{}
	server := httptest.NewServer(sent)
	defer server.Close()
	for name, m := range models {
		official, fake := serviceOf(t, m.provider, name, ""), serviceOf(t, m.provider, name, server.URL)
		takes := strings.Fields(m.takes)
		check := func(p model.Parameters, field string) {
			t.Helper()
			err := official.(model.Checker).Check(p)
			if field == "" {
				if err == nil || !strings.Contains(err.Error(), "takes ") || p.Thinking == 0 && !strings.Contains(err.Error(), takes[len(takes)-1]) {
					t.Errorf("%s, %s: refused with %v, want what it takes", name, p.ReasoningAsked(), err)
				}
				return
			}
			if err != nil {
				t.Errorf("%s, %s: %v", name, p.ReasoningAsked(), err)
			}
			_, _ = fake.Complete(context.Background(), model.Request{Messages: []model.Message{{Role: "user", Content: "?"}}, Parameters: p})
			if !strings.Contains(sent.body, field) {
				t.Errorf("%s, %s: sent %s, want %s", name, p.ReasoningAsked(), sent.body, field)
			}
			sent.body = ""
		}
		for _, effort := range plan.Efforts() {
			field := ""
			switch {
			case effort == "none" && m.none != "":
				field = m.none
			case slices.Contains(takes, effort) && m.provider == "google":
				field = fmt.Sprintf(m.field, strings.ToUpper(effort))
			case slices.Contains(takes, effort):
				field = fmt.Sprintf(m.field, effort)
			}
			check(model.Parameters{ReasoningEffort: effort, MaxTokens: 9000}, field)
		}
		check(model.Parameters{Thinking: 2000, MaxTokens: 9000}, m.tokens)
	}
	table, _ := money.Default()
	for _, key := range table.Keys() {
		name := key[strings.LastIndexByte(key, '/')+1:]
		if _, ok := models[name]; ofThisYear.MatchString(name) && !ok {
			t.Errorf("%s has a price and is not among the models whose efforts are tried", key)
		}
	}
	if len(models) < 12 {
		t.Errorf("%d models: %s", len(models), wording.And(plan.Efforts()))
	}
}
