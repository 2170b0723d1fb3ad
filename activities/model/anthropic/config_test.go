package anthropic

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		env    map[string]string
		want   string // part of the error; "" if none
	}{
		{"no model", Config{BaseURL: "http://localhost:1"}, nil, "model is empty"},
		{"no key for Anthropic", Config{Model: "m"}, nil, "ANTHROPIC_API_KEY is not set"},
		{"key for Anthropic", Config{Model: "m"}, map[string]string{keyEnv: modeltest.Canary}, ""},
		{"key for Anthropic without encryption", Config{Model: "m", BaseURL: "http://api.anthropic.com"}, map[string]string{keyEnv: modeltest.Canary}, "https://"},
		{"named key missing", Config{Model: "m", BaseURL: "http://localhost:1", APIKeyEnv: "NOT_THERE"}, nil, "NOT_THERE is not set"},
		{"local needs none", Config{Model: "m", BaseURL: "http://localhost:1"}, nil, ""},
		{"base from the environment", Config{Model: "m"}, map[string]string{baseURLEnv: "http://localhost:1"}, ""},
		{"bad base from the environment", Config{Model: "m"}, map[string]string{baseURLEnv: "localhost"}, baseURLEnv},
		{"ends with /v1", Config{Model: "m", BaseURL: "http://localhost:1/v1/"}, nil, "before /v1/messages"},
		{"ends with the path", Config{Model: "m", BaseURL: "http://localhost:1/v1/messages"}, nil, "before /v1/messages"},
		{"no URL", Config{Model: "m", BaseURL: "localhost:8000"}, nil, "http:// or https://"},
		{"password", Config{Model: "m", BaseURL: "https://me:" + modeltest.Canary + "@x.org"}, nil, "api_key_env"},
		{"metadata", Config{Model: "m", BaseURL: "http://169.254.169.254"}, nil, "metadata"},
		{"mode", Config{Model: "m", BaseURL: "http://localhost:1", JSON: "yaml"}, nil, "auto, schema, plain"},
		{"timeout", Config{Model: "m", BaseURL: "http://localhost:1", Timeout: -1}, nil, "timeout"},
		{"several at once", Config{JSON: "yaml"}, nil, "model is empty"},
		{"line break in key", Config{Model: "m"}, map[string]string{keyEnv: "a\nb"}, "characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(keyEnv, "")
			t.Setenv(baseURLEnv, "")
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			_, err := New(c.config)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), modeltest.Canary) {
				t.Errorf("secret in %v", err)
			}
		})
	}
}

func TestEndpoint(t *testing.T) {
	for _, c := range []struct{ env, base, want string }{
		{"", "", "https://api.anthropic.com"},
		{"http://localhost:1", "", "http://localhost:1"},
		{"http://localhost:1", "https://x.org/claude", "https://x.org/claude"},
		{"", "nowhere", ""},
	} {
		t.Setenv(baseURLEnv, c.env)
		if got := Endpoint(Config{BaseURL: c.base}); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

// A campaign's base_url must not draw the user's key to another place.
func TestUsualKeyIsBoundToItsOrigin(t *testing.T) {
	t.Setenv(keyEnv, modeltest.Canary)
	var seen http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		_, _ = io.WriteString(w, answered)
	}))
	defer s.Close()
	for _, c := range []struct {
		env, base string
		sent      bool
	}{{"", s.URL, false}, {"http://localhost:1", s.URL, false}, {s.URL + "/claude", s.URL, true}, {s.URL, "", true}} {
		t.Setenv(baseURLEnv, c.env)
		m, err := New(Config{Model: "m", BaseURL: c.base})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Complete(t.Context(), modeltest.Question); err != nil {
			t.Fatal(err)
		}
		if got := seen.Get("X-Api-Key") == modeltest.Canary; got != c.sent {
			t.Errorf("base %q, environment %q: key sent: %v, want %v", c.base, c.env, got, c.sent)
		}
	}
}

