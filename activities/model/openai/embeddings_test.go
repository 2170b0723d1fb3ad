package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

// asked is an embedder as the suites ask models: for the vectors of the
// messages.
type asked struct{ Embedder }

func (a asked) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Content)
	}
	_, used, err := a.Vectors(ctx, texts)
	return model.Response{Usage: used}, err
}

func buildEmbedder(t testing.TB, url string, c modeltest.Case) model.Model {
	t.Helper()
	return asked{Embedder{build(t, url, c).(*client)}}
}

const twoVectors = `{"object":"list","data":[{"index":1,"embedding":[0.25,-1]},{"index":0,"embedding":[1,2e-3]}],"model":"m","usage":{"prompt_tokens":7,"total_tokens":7}}`

// Errors mean the same whatever is asked for.
func TestEmbeddingFaults(t *testing.T) {
	for _, c := range modeltest.Read(t, "testdata/faults.yaml") {
		if c.Status/100 == 2 || c.Want.Class == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { modeltest.Replay(t, c, buildEmbedder) })
	}
}

// Redirects would carry the key to another server; bodies end somewhere.
func TestEmbeddingBodies(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	for code, c := range map[string]struct {
		class  model.Class
		answer http.HandlerFunc
	}{
		"temporary_redirect": {model.Pause, reply(http.StatusTemporaryRedirect, "", "Location", elsewhere.URL)},
		"answer_too_large": {model.Fail, func(w http.ResponseWriter, _ *http.Request) {
			for range 17 {
				w.Write(bytes.Repeat([]byte(" "), 1<<20))
			}
		}},
		"connection_error": {model.Retry, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		_, _, err := (&Embedder{serve(t, nil, c.answer)}).Vectors(t.Context(), []string{"one"})
		if e := modeltest.Failure(t, err); e.Class != c.class || e.Code != code {
			t.Errorf("got %+v, want %s %s", *e, c.class, code)
		}
	}
}

func TestVectors(t *testing.T) {
	var sent map[string]any
	c := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+canary {
			t.Errorf("asked at %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		json.NewDecoder(r.Body).Decode(&sent)
		reply(200, twoVectors)(w, r)
	})
	got, used, err := (&Embedder{c}).Vectors(t.Context(), []string{"one", "two"})
	if err != nil || used.Input != 7 || len(got) != 2 || !slices.Equal(got[0], []float64{1, .002}) || !slices.Equal(got[1], []float64{.25, -1}) {
		t.Errorf("%v, used %+v, error %v", got, used, err)
	}
	if sent["model"] != "m" || sent["encoding_format"] != "float" || len(sent["input"].([]any)) != 2 || len(sent) != 3 {
		t.Errorf("sent %v", sent)
	}
}

// A 2xx that is not the vectors of the texts is an error, never a vector.
func TestStrangeVectors(t *testing.T) {
	for _, c := range []struct{ body, says string }{
		{`{"data":[{"index":0,"embedding":[1]}]}`, "text 1 has 0 numbers"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, "twice"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`, "text 2 was not asked for"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, "text 1 has 2 numbers"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1e300]}]}`, "not a number"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":["NaN"]}]}`, ""},
		{`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, "text 0 has 0 numbers"},
		{`{}`, "text 0 has 0 numbers"},
		{`<html>`, ""},
		{`{"error":{"message":"overloaded"}}`, "overloaded"},
	} {
		m := serve(t, nil, reply(200, c.body))
		got, _, err := (&Embedder{m}).Vectors(t.Context(), []string{"one", "two"})
		if err == nil {
			t.Errorf("%s gave %v", c.body, got)
			continue
		}
		if e := modeltest.Failure(t, err); e.Class != model.Retry || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %v, want %q", c.body, err, c.says)
		}
	}
}

func TestEmbedderSettings(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", canary)
	for says, c := range map[string]Config{
		"are not for embeddings": {Model: "m", API: Responses},
		"model is empty":         {},
		"/embeddings":            {Model: "m", BaseURL: "http://localhost:1/v1/embeddings"},
	} {
		if _, err := NewEmbedder(c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", c, err, says)
		}
	}
}
