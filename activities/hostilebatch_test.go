package activities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roundtable/activities/batch"
	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
	"roundtable/analysis/lake"
)

// liar answers as a service does, with what it says changed.
func liar(service http.Handler, lie func(path, said string) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		said := httptest.NewRecorder()
		service.ServeHTTP(said, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(said.Code)
		_, _ = io.WriteString(w, lie(r.Method+" "+r.URL.Path, said.Body.String()))
	}
}

// isResults reports whether a request is for the results of a batch.
func isResults(path string) bool {
	return strings.HasSuffix(path, "/content") || strings.HasSuffix(path, "/results") || strings.HasPrefix(path, "GET /v1beta/batches/")
}

// What a service of batches answers beside what it was asked is nobody's answer: each call is answered
// and charged once, with the first answer to its request.
func TestHostileBatches(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]func(line string) string{
		"answers twice":              func(line string) string { return strings.ReplaceAll(line, "hi", "twice") },
		"of other batches":           func(line string) string { return strings.ReplaceAll(line, "roundtable-", "roundtable-0") },
		"of requests that never was": func(line string) string { return strings.ReplaceAll(line, `-0"`, `-99999"`) },
		"of no request": func(string) string {
			return `{"custom_id":"","result":{"type":"succeeded","message":{}},"response":{"status_code":200,"body":{}}}`
		},
	} {
		for _, of := range []string{"openai", "anthropic"} { // whose results are lines
			t.Run(name+"/"+of, func(t *testing.T) {
				t.Parallel()
				b := newBatching(t, of, 12, &modeltest.Batches{})
				b.front = liar(b.service, func(path, said string) string {
					if !isResults(path) {
						return said
					}
					var out strings.Builder
					for line := range strings.Lines(said) {
						out.WriteString(line + strings.TrimSpace(more(line)) + "\n")
					}
					return out.String()
				})
				if said := b.play(b.start(0, false)); len(said) > 0 {
					t.Errorf("failures: %v", said)
				}
				b.want(tally{12, 0, 12, 12 * inBatch})
				for cell := range b.cells {
					all := stored(t, b.lake, b.plan, ref(b.plan, cell))
					if text := string(all.Turns[0].Asks[0].Raw); strings.Contains(text, "twice") {
						t.Errorf("cell %d has the second answer: %s", cell, text)
					}
				}
			})
		}
	}
}

// A service that says a secret back as the name of a batch, in a result or in its place, has it stored
// or shown nowhere.
func TestBatchesHoldNoSecrets(t *testing.T) {
	const canary = "canary-batch-4c1f77e09a2b"
	t.Setenv("BATCH_TEST_API_KEY", canary)
	for of := range batchModels {
		for name, lie := range map[string]func(path, said string) string{
			"as an ID": func(_, said string) string { return strings.ReplaceAll(said, "batch-1", canary) },
			"in a result": func(path, said string) string {
				if isResults(path) {
					return `{"` + canary + `": }` + "\n"
				}
				return said
			},
		} {
			t.Run(name+"/"+of, func(t *testing.T) {
				t.Parallel()
				b := newBatching(t, of, 12, &modeltest.Batches{})
				b.pace.Window, b.pace.Grace, b.pace.Settle = 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond
				b.front = liar(b.service, lie)
				said := strings.Join(b.play(b.start(0, false)), "\n")
				objects, err := b.lake.List(ctx, "")
				noError(t, err)
				for _, o := range objects {
					data, err := b.lake.Get(ctx, o.Key)
					noError(t, err)
					said += string(data)
				}
				if strings.Contains(said, canary) {
					at := strings.Index(said, canary)
					t.Errorf("the secret is stored or shown: …%s…", said[max(0, at-200):at+len(canary)])
				}
			})
		}
	}
}

// A list of batches that never ends, redirects and bodies that never end are errors: nothing is sent
// elsewhere, and what they answer is bounded.
func TestEndlessBatches(t *testing.T) {
	t.Parallel()
	for of, make := range batchModels {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			pages := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				pages++
				fmt.Fprintf(w, `{"data": [{"id": "x%d", "created_at": %q}], "has_more": true, "last_id": "x%d", "nextPageToken": "x%d"}`, pages, time.Now().Add(time.Hour).Format(time.RFC3339), pages, pages)
			}))
			defer server.Close()
			id, err := make(server.URL).(model.Batcher).FindBatch(ctx, model.SentBatch{Name: "roundtable-x", Requests: 1, CreatedAt: time.Now()})
			if id != "" || err == nil || !strings.Contains(err.Error(), "does not end after 1000 pages") {
				t.Errorf("%q, %v after %d pages", id, err, pages)
			}
			elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect is followed") }))
			defer elsewhere.Close()
			away := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
			defer away.Close()
			m := make(away.URL).(model.Batcher)
			if _, err := m.CreateBatch(ctx, "roundtable-x", []model.BatchRequest{{ID: "roundtable-x-0", Body: []byte("{}")}}); err == nil {
				t.Error("a redirect creates a batch")
			}
			if _, err := m.PollBatch(ctx, "batches/x"); err == nil {
				t.Error("a redirect is a batch")
			}
		})
	}
}

// A batch of which nobody can tell whether it was created is given up when its time is up; its calls
// stay of unknown outcome and are made alone.
func TestBatchThatIsNeverFound(t *testing.T) {
	t.Parallel()
	b := newBatching(t, "openai", 12, &modeltest.Batches{})
	b.pace.Window, b.pace.Grace = 200*time.Millisecond, 200*time.Millisecond
	service := http.Handler(b.service)
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/batches") {
			http.Error(w, `{"error": {"message": "broken"}}`, http.StatusInternalServerError)
			return
		}
		service.ServeHTTP(w, r)
	})
	b.play(b.start(0, false))
	if got := b.tally(); got.answered != 12 || got.unknown != 12 || got.batch != 0 {
		t.Errorf("the lake has %+v", got)
	}
}

// Records of batches in a stranger's lake lead to no other place of a service, and one that is not as
// it was written is found.
func TestStrangersBatches(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Method+" "+r.URL.RequestURI()+" "+string(bytes.TrimSpace(body)))
		http.NotFound(w, r)
	}))
	defer server.Close()
	for _, id := range []string{"../v1beta/models/m:generateContent?x=", "models/m/x:generateContent?", "batches/x?key=", "batches/../files", "//elsewhere.example/x"} {
		m := batchModels["google"](server.URL).(model.Batcher)
		if _, err := m.PollBatch(ctx, id); err == nil {
			t.Errorf("%s is polled", id)
		}
		if err := m.CancelBatch(ctx, id); err == nil {
			t.Errorf("%s is cancelled", id)
		}
	}
	if len(asked) > 0 {
		t.Errorf("asked for: %v", asked)
	}

	s := newLake(t)
	put := func(name string, r batch.Record, spoil bool) {
		key := batch.Folder("c") + name + ".json"
		data, err := lake.Seal(key, r)
		noError(t, err)
		if spoil {
			data = bytes.Replace(data, []byte("openai"), []byte("openbi"), 1)
		}
		noError(t, s.PutIfAbsent(context.Background(), key, data))
	}
	record := batch.Record{Name: "a", Campaign: "c", Provider: "openai/m", Calls: []string{"x"}}
	put("a", record, false)
	put("b", record, false)
	record.Name = "d"
	put("d", record, true)
	found, err := batch.Check(ctx, s, "c")
	noError(t, err)
	text, _ := json.Marshal(found)
	if len(found) != 2 || !strings.Contains(string(text), "b.json") || !strings.Contains(string(text), "d.json") {
		t.Errorf("found: %s", text)
	}
}