// What cannot be kept is refused before anything is sent.
func TestRefusedRequests(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") }))
	defer s.Close()
	seed, half, two, nan := int64(5), 0.5, 2.0, math.NaN()
	for _, c := range []struct {
		name, model string
		messages    []model.Message
		parameters  model.Parameters
		want        string
	}{
		{"no messages", "", []model.Message{}, model.Parameters{}, "first message"},
		{"only rules", "", []model.Message{{Role: "system", Content: "a"}}, model.Parameters{}, "first message"},
		{"blank question", "", []model.Message{{Role: "user", Content: " "}}, model.Parameters{}, "first message"},
		{"starts with an answer", "", []model.Message{{Role: "assistant", Content: "a"}}, model.Parameters{}, "first message"},
		{"role", "", []model.Message{{Role: "tool", Content: "a"}}, model.Parameters{}, `role "tool"`},
		{"seed", "", nil, model.Parameters{Seed: &seed}, "seed"},
		{"temperature", "", nil, model.Parameters{Temperature: &two}, "temperature is 2; Anthropic takes 0 to 1"},
		{"temperature that is not a number", "", nil, model.Parameters{Temperature: &nan}, "temperature is NaN"},
		{"top_p", "", nil, model.Parameters{TopP: &two}, "top_p is 2"},
		{"effort that is not there", "", nil, model.Parameters{ReasoningEffort: "minimal"}, "low, medium, high, xhigh and max"},
		{"fields of another service", "", nil, model.Parameters{ExtraBody: map[string]any{"top_k": 1}}, "extra_body"},
		{"log-probabilities", "", nil, model.Parameters{Logprobs: true}, "Anthropic gives no log-probabilities, which openai/… models"},
		{"effort and temperature", "", nil, model.Parameters{ReasoningEffort: "low", Temperature: &half}, "temperature"},
		{"effort and top_p", "", nil, model.Parameters{ReasoningEffort: "low", TopP: &half}, "top_p"},
		{"effort of a model that does not think", "claude-3-5-haiku-20241022", nil, model.Parameters{ReasoningEffort: "low"}, "does not take"},
		{"budget above max_tokens", "claude-sonnet-4-5", nil, model.Parameters{ReasoningEffort: "low", MaxTokens: 2048}, "max_tokens higher"},
		{"budget without a number", "claude-sonnet-4-5", nil, model.Parameters{ReasoningEffort: "max"}, "minimal, low"},
		{"effort between those of 4.6", "claude-opus-4-6", nil, model.Parameters{ReasoningEffort: "xhigh"}, "low, medium, high and max"},
		{"a model that always thinks", "claude-opus-5-5", nil, model.Parameters{ReasoningEffort: "none"}, "always thinks and takes low, medium, high, xhigh and max"},
		{"tokens of a model that takes an effort", "claude-opus-5-5", nil, model.Parameters{Thinking: 2000}, "takes no number of tokens but a reasoning_effort: low"},
		{"too few tokens", "claude-haiku-4-5", nil, model.Parameters{Thinking: 1000}, "takes 1024 tokens or more"},
		{"all tokens", "claude-haiku-4-5", nil, model.Parameters{Thinking: 2048, MaxTokens: 2048}, "set max_tokens higher"},
		{"tokens and temperature", "claude-haiku-4-5", nil, model.Parameters{Thinking: 2048, Temperature: &half}, "temperature"},
	} {
		q := model.Request{Messages: c.messages, Parameters: c.parameters}
		if c.messages == nil {
			q.Messages = modeltest.Question.Messages
		}
		m := at(t, s.URL, func(config *Config) {
			if c.model != "" {
				config.Model = c.model
			}
		})
		_, err := m.Complete(t.Context(), q)
		if e := modeltest.Failure(t, err); e.Class != model.Fail || e.Code != "bad_request" || !e.Unbilled || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: got %+v", c.name, *e)
		}
	}
}

