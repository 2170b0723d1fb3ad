package openai

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"roundtable/activities/model"
)

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		env    map[string]string
		want   string // part of the error; "" if none
	}{
		{"no model", Config{BaseURL: "http://localhost:1/v1"}, nil, "model is empty"},
		{"no key for OpenAI", Config{Model: "m"}, nil, "OPENAI_API_KEY is not set"},
		{"key for OpenAI", Config{Model: "m"}, map[string]string{"OPENAI_API_KEY": canary}, ""},
		{"named key missing", Config{Model: "m", BaseURL: "http://localhost:1", APIKeyEnv: "NOT_THERE"}, nil, "NOT_THERE is not set"},
		{"local needs none", Config{Model: "m", BaseURL: "http://localhost:1"}, nil, ""},
		{"base from the environment", Config{Model: "m"}, map[string]string{"OPENAI_BASE_URL": "http://localhost:1/v1"}, ""},
		{"no URL", Config{Model: "m", BaseURL: "localhost:8000"}, nil, "http:// or https://"},
		{"password", Config{Model: "m", BaseURL: "https://me:" + canary + "@x.org/v1"}, nil, "api_key_env"},
		{"bad URL with password", Config{Model: "m", BaseURL: "https://me:" + canary + "@x.org:port/v1"}, nil, "not a URL"},
		{"query", Config{Model: "m", BaseURL: "https://x.org/v1?k=1"}, nil, "query"},
		{"metadata", Config{Model: "m", BaseURL: "http://169.254.169.254/v1"}, nil, "metadata"},
		{"mode", Config{Model: "m", BaseURL: "http://localhost:1", JSON: "yaml"}, nil, "auto, schema, object, plain"},
		{"tokens field", Config{Model: "m", BaseURL: "http://localhost:1", MaxTokensField: "n"}, nil, "max_completion_tokens"},
		{"several at once", Config{BaseURL: "http://localhost:1", JSON: "yaml"}, nil, "yaml"},
		{"line break in key", Config{Model: "m"}, map[string]string{"OPENAI_API_KEY": "a\nb"}, "characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OPENAI_API_KEY", "")
			t.Setenv("OPENAI_BASE_URL", "")
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			_, err := New(c.config)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("secret in %v", err)
			}
		})
	}
}

// A campaign's base_url must not draw the user's OpenAI key to another place.
func TestUsualKeyIsBoundToItsOrigin(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", canary)
	t.Setenv("OPENAI_ORG_ID", "org-secret")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: "+canary)
	var seen http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		reply(200, answer)(w, r)
	}))
	defer s.Close()
	for _, c := range []struct {
		env, base string
		sent      bool
	}{{"", s.URL, false}, {s.URL + "/v1", s.URL, true}, {s.URL, "", true}} {
		t.Setenv("OPENAI_BASE_URL", c.env)
		m, err := New(Config{Model: "m", BaseURL: c.base})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Complete(t.Context(), question); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(fmt.Sprint(seen), canary); got != c.sent {
			t.Errorf("base %q, environment %q: key sent: %v, want %v", c.base, c.env, got, c.sent)
		}
		if seen.Get("Openai-Organization") != "" || seen.Get("X-Secret") != "" {
			t.Errorf("headers from the environment were sent: %v", seen)
		}
	}
}

// Each key goes to its own service and nowhere else.
func TestUsualKeys(t *testing.T) {
	variables := map[string]string{}
	for _, s := range services {
		variables[s.keyEnv] = "key-of-" + s.keyEnv
		t.Setenv(s.keyEnv, variables[s.keyEnv])
	}
	t.Setenv("OPENAI_BASE_URL", "")
	for base, want := range map[string]string{
		"":                                    "OPENAI_API_KEY",
		"https://api.openai.com/v1":           "OPENAI_API_KEY",
		"https://API.OpenAI.com/v1":           "OPENAI_API_KEY",
		"https://lab.openai.azure.com/openai": "AZURE_OPENAI_API_KEY",
		"https://lab.cognitiveservices.azure.com/openai/v1": "AZURE_OPENAI_API_KEY",
		"https://openrouter.ai/api/v1":                      "OPENROUTER_API_KEY",
		"https://api.together.xyz/v1":                       "TOGETHER_API_KEY",
		"https://api.together.ai/v1":                        "TOGETHER_API_KEY",
		"https://api.groq.com/openai/v1":                    "GROQ_API_KEY",
		"https://api.deepseek.com":                          "DEEPSEEK_API_KEY",
		"https://evil.org/v1":                               "",
		"https://api.openai.com.evil.org/v1":                "",
		"https://evil.api.openai.com/v1":                    "",
		"https://openai.azure.com.evil.org/v1":              "",
		"https://notopenai.azure.com/v1":                    "",
		"https://lab.services.ai.azure.com/openai/v1":       "",
		"https://x.openrouter.ai/v1":                        "",
		"http://localhost:8000/v1":                          "",
	} {
		c := Config{Model: "m", BaseURL: base}
		_, key, err := c.resolveSettings()
		if err != nil || key != variables[want] {
			t.Errorf("%q got the key %q, want that of %q; %v", base, key, want, err)
		}
	}
}

func TestServicesNeedTheirKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", canary)
	for _, s := range services[1:] {
		t.Setenv(s.keyEnv, "")
		base := "https://" + s.domain + "/v1"
		if _, err := New(Config{Model: "m", BaseURL: base}); err == nil || !strings.Contains(err.Error(), s.keyEnv+" is not set") {
			t.Errorf("%s: %v", base, err)
		}
		t.Setenv("OPENAI_BASE_URL", base)
		if _, err := New(Config{Model: "m"}); err == nil || !strings.Contains(err.Error(), s.keyEnv+" is not set") {
			t.Errorf("%s from the environment: %v", base, err)
		}
		t.Setenv("OPENAI_BASE_URL", "")
	}
}

