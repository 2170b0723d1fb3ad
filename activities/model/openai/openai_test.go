package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
	"roundtable/workflows/plan"
)

const (
	canary = modeltest.Canary
	answer = `{"id":"chatcmpl-1","model":"m-2026","choices":[{"index":0,"message":{"role":"assistant","content":"{\"decision\":1}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}`
)

var question = model.Request{
	Messages:       []model.Message{{Role: "system", Content: "rules"}, {Role: "user", Content: "what now?"}},
	IdempotencyKey: "campaign/c1/7/0",
}

// serve starts a server and a model that asks it with the canary as its key.
func serve(t testing.TB, change func(*Config), h http.HandlerFunc) *client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return at(t, s.URL+"/v1", change)
}

func at(t testing.TB, url string, change func(*Config)) *client {
	t.Helper()
	t.Setenv("TEST_KEY", canary)
	c := Config{Model: "m", BaseURL: url, APIKeyEnv: "TEST_KEY", Timeout: model.Duration(time.Minute)}
	if change != nil {
		change(&c)
	}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*client)
}

func reply(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func TestCompleteSendsWhatWasAskedAndReadsTheAnswer(t *testing.T) {
	var sent map[string]any
	var header http.Header
	c := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			t.Errorf("asked at %s", r.URL.Path)
		}
		header = r.Header
		json.NewDecoder(r.Body).Decode(&sent)
		reply(200, answer, "X-Request-Id", "req-9")(w, r)
	})
	zero, seed := 0.0, int64(5)
	q := question
	q.Parameters = model.Parameters{Temperature: &zero, Seed: &seed, MaxTokens: 100, Stop: []string{"END"}}
	got, err := c.Complete(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Text) != `{"decision":1}` || got.Model != "m-2026" || got.FinishReason != "stop" || got.RequestID != "req-9" {
		t.Errorf("got %+v", got)
	}
	if want := (model.Usage{Input: 12, CachedInput: 4, Output: 3, Reasoning: 2}); got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
	if v, ok := sent["temperature"]; !ok || v != 0.0 {
		t.Errorf("temperature 0 was sent as %v", sent["temperature"])
	}
	if sent["seed"] != 5.0 || sent["max_tokens"] != 100.0 || fmt.Sprint(sent["stop"]) != "[END]" || sent["model"] != "m" {
		t.Errorf("sent %v", sent)
	}
	if fmt.Sprint(sent["messages"]) != "[map[content:rules role:system] map[content:what now? role:user]]" {
		t.Errorf("messages %v", sent["messages"])
	}
	if header.Get("Idempotency-Key") != question.IdempotencyKey || header.Get("Authorization") != "Bearer "+canary {
		t.Errorf("headers %v", header)
	}
}

func TestNothingIsSentThatWasNotSet(t *testing.T) {
	var sent map[string]any
	c := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&sent)
		reply(200, answer)(w, r)
	})
	if _, err := c.Complete(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 3 || sent["stream"] != false { // model, messages
		t.Errorf("sent %v", sent)
	}
}

func TestTokensField(t *testing.T) {
	for _, c := range []struct {
		set  TokensField
		host host
		want TokensField
	}{
		{"", "api.openai.com", MaxCompletionTokens},
		{"", "x.openai.azure.com", MaxCompletionTokens},
		{"", "localhost", MaxTokens},
		{"", "openrouter.ai", MaxTokens},
	} {
		if got := c.host.tokensField(); got != c.want {
			t.Errorf("%s: %s, want %s", c.host, got, c.want)
		}
	}
	var sent map[string]any
	c := serve(t, func(c *Config) { c.MaxTokensField = MaxCompletionTokens }, func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&sent)
		reply(200, answer)(w, r)
	})
	q := question
	q.Parameters.MaxTokens = 9
	if _, err := c.Complete(t.Context(), q); err != nil || sent["max_completion_tokens"] != 9.0 || sent["max_tokens"] != nil {
		t.Errorf("sent %v, %v", sent, err)
	}
}

