// Package modeltest is the suite that every provider passes, without a key and
// without its service: recorded responses replayed through real HTTP and what must become
// of each, connections broken in every way we know, statuses without words,
// bodies without an answer, answers that are not text, and what an answer was billed.
package modeltest

import (
	"encoding/base64"
	"encoding/hex"
	"net/http/httptest"
	"strings"
	"testing"

	"roundtable/activities/model"
)

// Canary is the key that Build must give its model, if it has one: no error may show it.
const Canary = "CANARY-7f3a-very-secret-0123456789"

// Text is what the service's answer says, see Provider.
const Text = "it-is-a-deal"

// Build makes a model that asks the server at url, with the Canary as its key if it takes one.
// Of tests that are not recorded responses, the Case holds a name and nothing else.
type Build func(t testing.TB, url string, c Case) model.Model

// Provider is what Run needs to know of one.
type Provider struct {
	Build Build
	// Cases is the file of the service's recorded responses, each with its source;
	// "" if another Run of the provider replays them.
	Cases string
	// Answer is a body with which the service answers 200, and in which Text stands
	// once, as the model's text.
	Answer string
	// Usage is what Answer says was billed; the zero value if it says nothing.
	Usage model.Usage
	// Keyless providers have no key, so no server can quote one back to them.
	Keyless bool
	// ReplacesBytes is set if bytes of an answer that are not UTF-8 are not kept.
	ReplacesBytes bool
}

// Run checks a provider.
func Run(t *testing.T, p Provider) {
	before, after, found := strings.Cut(p.Answer, Text)
	if !found || strings.Contains(after, Text) {
		t.Fatalf("the answer must hold %q once, as the model's text: %s", Text, p.Answer)
	}
	s := suite{build: p.Build, key: Canary, answer: p.Answer, before: before, after: after}
	if p.Keyless {
		s.key = ""
	}
	if p.Cases != "" {
		t.Run("responses", func(t *testing.T) { replayAll(t, p.Cases, p.Build) })
	}
	t.Run("connections", s.connections)
	t.Run("statuses", func(t *testing.T) { s.checkStatuses(t) })
	t.Run("useless bodies", func(t *testing.T) { s.checkUseless(t) })
	t.Run("usage", func(t *testing.T) { s.checkUsage(t, p.Usage) })
	t.Run("echoed keys", func(t *testing.T) { s.checkEchoes(t) })
	if !p.ReplacesBytes {
		t.Run("bytes", func(t *testing.T) { s.checkBytes(t) })
	}
}

// suite is one provider under test.
type suite struct {
	build                 Build
	key                   string // that the model has; "" if it has none
	answer, before, after string // answer is before + Text + after
}

// checkEchoes serves answers that say the model's own key back, and one of another variable.
func (s suite) checkEchoes(t *testing.T) {
	other := "another-secret-of-this-process-42"
	t.Setenv("SOMEBODYS_TOKEN", other)
	for _, key := range []string{s.key, other} {
		for _, spelled := range []string{key, strings.ToUpper(key), hex.EncodeToString([]byte(key)),
			base64.StdEncoding.EncodeToString([]byte("x" + key)), strings.Join(strings.Split(key, ""), " ")} {
			server := httptest.NewServer(reply(200, s.before+"It is "+spelled+", is it not?"+s.after))
			got, err := s.build(t, server.URL, Case{Name: "echo"}).Complete(t.Context(), Question)
			server.Close()
			if text := string(got.Text); key != "" &&
				(err != nil || !strings.HasPrefix(text, "It is ") || !strings.Contains(text, "[redacted]") ||
					!strings.HasSuffix(text, ", is it not?") || len(text) > 60) {
				t.Errorf("%q is answered as %q (%v)", spelled, text, err)
			}
		}
	}
}

// checkUsage serves the answer and compares its text and what it says was billed.
func (s suite) checkUsage(t testing.TB, want model.Usage) {
	server := httptest.NewServer(reply(200, s.answer))
	defer server.Close()
	got, err := s.build(t, server.URL, Case{Name: "usage"}).Complete(t.Context(), Question)
	if err != nil || string(got.Text) != Text || got.Usage != want {
		t.Errorf("got %q that took %+v (%v), want %q and %+v", got.Text, got.Usage, err, Text, want)
	}
}
