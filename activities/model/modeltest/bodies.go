package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"roundtable/activities/model"
)

// reply answers everything with one response of JSON.
func reply(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func (s suite) redirects(t *testing.T) {
	var leaked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(reply(status, "", "Location", elsewhere.URL+"/v1"))
		_, err := s.ask(t.Context(), t, server.URL)
		server.Close()
		if e := Failure(t, err); e.Class != model.Pause || e.Status != status || !e.Unbilled {
			t.Errorf("got %+v", *e)
		}
	}
	if n := leaked.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func (s suite) hugeAnswer(t *testing.T) {
	var sent atomic.Int64
	chunk := strings.Repeat("a", 1<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, s.before)
		for range 200 {
			n, err := io.WriteString(w, chunk)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
		fmt.Fprint(w, s.after)
	}))
	defer server.Close()
	_, err := s.ask(t.Context(), t, server.URL)
	if e := Failure(t, err); e.Class != model.Fail || e.Code != "answer_too_large" || e.Unbilled {
		t.Errorf("got %+v", *e)
	}
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d MiB were taken", n>>20)
	}
}

// A long answer below the cap is paid and arrives.
func (s suite) longAnswer(t *testing.T) {
	text := strings.Repeat("x", 10<<20)
	server := httptest.NewServer(reply(200, s.before+text+s.after))
	defer server.Close()
	got, err := s.ask(t.Context(), t, server.URL)
	if err != nil || string(got.Text) != text {
		t.Errorf("got %d bytes, %v", len(got.Text), err)
	}
}

// unfitErrors are 3 MB long, no UTF-8, full of keys and of what moves a terminal's cursor.
func (s suite) unfitErrors(t *testing.T) {
	secrets := []string{"sk-proj-AbCdEf0123456789", "sk-abcd***wxyz", "hunter2hunter2hunter2"}
	short := "no " + s.key + " Authorization: Bearer " + s.key + " key " + secrets[0] + " " + secrets[1] + " Bearer " +
		secrets[2] + "\xff\x1b[31m"
	if s.key != "" {
		secrets = append(secrets, s.key)
	}
	text := strings.Repeat("\xff\x00é", 50) + short + strings.Repeat("filler é ", 300_000)
	bodies := []string{text, errorBody(text), short, errorBody(short)}
	for _, status := range []int{400, 401, 429, 500} {
		for _, body := range bodies {
			server := httptest.NewServer(reply(status, body))
			_, err := s.ask(t.Context(), t, server.URL)
			server.Close()
			e := Failure(t, err)
			for _, secret := range secrets {
				if strings.Contains(fmt.Sprintf("%+v", *e), secret) {
					t.Errorf("%q in %+v", secret, *e)
				}
			}
			if e.Status != status {
				t.Errorf("the status %d became %d", status, e.Status)
			}
		}
	}
}

// errorBody says one text in all the members in which services describe errors.
func errorBody(text string) string {
	q := strings.NewReplacer(`"`, `\"`, "\x00", `\u0000`, "\x1b", `\u001b`).Replace(text)
	members := fmt.Sprintf(`"message":"%s","type":"%s","code":"%s","status":"%s"`, q, q, q, q)
	return fmt.Sprintf(`{%s,"__type":"%s","error":{%s}}`, members, q, members)
}

// manyAtATime share one model, as all collaborations of a campaign do.
func (s suite) manyAtATime(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%2 == 0 {
			reply(503, "", "Retry-After", "1")(w, r)
			return
		}
		reply(200, s.answer)(w, r)
	}))
	defer server.Close()
	m := s.build(t, server.URL, Case{Name: t.Name()})
	var answers, failures atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			switch got, err := m.Complete(t.Context(), Question); {
			case err != nil:
				failures.Add(1)
			case string(got.Text) == Text:
				answers.Add(1)
			}
		})
	}
	wg.Wait()
	if requests.Load() != 50 || answers.Load() != 25 || failures.Load() != 25 {
		t.Errorf("%d requests brought %d answers and %d failures", requests.Load(), answers.Load(), failures.Load())
	}
}