func TestThinking(t *testing.T) {
	const rest = `"messages":[{"content":[{"text":"hi","type":"text"}],"role":"user"}],"model":`
	one := 1.0
	for _, c := range []struct {
		model string
		p     model.Parameters
		want  string
	}{
		{"claude-opus-4-6", model.Parameters{ReasoningEffort: "none"}, `{"max_tokens":4096,` + rest + `"claude-opus-4-6","stream":false,"thinking":{"type":"disabled"}}`},
		{"claude-3-5-haiku-20241022", model.Parameters{ReasoningEffort: "none"}, `{"max_tokens":4096,` + rest + `"claude-3-5-haiku-20241022","stream":false}`},
		{"claude-opus-4-6", model.Parameters{ReasoningEffort: "low"}, `{"max_tokens":6144,` + rest + `"claude-opus-4-6","output_config":{"effort":"low"},"stream":false,"thinking":{"display":"summarized","type":"adaptive"}}`},
		{"claude-fable-5", model.Parameters{ReasoningEffort: "high", MaxTokens: 9, Temperature: &one}, `{"max_tokens":9,` + rest + `"claude-fable-5","temperature":1,"output_config":{"effort":"high"},"stream":false,"thinking":{"display":"summarized","type":"adaptive"}}`},
		{"claude-sonnet-4-20250514", model.Parameters{ReasoningEffort: "minimal"}, `{"max_tokens":5120,` + rest + `"claude-sonnet-4-20250514","stream":false,"thinking":{"budget_tokens":1024,"type":"enabled"}}`},
		{"claude-opus-4-5", model.Parameters{ReasoningEffort: "medium", MaxTokens: 9000}, `{"max_tokens":9000,` + rest + `"claude-opus-4-5","stream":false,"thinking":{"budget_tokens":8192,"type":"enabled"}}`},
		{"claude-opus-4-6", model.Parameters{ReasoningEffort: "max"}, `{"max_tokens":61440,` + rest + `"claude-opus-4-6","output_config":{"effort":"max"},"stream":false,"thinking":{"display":"summarized","type":"adaptive"}}`},
		{"claude-sonnet-5-5", model.Parameters{ReasoningEffort: "xhigh", MaxTokens: 9}, `{"max_tokens":9,` + rest + `"claude-sonnet-5-5","output_config":{"effort":"xhigh"},"stream":false,"thinking":{"display":"summarized","type":"adaptive"}}`},
		{"claude-sonnet-5-5", model.Parameters{ReasoningEffort: "none"}, `{"max_tokens":4096,` + rest + `"claude-sonnet-5-5","stream":false,"thinking":{"type":"between_tools"}}`},
		{"claude-opus-4-6", model.Parameters{Thinking: 3000}, `{"max_tokens":7096,` + rest + `"claude-opus-4-6","stream":false,"thinking":{"budget_tokens":3000,"type":"enabled"}}`},
		{"claude-haiku-4-5", model.Parameters{Thinking: 3000, MaxTokens: 4000}, `{"max_tokens":4000,` + rest + `"claude-haiku-4-5","stream":false,"thinking":{"budget_tokens":3000,"type":"enabled"}}`},
		{"claude-3-7-sonnet-latest", model.Parameters{ReasoningEffort: "high"}, `{"max_tokens":20480,` + rest + `"claude-3-7-sonnet-latest","stream":false,"thinking":{"budget_tokens":16384,"type":"enabled"}}`},
	} {
		q := model.Request{Messages: []model.Message{{Role: "user", Content: "hi"}}, Parameters: c.p}
		_, sent, _, err := exchange(t, func(config *Config) { config.Model = c.model }, q, answered)
		if err != nil || sent != c.want {
			t.Errorf("sent %s, %v\nwant %s", sent, err, c.want)
		}
	}
}
