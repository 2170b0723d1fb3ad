package google

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/wire"
	"roundtable/workflows/plan"
)

func build(t testing.TB, url string, _ modeltest.Case) model.Model { return at(t, url, nil) }

func at(t testing.TB, url string, change func(*Config)) model.Model {
	t.Helper()
	t.Setenv("TEST_KEY", modeltest.Canary)
	c := Config{Model: "gemini-3-flash", BaseURL: url, APIKeyEnv: "TEST_KEY", Timeout: model.Duration(time.Minute)}
	if change != nil {
		change(&c)
	}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const answered = `{"candidates":[{"content":{"parts":[{"text":"` + modeltest.Text + `"}],"role":"model"},"finishReason":"STOP","index":0}],` +
	`"usageMetadata":{"promptTokenCount":12,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":6,"totalTokenCount":21},` +
	`"modelVersion":"gemini-3-flash-001","responseId":"resp-9"}`

func TestProvider(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Build: build, Cases: "testdata/faults.yaml", Answer: answered, Usage: model.Usage{Input: 12, CachedInput: 4, Output: 9, Reasoning: 6}})
}

// exchange answers one question with a body and gives what was sent.
// The tier in which a request was served is in a header, or in the usage.
func TestServiceTier(t *testing.T) {
	for _, c := range []struct{ header, usage, want string }{{"flex", "", "flex"}, {"FLEX", `"STANDARD"`, "flex"}, {"", `"flex"`, "flex"}, {"standard", "", ""}, {"", "7", ""}, {"", "", ""}} {
		var sent []byte
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent, _ = io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			if c.header != "" {
				w.Header().Set("x-gemini-service-tier", c.header)
			}
			body := answered
			if c.usage != "" {
				body = strings.Replace(body, `"usageMetadata":{`, `"usageMetadata":{"serviceTier":`+c.usage+`,`, 1)
			}
			_, _ = io.WriteString(w, body)
		}))
		q := modeltest.Question
		q.Tier = plan.Flex
		got, err := at(t, s.URL, func(*Config) {}).Complete(t.Context(), q)
		s.Close()
		if err != nil || string(got.Tier) != c.want || !strings.Contains(string(sent), `"serviceTier":"flex"`) {
			t.Errorf("%+v: answered in %q, %v; sent %s", c, got.Tier, err, sent)
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
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()
	got, err := at(t, s.URL, change).Complete(t.Context(), q)
	return request, string(sent), got, err
}

