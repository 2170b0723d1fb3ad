package google

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
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
		{"no model", Config{BaseURL: "http://localhost:1"}, nil, `model is ""`},
		{"model that climbs", Config{Model: "models/../../x", BaseURL: "http://localhost:1"}, nil, "name a model"},
		{"model with a query", Config{Model: "m?key=1", BaseURL: "http://localhost:1"}, nil, "name a model"},
		{"model of Vertex", Config{Model: "publishers/google/models/m", BaseURL: "http://localhost:1"}, nil, "name a model"},
		{"no key for Google", Config{Model: "m"}, nil, "neither GOOGLE_API_KEY nor GEMINI_API_KEY is set"},
		{"key for Google", Config{Model: "m"}, map[string]string{keyEnv: modeltest.Canary}, ""},
		{"the other key for Google", Config{Model: "m"}, map[string]string{otherKeyEnv: modeltest.Canary}, ""},
		{"key for Google without encryption", Config{Model: "m", BaseURL: "http://" + officialHost}, map[string]string{keyEnv: modeltest.Canary}, "https://"},
		{"named key missing", Config{Model: "m", BaseURL: "http://localhost:1", APIKeyEnv: "NOT_THERE"}, nil, "NOT_THERE is not set"},
		{"local needs none", Config{Model: "m", BaseURL: "http://localhost:1"}, nil, ""},
		{"base from the environment", Config{Model: "m"}, map[string]string{baseURLEnv: "http://localhost:1"}, ""},
		{"bad base from the environment", Config{Model: "m"}, map[string]string{baseURLEnv: "localhost"}, baseURLEnv},
		{"ends with the version", Config{Model: "m", BaseURL: "http://localhost:1/v1beta/"}, nil, "before /v1beta/models"},
		{"of the other interface", Config{Model: "m", BaseURL: "http://localhost:1/v1beta/openai"}, nil, "before /v1beta/models"},
		{"no URL", Config{Model: "m", BaseURL: "localhost:8000"}, nil, "http:// or https://"},
		{"password", Config{Model: "m", BaseURL: "https://me:" + modeltest.Canary + "@x.org"}, nil, "api_key_env"},
		{"metadata", Config{Model: "m", BaseURL: "http://169.254.169.254"}, nil, "metadata"},
		{"mode", Config{Model: "m", BaseURL: "http://localhost:1", JSON: "yaml"}, nil, "auto, schema, plain"},
		{"timeout", Config{Model: "m", BaseURL: "http://localhost:1", Timeout: -1}, nil, "timeout"},
		{"several at once", Config{JSON: "yaml"}, nil, "name a model"},
		{"line break in key", Config{Model: "m"}, map[string]string{keyEnv: "a\nb", otherKeyEnv: "good"}, "characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{keyEnv, otherKeyEnv, baseURLEnv} {
				t.Setenv(name, c.env[name])
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
		{"", "", "https://generativelanguage.googleapis.com"},
		{"http://localhost:1", "", "http://localhost:1"},
		{"http://localhost:1", "https://x.org/gemini", "https://x.org/gemini"},
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
	var seen http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		_, _ = io.WriteString(w, answered)
	}))
	defer s.Close()
	for _, c := range []struct {
		env, base, variable string
		sent                bool
	}{
		{"", s.URL, keyEnv, false}, {"", s.URL, otherKeyEnv, false}, {"http://localhost:1", s.URL, keyEnv, false},
		{s.URL + "/gemini", s.URL, keyEnv, true}, {s.URL, "", otherKeyEnv, true},
	} {
		t.Setenv(keyEnv, "")
		t.Setenv(otherKeyEnv, "")
		t.Setenv(c.variable, modeltest.Canary)
		t.Setenv(baseURLEnv, c.env)
		m, err := New(Config{Model: "m", BaseURL: c.base})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Complete(t.Context(), modeltest.Question); err != nil {
			t.Fatal(err)
		}
		if got := seen.Get("X-Goog-Api-Key") == modeltest.Canary; got != c.sent {
			t.Errorf("base %q, environment %q: key sent: %v, want %v", c.base, c.env, got, c.sent)
		}
	}
}

