package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/wire"
)

func build(t testing.TB, url string, _ modeltest.Case) model.Model { return at(t, url, nil) }

func at(t testing.TB, url string, change func(*Config)) model.Model {
	t.Helper()
	t.Setenv("TEST_KEY", modeltest.Canary)
	c := Config{Model: "claude-opus-5", BaseURL: url, APIKeyEnv: "TEST_KEY", Timeout: model.Duration(time.Minute)}
	if change != nil {
		change(&c)
	}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const answered = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-1","content":[{"type":"text","text":"` + modeltest.Text + `"}],` +
	`"stop_reason":"end_turn","usage":{"input_tokens":12,"cache_read_input_tokens":20,"cache_creation_input_tokens":5,"output_tokens":9,"output_tokens_details":{"thinking_tokens":6}}}`

func TestProvider(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Build: build, Cases: "testdata/faults.yaml", Answer: answered, Usage: model.Usage{Input: 37, CachedInput: 20, CacheWrite: 5, Output: 9, Reasoning: 6}})
}

// exchange answers one question with a body and gives what was sent.
// Caches of five minutes and of an hour are counted together; some servers give only the parts.
func TestCacheWrites(t *testing.T) {
	for usage, want := range map[string]int64{
		`{"input_tokens":1,"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4},"output_tokens":1}`: 7,
		`{"input_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4},"output_tokens":1}`:                                 7,
		`{"input_tokens":1,"cache_creation":null,"output_tokens":1}`:                                                                                          0,
	} {
		if u := wire.ReadUsageApart([]byte(usage)); u.CacheWrite != want || u.Input != 1+want {
			t.Errorf("%s: %+v, want %d written", usage, u, want)
		}
	}
}

func exchange(t *testing.T, change func(*Config), q model.Request, body string) (*http.Request, string, model.Response, error) {
	t.Helper()
	var request *http.Request
	var sent []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request = r
		sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Request-Id", "req-9")
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()
	got, err := at(t, s.URL, change).Complete(t.Context(), q)
	return request, string(sent), got, err
}

