package bedrock

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

func TestSchema(t *testing.T) {
	q := modeltest.Question
	q.Schema, q.Name = []byte(`{"type":"object"}`), "ballot"
	for mode, want := range map[JSONMode]string{Schema: `{"textFormat":{"structure":{"jsonSchema":{"schema":"{\"type\":\"object\"}"}},"type":"json_schema"}}`, Plain: ""} {
		_, sent, _, err := exchange(t, func(c *Config) { c.JSON = mode }, q, answered)
		if got := encoded(sent["outputConfig"]); err != nil || got != want {
			t.Errorf("%s: sent %s, %v", mode, got, err)
		}
	}
}

// picky refuses some requests, as a model that takes no schema does, and keeps how it was asked.
func picky(t *testing.T, refuses func(body string) bool, change func(*Config)) (m model.Model, asked *[]string) {
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		kind := "plain"
		if strings.Contains(string(body), "textFormat") {
			kind = "schema"
		}
		*asked = append(*asked, kind)
		if refuses(string(body)) {
			w.Header().Set("X-Amzn-Errortype", "ValidationException")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"message":"outputConfig.textFormat: not supported"}`)
			return
		}
		_, _ = io.WriteString(w, answered)
	}))
	t.Cleanup(s.Close)
	return at(t, s.URL, change), asked
}

func TestAutoFallsBackOnceAndRemembers(t *testing.T) {
	schemas := func(body string) bool { return strings.Contains(body, "textFormat") }
	all := func(string) bool { return true }
	for name, c := range map[string]struct {
		mode    JSONMode
		refuses func(string) bool
		want    string
	}{
		"schema refused":       {Auto, schemas, "schema plain plain"},
		"auto is the default":  {"", schemas, "schema plain plain"},
		"something else":       {Auto, all, "schema plain schema plain"},
		"schema must be taken": {Schema, schemas, "schema schema"},
		"plain":                {Plain, schemas, "plain plain"},
	} {
		t.Run(name, func(t *testing.T) {
			m, asked := picky(t, c.refuses, func(config *Config) { config.JSON = c.mode })
			q := modeltest.Question
			q.Schema = []byte(`{"type":"object"}`)
			for range 2 {
				_, err := m.Complete(t.Context(), q)
				if fails := name == "something else" || c.mode == Schema; (err != nil) != fails {
					t.Errorf("got %v", err)
				}
			}
			if got := strings.Join(*asked, " "); got != c.want {
				t.Errorf("asked %s, want %s", got, c.want)
			}
		})
	}
}