// What cannot be kept is refused before anything is sent.
func TestRefusedRequests(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") }))
	defer s.Close()
	big := int64(1) << 31
	hi := []model.Message{{Role: "user", Content: "hi"}}
	for _, c := range []struct {
		name, model string
		request     model.Request
		want        string
	}{
		{"no messages", "m", model.Request{}, "first message"},
		{"only rules", "m", model.Request{Messages: []model.Message{{Role: "system", Content: "a"}}}, "first message"},
		{"blank question", "m", model.Request{Messages: []model.Message{{Role: "user", Content: " "}}}, "first message"},
		{"starts with an answer", "m", model.Request{Messages: []model.Message{{Role: "assistant", Content: "a"}}}, "first message"},
		{"role", "m", model.Request{Messages: []model.Message{{Role: "model", Content: "a"}}}, `role "model"`},
		{"seed", "m", model.Request{Messages: hi, Parameters: model.Parameters{Seed: &big}}, "seed is 2147483648"},
		{"length", "m", model.Request{Messages: hi, Parameters: model.Parameters{MaxTokens: int(big)}}, "max_tokens"},
		{"effort", "m", model.Request{Messages: hi, Parameters: model.Parameters{ReasoningEffort: "max"}}, "minimal, low"},
		{"effort of Gemini 2.5", "gemini-2.5-pro", model.Request{Messages: hi, Parameters: model.Parameters{ReasoningEffort: "minimal"}}, "low, medium and high"},
		{"a model that always thinks", "gemini-2.5-pro", model.Request{Messages: hi, Parameters: model.Parameters{ReasoningEffort: "none"}}, "it always thinks"},
		{"effort of a later flash", "gemini-3.8-flash", model.Request{Messages: hi, Parameters: model.Parameters{ReasoningEffort: "minimal"}}, "takes low, medium and high"},
		{"tokens of a model that takes an effort", "gemini-3.1-pro-preview", model.Request{Messages: hi, Parameters: model.Parameters{Thinking: 512}}, "takes no number of tokens but a reasoning_effort: low, medium and high"},
		{"too few tokens", "gemini-2.5-flash-lite", model.Request{Messages: hi, Parameters: model.Parameters{Thinking: 511}}, "takes 512 to 24576 tokens"},
		{"schema that is not JSON", "m", model.Request{Messages: hi, Schema: []byte("{")}, "JSON"},
	} {
		_, err := at(t, s.URL, func(config *Config) { config.Model = c.model }).Complete(t.Context(), c.request)
		if e := modeltest.Failure(t, err); e.Class != model.Fail || e.Code != "bad_request" || !e.Unbilled || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: got %+v", c.name, *e)
		}
	}
}

func TestThinking(t *testing.T) {
	for _, c := range []struct{ model, effort, want string }{
		{"gemini-2.5-pro", "32768", `{"includeThoughts":true,"thinkingBudget":32768}`},
		{"gemini-2.5-flash", "none", `{"thinkingBudget":0}`},
		{"gemini-3-pro-preview", "low", `{"includeThoughts":true,"thinkingLevel":"LOW"}`},
		{"gemma-4-31b-it", "high", `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"gemini-2.5-flash", "low", `{"includeThoughts":true,"thinkingBudget":1024}`},
		{"models/gemini-2.5-pro", "high", `{"includeThoughts":true,"thinkingBudget":24576}`},
	} {
		q := model.Request{Messages: []model.Message{{Role: "user", Content: "hi"}}, Parameters: model.Parameters{ReasoningEffort: c.effort}}
		if tokens, err := strconv.Atoi(c.effort); err == nil {
			q.Parameters = model.Parameters{Thinking: tokens}
		}
		_, sent, _, err := exchange(t, func(config *Config) { config.Model = c.model }, q, answered)
		if want := `"generationConfig":{"thinkingConfig":` + c.want + `}}`; err != nil || !strings.HasSuffix(sent, want) {
			t.Errorf("%s: sent %s, %v", c.model, sent, err)
		}
	}
}