func TestWhatIsSentAndRead(t *testing.T) {
	zero, half := 0.0, 0.5
	q := model.Request{
		Messages: []model.Message{
			{Role: "system", Content: "rules"}, {Role: "user", Content: "one"}, {Role: "user", Content: "two"}, {Role: "assistant", Content: " \n"},
			{Role: "user", Content: "three"}, {Role: "assistant", Content: "four"}, {Role: "user", Content: "five"}},
		Parameters:     model.Parameters{Temperature: &zero, TopP: &half, MaxTokens: 100_000, Stop: []string{"END"}},
		Schema:         json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`),
		IdempotencyKey: "campaign/c1/7/0",
	}
	request, sent, got, err := exchange(t, nil, q, answered)
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) string { return `{"text":"` + s + `","type":"text"}` }
	want := `{"max_tokens":100000,"messages":[{"content":[` + text("one") + `,` + text("two") + `,` + text("three") + `],"role":"user"},` +
		`{"content":[` + text("four") + `],"role":"assistant"},{"content":[` + text("five") + `],"role":"user"}],"model":"claude-opus-5","temperature":0,"top_p":0.5,` +
		`"output_config":{"format":{"type":"json_schema","schema":` + string(q.Schema) + `}},"stop_sequences":["END"],"stream":false,"system":[` + text("rules") + `]}`
	if sent != want {
		t.Errorf("sent %s\nwant %s", sent, want)
	}
	h := request.Header
	if request.Method != http.MethodPost || request.URL.Path != "/v1/messages" || h.Get("X-Api-Key") != modeltest.Canary || h.Get("Anthropic-Version") == "" || h.Get("Idempotency-Key") != q.IdempotencyKey {
		t.Errorf("asked with %s %s %v", request.Method, request.URL.Path, h)
	}
	if string(got.Text) != modeltest.Text || got.Model != "claude-opus-5-1" || got.FinishReason != "stop" || got.RequestID != "req-9" {
		t.Errorf("got %+v", got)
	}
	if want := (model.Usage{Input: 37, CachedInput: 20, CacheWrite: 5, Output: 9, Reasoning: 6}); got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
}

// A server of one's own gets a message in one block, however prompts go on; one that is said to keep
// what is marked gets the marks.
func TestMarks(t *testing.T) {
	q := model.Request{Messages: []model.Message{{Role: "user", Content: "rules, and more", Ends: []int{5}}}}
	for want, change := range map[string]func(*Config){
		`[{"text":"rules, and more","type":"text"}]`:                                                                nil,
		`[{"text":"rules","type":"text","cache_control":{"type":"ephemeral"}},{"text":", and more","type":"text"}]`: func(c *Config) { c.CacheControl = true },
	} {
		if _, sent, _, err := exchange(t, change, q, answered); err != nil || !strings.Contains(sent, `"content":`+want) {
			t.Errorf("sent %s, %v, want %s", sent, err, want)
		}
	}
}

func TestNothingIsSentThatWasNotSet(t *testing.T) {
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Secret: "+modeltest.Canary)
	t.Setenv("ANTHROPIC_AUTH_TOKEN", modeltest.Canary)
	request, sent, _, err := exchange(t, nil, model.Request{Messages: []model.Message{{Role: "user", Content: "hi"}}}, answered)
	if want := `{"max_tokens":4096,"messages":[{"content":[{"text":"hi","type":"text"}],"role":"user"}],"model":"claude-opus-5","stream":false}`; err != nil || sent != want {
		t.Errorf("sent %s, %v", sent, err)
	}
	if h := request.Header; h.Get("X-Secret") != "" || h.Get("Authorization") != "" || h.Get("Traceparent") != "" || h.Get("Idempotency-Key") != "" {
		t.Errorf("headers %v", h)
	}
}

func TestTheBytesOfAnAnswerAreKept(t *testing.T) {
	_, _, got, err := exchange(t, nil, modeltest.Question, "{\"content\":[{\"type\":\"text\",\"text\":\"a\xff\xfe\\u00e9\\ud83d\\ude00\"}]}")
	if err != nil || string(got.Text) != "a\xff\xfeé😀" {
		t.Errorf("got %q, %v", got.Text, err)
	}
}

func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat("[", 5_000_000)
	for _, body := range []string{`{"content":` + deep, `{"error":` + deep, `{"usage":` + deep} {
		_, _, _, err := exchange(t, nil, modeltest.Question, body)
		if e := modeltest.Failure(t, err); e.Class != model.Retry || e.Code != "unreadable_body" {
			t.Errorf("got %+v", *e)
		}
	}
}

func TestASchemaThatIsNoJSONIsNotSent(t *testing.T) {
	q := modeltest.Question
	q.Schema = json.RawMessage("{")
	request, _, _, err := exchange(t, nil, q, answered)
	if e := modeltest.Failure(t, err); e.Class != model.Fail || e.Code != "bad_request" || request != nil {
		t.Errorf("got %+v", *e)
	}
}

// Whatever a server says, it becomes an answer or a classified error.
func FuzzRead(f *testing.F) {
	for _, c := range modeltest.Read(f, "testdata/faults.yaml") {
		f.Add([]byte(c.Body), c.Status)
	}
	c := at(f, "http://localhost:1", nil).(*client)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		_, useless := c.readAnswer(modeltest.Question, &wire.Call{Body: body, Header: http.Header{}})
		if useless != nil {
			modeltest.Failure(t, useless)
		}
		_, refused := c.classifyRefusal(&wire.Failure{Status: status, Header: http.Header{}, Body: body})
		if e := modeltest.Failure(t, refused); e.Class == "" || e.Status != status {
			t.Errorf("got %+v", *e)
		}
	})
}

func TestLimitsAreRead(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Anthropic-Ratelimit-Requests-Limit", "50")
		w.Header().Set("Anthropic-Ratelimit-Requests-Remaining", "49")
		if r.Header.Get("Idempotency-Key") == "" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, answered)
	}))
	defer s.Close()
	q, want := modeltest.Question, model.Allowance{Limit: 50, Remaining: 49}
	got, err := at(t, s.URL, nil).Complete(t.Context(), q)
	if err != nil || got.Limits.Requests != want {
		t.Errorf("got %+v, %v", got.Limits, err)
	}
	q.IdempotencyKey = ""
	_, err = at(t, s.URL, nil).Complete(t.Context(), q)
	if e := modeltest.Failure(t, err); e.Limits.Requests != want {
		t.Errorf("got %+v", *e)
	}
}

// Of a schema that is refused: asked again without it, and from then on so.
func TestAutoFallsBackOnceAndRemembers(t *testing.T) {
	for mode, want := range map[JSONMode]string{
		Auto:   "schema campaign/c1/7/0, plain campaign/c1/7/0/plain, plain campaign/c1/7/0/plain",
		Schema: "schema campaign/c1/7/0, schema campaign/c1/7/0",
		Plain:  "plain campaign/c1/7/0, plain campaign/c1/7/0",
	} {
		t.Run(string(mode), func(t *testing.T) {
			var asked []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				kind := "plain"
				if strings.Contains(string(body), "output_config") {
					kind = "schema"
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprint(w, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format.schema: For 'integer' type, property 'minimum' is not supported"}}`)
				} else {
					fmt.Fprint(w, answered)
				}
				asked = append(asked, kind+" "+r.Header.Get("Idempotency-Key"))
			}))
			defer s.Close()
			m := at(t, s.URL, func(c *Config) { c.JSON = mode })
			q := modeltest.Question
			q.Schema = json.RawMessage(`{"type":"object"}`)
			for range 2 {
				if _, err := m.Complete(t.Context(), q); (err != nil) != (mode == Schema) {
					t.Errorf("got %v", err)
				}
			}
			if got := strings.Join(asked, ", "); got != want {
				t.Errorf("asked %s\nwant  %s", got, want)
			}
		})
	}
}

func TestOtherRefusalsAreNotAskedAgain(t *testing.T) {
	for status, body := range map[int]string{
		413: `{"type":"error","error":{"type":"request_too_large","message":"output_config.format is too large"}}`,
		401: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`,
		429: `{"type":"error","error":{"type":"rate_limit_error","message":"output_config.format"}}`,
	} {
		requests := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		q := modeltest.Question
		q.Schema = json.RawMessage(`{"type":"object"}`)
		_, err := at(t, s.URL, nil).Complete(t.Context(), q)
		s.Close()
		if modeltest.Failure(t, err); requests != 1 {
			t.Errorf("status %d: %d requests", status, requests)
		}
	}
}