func TestWhatIsSentAndRead(t *testing.T) {
	low, high, seed := 0.1, 0.95, int64(-5)
	q := model.Request{
		Messages: []model.Message{
			{Role: "system", Content: "rules"}, {Role: "system", Content: "more"}, {Role: "user", Content: "one"}, {Role: "user", Content: "two"},
			{Role: "assistant", Content: " \n"}, {Role: "user", Content: "three"}, {Role: "assistant", Content: "four"}, {Role: "user", Content: "five"}},
		Parameters:     model.Parameters{Temperature: &low, TopP: &high, MaxTokens: 100, Seed: &seed, Stop: []string{"END"}, ReasoningEffort: "minimal"},
		Schema:         json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`),
		IdempotencyKey: "campaign/c1/7/0",
	}
	request, sent, got, err := exchange(t, nil, q, answered)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"contents":[{"parts":[{"text":"one"},{"text":"two"},{"text":"three"}],"role":"user"},{"parts":[{"text":"four"}],"role":"model"},{"parts":[{"text":"five"}],"role":"user"}],` +
		`"systemInstruction":{"parts":[{"text":"rules"},{"text":"more"}]},"generationConfig":{"responseJsonSchema":` + string(q.Schema) + `,"maxOutputTokens":100,` +
		`"responseMimeType":"application/json","seed":-5,"stopSequences":["END"],"temperature":0.1,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"MINIMAL"},"topP":0.95}}`
	if sent != want {
		t.Errorf("sent %s\nwant %s", sent, want)
	}
	h := request.Header
	if request.Method != http.MethodPost || request.URL.String() != "/v1beta/models/gemini-3-flash:generateContent" ||
		h.Get("X-Goog-Api-Key") != modeltest.Canary || h.Get("Content-Type") != "application/json" || h.Get("Idempotency-Key") != q.IdempotencyKey {
		t.Errorf("asked with %s %s %v", request.Method, request.URL, h)
	}
	if string(got.Text) != modeltest.Text || got.Model != "gemini-3-flash-001" || got.FinishReason != "stop" || got.RequestID != "resp-9" {
		t.Errorf("got %+v", got)
	}
	if want := (model.Usage{Input: 12, CachedInput: 4, Output: 9, Reasoning: 6}); got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
}

func TestNothingIsSentThatWasNotSet(t *testing.T) {
	q := model.Request{Messages: []model.Message{{Role: "user", Content: "hi"}}}
	_, sent, _, err := exchange(t, nil, q, answered)
	if want := `{"contents":[{"parts":[{"text":"hi"}],"role":"user"}]}`; err != nil || sent != want {
		t.Errorf("sent %s, %v", sent, err)
	}
	zero := 0.0
	q.Parameters.Temperature = &zero
	_, sent, _, err = exchange(t, nil, q, answered)
	if want := `"generationConfig":{"temperature":0}}`; err != nil || !strings.HasSuffix(sent, want) {
		t.Errorf("sent %s, %v", sent, err)
	}
}

func TestTunedModel(t *testing.T) {
	request, _, _, err := exchange(t, func(c *Config) { c.Model, c.BaseURL = "tunedModels/mine-1", c.BaseURL+"/proxy/" }, modeltest.Question, answered)
	if err != nil || request.URL.Path != "/proxy/v1beta/tunedModels/mine-1:generateContent" {
		t.Errorf("asked at %s, %v", request.URL, err)
	}
}

func TestTheBytesOfAnAnswerAreKept(t *testing.T) {
	_, _, got, err := exchange(t, nil, modeltest.Question, "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\xff\xfe\\u00e9\\ud83d\\ude00\"}]}}]}")
	if err != nil || string(got.Text) != "a\xff\xfeé😀" || got.Model != "gemini-3-flash" {
		t.Errorf("got %q %+v, %v", got.Text, got, err)
	}
}

func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat("[", 5_000_000)
	for _, body := range []string{`{"candidates":` + deep, `{"error":` + deep, `{"usageMetadata":` + deep} {
		_, _, _, err := exchange(t, nil, modeltest.Question, body)
		if e := modeltest.Failure(t, err); e.Class != model.Retry || e.Code != "unreadable_body" {
			t.Errorf("got %+v", *e)
		}
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
		if e := modeltest.Failure(t, refused); e.Class == "" || e.Status != status || e.RetryAfter < 0 || e.RetryAfter > 24*time.Hour {
			t.Errorf("got %+v", *e)
		}
	})
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
				if strings.Contains(string(body), "responseJsonSchema") {
					kind = "schema"
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprint(w, `{"error":{"code":400,"message":"JSON mode is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}`)
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
		404: `{"error":{"message":"models/x is not found","status":"NOT_FOUND"}}`,
		403: `{"error":{"message":"no schema for you","status":"PERMISSION_DENIED"}}`,
		503: `{"error":{"message":"schema crashed","status":"UNAVAILABLE"}}`,
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

// The shape is that of Google's reference of generateContent.
func TestLogprobs(t *testing.T) {
	q := modeltest.Question
	q.Parameters = model.Parameters{Logprobs: true}
	for result, want := range map[string]*model.Logprob{
		`{"chosenCandidates":[{"token":"a","tokenId":1,"logProbability":-0.5},{"token":"b","logProbability":-0.25}],"topCandidates":[]}`: {Mean: -0.375, Tokens: 2},
		`{}`: nil, `null`: nil,
	} {
		r, body, got, err := exchange(t, nil, q, `{"candidates":[{"content":{"parts":[{"text":"ab"}]},"finishReason":"STOP","avgLogprobs":-0.1,"logprobsResult":`+result+`}]}`)
		if r == nil || err != nil || !strings.Contains(body, `"responseLogprobs":true`) || !reflect.DeepEqual(got.Logprob, want) {
			t.Errorf("%s: sent %s, read %+v, %v, want %+v", result, body, got.Logprob, err, want)
		}
	}
}
