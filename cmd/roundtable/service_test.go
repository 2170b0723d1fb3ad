package main

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
	"sync/atomic"
	"testing"
	"time"
)

// service is an OpenAI-compatible server whose answers are a function of the
// question, and whose faults are not.
type service struct {
	*httptest.Server
	requests
	trouble atomic.Bool // latency and faults

	rng     *rand.Rand
	faulted map[string]int // by kind of fault
}

// requests are those that a server was asked.
type requests struct {
	mu  sync.Mutex
	all []arrival
}

// arrival is one request as it came in.
type arrival struct {
	key string // Idempotency-Key
	at  time.Time
}

func (q *requests) note(r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all = append(q.all, arrival{r.Header.Get("Idempotency-Key"), time.Now()})
}

// arrivals are all requests since the n-th.
func (q *requests) arrivals(n int) []arrival {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.all[n:])
}

func newService(t *testing.T) *service {
	s := &service{rng: rand.New(rand.NewPCG(1, 2)), faulted: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 {
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"no messages"}}`, http.StatusBadRequest)
		return
	}
	s.note(r)
	s.mu.Lock()
	fault := s.rng.IntN(100)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if s.trouble.Load() {
		time.Sleep(50*time.Millisecond + rand.N(150*time.Millisecond))
		if s.fault(w, fault) {
			return
		}
	}
	var texts []string
	for _, m := range q.Messages {
		texts = append(texts, m.Content)
	}
	text := reply(question(texts))
	body, _ := json.Marshal(map[string]any{
		"id": "r", "object": "chat.completion", "created": 1, "model": q.Model + "-2026",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": 2000, "completion_tokens": 20, "total_tokens": 2020},
	})
	w.Write(body)
}

// fault answers 12 of 100 requests with something else than an answer.
func (s *service) fault(w http.ResponseWriter, n int) bool {
	var kind string
	switch {
	case n < 4:
		kind = "503" // not 429: refusals for a limit depend on how much is asked (TestWorkers, TestBinding)
		w.Header().Set("Retry-After-Ms", "50")
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Write([]byte(`{"error":{"type":"server_error","message":"overloaded"}}`))
	case n < 8:
		kind = "500"
		w.WriteHeader(http.StatusInternalServerError)
		w.Write([]byte(`{"error":{"type":"server_error","message":"sorry"}}`))
	case n < 12:
		kind = "cut"
		w.Header().Set("Content-Length", "5000")
		w.Write([]byte(`{"id":"r","choices":[{"index":0,"message":{"role":"assist`))
	default:
		return false
	}
	s.mu.Lock()
	s.faulted[kind]++
	s.mu.Unlock()
	return true
}

var candidateLine = regexp.MustCompile(`(?m)^(\d+)\. \{`)

// reply answers as an agent would whose mind is a hash of what it reads. One
// in twenty first answers is malformed.
func reply(prompt string, again bool) string {
	sum := sha256.Sum256([]byte(prompt))
	mind := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 7))
	if mind.IntN(20) == 0 && !again {
		return `I think {"decision": `
	}
	switch {
	case strings.Contains(prompt, "his is the message phase"): // the first edition has it at the start of a sentence
		return fmt.Sprintf(`{"target": [], "message": "Let us settle at %d."}`, mind.IntN(1000))
	case strings.Contains(prompt, "his is the proposal phase"):
		if mind.IntN(6) == 0 {
			return `{"reason_for_decision": "fine as it is", "proposal": null}`
		}
		return fmt.Sprintf(`{"reason_for_decision": "why not", "proposal": %s}`, split(mind))
	case strings.Contains(prompt, "Summarize these solutions"):
		return fmt.Sprintf("They differ in %d ways.", mind.IntN(100))
	case strings.Contains(prompt, "The answer is (X)."):
		return fmt.Sprintf("I have thought. The answer is (%c).", 'A'+rune(mind.IntN(5)))
	}
	if strings.Contains(prompt, "Choose the position to move to next") {
		return fmt.Sprintf(`{"reason_for_decision": "it is near", "proposal": [%d, %d]}`, mind.IntN(100), mind.IntN(100)-50)
	}
	last := candidateLine.FindAllStringSubmatch(prompt, -1)
	n, _ := strconv.Atoi(last[len(last)-1][1])
	return fmt.Sprintf("```json\n{\"reason_for_decision\": \"I like it\", \"decision\": %d}\n```", 1+mind.IntN(n))
}

func split(mind *rand.Rand) string {
	shares := map[string]map[string]int{"Alex": {}, "Blake": {}, "Casey": {}}
	for _, good := range []string{"apples", "bread", "cloth"} {
		a := 10 * mind.IntN(6)
		b := 10 * mind.IntN(5)
		shares["Alex"][good], shares["Blake"][good], shares["Casey"][good] = a, b, 100-a-b
	}
	data, _ := json.Marshal(shares)
	return string(data)
}
