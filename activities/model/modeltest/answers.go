package modeltest

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
)

// statuses are responses without words that mean the same at every service.
var statuses = map[string]struct {
	status   int
	after    string // Retry-After
	class    model.Class
	unbilled bool
}{
	"rate limit":             {429, "7", model.Retry, true},
	"server error":           {500, "", model.Retry, true},
	"unavailable":            {503, "7", model.Retry, true},
	"gateway timed out":      {504, "", model.Retry, false}, // the service may have answered
	"no such key":            {401, "", model.Pause, true},
	"no such model":          {404, "", model.Pause, true},
	"request not acceptable": {422, "", model.Fail, true},
}

// checkStatuses compares the class, the wait and the billing of each status.
func (s suite) checkStatuses(t testing.TB) {
	for name, c := range statuses {
		var headers []string
		if c.after != "" {
			headers = []string{"Retry-After", c.after}
		}
		server := httptest.NewServer(reply(c.status, "", headers...))
		_, err := s.build(t, server.URL, Case{Name: name}).Complete(t.Context(), Question)
		server.Close()
		wait, _ := time.ParseDuration(c.after + "s")
		if e := Failure(t, err); e.Class != c.class || e.Status != c.status || e.RetryAfter != wait ||
			e.Unbilled != c.unbilled {
			t.Errorf("%s: got %+v, want class %s, wait %v, unbilled %v", name, *e, c.class, wait, c.unbilled)
		}
	}
}

// checkUseless sends bodies that hold no answer with status 200: each may have been billed.
func (s suite) checkUseless(t testing.TB) {
	for name, body := range map[string]string{
		"empty body": "", "no JSON": "<html>", "half of the JSON": s.before, "no content": "{}", "null": "null",
		"deep nesting": strings.Repeat("[", 1_000_000),
	} {
		server := httptest.NewServer(reply(200, body))
		got, err := s.build(t, server.URL, Case{Name: name}).Complete(t.Context(), Question)
		server.Close()
		if err == nil {
			t.Errorf("%s: got the answer %q, want an error", name, got.Text)
			continue
		}
		if e := Failure(t, err); e.Class == model.Pause || e.Unbilled {
			t.Errorf("%s: got %+v, want an error that may have been billed", name, *e)
		}
	}
}

// checkBytes serves an answer that is not UTF-8: its bytes are data.
func (s suite) checkBytes(t testing.TB) {
	server := httptest.NewServer(reply(200, s.before+"a\xff\xfeb"+s.after))
	defer server.Close()
	got, err := s.build(t, server.URL, Case{Name: "bytes"}).Complete(t.Context(), Question)
	if err != nil || string(got.Text) != "a\xff\xfeb" {
		t.Errorf("got %q, %v", got.Text, err)
	}
}
