package scripted

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

func build(t testing.TB, url string, _ modeltest.Case) model.Model {
	t.Helper()
	t.Setenv("TEST_KEY", modeltest.Canary)
	m, err := NewRetrieval(Config{Model: "wiki", BaseURL: url, APIKeyEnv: "TEST_KEY", Timeout: model.Duration(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const answered = `{"text":"` + modeltest.Text + `"}`

func TestProvider(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Build: build, Cases: "testdata/faults.yaml", Answer: answered, ReplacesBytes: true})
}

// Most services of this kind ask for no key.
func TestProviderWithoutKey(t *testing.T) {
	modeltest.Run(t, modeltest.Provider{Keyless: true, Answer: answered, ReplacesBytes: true, Build: func(t testing.TB, url string, _ modeltest.Case) model.Model {
		m, err := NewRetrieval(Config{Model: "wiki", BaseURL: url, Timeout: model.Duration(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}})
}

// Asked again after an answer that could not be used, it looks for the same.
func TestAskedAgain(t *testing.T) {
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body = string(data)
		_, _ = io.WriteString(w, `{"text":"x"}`)
	}))
	defer s.Close()
	question := model.Request{Messages: []model.Message{
		{Role: "system", Content: "look it up"}, {Role: "user", Content: "what now?"},
		{Role: "assistant", Content: "too long"}, {Role: "user", Content: "That answer cannot be used."},
	}}
	if _, err := build(t, s.URL, modeltest.Case{}).Complete(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	if want := `{"k":3,"query":"what now?"}`; body != want {
		t.Errorf("sent %s, want %s", body, want)
	}
}

// The query is the last message, sent once with the key and the idempotency key.
func TestWhatIsSent(t *testing.T) {
	var body string
	var header http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body, header = r.Method+" "+r.URL.Path+" "+string(data), r.Header
		_, _ = io.WriteString(w, `{"text":"x"}`)
	}))
	defer s.Close()
	if _, err := build(t, s.URL+"/search", modeltest.Case{}).Complete(t.Context(), modeltest.Question); err != nil {
		t.Fatal(err)
	}
	if want := `POST /search {"k":3,"query":"what now?"}`; body != want {
		t.Errorf("sent %s, want %s", body, want)
	}
	if header.Get("Authorization") != "Bearer "+modeltest.Canary || header.Get("Idempotency-Key") != "campaign/c1/7/0" {
		t.Errorf("headers %v", header)
	}
}

func TestFaultyConfigs(t *testing.T) {
	for want, c := range map[string]Config{
		"base_url is missing":                   {Model: "wiki"},
		"must begin with http":                  {Model: "wiki", BaseURL: "ftp://x"},
		"user name or password":                 {Model: "wiki", BaseURL: "http://a:b@localhost"},
		"NO_SUCH_KEY is not set":                {Model: "wiki", BaseURL: "http://localhost", APIKeyEnv: "NO_SUCH_KEY"},
		"k is 1000":                             {Model: "wiki", BaseURL: "http://localhost", K: 1000},
		"link-local and metadata addresses ser": {Model: "wiki", BaseURL: "http://169.254.169.254/latest"},
	} {
		if _, err := NewRetrieval(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	if Endpoint(Config{}) != "" || Endpoint(Config{BaseURL: "http://localhost:1/s"}) != "http://localhost:1/s" {
		t.Error("the endpoint is the base URL")
	}
}

func FuzzFound(f *testing.F) {
	for _, s := range []string{`{"text":"a"}`, `{"results":[{"title":"a","text":"b"}]}`, `{"results":null}`, `[]`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if text, err := findText(body); err == nil && strings.TrimSpace(text) == "" {
			t.Errorf("%q is an empty answer", body)
		}
	})
}