var schema = json.RawMessage(`{"type":"object","properties":{"decision":{"type":["integer","null"]}},"required":["decision"],"additionalProperties":false}`)

// picky refuses json_schema as DeepSeek does and logs what it was asked.
type picky struct {
	sync.Mutex
	formats, keys []string
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ResponseFormat struct {
			Type       string
			JSONSchema struct {
				Name   string
				Strict bool
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	json.NewDecoder(r.Body).Decode(&q)
	p.Lock()
	defer p.Unlock()
	p.formats = append(p.formats, strings.TrimSpace(q.ResponseFormat.Type+" "+q.ResponseFormat.JSONSchema.Name))
	p.keys = append(p.keys, r.Header.Get("Idempotency-Key"))
	if q.ResponseFormat.Type == "json_schema" {
		reply(400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`)(w, r)
		return
	}
	reply(200, answer)(w, r)
}

func TestAutoFallsBackOnceAndRemembers(t *testing.T) {
	p := &picky{}
	c := serve(t, nil, p.ServeHTTP)
	q := question
	q.Schema, q.Name = schema, "the ballot"
	for range 3 {
		if _, err := c.Complete(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprintf("%q", p.formats); got != `["json_schema the_ballot" "" "" ""]` {
		t.Errorf("asked with %s", got)
	}
	if p.keys[0] == p.keys[1] || p.keys[1] != p.keys[3] {
		t.Errorf("keys %q: one body, one key", p.keys)
	}
}

func TestOtherModesDoNotFallBack(t *testing.T) {
	for mode, want := range map[JSONMode]string{Schema: `["json_schema b"]`, Object: `["json_object"]`, Plain: `[""]`} {
		p := &picky{}
		c := serve(t, func(c *Config) { c.JSON = mode }, p.ServeHTTP)
		q := question
		q.Schema, q.Name = schema, "b"
		_, err := c.Complete(t.Context(), q)
		if got := fmt.Sprintf("%q", p.formats); got != want || (err != nil) != (mode == Schema) {
			t.Errorf("%s: asked with %s, error %v", mode, got, err)
		}
	}
}

// countSchemas returns 1 for a request with a schema, and many for one without.
func countSchemas(r *http.Request) int {
	if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "json_schema") {
		return 1
	}
	return 100
}

func TestAutoDoesNotFallBackOnOtherFaults(t *testing.T) {
	for _, h := range []http.HandlerFunc{
		reply(400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`),
		reply(503, `{"error":{"message":"response_format crashed"}}`),
		reply(429, `{"error":{"message":"response_format"}}`),
	} {
		var calls atomic.Int32
		c := serve(t, nil, func(w http.ResponseWriter, r *http.Request) { calls.Add(int32(countSchemas(r))); h(w, r) })
		q := question
		q.Schema = schema
		for asked := int32(1); asked <= 2; asked++ { // the second call must still send the schema
			if _, err := c.Complete(t.Context(), q); err == nil || calls.Load() != asked {
				t.Errorf("%d requests with a schema after %d calls, error %v", calls.Load(), asked, err)
			}
		}
	}
}

func TestStrict(t *testing.T) {
	for s, want := range map[string]bool{
		string(schema): true,
		`{"type":"object","properties":{"a":{},"b":{}},"required":["a"],"additionalProperties":false}`:         false,
		`{"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false}`: false,
		`{"type":"object"}`: false,
		`nonsense`:          false,
	} {
		if got := isStrict([]byte(s)); got != want {
			t.Errorf("strict(%s) = %v", s, got)
		}
	}
}

func TestBadRoleIsNotSent(t *testing.T) {
	c := serve(t, nil, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	_, err := c.Complete(context.Background(), model.Request{Messages: []model.Message{{Role: "tool"}}})
	if e := modeltest.Failure(t, err); e.Class != model.Fail || !e.Unbilled { // or its worst case stays reserved
		t.Errorf("got %+v", e)
	}
}

// OpenAI takes the tier of an account's project where none is said, which may be dearer.
func TestTierIsSaid(t *testing.T) {
	for _, x := range []struct {
		host        host
		asked, sent plan.Tier
	}{{officialHost, "", "default"}, {officialHost, plan.Flex, plan.Flex}, {"localhost", "", ""}} {
		c := &client{host: x.host}
		q := model.Request{Tier: x.asked}
		if sent := c.chatRequest(q, Plain).ServiceTier; sent != x.sent {
			t.Errorf("%s, asked for %q: sent %q", x.host, x.asked, sent)
		}
	}
}

// The shape is that of OpenAI's reference of chat completions, which vLLM and llama.cpp have, too.
func TestLogprobs(t *testing.T) {
	for name, x := range map[string]struct {
		logprobs string
		want     *model.Logprob
	}{
		"OpenAI":         {`{"content":[{"token":"Hello","logprob":-0.5,"bytes":[72],"top_logprobs":[{"token":"Hi","logprob":-9,"bytes":null}]},{"token":"!","logprob":-0.25,"bytes":null,"top_logprobs":[]}],"refusal":null}`, &model.Logprob{Mean: -0.375, Tokens: 2}},
		"llama.cpp":      {`{"content":[{"id":9707,"token":"Hello","bytes":[72],"logprob":-2.0,"top_logprobs":[]}]}`, &model.Logprob{Mean: -2, Tokens: 1}},
		"untold":         {`{"content":[{"token":"a","logprob":-1},{"token":"b","logprob":-9999.0}]}`, nil},
		"rounded up":     {`{"content":[{"token":"a","logprob":1e-9}]}`, &model.Logprob{Tokens: 1}},
		"null":           {`null`, nil},
		"refusal":        {`{"content":null,"refusal":[]}`, nil},
		"empty":          {`{"content":[]}`, nil},
		"no numbers":     {`{"content":[{"token":"a","logprob":"high"},null,{"token":"b"}]}`, nil},
		"another shape":  {`{"tokens":["a"],"token_logprobs":[-1]}`, nil}, // of vLLM before March 2024
		"something else": {`true`, nil},
	} {
		m := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if !strings.Contains(string(body), `"logprobs":true,"top_logprobs":1`) {
				t.Errorf("sent %s", body)
			}
			reply(200, `{"choices":[{"message":{"content":"Hello!"},"finish_reason":"stop","logprobs":`+x.logprobs+`}]}`)(w, r)
		})
		q := question
		q.Parameters.Logprobs = true
		if got, err := m.Complete(t.Context(), q); err != nil || !reflect.DeepEqual(got.Logprob, x.want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got.Logprob, err, x.want)
		}
	}
}

// What OpenAI's models refuse is refused before it is sent: those that think give no log-probabilities.
func TestLogprobsAreRefused(t *testing.T) {
	for _, x := range []struct {
		model, effort string
		api           API
		want          string
	}{
		{"gpt-4o-mini", "", Chat, ""}, {"gpt-5.2", "none", Chat, ""},
		{"gpt-5.2", "", Chat, "reasoning_effort: none only"}, {"gpt-5.2", "low", Chat, "reasoning_effort: none only"},
		{"o3", "", Chat, "o3 gives no log-probabilities"}, {"gpt-5-mini", "low", Chat, "gpt-5-mini gives no log-probabilities"},
		{"gpt-4o-mini", "", Responses, "models with api: chat"},
	} {
		c := &client{host: officialHost, config: Config{Model: x.model, API: x.api}}
		err := c.Check(model.Parameters{Logprobs: true, ReasoningEffort: x.effort})
		if (x.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s, effort %q, %s: %v, want %q", x.model, x.effort, x.api, err, x.want)
		}
	}
}
