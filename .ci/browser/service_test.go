package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// service is a model that says the same to every question, after a time.
type service struct {
	*httptest.Server
	calls   atomic.Int64
	latency atomic.Int64 // of an answer, as a time.Duration
}

func newService(t *testing.T, latency time.Duration, text string) *service {
	s := &service{}
	s.latency.Store(int64(latency))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.calls.Add(1)
		time.Sleep(time.Duration(s.latency.Load()))
		message := map[string]string{"role": "assistant", "content": text}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "r", "object": "chat.completion", "model": "made-up-1",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": message}},
			"usage":   map[string]int{"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920},
		})
	}))
	t.Cleanup(s.Close)
	return s
}

// awaitCalls waits until something was asked.
func (s *service) awaitCalls(t *testing.T) {
	t.Helper()
	for began := time.Now(); s.calls.Load() == 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("no call is made")
		}
	}
}

// campaign writes the file of a campaign that asks this service: three agents talk, and vote.
func (s *service) campaign(f folder, name string, replicates int) {
	f.t.Helper()
	text := fmt.Sprintf("name: %s\nreplicates: %d\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nreasks: 1\ngrid:\n  rule: [majority, ranked]\n"+
		"model: {name: openai/made-up, base_url: %s/v1}\ncost: unknown\nlimits: {collaborations: 2, calls: 6}\n", name, replicates, s.URL)
	if err := os.WriteFile(filepath.Join(f.dir, name+".yaml"), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}
