// Command service is the model that all peers ask: it answers after a while, in the
// form that roundtable's exchange wants, and counts its calls at /stat. It refuses calls beyond LIMIT
// a minute (0: none; a second's worth at once) and a share STRAY by chance, with Retry-After: 1.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

const answer = `{"id":"r","object":"chat.completion","created":1,"model":"fast","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"%s"}}],"usage":{"prompt_tokens":2900,"completion_tokens":40,"total_tokens":2940}}`

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: service ADDRESS LATENCY LIMIT STRAY")
	}
	latency, err := time.ParseDuration(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	limit, err := strconv.ParseFloat(os.Args[3], 64)
	if err != nil {
		log.Fatal(err)
	}
	stray, err := strconv.ParseFloat(os.Args[4], 64)
	if err != nil {
		log.Fatal(err)
	}
	every := rate.NewLimiter(rate.Inf, 0)
	if limit > 0 {
		every = rate.NewLimiter(rate.Limit(limit/60), max(1, int(limit/60)))
	}
	var calls atomic.Int64
	http.HandleFunc("GET /stat", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, calls.Load()) })
	http.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		n := calls.Add(1)
		if rand.Float64() < stray || !every.Allow() {
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`, http.StatusTooManyRequests)
			return
		}
		time.Sleep(latency)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, answer, text(body, n))
	})
	server := &http.Server{Addr: os.Args[1], ReadHeaderTimeout: time.Minute}
	log.Fatal(server.ListenAndServe())
}

// text answers a phase of the exchange, escaped for JSON; others read the vote's.
func text(question []byte, n int64) string {
	switch {
	case bytes.Contains(question, []byte("this is the message phase")):
		return `{\"target\": [], \"message\": \"I would take more of the first good and leave the others, if that suits you. What do you need most?\"}`
	case bytes.Contains(question, []byte("this is the proposal phase")):
		a, b := 30+n%20, 20+n%30
		share := func(x, y int64) string {
			return fmt.Sprintf(`{\"apples\": %d, \"bread\": %d, \"cloth\": %d}`, x, y, y)
		}
		return fmt.Sprintf(`{\"reason_for_decision\": \"A fair share for each of us, seen from here.\", \"proposal\": {\"Alex\": %s, \"Blake\": %s, \"Casey\": %s}}`,
			share(a, b), share(b, a), share(100-a-b, 100-a-b))
	}
	return fmt.Sprintf(`{\"reason_for_decision\": \"I like it\", \"decision\": %d}`, 1+n%2)
}
