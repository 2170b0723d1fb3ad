package modeltest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"roundtable/activities/model"
)

// Case is one response of a service and what must become of it.
type Case struct {
	Name    string            `yaml:"name"`
	Source  string            `yaml:"source"`  // where it is documented, or how it was seen
	Dialect string            `yaml:"dialect"` // whose server it is, where one provider serves several
	Status  int               `yaml:"status"`
	Headers map[string]string `yaml:"headers"`
	Body    string            `yaml:"body"`
	Want    Want              `yaml:"want"`
}

// Want is an error (Class) or an answer (no Class).
type Want struct {
	Class    model.Class   `yaml:"class"`
	Fault    model.Fault   `yaml:"fault"` // not compared if empty
	Code     string        `yaml:"code"`
	After    time.Duration `yaml:"after"`
	Unbilled bool          `yaml:"unbilled"`
	Text     string        `yaml:"text"`
	Finish   string        `yaml:"finish"`
	Thinking string        `yaml:"thinking"`
}

// Read reads a file of cases; each must be whole.
func Read(t testing.TB, path string) []Case {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	if err := d.Decode(&cases); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if c.Name == "" || c.Source == "" || c.Status == 0 || seen[c.Name] {
			t.Errorf("%s: case %q has no name, source or status, or is there twice", path, c.Name)
		}
		seen[c.Name] = true
	}
	return cases
}

// Question is what the suite asks.
var Question = model.Request{
	Messages:       []model.Message{{Role: "system", Content: "rules"}, {Role: "user", Content: "what now?"}},
	Parameters:     model.Parameters{MaxTokens: 100},
	IdempotencyKey: "campaign/c1/7/0",
}

// replayAll replays the cases of a file.
func replayAll(t *testing.T, path string, build Build) {
	for _, c := range Read(t, path) {
		t.Run(c.Name, func(t *testing.T) { Replay(t, c, build) })
	}
}

// Replay serves one case and compares what becomes of it.
func Replay(t *testing.T, c Case, build Build) {
	t.Helper()
	var requests atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "application/json")
		for k, v := range c.Headers {
			w.Header().Set(k, v)
		}
		w.WriteHeader(c.Status)
		fmt.Fprint(w, c.Body)
	}))
	defer s.Close()
	got, err := build(t, s.URL, c).Complete(t.Context(), Question)
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
	if c.Want.Class == "" {
		if err != nil {
			t.Fatalf("an error instead of an answer: %v", err)
		}
		if string(got.Text) != c.Want.Text || got.FinishReason != c.Want.Finish || got.Thinking != c.Want.Thinking {
			t.Errorf("got %q that ended with %q after %q, want %q, %q and %q", got.Text, got.FinishReason, got.Thinking,
				c.Want.Text, c.Want.Finish, c.Want.Thinking)
		}
		return
	}
	e := Failure(t, err)
	if c.Want.Fault != "" && e.Fault != c.Want.Fault {
		t.Errorf("the fault is %s, want %s", e.Fault, c.Want.Fault)
	}
	if e.Class != c.Want.Class || e.Code != c.Want.Code || e.RetryAfter != c.Want.After ||
		e.Unbilled != c.Want.Unbilled {
		t.Errorf("got %+v\nwant %+v", *e, c.Want)
	}
	if c.Status/100 != 2 && e.Status != c.Status {
		t.Errorf("the status %d became %d", c.Status, e.Status)
	}
}

// Failure returns err as a *model.Error that is fit to be shown.
func Failure(t testing.TB, err error) *model.Error {
	t.Helper()
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		t.Fatalf("got %v (%T), want a *model.Error", err, err)
	}
	text := fmt.Sprintf("%v %+v", err, *e)
	if strings.Contains(text, Canary) {
		t.Errorf("the error shows the key: %s", text)
	}
	if len(e.Message) > 2048 || len(e.Code) > 100 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b") {
		t.Errorf("the error's text is not fit for history: %q", text)
	}
	return e
}
