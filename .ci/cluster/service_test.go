package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// service imitates an OpenAI-compatible service that is paid. What it answers and bills is
// a function of the question alone; it keeps its own books of who asked what and when.
type service struct {
	*httptest.Server
	latency time.Duration
	every   int // one in that many requests is refused with 503 and not billed; 0 refuses none

	mu   sync.Mutex
	asks []*ask
}

// ask is one request.
type ask struct {
	key      string // Idempotency-Key: campaign/collaboration/entry/ask
	by       string // the worker: each has its own API key
	at       time.Time
	refused  bool
	answered time.Time // when the whole answer was written; zero before
	nanoUSD  int64     // what an answer is billed
}

const prices = "prices: {openai/fake: {input: 0.25, output: 2}}\n" // US dollars for a million tokens

func newService(t *testing.T) *service {
	s := &service{latency: 250 * time.Millisecond, every: 40}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 || !strings.Contains(r.Header.Get("Idempotency-Key"), "/") {
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"no messages or no Idempotency-Key"}}`, http.StatusBadRequest)
		return
	}
	_, key, _ := strings.Cut(r.Header.Get("Idempotency-Key"), "/") // without the name of the run, which differs from lake to lake
	a := &ask{key: key, by: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), at: time.Now()}
	s.mu.Lock()
	s.asks = append(s.asks, a)
	a.refused = s.every > 0 && len(s.asks)%s.every == 0
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if a.refused {
		w.Header().Set("Retry-After-Ms", "200")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":{"type":"server_error","message":"overloaded"}}`)
		return
	}
	time.Sleep(s.latency)
	var texts []string
	size := 0
	for _, m := range q.Messages {
		texts, size = append(texts, m.Content), size+len(m.Content)
	}
	prompt, again := question(texts)
	text := reply(a.key[:strings.LastIndex(a.key, "/")]+prompt, again) // replicates differ
	input, output := size/3, len(text)/3+1
	body, _ := json.Marshal(map[string]any{
		"id": "r", "object": "chat.completion", "created": 1, "model": q.Model + "-2026-01-01",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
	})
	_, err := w.Write(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	a.nanoUSD = int64(input)*250 + int64(output)*2000 // it is billed also if nobody reads it
	if err == nil {
		a.answered = time.Now()
	}
}

// since are copies of the requests from the n-th on.
func (s *service) since(n int) []ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ask
	for _, a := range s.asks[n:] {
		all = append(all, *a)
	}
	return all
}

func (s *service) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asks)
}

// answeredAfter reports whether an answer to a request that came after a time is out.
func (s *service) answeredAfter(n int, at time.Time) bool {
	return slices.ContainsFunc(s.since(n), func(a ask) bool { return a.at.After(at) && !a.answered.IsZero() })
}

// most is the largest number of requests in any stretch of this length.
func most(asks []ask, stretch time.Duration) (n int) {
	first := 0
	for last := range asks {
		for asks[last].at.Sub(asks[first].at) >= stretch {
			first++
		}
		n = max(n, last-first+1)
	}
	return n
}

// question returns the question among the texts of a request, and whether it is asked
// again after an answer that could not be used.
func question(texts []string) (prompt string, again bool) {
	last := texts[len(texts)-1]
	if at := asksAgain.FindStringIndex(last); at != nil {
		return last[:at[0]], true
	}
	return last, false
}

// asksAgain is what follows a question that is asked again.
var asksAgain = regexp.MustCompile(`(?s)\n\n(An|\d+) earlier answers? to this could not be used.*$`)

var candidateLine = regexp.MustCompile(`(?m)^(\d+)\. \{`)

// reply answers as an agent would whose mind is a hash of what it reads. One in thirty
// first answers is malformed, so that some questions are asked again.
func reply(prompt string, again bool) string {
	sum := sha256.Sum256([]byte(prompt))
	mind := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 7))
	if mind.IntN(30) == 0 && !again {
		return `I think {"decision": `
	}
	switch {
	case strings.Contains(prompt, "his is the message phase"):
		return fmt.Sprintf(`{"target": [], "message": "Let us settle at %d."}`, mind.IntN(1000))
	case strings.Contains(prompt, "his is the proposal phase"):
		shares := map[string]map[string]int{"Alex": {}, "Blake": {}, "Casey": {}}
		for _, good := range []string{"apples", "bread", "cloth"} {
			a, b := 10*mind.IntN(6), 10*mind.IntN(5)
			shares["Alex"][good], shares["Blake"][good], shares["Casey"][good] = a, b, 100-a-b
		}
		data, _ := json.Marshal(shares)
		return fmt.Sprintf(`{"reason_for_decision": "why not", "proposal": %s}`, data)
	}
	last := candidateLine.FindAllStringSubmatch(prompt, -1)
	if len(last) == 0 {
		return "?"
	}
	n, _ := strconv.Atoi(last[len(last)-1][1])
	return fmt.Sprintf(`{"reason_for_decision": "I like it", "decision": %d}`, 1+mind.IntN(n))
}