func TestEndpointFaults(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", canary)
	t.Setenv("AZURE_OPENAI_API_KEY", canary)
	const deployment = "https://lab.openai.azure.com/openai/deployments/d"
	for want, c := range map[string]Config{
		"api is \"both\"":      {API: "both"},
		"api_version is empty": {BaseURL: deployment},
		"use …/openai/v1":      {BaseURL: deployment, APIVersion: "2024-10-21", API: Responses},
		"write it as api_version": {
			BaseURL: deployment + "/chat/completions?api-version=2024-10-21"},
		"must end before /chat/completions": {BaseURL: deployment + "/chat/completions"},
		"must end before /responses":        {BaseURL: "http://localhost:1/v1/responses/"},
		"not sent unencrypted":              {BaseURL: "http://api.openai.com/v1"},
	} {
		c.Model = "m"
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), canary) {
			t.Errorf("%+v: got %v, want %q", c, err, want)
		}
	}
	if _, err := New(Config{Model: "m", BaseURL: deployment, APIVersion: "2024-10-21"}); err != nil {
		t.Error(err)
	}
}

// Deployments need a version in the query, and Azure takes its key in a header of its own.
func TestAzure(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		reply(200, answer)(w, r)
	}))
	defer server.Close()
	m := at(t, server.URL+"/openai/deployments/d", func(c *Config) { c.APIVersion = "2024-10-21" })
	if _, err := m.Complete(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	if asked != "/openai/deployments/d/chat/completions?api-version=2024-10-21" {
		t.Errorf("asked at %s", asked)
	}
	for h, want := range map[host]string{
		"lab.openai.azure.com": "api-key", "lab.cognitiveservices.azure.com": "api-key", "lab.services.ai.azure.com": "api-key",
		"api.openai.com": "Authorization", "localhost": "Authorization", "azure.com.evil.org": "Authorization",
	} {
		if got, _ := h.authHeader("k"); got != want {
			t.Errorf("the key of %s goes as %s", h, got)
		}
	}
}

func TestReasoningEffortIsSent(t *testing.T) {
	var sent string
	c := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		reply(200, answer)(w, r)
	})
	q := question
	q.Parameters = model.Parameters{ReasoningEffort: "high"}
	if _, err := c.Complete(t.Context(), q); err != nil || !strings.Contains(sent, `"reasoning_effort":"high"`) {
		t.Errorf("sent %s, %v", sent, err)
	}
}

func TestNoEffortIsSentToModelsWithoutThem(t *testing.T) {
	q := question
	q.Parameters = model.Parameters{ReasoningEffort: "none"}
	for name, want := range map[string]string{"gpt-4o-mini": "", "gpt-6-luna": "none"} {
		c := &client{host: officialHost, config: Config{Model: name}}
		if got := c.chatRequest(q, Plain).ReasoningEffort; got != want {
			t.Errorf("chat with %s: %q", name, got)
		}
		if r := c.responseRequest(q, Plain).Reasoning; (r != nil) != (want != "") {
			t.Errorf("responses with %s: %v", name, r)
		}
	}
}

// OpenAI's own models are known; what another server takes it says itself.
func TestEffortsOfOpenAI(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-x")
	for _, c := range []struct{ model, base, effort, want string }{
		{"gpt-6.2-astra", "", "none", "takes low, medium, high, xhigh and max"},
		{"gpt-6.2-sol", "", "max", ""},
		{"gpt-6-luna", "", "none", ""},
		{"gpt-6-luna", "", "minimal", "takes none, low, medium, high, xhigh and max"},
		{"gpt-5.5-2026-04-23", "", "max", "takes none, low, medium, high and xhigh"},
		{"gpt-5-mini", "", "none", "takes minimal, low, medium and high"},
		{"o4-mini", "", "xhigh", "takes low, medium and high"},
		{"gpt-4o-mini", "", "low", "does not think: leave it out"},
		{"gpt-7", "", "xhigh", ""},
		{"gpt-5-mini", "http://localhost:1/v1", "none", ""},
		{"qwen3", "http://localhost:1/v1", "4096", "takes no number of tokens but reasoning_effort; a server of your own may take a number in extra_body"},
	} {
		m, err := New(Config{Model: c.model, BaseURL: c.base})
		if err != nil {
			t.Fatal(err)
		}
		p := model.Parameters{ReasoningEffort: c.effort}
		if tokens, err := strconv.Atoi(c.effort); err == nil {
			p = model.Parameters{Thinking: tokens}
		}
		if err = m.(model.Checker).Check(p); err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %s: %v, want %q", c.model, c.effort, err, c.want)
		}
	}
}

func TestEndpoint(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "")
	for base, want := range map[string]string{
		"":                          "https://api.openai.com/v1",
		"https://openrouter.ai/api": "https://openrouter.ai/api",
		"http://localhost:8000/v1/": "http://localhost:8000/v1",
		"nonsense":                  "",
	} {
		if got := Endpoint(Config{BaseURL: base}); got != want {
			t.Errorf("%q is asked at %q, want %q", base, got, want)
		}
	}
	t.Setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
	if got := Endpoint(Config{}); got != "http://localhost:1/v1" {
		t.Errorf("asked at %q", got)
	}
}
