package bedrock

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

const claude = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"

// keys makes static credentials that include the canary, and nothing else of AWS's, visible.
func keys(t testing.TB) {
	t.Helper()
	clean(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", modeltest.Canary)
	t.Setenv("AWS_SESSION_TOKEN", "session-"+modeltest.Canary)
	t.Setenv("AWS_REGION", "eu-central-1")
}

// clean hides the settings of AWS on this machine.
func clean(t testing.TB) {
	t.Helper()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION",
		"AWS_DEFAULT_REGION", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", endpointEnv, apiKeyEnv} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/config")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/credentials")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func build(t testing.TB, url string, _ modeltest.Case) model.Model {
	return at(t, url, nil)
}

func at(t testing.TB, url string, change func(*Config)) model.Model {
	t.Helper()
	keys(t)
	c := Config{Model: claude, BaseURL: url, Timeout: model.Duration(time.Minute)}
	if change != nil {
		change(&c)
	}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const answered = `{"output":{"message":{"role":"assistant","content":[{"text":"` + modeltest.Text + `"}]}},"stopReason":"end_turn",` +
	`"usage":{"inputTokens":12,"outputTokens":3,"totalTokens":40,"cacheReadInputTokens":20,"cacheWriteInputTokens":5}}`

func TestProvider(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Build: build, Cases: "testdata/faults.yaml", Answer: answered, Usage: model.Usage{Input: 37, CachedInput: 20, CacheWrite: 5, Output: 3}})
}

// exchange answers one question with a body and gives what was sent.
func exchange(t *testing.T, change func(*Config), q model.Request, body string) (*http.Request, map[string]any, model.Response, error) {
	t.Helper()
	var request *http.Request
	var sent map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request = r
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Amzn-Requestid", "req-9")
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()
	got, err := at(t, s.URL, change).Complete(t.Context(), q)
	return request, sent, got, err
}

func TestWhatIsSentAndRead(t *testing.T) {
	zero, half := 0.0, 0.5
	q := model.Request{
		Messages: []model.Message{
			{Role: "system", Content: "rules"}, {Role: "user", Content: "one"}, {Role: "user", Content: "two"}, {Role: "user", Content: " \n"},
			{Role: "system", Content: "more rules"}, {Role: "assistant", Content: "three"}, {Role: "user", Content: "four"}},
		Parameters:     model.Parameters{Temperature: &zero, TopP: &half, MaxTokens: 100, Stop: []string{"END"}},
		IdempotencyKey: "campaign/c1/7/0",
	}
	request, sent, got, err := exchange(t, nil, q, answered)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"inferenceConfig":{"maxTokens":100,"stopSequences":["END"],"temperature":0,"topP":0.5},` +
		`"messages":[{"content":[{"text":"one"},{"text":"two"}],"role":"user"},{"content":[{"text":"three"}],"role":"assistant"},{"content":[{"text":"four"}],"role":"user"}],` +
		`"system":[{"text":"rules"},{"text":"more rules"}]}`
	if text, _ := json.Marshal(sent); string(text) != want {
		t.Errorf("sent %s\nwant %s", text, want)
	}
	if request.Method != http.MethodPost || request.URL.Path != "/model/"+claude+"/converse" {
		t.Errorf("asked with %s %s", request.Method, request.URL.Path)
	}
	if a := request.Header.Get("Authorization"); !strings.HasPrefix(a, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") || !strings.Contains(a, "/eu-central-1/bedrock/aws4_request") {
		t.Errorf("signed with %s", a)
	}
	if got.Model != claude || got.FinishReason != "stop" || got.RequestID != "req-9" || string(got.Text) != modeltest.Text {
		t.Errorf("got %+v", got)
	}
	if want := (model.Usage{Input: 37, CachedInput: 20, CacheWrite: 5, Output: 3}); got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
}

func TestNothingIsSentThatWasNotSet(t *testing.T) {
	_, sent, _, err := exchange(t, nil, model.Request{Messages: []model.Message{{Role: "user", Content: "hi"}}}, answered)
	if err != nil || len(sent) != 1 || sent["messages"] == nil {
		t.Errorf("sent %v, %v", sent, err)
	}
}

func TestAModelThatIsAnARN(t *testing.T) {
	const arn = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2"
	request, _, got, err := exchange(t, func(c *Config) { c.Model = arn }, modeltest.Question, answered)
	if err != nil || got.Model != arn {
		t.Fatalf("got %+v, %v", got, err)
	}
	if request.URL.Path != "/model/"+arn+"/converse" || !strings.Contains(request.URL.EscapedPath(), "%2Fa1b2/converse") {
		t.Errorf("asked at %s", request.URL.EscapedPath())
	}
}

func TestAPromptRouterNamesTheModel(t *testing.T) {
	body := strings.Replace(answered, `{"output"`, `{"trace":{"promptRouter":{"invokedModelId":"arn:small"}},"output"`, 1)
	_, _, got, err := exchange(t, nil, modeltest.Question, body)
	if err != nil || got.Model != "arn:small" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat("[", 2_000_000)
	for _, body := range []string{deep, `{"output":` + deep, `{"output":{"message":{"content":` + deep, `{"usage":` + deep} {
		_, _, _, err := exchange(t, nil, modeltest.Question, body)
		if e := modeltest.Failure(t, err); e.Class != model.Retry || e.Code != "unreadable_body" {
			t.Errorf("got %+v", *e)
		}
	}
}

func TestWhatCannotBeAskedIsNotSent(t *testing.T) {
	seed, half := int64(7), 0.5
	user := []model.Message{{Role: "user", Content: "hi"}}
	for name, c := range map[string]struct {
		messages []model.Message
		p        model.Parameters
		want     string
	}{
		"no messages":         {nil, model.Parameters{}, "must be the user's"},
		"system alone":        {[]model.Message{{Role: "system", Content: "x"}}, model.Parameters{}, "must be the user's"},
		"assistant first":     {[]model.Message{{Role: "assistant", Content: "x"}}, model.Parameters{}, "must be the user's"},
		"blank":               {[]model.Message{{Role: "user", Content: " "}}, model.Parameters{}, "not blank"},
		"role":                {[]model.Message{{Role: "tool", Content: "x"}}, model.Parameters{}, `"tool"`},
		"seed":                {user, model.Parameters{Seed: &seed}, "seed"},
		"too many tokens":     {user, model.Parameters{MaxTokens: 1 << 40}, "max_tokens"},
		"thinking fills it":   {user, model.Parameters{MaxTokens: 2048, ReasoningEffort: "low"}, "set max_tokens higher"},
		"effort and warmth":   {user, model.Parameters{ReasoningEffort: "low", Temperature: &half}, "temperature"},
		"effort and top_p":    {user, model.Parameters{ReasoningEffort: "low", TopP: &half}, "top_p"},
		"log-probabilities":   {user, model.Parameters{Logprobs: true}, "Converse gives no log-probabilities"},
		"effort nobody knows": {user, model.Parameters{ReasoningEffort: "huge"}, "minimal, low, medium and high"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") }))
			defer s.Close()
			_, err := build(t, s.URL, modeltest.Case{}).Complete(t.Context(), model.Request{Messages: c.messages, Parameters: c.p})
			e := modeltest.Failure(t, err)
			if e.Class != model.Fail || !e.Unbilled || !strings.Contains(e.Message, c.want) {
				t.Errorf("got %+v", *e)
			}
		})
	}
}
