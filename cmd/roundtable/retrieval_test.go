package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A context is fetched once for each discussion, kept, and shown to those who
// challenge; running again asks nothing.
func TestRetrieval(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Query string }
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &q) != nil || r.Header.Get("Authorization") != "Bearer s3cret-search-key" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		asked[q.Query]++
		first := asked[q.Query] == 1
		mu.Unlock()
		if first && strings.Contains(q.Query, "tower") { // it passes by itself
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"results":[{"title":"Gazetteer","text":"FOUND-FOR-THIS"}]}`)
	}))
	defer s.Close()
	dir := example(t, "challenges.yaml", "replicates: 3", "instances: 3", "[solution, history, context, irrelevant, wrong]", "[retrieval]",
		"protocol: discussion", "protocol: discussion\nmodels: {retriever: {name: retrieval/gazetteer, base_url: \""+strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"\", api_key_env: SEARCH_KEY}}\nprices: {retrieval/gazetteer: {input: 0, output: 0}}")
	exampleData(t, dir)
	for range 2 {
		p := program(t, dir, "run", "challenges.yaml")
		p.Env = append(p.Environ(), "SEARCH_KEY=s3cret-search-key")
		if out, err := p.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	total := 0
	for query, n := range asked {
		total += n
		if !strings.HasPrefix(query, "Question: ") {
			t.Errorf("the query is %q", query)
		}
	}
	if len(asked) != 3 || total != 4 { // one was refused once
		t.Errorf("%d questions were asked for %d times, want 3 and 4", len(asked), total)
	}
	if n := analyse(t, dir, "challenges", "challenges").number(t, "agents", map[string]string{"shown": "retrieval"}); n != 9 {
		t.Errorf("%v agents challenge, want 9", n)
	}
	kept := 0
	if err := filepath.WalkDir(filepath.Join(dir, "lake"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "FOUND-FOR-THIS") && strings.HasSuffix(path, ".json") {
			kept++
		}
		if strings.Contains(string(data), "s3cret-search-key") {
			t.Errorf("%s holds the key", path)
		}
		return err
	}); err != nil || kept == 0 {
		t.Errorf("%d objects hold what was found: %v", kept, err)
	}
}
